"""Updates: from a moved control to a drawn answer, for a thousand times."""

from .record import Expectation, Group, Removal

GROUP = Group(
    key="updates",
    title="Changes and answers",
    expectations=(
        Expectation(
            id="U11",
            says="The page stays quick while Python loads and computes: none of that work is done where the page reacts, and long work there is cut in pieces.",
            removals=(
                Removal(
                    why="the pause between running the library of the charts and drawing with it",
                    file="widgets/runtime/library.js",
                    text="setTimeout(() => resolve(keepStyles()))",
                    instead="resolve(keepStyles())",
                    tests=(
                        "tests/site/test_slow.py::test_the_page_answers_between_running_the_library_and_drawing_with_it",
                    ),
                ),
                Removal(
                    why="that WebAssembly is compiled in the worker alone",
                    file="widgets/runtime/host.js",
                    text='  mine.postMessage({ type: "start"',
                    instead='  WebAssembly.compile(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));\n  mine.postMessage({ type: "start"',
                    tests=("tests/site/test_slow.py::test_python_never_runs_where_the_page_reacts",),
                ),
            ),
        ),
        Expectation(
            id="U12",
            says="However many widgets a page has, one worker serves them.",
            removals=(
                Removal(
                    why="that a worker ends before another one begins",
                    file="widgets/runtime/host.js",
                    text="  worker?.terminate();\n",
                    tests=(
                        "tests/site/test_answers.py::test_a_computation_that_hangs_is_stopped_and_the_next_one_is_answered",
                    ),
                ),
                Removal(
                    why="that an engine that was started is not started again",
                    file="widgets/runtime/host.js",
                    text='    if (status.now.stage === "idle") spawn(settings.start, false);\n',
                    instead="    spawn(settings.start, false);\n",
                    tests=(
                        "tests/site/test_two_widgets.py::test_driving_one_leaves_the_others_and_the_link_tells_them_apart",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U13",
            says="A control shows its new value at once, and the chart ends on the last one; no late answer undoes it.",
            removals=(
                Removal(
                    why="that an answer must belong to the question that is open",
                    file="widgets/runtime/client.js",
                    text="  if (message.id !== running?.call.id) return;\n",
                    tests=(
                        "tests/site/test_answers.py::test_the_last_question_wins_whatever_order_the_answers_come_in",
                    ),
                ),
                Removal(
                    why="that a newer question takes the place of one that waits",
                    file="widgets/runtime/client.js",
                    text="    waiting.set(who, { ...call, id: ++serial });\n",
                    instead="    waiting.set(waiting.has(who) || running ? {} : who, { ...call, id: ++serial });\n",
                    tests=("tests/site/test_answers.py::test_fifty_quick_changes_ask_no_more_than_python_can_answer",),
                ),
                Removal(
                    why="that the number and the thumb do not wait for Python",
                    file="widgets/runtime/controls.js",
                    text="    control.set(value);\n    changed(control);\n",
                    instead="    control.value = value;\n    changed(control);\n",
                    tests=(
                        "tests/site/test_answers.py::test_the_number_moves_at_once_while_the_chart_waits_for_its_answer",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U14",
            says="A computation that hangs is stopped, a long one can be cancelled, the reader is told, and the next one is answered.",
            removals=(
                Removal(
                    why="a new worker in place of one that hangs",
                    file="widgets/runtime/client.js",
                    text="    replace();\n    if (!waiting.has(who)) who?.hung();",
                    instead="    end();\n    if (!waiting.has(who)) who?.hung();",
                    tests=(
                        "tests/site/test_answers.py::test_a_computation_that_hangs_is_stopped_and_the_next_one_is_answered",
                    ),
                ),
                Removal(
                    why="a new worker in place of one that cannot be asked to stop",
                    file="widgets/runtime/client.js",
                    text="  if (running.share === undefined) return replace();\n",
                    tests=(
                        "tests/site/test_long.py::test_a_computation_that_tells_nothing_is_cancelled_with_its_worker_and_the_next_change_is_answered",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U15",
            says="Who leaves a page while Python starts, and comes back, finds everything as it was.",
            removals=(
                Removal(
                    why="that the values of the address are asked about on arrival",
                    file="widgets/runtime/visit.js",
                    text="    if (moved.length) this.ask();\n",
                    tests=("tests/site/test_navigation.py::test_leaving_while_python_starts_and_coming_back_works",),
                ),
            ),
        ),
        Expectation(
            id="U16",
            says="A thousand changes take no more memory than fifty.",
            removals=(
                Removal(
                    why="that only texts cross into Python, and none is kept",
                    file="widgets/runtime/worker.js",
                    text="    steps = rendering(name, params, locale);\n",
                    instead="    steps = rendering(name, params, locale);\n    (self.kept ??= []).push(pyodide.toPy(Array(9000).fill(1)));\n",
                    tests=("tests/site/test_frames.py::test_changes_leave_nothing_behind[950]",),
                ),
            ),
        ),
        Expectation(
            id="U17",
            says="Every number that crosses between Python and the page is finite and exact, at both ends of every control.",
            removals=(
                Removal(
                    why="that Python refuses to write what is no number",
                    file="widgets/api.py",
                    text="allow_nan=False, ",
                    tests=("tests/widgets/test_answers.py::test_what_is_no_number_is_never_sent",),
                ),
            ),
        ),
    ),
)
