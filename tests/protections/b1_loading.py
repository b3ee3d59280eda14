"""Loading: what comes when, and what is said when it does not come."""

from .record import Expectation, Group, Removal

START = "tests/site/test_start.py::test_"
SLOW = "tests/site/test_slow.py::test_"
BROKEN = "tests/site/test_sabotage.py::test_a_broken_file_is_named_and_retry_works_once_it_is_mended"
CHART_FIRST = f"{SLOW}on_a_slow_machine_the_chart_comes_first_and_the_way_to_python_is_told"
ONE_WAY = f"{SLOW}the_percentage_never_goes_back_and_never_passes_its_end_whatever_is_counted"
ONCE = "tests/site/test_navigation.py::test_python_is_fetched_once_and_one_worker_serves_all_pages"

GROUP = Group(
    key="loading",
    title="Loading",
    expectations=(
        Expectation(
            id="U01",
            says="A page is complete, charts and tables too, within its budget of bytes; Python is fetched once somebody comes near a chart, and ahead of that only where bytes are free.",
            removals=(
                Removal(
                    why="a widget that wakes only when a reader comes near",
                    file="widgets/runtime/visit.js",
                    text="    this.listen(signal);\n",
                    instead="    this.listen(signal);\n    this.wake();\n",
                    tests=(
                        f"{START}looking_at_a_page_starts_nothing",
                        f"{START}a_page_is_complete_after_few_bytes_and_without_python[zero-fsdp]",
                    ),
                ),
                Removal(
                    why="the question whether the connection is free",
                    file="widgets/runtime/prefetch.js",
                    text=" || !isFree()",
                    tests=(f"{START}nothing_is_fetched_ahead_where_bytes_cost_something[metered]",),
                ),
            ),
        ),
        Expectation(
            id="U02",
            says="On a slow machine and a slow line the chart stands before Python is asked for, and while Python comes its share of the way is told.",
            removals=(
                Removal(
                    why="a first chart that waits for nobody",
                    file="widgets/runtime/visit.js",
                    text="    this.chart.show(this.seed);\n",
                    instead='    status.listen(({ stage }) => stage === "ready" && this.chart.show(this.seed), signal);\n',
                    tests=(CHART_FIRST,),
                ),
                Removal(
                    why="the percentage in the status line",
                    file="widgets/runtime/notices.js",
                    text='  shown.setAttribute("aria-valuenow", String(percent));\n',
                    tests=(CHART_FIRST,),
                ),
            ),
        ),
        Expectation(
            id="U03",
            says="From the moment Python is asked for, a line says what happens: downloading with a percentage, starting, ready.",
            removals=(
                Removal(
                    why="the status line",
                    file="widgets/runtime/notices.js",
                    text="    if (this.awake) showStage(this.line, now, this);\n",
                    tests=(f"{START}the_stages_are_told_in_order_and_the_percentage_only_grows",),
                ),
            ),
        ),
        Expectation(
            id="U04",
            says="The percentage counts bytes as the build knows them, not as a server packs them: it never goes back and never passes its end.",
            removals=(
                Removal(
                    why="the end of the scale",
                    file="widgets/runtime/status.js",
                    text="Math.min(100, Math.max(now.percent, Math.floor((100 * got) / all)))",
                    instead="Math.max(now.percent, Math.floor((100 * got) / all))",
                    tests=(ONE_WAY,),
                ),
                Removal(
                    why="that only a larger share is shown",
                    file="widgets/runtime/status.js",
                    text='Math.min(100, Math.max(now.percent, Math.floor((100 * got) / all)));\n    if (now.stage === "fetching" && percent > now.percent)',
                    instead='Math.min(100, Math.floor((100 * got) / all));\n    if (now.stage === "fetching")',
                    tests=(ONE_WAY,),
                ),
            ),
        ),
        Expectation(
            id="U05",
            says="A start that does not come to an end says within a set time which file is missing and why, and Retry works once it is there.",
            removals=(
                Removal(
                    why="the end of patience",
                    file="widgets/runtime/host.js",
                    text='    failed(mode, failure(late ? "stalled" : "silent", asset, { stage, detail, ...size }));\n',
                    tests=(f"{BROKEN}[pyodide.asm.wasm stalled]",),
                ),
                Removal(
                    why="what Retry does",
                    file="widgets/runtime/notices.js",
                    text='    if (status.now.stage === "failed") host.retry();\n',
                    tests=(f"{BROKEN}[pyodide.asm.wasm aborted]",),
                ),
            ),
        ),
        Expectation(
            id="U06",
            says="A server that sends a file under a wrong type is told so, with the type it sent and the one that is needed.",
            removals=(
                Removal(
                    why="the check of the type",
                    file="widgets/runtime/assets.js",
                    text='  if (strict && !same) throw failure("type", file.name, { expected: file.type, got: type || "–" });\n',
                    tests=(f"{BROKEN}[pyodide.asm.wasm octet-stream]",),
                ),
            ),
        ),
        Expectation(
            id="U07",
            says="Whatever breaks, the page says so in the end and never waits for ever; what comes later does not hide the first cause.",
            removals=(
                Removal(
                    why="the memory of the first cause",
                    file="widgets/runtime/host.js",
                    text="  first ??= error;\n",
                    instead="  first = error;\n",
                    tests=(
                        "tests/site/test_sabotage.py::test_without_snapshot_and_wheel_the_first_cause_is_told_and_the_second_is_in_the_details",
                    ),
                ),
                Removal(
                    why="that a web page in place of a file is refused",
                    file="widgets/runtime/assets.js",
                    text='  if (type === "text/html") throw failure("html", file.name, { expected: file.type, got: type });\n',
                    tests=(f"{BROKEN}[pyodide.asm.js a web page]",),
                ),
                Removal(
                    why="the count of a file's bytes to its end",
                    file="widgets/runtime/assets.js",
                    text="        if (seen > bytes || (done && seen < bytes)) {\n",
                    instead="        if (seen > bytes) {\n",
                    tests=(f"{BROKEN}[pyodide.asm.wasm truncated]",),
                ),
                Removal(
                    why="the comparison of a file's contents with those that the build knew",
                    file="widgets/runtime/assets.js",
                    text='        if (sum && done && found !== sum) throw failure("damaged", file.name);\n',
                    tests=(f"{BROKEN}[pyodide.asm.wasm damaged]",),
                ),
            ),
        ),
        Expectation(
            id="U08",
            says="Python starts once a visit: pages that are reached by a click find it running.",
            removals=(
                Removal(
                    why="that the engine stays when a widget leaves",
                    file="widgets/runtime/visit.js",
                    text="client.drop(this)));\n",
                    instead="client.drop(this), host.restart()));\n",
                    tests=(ONCE,),
                ),
            ),
        ),
        Expectation(
            id="U09",
            says="The library that draws is the small one, fetched once, and only on pages that draw.",
            removals=(
                Removal(
                    why="that all charts share one library",
                    file="widgets/runtime/library.js",
                    text="  arrived ??= new Promise(",
                    instead="  arrived = new Promise(",
                    tests=(ONCE,),
                ),
                Removal(
                    why="that only a chart asks for it",
                    file="widgets/runtime/library.js",
                    text="// Instant navigation empties the head",
                    instead="library(() => {});\n\n// Instant navigation empties the head",
                    tests=(f"{START}the_library_of_the_charts_is_fetched_once_and_only_for_charts[glossary]",),
                ),
            ),
        ),
        Expectation(
            id="U10",
            says="All files of a start are asked for before the first has come.",
            removals=(
                Removal(
                    why="asking for all files at once",
                    file="widgets/runtime/worker.js",
                    text="    const asked = names.map((name) => get(name, fresh));\n",
                    instead="    const asked = [];\n    for (const name of names) asked.push(await get(name, fresh));\n",
                    tests=(f"{START}all_files_of_a_start_are_asked_for_before_the_first_one_has_come[snapshot]",),
                ),
            ),
        ),
    ),
)
