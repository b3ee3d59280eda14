"""The archive of the site: the same pages give the same bytes, and a second one replaces the first."""

import os
import zipfile

from scripts.site.policy import CHARSET
from scripts.site.take_along import FOLDER, NAME, pack

MISSING = f"<html><head>{CHARSET}</head><script>find()</script></html>"


def site(folder, order):
    for name in order:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"the text of {name}", "utf-8")
        os.utime(path, (0, 1e9 + 1e6 * order.index(name)))
    return folder


def packed(folder):
    return pack(folder, name="A site", address="https://a.example/", missing=MISSING).read_bytes()


def test_the_same_pages_give_the_same_bytes_whenever_they_were_written(tmp_path):
    names = ["index.html", "404.html", "b/index.html", "a.bin"]
    assert packed(site(tmp_path / "one", names)) == packed(site(tmp_path / "two", [*reversed(names)]))


def test_a_second_archive_does_not_hold_the_first(tmp_path):
    folder = site(tmp_path, ["index.html", "404.html"])
    assert packed(folder) == packed(folder)
    with zipfile.ZipFile(folder / NAME) as archive:
        assert sorted(archive.namelist()) == [f"{FOLDER}/{name}" for name in ("404.html", "README.txt", "index.html")]


def test_its_missing_page_may_run_its_own_script_alone(tmp_path):
    folder = site(tmp_path, ["index.html", "404.html"])
    packed(folder)
    with zipfile.ZipFile(folder / NAME) as archive:
        page = archive.read(f"{FOLDER}/404.html").decode()
    rule = page.partition("script-src ")[2].partition(";")[0]
    assert rule.count("sha256-") == 1
    assert "unsafe-inline" not in rule
