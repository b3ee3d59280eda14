"""The theme's search, opened and left by keys. It opens a moment after its box has the focus, and only then hears Escape."""

from playwright.sync_api import Locator, Page, expect

# The theme closes the search 125 ms after it has come to a page. A timer of that length which starts now ends after it.
AT_REST = "() => new Promise((resolve) => setTimeout(resolve, 125))"


def toggle(page: Page) -> Locator:
    """What is checked while the search is open."""
    return page.locator("[data-md-toggle=search]")


def at_rest(page: Page) -> None:
    """Wait until the theme has done all it does on coming to a page."""
    page.evaluate(AT_REST)


def open_search(page: Page, key: str = "/") -> Locator:
    """Open the search by a key; its box."""
    at_rest(page)
    page.keyboard.press(key)
    box = page.get_by_role("textbox", name="Search")
    expect(box).to_be_focused()
    expect(toggle(page)).to_be_checked()
    return box


def leave_search(page: Page) -> None:
    """Close the search by its key; the page has the keyboard again."""
    page.keyboard.press("Escape")
    expect(toggle(page)).not_to_be_checked()
    expect(page.get_by_role("textbox", name="Search")).not_to_be_focused()
