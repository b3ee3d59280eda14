"""What a page weighs until it is complete, file by file, and how long that takes."""

import statistics

from scripts.bench.lab import Lab
from scripts.bench.tasks import longest
from scripts.weight import is_ours

LESSON_PAGES = ("", "data-parallel/", "model-parallel/", "zero-fsdp/")


def weigh(lab: Lab, path: str, frame: int) -> dict:
    """One visit: bytes on the wire, compressed as hosts do, and the time until the chart stands.

    ``bytes`` holds the heads of the answers too; ``files`` and ``own_bytes`` are bodies, as heads are the host's.
    ``frame``: bytes of the document that are the theme's.
    """
    with lab.reader() as page:
        heads: dict[str, tuple[str, int]] = {}
        arrived: dict[str, int] = {}
        devtools = page.context.new_cdp_session(page)
        devtools.on("Network.responseReceived", lambda told: heads.update({told["requestId"]: _head(told["response"])}))
        devtools.on(
            "Network.loadingFinished",
            lambda told: arrived.update({told["requestId"]: round(told["encodedDataLength"])}),
        )
        devtools.send("Network.enable")
        lab.open_lesson(page, path)
        told = page.evaluate("bench")
    named = {heads[key][0].removeprefix(lab.site.url): size - heads[key][1] for key, size in arrived.items()}
    files = dict(sorted(named.items(), key=lambda item: -item[1]))
    return {
        "bytes": sum(arrived.values()),
        "own_bytes": sum(size for name, size in files.items() if is_ours(name)) - frame,
        "requests": len(files),
        "complete_ms": round(told["complete"], 1),
        "longest_task": longest(told, 0),
        "files": files,
    }


def _head(response: dict) -> tuple[str, int]:
    """An answer's address, and the bytes of its head."""
    return response["url"], round(response["encodedDataLength"])


def complete(lab: Lab, path: str, count: int, mbit: float) -> dict:
    """Milliseconds until a page is complete, in fresh browsers."""
    lab.site.limit(mbit)
    samples = [weigh(lab, path, 0)["complete_ms"] for _ in range(count)]
    lab.site.limit(0)
    return {"ms": statistics.median(samples), "samples": samples}
