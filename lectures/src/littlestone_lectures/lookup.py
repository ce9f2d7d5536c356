"""Statements, errata and ledger entries by id, for `ls.statement`, `ls.falsify` and the command line."""

from __future__ import annotations

import dataclasses
import functools
import json
from importlib.resources import files
from typing import Any

from littlestone.falsify.erratum import Erratum
from littlestone.falsify.statement import Statement, first_numbers

from .errata import ERRATA
from .statements import STATEMENTS

# How a bound of one's own may call the first numbers of the instances of a statement.
SYMBOLS: dict[str, tuple[str, ...]] = {
    "T-BERNSTEIN": ("T", "p", "delta"),
    "T-BOOTSTRAP": ("m",),
    "T-COIN-TAIL": ("m", "p", "eps"),
    "T-COUNT-BOOL": ("n",),
    "T-CROWD": ("T", "gamma"),
    "T-DR-BERNSTEIN": ("T", "delta"),
    "T-FOURIER": ("F", "K"),
    "T-FTL-BAD": ("T",),
    "T-META-PRIOR": ("n", "T", "alpha"),
    "T-MODES-COUNT": ("n", "T", "k", "m"),
    "T-NFL": ("m",),
    "T-NFL-LARGE": ("m", "k"),
    "T-O2B-EWA": ("T", "n", "delta"),
    "T-O2B-LEMMA4": ("T", "n", "delta"),
    "T-O2B-SURVIVOR": ("T", "p", "delta"),
    "T-O2B-THM5": ("T", "n", "delta"),
    "T-O2B-VOTE": ("T", "n", "delta"),
    "T-SEQ-COUNT": ("n", "T", "k"),
    "T-SNIPS-BERNSTEIN": ("T", "delta"),
    "T-TANK": ("n",),
    "T-VALIDATION": ("m", "p", "delta"),
    "T-VALIDATION-EXACT": ("m", "p", "delta"),
    "T-VALIDATION-GROUPS": ("m", "p", "delta"),
    "T-WEAK-UNIVERSAL": ("m",),
    "T-WM-2REGRET": ("eps",),
    "T-WM-DISJ": ("n", "k"),
}


@functools.cache
def read(name: str) -> Any:
    """A file of the folder data: slides.json, or ledger.json, which docs/build.py writes."""
    return json.loads((files(__package__) / "data" / name).read_text(encoding="utf-8"))


def entries() -> dict[str, str]:
    """The ledger: what each id says."""
    found: dict[str, str] = read("ledger.json")["entries"]
    return found


IDS = frozenset({*entries(), *(s.id for s in STATEMENTS), *(e.id for e in ERRATA)})


def statements(id: str) -> list[Statement]:
    """The statements of an id: several where a theorem has several parts.

    >>> [s.text for s in statements("T-NORMS")]
    ['labels x_1, x in {-1, 1}^N: the perceptron errs at most N times', 'the same: Winnow-EG errs at most 2 ln N times']
    """
    found = [s for s in STATEMENTS if s.id == id]
    if id not in SYMBOLS:
        return found
    named = first_numbers(*SYMBOLS[id])
    return [dataclasses.replace(s, symbols=named) for s in found]


def errata(id: str) -> list[Erratum]:
    return [e for e in ERRATA if e.id == id]


def ledger(id: str) -> str:
    return entries().get(id, "")


def found(id: str) -> list[str]:
    """What the last campaign found, a line a row."""
    rows: list[str] = read("ledger.json")["found"].get(id, [])
    return rows


def of_number(number: str) -> list[str]:
    """The ids whose entries name a number of the notes' own ledger.

    >>> of_number("T1.8")
    ['T-NFL']
    """
    ids: list[str] = read("ledger.json")["numbers"].get(number, [])
    return ids


def slide(id: str) -> str:
    """The lecture and the slides on which it stands.

    >>> slide("T-DET-LB")
    'POSTECH, "Negative Result"'
    >>> slide("T-NFL")
    'UCL lecture 1, "An NFL theorem", "Proof Intuitions"'
    """
    slides: dict[str, str] = read("slides.json")
    numbers = [n for n, ids in read("ledger.json")["numbers"].items() if id in ids and n in slides]
    first = max(numbers, key=lambda n: (n[0] == id[0], len(slides[n])), default="")
    return slides.get(id) or slides.get(first, "")
