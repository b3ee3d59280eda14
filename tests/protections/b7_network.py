"""Network: other servers, old files, strict policies, other browsers, versions, and what is left behind."""

from .record import Expectation, Group, Removal

GROUP = Group(
    key="network",
    title="Network, safety, browsers and versions",
    expectations=(
        Expectation(
            id="U52",
            says="Nothing is asked of another server, fonts included; with the outside network cut everything works.",
            removals=(
                Removal(
                    why="fonts that the site brings itself",
                    file="mkdocs.yml",
                    text="  font: false\n",
                    tests=("tests/site/test_addresses.py::test_nothing_is_loaded_from_another_server",),
                ),
            ),
        ),
        Expectation(
            id="U53",
            says="Whatever changes has an address that changes with it, and no service worker keeps the old.",
            removals=(
                Removal(
                    why="the hash of its contents in every folder's name",
                    file="scripts/vendor.py",
                    text='    path = f"assets/{kind}/{tree_hash(staged)}/"\n',
                    instead='    path = f"assets/{kind}/now/"\n',
                    tests=(
                        "tests/site/test_start.py::test_what_changes_has_an_address_that_changes_and_no_service_worker_keeps_the_old",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U54",
            says="Any plain server will do: no special headers, no memory shared between threads, no service worker.",
            removals=(
                Removal(
                    why="memory of its own for every file that comes",
                    file="widgets/runtime/assets.js",
                    text="  const whole = new Uint8Array(packed ? file.raw_bytes : bytes);\n",
                    instead="  const whole = new Uint8Array(new SharedArrayBuffer(packed ? file.raw_bytes : bytes));\n",
                    tests=(
                        "tests/site/test_start.py::test_no_isolation_and_no_shared_memory_are_needed",
                        "tests/checks/test_layers.py::test_the_runtime_asks_for_nothing_that_a_plain_server_cannot_give",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U55",
            says="Everything works under a strict policy, which every page carries: no text ever becomes code.",
            removals=(
                Removal(
                    why="the leave to compile WebAssembly, the one that the engine needs",
                    file="scripts/site/policy.py",
                    text=""" "'wasm-unsafe-eval'",""",
                    tests=("tests/site/test_policy.py::test_under_a_strict_policy_nothing_is_refused[snapshot]",),
                ),
                Removal(
                    why="the policy itself",
                    file="scripts/site/policy.py",
                    text='page.replace(CHARSET, f"{CHARSET}{meta}", 1)',
                    instead="page",
                    tests=("tests/site/test_policy.py::test_what_somebody_injects_does_not_run",),
                ),
            ),
        ),
        Expectation(
            id="U56",
            says="In any browser the page is right without Python: without scripts, without workers, opened as a file.",
            removals=(
                Removal(
                    why="the words for a page that was opened as a file",
                    file="docs/templates/main.html",
                    text='location.protocol === "file:" ? "from-file" : "js"',
                    instead='"js"',
                    tests=(
                        "tests/site/test_without.py::test_opened_as_a_file_a_page_is_complete_and_says_what_it_lacks",
                    ),
                ),
                Removal(
                    why="the answer to a browser that refuses a worker",
                    file="widgets/runtime/host.js",
                    text='    return failed(mode, asFailure(thrown, "worker", SCRIPT.name, { stage: "starting" }));\n',
                    instead="    throw thrown;\n",
                    tests=(
                        "tests/site/test_without.py::test_where_the_browser_refuses_a_worker_the_page_says_so_and_retry_works",
                    ),
                ),
                Removal(
                    why="read-outs that stand in the page before any script",
                    file="widgets/markup.py",
                    text="""<dd><span class="sw-value">{escape(item["value"])}</span>'""",
                    instead="""<dd><span class="sw-value"></span>'""",
                    tests=("tests/site/test_without.py::test_without_javascript_a_page_is_complete[zero-fsdp]",),
                ),
            ),
        ),
        Expectation(
            id="U57",
            says="The footer names the versions that run; a file of another version ends in a sentence that says so.",
            removals=(
                Removal(
                    why="the model's version in the footer",
                    file="docs/templates/partials/footer.html",
                    text="<dd>{{ config.extra.release }} · {{ versions.model }}</dd>",
                    instead="<dd></dd>",
                    tests=("tests/site/test_start.py::test_the_footer_names_the_versions_that_run",),
                ),
                Removal(
                    why="the comparison of the version that came with the one that is wanted",
                    file="widgets/runtime/worker.js",
                    text='    if (found !== expected) throw failure("version", files.loader.name, { expected, got: found });\n',
                    tests=(
                        "tests/site/test_other_version.py::test_an_engine_of_another_version_is_told_with_both_versions",
                    ),
                ),
            ),
        ),
        Expectation(
            id="U58",
            says="Twenty clicks through the site leave one chart, no listeners and no memory behind, and leaving while a chart is drawn is silent.",
            removals=(
                Removal(
                    why="that a widget lets go of everything when it leaves",
                    file="widgets/runtime/element.js",
                    text="  disconnectedCallback() {\n    this.#leave?.abort();\n",
                    instead="  disconnectedCallback() {\n",
                    tests=(
                        "tests/site/test_navigation.py::test_twenty_clicks_leave_one_chart_and_no_listeners_behind",
                    ),
                ),
                Removal(
                    why="that a chart is not taken down while it is being drawn",
                    file="widgets/runtime/plot.js",
                    text="    if (!this.#drawing) globalThis.Plotly?.purge(this.#plot);\n",
                    instead="    globalThis.Plotly?.purge(this.#plot);\n",
                    tests=("tests/site/test_slow.py::test_leaving_while_a_chart_is_drawn_is_silent",),
                ),
            ),
        ),
    ),
)
