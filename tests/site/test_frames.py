"""What happens in a frame, counted: one drawing of a chart, and nothing of Python's start on the page's own thread."""

import pytest

from tests.site.harness.metrics import Metrics

NAME = "zero-memory"
# Every question is answered at once, and a drawing costs nothing: only the page itself keeps drawings apart.
ECHO = """(element) => {
  globalThis.drawings = [];
  let frame = 0;
  const tick = () => { frame += 1; requestAnimationFrame(tick); };
  tick();
  Plotly.react = async (plot, [{ name }]) => void drawings.push([frame, name]);
  const seed = JSON.parse(element.querySelector(".sw-seed").content.textContent);
  const named = (name) => ({ ...seed.figure, data: [{ ...seed.figure.data[0], name }] });
  puppet.addEventListener("message", ({ data: { type, id } }) => {
    if (type !== "call") return;
    puppet.postMessage({ type: "answer", id, view: JSON.stringify({ ...seed, figure: named(String(id)) }) });
  });
}"""
# A change as soon as the one before has been asked about.
CHANGE = """async ([element, times]) => {
  const range = element.querySelector("input[type=range]");
  for (let step = 1; step <= times; step += 1) {
    const heard = new Promise((resolve) => puppet.addEventListener("message", resolve, { once: true }));
    range.value = String(step % 8);
    range.dispatchEvent(new Event("input"));
    await heard;
  }
  return String(asked.at(-1).id);
}"""
UPDATE = """async ([element, times]) => {
  const range = element.querySelector("input[type=range]");
  for (let step = 0; step < times; step += 1) {
    const before = element.dataset.revision;
    range.value = String((step % 2) * 10);
    range.dispatchEvent(new Event("input"));
    while (element.dataset.revision === before) await new Promise((done) => requestAnimationFrame(done));
  }
  return shardscope.memory();
}"""


@pytest.mark.site
def test_a_chart_is_drawn_once_in_a_frame_and_the_last_answer_is_what_stays(stage):
    instrument, _ = stage()
    page, element = instrument.page, instrument.element.element_handle()
    page.evaluate(ECHO, element)
    last = page.evaluate(CHANGE, [element, 60])
    page.wait_for_function("last => drawings.at(-1)?.[1] === last", arg=last)
    drawings = page.evaluate("drawings")
    frames = [frame for frame, _ in drawings]
    assert len(frames) == len(set(frames))
    answers = [int(name) for _, name in drawings]
    assert answers == sorted(answers)


@pytest.mark.engine
def test_nothing_of_the_engine_runs_on_the_pages_own_thread(lab):
    lab.open(NAME, "?gpus=64").shows(gpus=64)
    fetched = lab.page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    assert [name for name in fetched if "/assets/engine/" in name] == []
    assert lab.page.evaluate("[typeof loadPyodide, typeof _createPyodideModule]") == ["undefined"] * 2


@pytest.mark.engine
@pytest.mark.parametrize("times", [100, pytest.param(950, marks=pytest.mark.full)])
def test_changes_leave_nothing_behind(lab, times):
    instrument = lab.open(NAME)
    element = instrument.element.element_handle()
    meter = Metrics(lab.page)
    python = lab.page.evaluate(UPDATE, [element, 50])
    before = meter.held()
    assert lab.page.evaluate(UPDATE, [element, times]) == python > 1_000_000
    after = meter.held()
    assert after.documents - before.documents < 10  # the theme keeps a few for a while
    assert after.nodes - before.nodes < 50
    assert after.listeners - before.listeners < 10
    assert after.heap_bytes - before.heap_bytes < 3_000_000  # 1.5 MB while the browser warms up, then flat
