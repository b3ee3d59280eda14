"""What a reader may expect of the site, what keeps it so, and which tests notice when that is taken away."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """A protection that the product has: the text that is it, what stands there without it, and the tests that then fail.

    ``why`` ends the sentence "Taken away: …". ``stops_build``: without it the site is not even built, which counts.
    """

    why: str
    file: str
    text: str
    instead: str = ""
    tests: tuple[str, ...]
    stops_build: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Untestable:
    """Why no test can see an expectation: the capability that browsers lack, and what was tried."""

    capability: str
    tried: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """One thing that a reader may expect; ``id`` never changes."""

    id: str
    says: str
    removals: tuple[Removal, ...] = ()
    untestable: Untestable | None = None

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests that hold it, each once: every one of them was seen to fail."""
        return tuple(dict.fromkeys(test for removal in self.removals for test in removal.tests))


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Expectations of one kind."""

    key: str
    title: str
    expectations: tuple[Expectation, ...]
