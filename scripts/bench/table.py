"""What the bench says: a line for each figure beside its target, and all of it as JSON."""

import json

from scripts.tools import BUILD


def say(text: str) -> None:
    """Print one line at once."""
    print(f"bench: {text}", flush=True)


def report(results: dict) -> None:
    """Print each figure beside its target, and write them all."""
    width = max(map(len, results), default=0)
    for name, figure in results.items():
        value, target = figure["value"], figure.get("target")
        verdict = "" if target is None else f"{'meets' if value <= target else 'MISSES'} {target:,}"
        print(f"{name:{width}}  {value:>12,.10g}  {verdict:<16} {_detail(figure)}".rstrip())
    BUILD.mkdir(exist_ok=True)
    (BUILD / "bench.json").write_text(json.dumps(results, indent=2) + "\n", "utf-8")
    say("written to build/bench.json")


def _detail(figure: dict) -> str:
    """What a reader of the table wants beside the value."""
    if "theirs" in figure:
        sizes = [figure[side]["samples"][0] for side in ("ours", "theirs")]
        bytes_ = " / ".join(f"{size['bytes']:,} B in {size['requests']}" for size in sizes)
        return f"{figure['ours']['ms']:,.0f} / {figure['theirs']['ms']:,.0f} ms; {bytes_} requests"
    if "parts" in figure:
        return ", ".join(f"{name} {ms:,.0f}" for name, ms in figure["parts"].items())
    if "percentiles_ms" in figure:
        return ", ".join(
            f"{share} {pair['python']:.1f} / {pair['javascript']:.1f} ms"
            for share, pair in figure["percentiles_ms"].items()
        )
    if "growth" in figure:
        return ", ".join(f"{name} {value:+,}" for name, value in figure["growth"].items())
    unit = f"{figure['unit']}" if "unit" in figure else ""
    return f"{unit}, {figure['layouts']:,} layouts" if "layouts" in figure else unit
