"""Long tasks of the page's main thread, and whose scripts ran in them."""


def longest(told: dict, start: float, end: float = float("inf")) -> dict:
    """The longest task that overlaps a span of time: its length, when it began, and the scripts that took a part in it.

    ``told``: what the probe noted. Tasks under 50 ms are none that the browser tells of: 0 stands for them.
    """
    inside = [task for task in told["tasks"] if task["at"] < end and task["at"] + task["ms"] > start]
    if not inside:
        return {"ms": 0, "scripts": []}
    task = max(inside, key=lambda each: each["ms"])
    frames = [
        frame
        for frame in told["frames"]
        if frame["at"] <= task["at"] + task["ms"] and frame["at"] + frame["ms"] >= task["at"]
    ]
    scripts = [script for frame in frames for script in frame["scripts"] if script["ms"] >= 1]
    return {"ms": task["ms"], "at": round(task["at"]), "scripts": scripts}
