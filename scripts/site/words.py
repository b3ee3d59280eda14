"""The words that MkDocs and its theme take from their settings, in the site's language."""

from mkdocs.config.defaults import MkDocsConfig

from widgets.messages import N_, messages

DESCRIPTION = N_(
    "How a model too big for one GPU is trained on hundreds. Move each split and watch memory per GPU answer."
)
SECTION_LINK = N_("Link to this section")
# In the order of the palette in mkdocs.yml: what is chosen now, and what a press leads to.
COLOURS = (
    N_("Colours: as the system says. Switch to light"),
    N_("Colours: light. Switch to dark"),
    N_("Colours: dark. Switch to the system's"),
)


def speak(config: MkDocsConfig) -> None:
    """Fills in the words."""
    t = messages(config.theme["language"]).t
    config.site_description = t(DESCRIPTION)
    config.mdx_configs["toc"]["permalink_title"] = t(SECTION_LINK)
    for scheme, text in zip(config.theme["palette"], COLOURS, strict=True):
        scheme["toggle"]["name"] = t(text)
