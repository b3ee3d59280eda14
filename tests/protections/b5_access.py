"""Access: by keyboard, by ear, in other colours, without motion, in other languages."""

from .record import Expectation, Group, Removal

GROUP = Group(
    key="access",
    title="Keyboard, ear, eye and language",
    expectations=(
        Expectation(
            id="U37",
            says="A slider has a name, says its value with the unit, and obeys arrows, Page Up, Page Down, Home and End.",
            removals=(
                Removal(
                    why="the value in words",
                    file="widgets/runtime/controls.js",
                    text='range.setAttribute("aria-valuetext", text)',
                    instead="text",
                    tests=(
                        "tests/site/test_controls.py::test_a_slider_moves_by_keyboard_and_says_its_value_in_words[zero-memory-gpus]",
                    ),
                ),
                Removal(
                    why="the big steps",
                    file="widgets/runtime/keys.js",
                    text='  if (key === "PageUp") return page(value, stops, true);\n',
                    tests=(
                        "tests/site/test_controls.py::test_a_slider_moves_by_keyboard_and_says_its_value_in_words[zero-memory-gpus]",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U38",
            says="A chart is one picture with a sentence for its name, in a figure with a caption and a table that holds the same numbers.",
            removals=(
                Removal(
                    why="the role and the name of the picture",
                    file="widgets/markup.py",
                    text=""" role="img" aria-label="{escape(view["summary"])}\"""",
                    tests=(
                        "tests/site/test_accessibility.py::test_a_widget_is_a_figure_with_one_picture_a_caption_and_a_table[zero-memory]",
                    ),
                ),
                Removal(
                    why="that the table follows the chart",
                    file="widgets/runtime/view.js",
                    text='  each(table.tBodies[0], rows, row, (element, cells) => each(element, cells, () => make("td"), write));\n',
                    tests=("tests/site/test_controls.py::test_a_choice_follows_the_mouse[zero-memory-stage]",),
                ),
            ),
        ),
        Expectation(
            id="U39",
            says="The Tab key passes a chart without a stop inside it; what can be done with it stands below, under names.",
            removals=(
                Removal(
                    why="charts without the library's own bar of buttons",
                    file="widgets/runtime/plot.js",
                    text="displayModeBar: false",
                    instead="displayModeBar: true",
                    tests=(
                        "tests/site/test_accessibility.py::test_nothing_inside_a_chart_stops_the_tab_key[zero-memory]",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U40",
            says="A change that has settled is spoken once, and not at every step on the way.",
            removals=(
                Removal(
                    why="that a newer message takes the place of one that waits",
                    file="widgets/runtime/view.js",
                    text="  return (text, after = 0) => {\n    clearTimeout(timer);\n    const pause = Math.max(after, last + settings.announceEvery - performance.now());\n",
                    instead="  return (text) => {\n    const pause = 0;\n",
                    tests=(
                        "tests/site/test_accessibility.py::test_a_change_is_spoken_once_it_has_settled_and_not_on_every_step",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U41",
            says="Series that stand side by side differ by pattern, and by colour for every kind of colour vision; all stand out from the ground in light and dark.",
            removals=(
                Removal(
                    why="the patterns",
                    file="widgets/runtime/theme.js",
                    text="shape: pattern(role)",
                    instead='shape: ""',
                    tests=(
                        "tests/site/test_theme.py::test_neighbouring_series_differ_by_pattern_as_well_as_by_colour",
                    ),
                ),
                Removal(
                    why="a colour for the gradients that is far from its neighbours for every kind of eye",
                    file="docs/assets/css/00-tokens.css",
                    text="  --role-gradients: #bb6d00;\n",
                    instead="  --role-gradients: #17549f;\n",
                    tests=(
                        "tests/checks/test_styles.py::test_series_of_one_chart_differ_for_every_kind_of_colour_vision",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U42",
            says="axe finds nothing on any page, in light and dark, wide and narrow, at rest, at work and after a failure.",
            removals=(
                Removal(
                    why="the name of the number box",
                    file="widgets/markup.py",
                    text=""" aria-label="{escape(exact)}\"""",
                    tests=("tests/site/test_accessibility.py::test_axe_finds_nothing_in_a_widget_that_failed[light]",),
                ),
                Removal(
                    why="the way by keyboard to a table that scrolls",
                    file="scripts/site/tables.py",
                    text=' tabindex="0" role="region"',
                    tests=("tests/site/test_accessibility.py::test_axe_finds_nothing[sources/-narrow-light]",),
                ),
            ),
        ),
        Expectation(
            id="U43",
            says="Who asks for less motion gets none, and the same information.",
            removals=(
                Removal(
                    why="the site's rule against every transition, with one that lets them run where the theme stops them too",
                    file="docs/assets/css/10-base.css",
                    text="    transition: none !important;\n",
                    instead="    transition: color 1s !important;\n",
                    tests=("tests/site/test_motion.py::test_nothing_moves_for_who_wants_no_motion[zero-fsdp]",),
                ),
            ),
        ),
        Expectation(
            id="U44",
            says="On a page that is written from right to left the controls follow it, and a chart stays whole.",
            removals=(
                Removal(
                    why="the direction of a chart, which is its own",
                    file="widgets/runtime/plot.js",
                    text='    box.dir = "ltr";\n',
                    tests=(
                        "tests/site/test_direction.py::test_a_page_from_right_to_left_is_mirrored_and_its_pictures_are_not",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U45",
            says="Every visible word comes from the catalogue of messages, and every number from one formatter.",
            removals=(
                Removal(
                    why="the way of one sentence of the page's own script through the catalogue",
                    file="widgets/runtime/notices.js",
                    text='  fetching: () => t("Downloading Python"),\n',
                    instead='  fetching: () => "Downloading Python",\n',
                    tests=("tests/site/test_words.py::test_every_word_of_a_running_widget_comes_from_the_catalogue",),
                ),
                Removal(
                    why="the way of one label of the markup through the catalogue",
                    file="widgets/foot.py",
                    text="""<button type="button" class="sw-retry">{_t(language, N_("Retry"))}</button>""",
                    instead="""<button type="button" class="sw-retry">Retry</button>""",
                    tests=(
                        "tests/checks/test_messages.py::test_no_text_of_the_markup_bypasses_the_catalogue[zero-memory]",
                    ),
                ),
                Removal(
                    why="the decimal sign of the language",
                    file="widgets/format.py",
                    text="""ord("."): point""",
                    instead='''ord("."): "."''',
                    tests=("tests/checks/test_messages.py::test_numbers_follow_the_language",),
                ),
            ),
        ),
    ),
)
