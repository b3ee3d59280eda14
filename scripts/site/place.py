"""Where in a lesson a mistake stands, so that a failed build names file and line."""

from dataclasses import dataclass

from mkdocs.exceptions import PluginError


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The Markdown of one page as written, and the file's line on which it starts, after the front matter."""

    path: str
    text: str
    first_line: int = 1

    @classmethod
    def of_page(cls, path: str, whole: str, body: str) -> "Source":
        """The body of a page whose file holds ``whole``."""
        start = whole.find(body.strip("\n"))
        leading = len(body) - len(body.lstrip("\n"))
        return cls(path=path, text=body, first_line=whole.count("\n", 0, max(start, 0)) + 1 - leading)

    def line(self, position: int) -> int:
        """The file's line at a position of ``text``."""
        return self.first_line + self.text.count("\n", 0, position)

    def error(self, position: int, message: str) -> PluginError:
        """An error that stops the build and says where."""
        return PluginError(f"{self.path}:{self.line(position)}: {message}")
