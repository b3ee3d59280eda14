"""The page "How right is it?" prints the scores that the tests hold, of every source, and names its rows in full."""

import csv
import os
import re
import statistics
import time
from html import unescape
from io import StringIO
from xml.etree import ElementTree

import pytest
from mkdocs.utils.yaml import yaml_load

from scripts.site import evidence, evidence_parts, scatter
from scripts.site.tables import table
from scripts.tools import ROOT
from tests.model.evidence import aims, rankings
from tests.model.evidence.score import Scored, Summary
from tests.model.evidence.sources import EXACT, MEASURED, REASONS
from widgets.messages import messages

ENGLISH = messages("en")
SVG = "{http://www.w3.org/2000/svg}"
pytestmark = pytest.mark.long  # the scores are those of hundreds of runs


def html(part):
    return evidence_parts.PARTS[part](ENGLISH)


def rows_of(table):
    """The cells of a table's body, as text."""
    body = table.partition("<tbody>")[2].partition("</tbody>")[0]
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in body.split("</tr>") if row]
    return [[unescape(re.sub(r"<[^>]*>", "", cell)) for cell in row] for row in cells]


def section(source):
    page = html(f"evidence-{source.chapter}")
    (found,) = (part for part in page.split("<section ")[1:] if f'<h3 id="{source.key}"' in part)
    return found


def shown(share, *, signed=False):
    return scatter.percent(share, ENGLISH, signed=signed)


def test_every_source_has_a_line_with_its_scores():
    lines = {line[0]: line for line in rows_of(html("evidence-overview"))}
    assert len(lines) == len(MEASURED)
    for source in MEASURED:
        found = Summary.of(source.rows())
        _, _, rows, median, at_90, worst, *_ = lines[source.title]
        assert rows == str(found.rows)
        assert (median, at_90) == (shown(found.median), shown(found.at_90))
        assert worst == shown(found.worst.error, signed=True)


@pytest.mark.parametrize("source", MEASURED, ids=lambda source: source.key)
def test_a_section_says_what_was_scored_what_is_worst_and_why(source):
    text, found = unescape(re.sub(r"<[^>]*>", "", section(source))), Summary.of(source.rows())
    assert source.what in text
    assert f"{found.worst.name} {shown(found.worst.error, signed=True)}." in text
    assert REASONS[source.key].get(found.worst.name, "no reason") in text
    assert [one.path for one in source.set_here if one.path not in text] == []
    assert ("In sample" in text, "Held out" in text) == (bool(source.set_here), not source.set_here)


@pytest.mark.parametrize("source", MEASURED, ids=lambda source: source.key)
def test_a_drawing_has_a_mark_for_every_row_and_says_what_it_shows(source):
    drawing = re.search(r"<svg.*?</svg>", section(source))[0]
    root = ElementTree.fromstring(drawing.replace("<svg ", f'<svg xmlns="{SVG[1:-1]}" ', 1))
    (marks,) = (path for path in root.iter(f"{SVG}path") if "ev-marks" in path.get("class", ""))
    rows = source.rows()
    assert marks.get("d").count("M") == len(rows)
    assert root.get("role") == "img"
    described = root.find(f"{SVG}desc").text
    assert Summary.of(rows).worst.name in described
    ids = {element.get("id") for element in root.iter() if element.get("id")}
    assert set(root.get("aria-labelledby").split()) <= ids
    assert all(f"ev-{source.key}-" in one for one in ids)


@pytest.mark.parametrize("source", MEASURED, ids=lambda source: source.key)
def test_the_file_of_a_source_has_every_row(source):
    head, *lines = csv.reader(StringIO(evidence.files()[evidence.file_of(source)]))
    assert head[:4] == ["row", f"measured ({source.unit})", f"predicted ({source.unit})", "relative error"]
    errors = {row.name: row.error for row in source.rows()}
    assert {line[0]: float(line[3]) for line in lines} == pytest.approx(errors, rel=1e-4, abs=1e-9)


def test_exact_figures_are_counted():
    lines = {line[0]: line for line in rows_of(html("evidence-exact"))}
    for source in EXACT:
        count = len(list(source.matches()))
        assert lines[source.title][1] == f"{count} of {count}"


def test_rankings_are_those_that_are_held():
    text = html("evidence-rankings")
    found = rankings.rankings()
    assert (
        f"Over {len(found)} groups the median is {round(statistics.median(v for _, v in found.values()), 2)}," in text
    )
    assert len(rows_of(text)) == len(found)
    assert f"of the {len(rankings.twins())} layouts that ran twice" in text


def test_the_aims_that_are_missed_are_listed_with_what_is_reached_and_why():
    lines = rows_of(html("evidence-aims"))
    found = {source.key: Summary.of(source.rows()) for source in MEASURED}
    titles = {source.key: source.title for source in MEASURED}
    missed = aims.missed(found)
    assert [(line[0], line[2], line[3]) for line in lines[: len(missed)]] == [
        (titles[aim.key], shown(value), aim.why) for aim, value in missed
    ]
    low = aims.low_rankings(rankings.rankings())
    assert len(lines) == len(missed) + bool(low)
    if low:
        assert all(str(round(value, 3)) in lines[-1][2] for value in low.values())


def test_a_part_that_is_named_apart_has_its_worst_row_and_its_reason():
    apart = [(source, one) for source in MEASURED for one in source.apart]
    assert apart
    for source, one in apart:
        text, found = unescape(re.sub(r"<[^>]*>", "", section(source))), Summary.of(one.of(source.rows()))
        name, error = found.worst.name, shown(found.worst.error, signed=True)
        far = f"{found.far} of {found.rows} rows are off by more than {shown(1)}."
        assert f"{one.title}: {name} {error}. {REASONS[source.key][name]} {far}" in text


def test_rows_that_are_far_off_are_counted():
    for source in MEASURED:
        far = sum(abs(row.error) > 1 for row in source.rows())
        text = re.sub(r"<[^>]*>", "", section(source).partition("<figure")[0])
        assert (f"Off by more than {shown(1)}{far} of {len(source.rows())}" in text) == bool(far)


def test_a_columns_head_is_text():
    assert '<th scope="col">a &lt; b</th>' in table("Caption", ("a < b",), [])


def test_nothing_is_neither_too_much_nor_too_little():
    assert shown(-1e-9, signed=True) == "0\u00a0%"
    assert shown(-0.019, signed=True) == "−1.9\u00a0%"


def test_what_is_kept_is_kept_for_these_inputs_alone(monkeypatch, tmp_path):
    monkeypatch.setattr(evidence, "KEPT", tmp_path)
    asked = []
    monkeypatch.setattr(
        evidence, "_score", lambda: asked.append(1) or {"measured": {}, "exact": {}, "rankings": [], "twins": []}
    )
    for name in ("first", "first", "second"):
        monkeypatch.setattr(evidence, "inputs_hash", lambda name=name: name)
        evidence.scores.cache_clear()
        evidence.scores()
    evidence.scores.cache_clear()
    assert len(asked) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.json", "second.json"]


def test_what_another_build_may_be_reading_stays_for_a_day(monkeypatch, tmp_path):
    monkeypatch.setattr(evidence, "KEPT", tmp_path)
    for name, age_s in (
        ("yesterday.json", 2 * evidence.DAY_S),
        ("stopped.part", 2 * evidence.DAY_S),
        ("read.json", 60),
    ):
        (tmp_path / name).write_text("{}", "utf-8")
        written = time.time() - age_s
        os.utime(tmp_path / name, (written, written))
    evidence._keep(tmp_path / "new.json", "{}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.json", "read.json"]


def test_all_that_a_score_depends_on_is_among_the_inputs_and_watched():
    scored = ROOT / "tests" / "model" / "evidence"
    above = {
        name
        for path in scored.glob("*.py")
        for one, many in re.findall(r"^from \.\.(\w*) import (\w+)", path.read_text("utf-8"), re.MULTILINE)
        for name in [one or many]
    }
    assert above == set(evidence.ROWS)
    with (ROOT / "mkdocs.yml").open(encoding="utf-8") as file:
        watched = yaml_load(file)["watch"]
    assert {f"tests/model/{name}.py" for name in evidence.ROWS} <= set(watched)
    assert {"model", "tests/model/data", "tests/model/evidence"} <= set(watched)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0 %"),
        (-1e-9, "0 %"),
        (0.00049, "0.05 %"),
        (0.0149, "1.5 %"),
        (0.255, "26 %"),
        (43.56, "4,356 %"),
        (-0.3, "30 %"),
    ],
)
def test_an_error_is_printed_to_two_digits(share, text):
    assert shown(share).replace("\u00a0", " ") == text


@pytest.mark.parametrize("source", MEASURED, ids=lambda source: source.key)
def test_the_band_holds_nine_of_ten_rows(source):
    rows = source.rows()
    inside = sum(abs(row.error) <= Summary.of(rows).at_90 for row in rows)
    assert inside >= 0.9 * len(rows)


def test_rows_find_room_on_either_scale_and_ticks_are_few():
    for low in (1, -5):
        rows = [Scored(name=str(place), measured=low + place or 0.5, predicted=2 + place) for place in range(20)]
        scale = scatter.Scale([value for row in rows for value in (row.measured, row.predicted)])
        assert scale.log == (low > 0)
        assert 3 <= len(scale.ticks()) <= 6
        assert all(0 < scale.place(row.measured) < 1 for row in rows)
