"""The theme's colour button, used as a reader does, and colours as the browser computes them."""

import re

from playwright.sync_api import expect

BUTTON = "form[data-md-component=palette] label:visible"
RESOLVE = """(name) => {
  const probe = document.body.appendChild(document.createElement("span"));
  probe.style.color = `var(${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}"""


def choose(page, scheme: str) -> None:
    """Press the colour button until the page is light ("default") or dark ("slate") for good."""
    wanted = {"default": "colours: light", "slate": "colours: dark"}[scheme]
    button = page.locator(BUTTON)
    for _ in range(3):
        if wanted in button.get_attribute("title").lower():
            break
        title = button.get_attribute("title")
        button.click()
        expect(button).not_to_have_attribute("title", title)
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", scheme)


def colour(page, name: str) -> tuple[int, ...]:
    """A custom property of the page as (red, green, blue)."""
    return channels(page.evaluate(RESOLVE, name))


def channels(text: str) -> tuple[int, ...]:
    """The first three numbers of a colour: rgb(…), or #rrggbb."""
    if text.startswith("#"):
        return tuple(int(text[place : place + 2], 16) for place in (1, 3, 5))
    return tuple(round(float(number)) for number in re.findall(r"[\d.]+", text)[:3])


def contrast(one: tuple, other: tuple) -> float:
    """The contrast of two colours as WCAG defines it, from 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: tuple) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
