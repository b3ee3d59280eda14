"""The policy that the build writes into pages: whole, the same everywhere, and a failure where it can't be written."""

import base64
from hashlib import sha256

import pytest

from scripts.site.policy import CHARSET, hashes, impose, stamped, text


def page(*scripts):
    return f"<html><head>{CHARSET}</head><body>{''.join(scripts)}</body></html>"


def digest(script):
    return f"'sha256-{base64.b64encode(sha256(script.encode()).digest()).decode()}'"


def test_only_inline_scripts_that_run_are_hashed():
    found = hashes(
        [
            page("<script>one()</script>", '<script src="a.js"></script>'),
            page('<script id="x" type="application/json">{"a": 1}</script>', "<script>\ntwo()\n</script>"),
            page("<script>one()</script>"),
        ]
    )
    assert set(found) == {digest("one()"), digest("\ntwo()\n")}


def test_every_page_gets_the_union_before_anything_it_loads(tmp_path):
    (tmp_path / "deep").mkdir()
    paths = [tmp_path / "index.html", tmp_path / "deep" / "index.html"]
    for path, script in zip(paths, ("one()", "two()"), strict=True):
        path.write_text(page(f"<script>{script}</script>"), "utf-8")
    impose(tmp_path, serving=False)
    for path in paths:
        meta = path.read_text("utf-8").partition(CHARSET)[2]
        assert meta.startswith('<meta http-equiv="Content-Security-Policy"')
        assert digest("one()") in meta
        assert digest("two()") in meta
        assert "'unsafe-inline'" not in meta.partition("script-src")[2].partition(";")[0]


def test_while_pages_are_served_for_writing_their_reload_script_runs(tmp_path):
    (tmp_path / "index.html").write_text(page(), "utf-8")
    impose(tmp_path, serving=True)
    rule = (tmp_path / "index.html").read_text("utf-8").partition("script-src")[2].partition(";")[0]
    assert "'unsafe-inline'" in rule
    assert "sha256" not in rule


def test_a_page_without_a_place_for_it_stops_the_build(tmp_path):
    (tmp_path / "index.html").write_text("<html></html>", "utf-8")
    with pytest.raises(ValueError, match=r"index\.html"):
        impose(tmp_path, serving=False)
    with pytest.raises(ValueError, match=r"404\.html"):
        stamped("<html></html>", "404.html")


def test_nothing_outside_is_allowed():
    assert "http" not in text(())
    assert "*" not in text(())
