"""Which browsers have to be there: Chromium always, Firefox and WebKit where CI is set."""

import pytest

from scripts import browser


@pytest.fixture
def bare(monkeypatch):
    """A machine that has a Chromium and nothing else, and gets nothing else: what it tried to install."""
    tried = []
    monkeypatch.setattr(browser, "find_browser", lambda: "/usr/bin/chromium")
    monkeypatch.setattr(browser.shutil, "which", lambda name: None)
    monkeypatch.setattr(browser, "apt_get", tried.append)
    return tried


def test_where_ci_is_set_a_missing_browser_fails_with_what_to_install(bare, monkeypatch, capsys):
    monkeypatch.setenv("CI", "true")
    assert browser.main() == 1
    assert bare == ["firefox", "webkit"]
    lines = capsys.readouterr().out.splitlines()
    assert "browser: firefox: not found; apt-get install firefox-esr or apt-get install firefox" in lines
    assert "browser: webkit: not found; apt-get install webkit2gtk-driver xvfb" in lines


def test_elsewhere_nothing_is_installed_beside_chromium(bare, monkeypatch, capsys):
    monkeypatch.delenv("CI", raising=False)
    assert browser.main() == 0
    assert bare == []
    assert "browser: firefox: not found; apt-get install firefox-esr" in capsys.readouterr().out


def test_webkit_is_whole_only_with_a_screen(monkeypatch):
    there = {"WebKitWebDriver": "/bin/true"}
    monkeypatch.setattr(browser.shutil, "which", there.get)
    assert browser.find("webkit") is None
    there["Xvfb"] = "/bin/true"
    assert browser.find("webkit") == "/bin/true"
