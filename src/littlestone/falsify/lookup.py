"""Every statement by its id: theorems of learners, and, where littlestone_lectures is installed, those of lectures."""

from __future__ import annotations

import contextlib
import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core import registry
from ..core.errors import BadInput
from ..core.extras import MissingExtra, import_extra
from ..core.guarantee import Guarantee

if TYPE_CHECKING:
    from .erratum import Erratum
    from .statement import Statement

ID = re.compile(
    r"(?:[ATEX]|ADV)-[A-Z0-9]+(?:-[A-Z0-9]+)*|[ATEWX]\d+(?:\.\d+)?[A-Z]?", re.IGNORECASE
)
KINDS = {
    "A": "algorithm",
    "T": "theorem",
    "E": "erratum",
    "X": "worked example",
    "ADV": "adversary",
}


@dataclass(frozen=True)
class Entry:
    """What an id stands for: what it says, where it stands, who carries it, what attacks it, what was found."""

    id: str
    kind: str
    says: tuple[str, ...]
    source: str
    ledger: str
    learners: tuple[str, ...] = ()
    attacks: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [f"{self.id}, {self.kind}", *(f"  {line}" for line in self.says)]
        for name, lines in self.parts():
            parts.append(name)
            parts += [f"  {line}" for line in lines]
        return "\n".join(parts)

    def parts(self) -> list[tuple[str, tuple[str, ...]]]:
        """Headings with their lines, those without lines left out."""
        ledger = tuple(self.ledger.splitlines())
        every = [
            ("ledger", ledger),
            ("source", (self.source,) if self.source else ()),
            ("carried by", self.learners),
            ("attacked by", self.attacks),
            ("found", self.found),
            ("symbols of a bound of your own", (", ".join(self.symbols),) if self.symbols else ()),
        ]
        return [(name, lines) for name, lines in every if lines]

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "id": self.id, "kind": self.kind, "says": list(self.says), "source": self.source,
            "ledger": self.ledger, "learners": list(self.learners), "attacks": list(self.attacks),
            "found": list(self.found), "symbols": list(self.symbols),
        }  # fmt: skip


def is_id(name: object) -> bool:
    """Is it written as an id of the ledger, and no key of a learner?

    >>> (
    ...     is_id("T-NFL"),
    ...     is_id("t-nfl"),
    ...     is_id("T1.8"),
    ...     is_id("hedge"),
    ...     is_id("exp3"),
    ...     is_id("a.py:Mine"),
    ... )
    (True, True, True, False, False, False)
    """
    return isinstance(name, str) and ID.fullmatch(name) is not None


def statement(id: str) -> Entry:
    """Look up what an id says, where it stands, what attacks it, and what was found.

    Ids are those of the ledger (`T-HEDGE`, `E-SIM`), and numbers of the notes' own ledger (`T1.8`, `A4.8`).

    >>> entry = statement("T-HEDGE")
    >>> entry.learners
    ('hedge',)
    >>> entry.says[0]
    'loss - L_i <= ln n / eta + eta B^2 T / 2 for every expert i; eta = sqrt(2 ln n / T) / B makes it B sqrt(2 T ln n)'
    """
    name = id.upper()
    theorems = registry.guarantees()
    carriers = learners_of(name)
    try:
        notes = lectures()
    except MissingExtra:
        if name in theorems:
            return entry_of(name, theorems[name], carriers, None)
        raise unknown(id, theorems, installed=False) from None
    if name not in theorems and name not in notes.IDS:
        others = notes.of_number(name)
        if not others:
            raise unknown(id, {*theorems, *notes.IDS}, installed=True)
        return Entry(
            name, "number of the notes", (f"see {', '.join(others)}",), notes.slide(name), ""
        )
    return entry_of(name, theorems.get(name), carriers, notes)


def ids() -> tuple[str, ...]:
    """Every id that `statement` knows.

    >>> "T-HEDGE" in ids()
    True
    """
    known = set(registry.guarantees())
    with contextlib.suppress(MissingExtra):
        known |= set(lectures().IDS)
    return tuple(sorted(known))


def lectures() -> Any:
    """The module of littlestone_lectures that has the statements of lectures."""
    return import_extra("a statement of lectures", "littlestone_lectures.lookup")


def learners_of(id: str) -> tuple[str, ...]:
    """The keys of the learners that carry a theorem."""
    every = registry.learners().items()
    return tuple(key for key, cls in every if any(g.id == id for g in cls.guarantees))


def attackable(id: str) -> tuple[list[Statement], list[Erratum]]:
    """The statements and errata of an id that can be attacked."""
    try:
        notes = lectures()
    except MissingExtra:
        return [], []
    return notes.statements(id), notes.errata(id)


def entry_of(id: str, g: Guarantee | None, carriers: tuple[str, ...], notes: Any) -> Entry:
    says = [] if g is None else [g.statement]
    source = "" if g is None else g.source
    attacks = [f"littlestone falsify {key} --theorem {id}" for key in carriers]
    kind = KINDS[id.partition("-")[0]]
    if notes is None:
        return Entry(id, kind, tuple(says), source, "", carriers, tuple(attacks))
    names: list[str] = []
    for s in notes.statements(id):
        says.append(s.text)
        attacks.append(f"littlestone falsify {id}: {s.how}, sizes {', '.join(map(str, s.sizes))}")
        names += [n for n in symbols_of(s) if n not in names]
    for e in notes.errata(id):
        says += [f"printed: {e.printed}", f"corrected: {e.corrected}"]
        attacks.append(f"littlestone falsify {id}: {e.space}")
    where = "; ".join(dict.fromkeys(part for part in (notes.slide(id), source) if part))
    found = tuple(notes.found(id))
    return Entry(
        id,
        kind,
        tuple(says),
        where,
        notes.ledger(id),
        carriers,
        tuple(attacks),
        found,
        tuple(names),
    )


def symbols_of(s: Statement) -> tuple[str, ...]:
    """What a bound in place of a statement's may use: `bound`, and the numbers that its instances name."""
    if s.symbols is None:
        return ("bound",)
    first = next(iter(s.instances(s.sizes[0])))
    return ("bound", *s.symbols(first))


def unknown(id: str, known: Any, installed: bool) -> BadInput:
    near = difflib.get_close_matches(id.upper(), list(known), n=3, cutoff=0.6)
    more = f"; did you mean {' or '.join(near)}?" if near else ""
    if installed:
        return BadInput(f"there is no statement {id!r}{more or '; docs/ledger.md has all of them'}")
    return BadInput(
        f"{id!r} is no theorem of a learner{more}; statements of lectures need littlestone_lectures, "
        'which is not installed: pip install "littlestone[lectures]"'
    )
