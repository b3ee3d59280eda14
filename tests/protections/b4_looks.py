"""Looks: light and dark, wide and narrow, fingers and paper."""

from .record import Expectation, Group, Removal

GROUP = Group(
    key="looks",
    title="Colours, sizes, touch and paper",
    expectations=(
        Expectation(
            id="U29",
            says="The colour button recolours every chart at once, and what it shows stays as it is.",
            removals=(
                Removal(
                    why="watching the page for another scheme",
                    file="widgets/runtime/theme.js",
                    text="  observer.observe(element, { attributes: true, attributeFilter: attributes });\n",
                    tests=(
                        "tests/site/test_theme.py::test_the_colour_button_recolours_a_chart_and_changes_nothing_else[zero-memory]",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U30",
            says="A colour scheme of any name colours the charts.",
            removals=(
                Removal(
                    why="asking the page for colours in place of knowing the names of its schemes",
                    file="widgets/runtime/theme.js",
                    text="  if (before.some(([property, was]) => colour(property) !== was)) tell();\n",
                    instead='  if (["default", "slate"].includes(document.body.dataset.mdColorScheme)) tell();\n',
                    tests=("tests/site/test_theme.py::test_a_scheme_of_any_name_colours_the_chart[zero-memory]",),
                ),
            ),
        ),
        Expectation(
            id="U31",
            says="A chart takes the width it gets, whatever changed it.",
            removals=(
                Removal(
                    why="that a chart is told when its room changes",
                    file="widgets/runtime/plot.js",
                    text="      this.#room = { width: Math.round(width), height: Math.round(height) };\n",
                    instead="      if (!this.#room.width) this.#room = { width: Math.round(width), height: Math.round(height) };\n",
                    tests=("tests/site/test_sizes.py::test_a_chart_follows_the_width_it_gets[zero-memory]",),
                ),
            ),
        ),
        Expectation(
            id="U32",
            says="A chart in something closed is drawn when that opens, at the right width, and raises no error before.",
            removals=(
                Removal(
                    why="that a chart without room is not drawn",
                    file="widgets/runtime/plot.js",
                    text="    if (!this.#near || !this.#view || !this.#room.width) return Promise.resolve();\n",
                    instead="    if (!this.#view) return Promise.resolve();\n",
                    tests=(
                        "tests/site/test_sizes.py::test_a_chart_that_was_hidden_is_drawn_at_the_right_width_when_it_opens",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U33",
            says="Paper shows the chart whole and light, the open table, the values and the address, and no controls.",
            removals=(
                Removal(
                    why="that a chart hears of printing",
                    file="widgets/runtime/theme.js",
                    text='paper.addEventListener("change", () => print(paper.matches));\n',
                    tests=(
                        "tests/site/test_paper.py::test_a_printed_widget_is_light_whole_and_has_its_table[zero-memory-dark]",
                    ),
                ),
                Removal(
                    why="that what is folded is open on paper",
                    file="docs/assets/css/90-print.css",
                    text="    content-visibility: visible;\n    block-size: auto;\n",
                    tests=(
                        "tests/site/test_paper.py::test_a_printed_widget_is_light_whole_and_has_its_table[zero-memory-light]",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U34",
            says="A finger that swipes over a chart scrolls the page.",
            removals=(
                Removal(
                    why="charts that nobody can drag",
                    file="widgets/figure.py",
                    text='        "dragmode": False,\n',
                    tests=("tests/site/test_touch.py::test_swiping_up_over_a_chart_scrolls_the_page[zero-memory]",),
                ),
            ),
        ),
        Expectation(
            id="U35",
            says="A swipe up or down over a slider scrolls and leaves the value; a swipe along it moves it; all of it is large enough for a finger.",
            removals=(
                Removal(
                    why="that swipes up and down belong to the page",
                    file="docs/assets/css/41-controls.css",
                    text="  touch-action: pan-y;\n",
                    instead="  touch-action: none;\n",
                    tests=(
                        "tests/site/test_touch.py::test_swiping_up_over_a_slider_scrolls_the_page_and_leaves_the_value[zero-memory]",
                    ),
                ),
                Removal(
                    why="the height of a slider",
                    file="docs/assets/css/41-controls.css",
                    text="  inline-size: 100%;\n  block-size: 44px;\n",
                    instead="  inline-size: 100%;\n  block-size: 20px;\n",
                    tests=(
                        "tests/site/test_sizes.py::test_on_a_phone_every_control_is_in_reach_and_works[zero-memory]",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U36",
            says="At the width of a small phone nothing sticks out and everything can be used; no code asks which device it runs on.",
            removals=(
                Removal(
                    why="tables that scroll by themselves",
                    file="docs/assets/css/42-states.css",
                    text="  display: flex;\n  overflow-x: auto;\n",
                    instead="  display: flex;\n",
                    tests=("tests/site/test_sizes.py::test_no_page_scrolls_sideways_or_cuts_anything_off[evidence]",),
                ),
                Removal(
                    why="asking for a capability, never for a browser's name",
                    file="widgets/runtime/prefetch.js",
                    text='matchMedia("(hover: hover) and (pointer: fine)").matches',
                    instead="!/Mobile/.test(navigator.userAgent)",
                    tests=("tests/site/test_sizes.py::test_no_code_asks_which_browser_it_runs_in",),
                ),
            ),
        ),
    ),
)
