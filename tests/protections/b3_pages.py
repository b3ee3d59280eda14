"""Pages: going from one to another without a reload, and what the build refuses to publish."""

from .record import Expectation, Group, Removal

EVERY_WAY = "tests/site/test_navigation.py::test_every_page_is_reached_from_every_other_without_a_reload"

GROUP = Group(
    key="pages",
    title="Pages and navigation",
    expectations=(
        Expectation(
            id="U18",
            says="Every widget works after a click within the site, after Back and after Forward.",
            removals=(
                Removal(
                    why="that an element which enters a page begins anew",
                    file="widgets/runtime/element.js",
                    text="  connectedCallback() {\n",
                    instead="  connectedCallback() {\n    if (ShardWidget.began) return;\n    ShardWidget.began = true;\n",
                    tests=(
                        "tests/site/test_navigation.py::test_a_widget_works_after_a_click_after_back_and_after_forward[zero-memory]",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U19",
            says="A chart is the same whether its page was opened, reloaded or reached by a click.",
            removals=(
                Removal(
                    why="drawing at every arrival, where a script that waits for the page to load draws at the first alone",
                    file="widgets/runtime/plot.js",
                    text="    near.observe(box);\n",
                    instead='    addEventListener("load", () => near.observe(box));\n',
                    tests=(
                        "tests/site/test_navigation.py::test_a_widget_shows_the_same_whether_its_page_was_opened_or_navigated_to[zero-fsdp]",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U20",
            says="The layers of a chart stay in place after three clicks within the site.",
            removals=(
                Removal(
                    why="a lasting copy of the styles that the library writes",
                    file="widgets/runtime/library.js",
                    text="  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];\n",
                    tests=(
                        "tests/site/test_navigation.py::test_the_layers_of_a_chart_stay_in_place_after_three_clicks",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U21",
            says="Going from any page to any other raises no error: the data in a page is never run as a script.",
            removals=(
                Removal(
                    why="templates, which no navigation runs, around the data in a page",
                    file="widgets/markup.py",
                    text="""    return f'<template class="{name}" data-search-exclude>{escape(text, quote=False)}</template>'\n""",
                    instead="""    data = text.replace("<", "\\\\u003c")\n    return f'<template class="{name}" data-search-exclude>{escape(text, quote=False)}</template><script type="application/json">{data}</script>'\n""",
                    tests=(EVERY_WAY,),
                ),
            ),
        ),
        Expectation(
            id="U22",
            says="Pages change without a reload, and the site cannot be built in a way that turns that off in silence.",
            removals=(
                Removal(
                    why="instant navigation",
                    file="mkdocs.yml",
                    text="    - navigation.instant\n",
                    tests=(EVERY_WAY,),
                ),
                Removal(
                    why="that a build needs the address of its site",
                    file="scripts/site/hook.py",
                    text="    if not config.site_url:\n",
                    instead="    if False:\n",
                    tests=("tests/site/test_navigation.py::test_without_an_address_of_its_own_the_site_is_not_built",),
                ),
            ),
        ),
        Expectation(
            id="U23",
            says="A link to a heading leads there even with charts above it, and nothing moves while they come.",
            removals=(
                Removal(
                    why="saying that scripts run before anything is painted",
                    file="docs/templates/main.html",
                    text='document.documentElement.classList.replace("no-js", location.protocol === "file:" ? "from-file" : "js");',
                    tests=("tests/site/test_navigation.py::test_nothing_moves_when_the_scripts_come",),
                ),
                Removal(
                    why="the link at every heading",
                    file="mkdocs.yml",
                    text="toc: {permalink: true}",
                    instead="toc: {permalink: false}",
                    tests=(
                        "tests/site/test_navigation.py::test_a_heading_below_a_chart_is_where_its_link_leads_and_nothing_moves[zero-fsdp]",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U24",
            says="A letter typed in a widget stays there; elsewhere it turns pages and opens the search as before.",
            removals=(
                Removal(
                    why="that letters end at the widget",
                    file="widgets/runtime/keys.js",
                    text="event.stopPropagation();\n",
                    instead="{}\n",
                    tests=("tests/site/test_letters.py::test_no_letter_leaves_a_widget[zero-memory]",),
                ),
            ),
        ),
        Expectation(
            id="U25",
            says="The site works below any path, and an address that leads nowhere shows a page with the site's look and links, however deep.",
            removals=(
                Removal(
                    why="links in the footer that start from the page they stand on",
                    file="docs/templates/partials/footer.html",
                    text='<li><a href="{{ item.url | url }}">',
                    instead='<li><a href="/{{ item.url }}">',
                    tests=(
                        "tests/site/test_addresses.py::test_links_are_relative_so_that_the_site_works_under_any_address",
                    ),
                ),
                Removal(
                    why="the list of pages where an address leads nowhere",
                    file="docs/templates/404.html",
                    text='<a href="{{ item.url | url }}">',
                    instead='<a href="{{ item.url }}">',
                    tests=("tests/site/test_missing_page.py::test_its_links_lead_to_every_page",),
                ),
            ),
        ),
        Expectation(
            id="U26",
            says="Two widgets on a page, even two of a kind, keep their values and their names apart.",
            removals=(
                Removal(
                    why="names of their own for the parts of each widget",
                    file="widgets/markup.py",
                    text='    uid = f"{prefix}-{name}" if prefix else name\n',
                    instead="    uid = name\n",
                    tests=("tests/site/test_two_widgets.py::test_every_id_is_there_once",),
                ),
                Removal(
                    why="a prefix of its own for each widget's values in the link",
                    file="widgets/runtime/state.js",
                    text="(prefix ? `${prefix}.${name}` : name)",
                    instead="name",
                    tests=(
                        "tests/site/test_two_widgets.py::test_driving_one_leaves_the_others_and_the_link_tells_them_apart",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U27",
            says="The search finds what pages say, and its index holds no data of charts.",
            removals=(
                Removal(
                    why="that the search leaves out the data in a page",
                    file="widgets/markup.py",
                    text='<template class="{name}" data-search-exclude>',
                    instead='<template class="{name}">',
                    tests=("tests/site/test_addresses.py::test_the_search_index_holds_sentences_and_no_figures",),
                ),
            ),
        ),
        Expectation(
            id="U28",
            says="An unknown number, widget or attribute in a lesson stops the build, with file and line.",
            removals=(
                Removal(
                    why="the refusal of a fact that does not exist",
                    file="scripts/site/prose.py",
                    text='            raise source.error(match.start(), f"{match[0]}: {error}") from error\n',
                    instead="            return str(error)\n",
                    tests=("tests/checks/test_build.py::test_a_wrong_fact_names_file_and_line",),
                ),
                Removal(
                    why="the refusal of a widget that does not exist",
                    file="scripts/site/tags.py",
                    text='            raise source.error(match.start(), f"<shard-widget>: {error}") from error\n',
                    instead="            return str(error)\n",
                    tests=("tests/checks/test_build.py::test_a_wrong_widget_tag_names_file_and_line",),
                ),
            ),
        ),
    ),
)
