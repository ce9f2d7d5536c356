"""An erratum as an experiment: what lecture notes print, the smallest instance that refutes it, and what is right.

No counterexample is typed in: a search goes through the instances from the smallest on until the printed claim fails,
and then through all of them for the corrected one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .statement import Found, Instance, Sides, search


@dataclass(frozen=True)
class Erratum:
    """A printed statement that is false, and the one that is right, over the same instances."""

    id: str  # in the ledger
    printed: str
    claim: Sides  # of the printed statement
    corrected: str
    right: Sides  # of the corrected one
    space: str  # what an instance is, and which are tried
    instances: Callable[[int], Iterator[Instance]]
    sizes: tuple[int, ...]
    equal: bool = False  # do the claims say "equal", rather than "at most"?
    right_equal: bool | None = None  # where the corrected one is of the other kind
    show: Callable[[Instance], str] = str
    short: int = 0  # how many sizes the tests try for the corrected claim; 0: all
    picture: Callable[[], str] | None = None  # an SVG

    def refuted(self) -> Found:
        """The search for the smallest counterexample to what is printed."""
        return search(self.claim, self.instances, self.sizes, self.equal, first=True)

    def survived(self, short: bool = False) -> Found:
        """The same instances, and the corrected statement."""
        sizes = self.sizes[: self.short] if short and self.short else self.sizes
        equal = self.equal if self.right_equal is None else self.right_equal
        return search(self.right, self.instances, sizes, equal)
