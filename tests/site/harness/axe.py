"""axe-core on a page: what it finds that is wrong for who reads by ear, by keyboard or in other colours."""

from scripts.known import is_known
from scripts.tools import NODE_MODULES

AXE = (NODE_MODULES / "axe-core" / "axe.min.js").read_text("utf-8")
# Over a picture axe can't judge a colour, nor under a bar that stays in place: the ruler along a widget's edge goes,
# and the bar scrolls away.
PLAIN = ".sw { background-image: none !important; } .md-header { position: static !important; }"
# What axe finds, and the words over pictures and gradients, whose contrast it leaves open. Words in drawings and charts
# are left to the tests of the theme.
RUN = """async () => {
  const { violations, incomplete } = await axe.run(document, { resultTypes: ["violations", "incomplete"] });
  const why = ({ any }) => any.map(({ data }) => data?.messageKey).join();
  const open = ({ id, nodes }) => ({ id, nodes: nodes.filter((node) => /bgImage|bgGradient|pseudoContent/.test(why(node))) });
  const unsure = incomplete.filter(({ id }) => id === "color-contrast").map(open);
  return [...violations, ...unsure].flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
    [id, target.flat().join(" "), failureSummary.split("\\n").slice(1).map((line) => line.trim()).join(" ")]));
}"""


def findings(page) -> list[list[str]]:
    """Every finding as [rule, place, explanation], the listed ones of the theme left out."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE)
    page.add_style_tag(content=PLAIN)
    return [found for found in page.evaluate(RUN) if not is_known(found[0], [found[1]])]
