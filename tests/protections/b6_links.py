"""Links: the state of a widget in the address, and what a reader takes along."""

from .record import Expectation, Group, Removal

GROUP = Group(
    key="links",
    title="Links and downloads",
    expectations=(
        Expectation(
            id="U46",
            says="A link sets the controls at once, says that the chart still shows the default, and starts Python, which brings the rest.",
            removals=(
                Removal(
                    why="that a link with values starts the engine",
                    file="widgets/runtime/visit.js",
                    text="    if (moved.length) this.ask();\n",
                    tests=(
                        "tests/site/test_links.py::test_a_link_is_followed_at_once_and_starts_the_engine[zero-memory]",
                    ),
                ),
                Removal(
                    why="the words that the chart shows the default",
                    file="widgets/runtime/notices.js",
                    text='early ? t("Until Python answers, the chart shows the default values.") : ""',
                    instead='""',
                    tests=(
                        "tests/site/test_links.py::test_a_link_is_followed_at_once_and_starts_the_engine[zero-memory]",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U47",
            says="A link to a heading keeps the values in the address, and a new value keeps the heading.",
            removals=(
                Removal(
                    why="that a jump within a page takes the values along",
                    file="widgets/runtime/state.js",
                    text="link.search = location.search;\n",
                    instead="{}\n",
                    tests=(
                        "tests/site/test_links.py::test_a_heading_link_keeps_the_state_and_the_state_keeps_the_heading",
                    ),
                ),
                Removal(
                    why="the heading at the end of the address",
                    file="widgets/runtime/state.js",
                    text="pairs, location.hash);",
                    instead="pairs);",
                    tests=(
                        "tests/site/test_links.py::test_a_heading_link_keeps_the_state_and_the_state_keeps_the_heading",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U48",
            says="An address names only what differs from the default, so that any state is a short link.",
            removals=(
                Removal(
                    why="leaving out the defaults",
                    file="widgets/runtime/state.js",
                    text="...pairsOf(controls.filter(moved), prefix)]",
                    instead="...pairsOf(controls, prefix)]",
                    tests=(
                        "tests/site/test_links.py::test_the_address_follows_the_controls_and_only_names_what_differs[zero-memory]",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U49",
            says="Fifty steps of a slider leave the history as long as it was, and Back leaves the page.",
            removals=(
                Removal(
                    why="that a new value replaces the old one in the history",
                    file="widgets/runtime/state.js",
                    text="history.replaceState(",
                    instead="history.pushState(",
                    tests=("tests/site/test_links.py::test_fifty_steps_leave_one_entry_in_the_history[zero-memory]",),
                ),
            ),
        ),
        Expectation(
            id="U50",
            says="A value in a link that is not allowed gives way to the nearest that is, and the reader is told; names that the page does not know are left alone.",
            removals=(
                Removal(
                    why="the limits of a value from a link",
                    file="widgets/runtime/controls.js",
                    text="Math.min(most, Math.max(least, Math.round(asked)))",
                    instead="Math.round(asked)",
                    tests=(
                        "tests/site/test_links.py::test_a_value_that_is_not_allowed_is_replaced_and_the_reader_is_told[?gpus=99999-used0-GPUs]",
                    ),
                ),
                Removal(
                    why="the note about a value that was replaced",
                    file="widgets/runtime/state.js",
                    text="    if (note) notes.push(note);\n",
                    tests=(
                        "tests/site/test_links.py::test_a_value_that_is_not_allowed_is_replaced_and_the_reader_is_told[?stage=zero-9-used6-Stage]",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U51",
            says="The table comes as CSV, the chart as SVG and PNG, each under a name that says what it shows.",
            removals=(
                Removal(
                    why="the values in the name of a file",
                    file="widgets/runtime/export.js",
                    text="[widget, ...values]",
                    instead="[widget]",
                    tests=(
                        "tests/site/test_downloads.py::test_the_csv_is_the_table[zero-memory]",
                        "tests/site/test_downloads.py::test_the_svg_is_the_chart[zero-memory]",
                        "tests/site/test_downloads.py::test_the_png_is_a_picture_at_twice_the_size[zero-memory]",
                    ),
                ),
            ),
        ),
    ),
)
