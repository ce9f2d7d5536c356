"""Interactions by name: "colour:size", or "cs" for all columns that begin with c and with s."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput
from ..core.stream import Array
from .hashing import Hashes, hash_product
from .values import list_some


def checked_interactions(given: Sequence[str] | str) -> tuple[str, ...]:
    """Each is names joined by colons, or two letters or more."""
    specs = (given,) if isinstance(given, str) else tuple(given)
    for spec in specs:
        if not isinstance(spec, str) or len(spec.split(":") if ":" in spec else spec) < 2:
            raise BadInput(
                f"interactions: {spec!r} is neither names joined by colons, as in 'colour:size', "
                "nor the first letters of two names or more, as in 'cs'"
            )
    return specs


def pairs(
    specs: Sequence[str], names: Sequence[str], text: Sequence[bool], *, strict: bool = True
) -> list[tuple[int, ...]]:
    """The positions of the features to multiply; a letter stands for all names that begin with it.

    An interaction is the same whatever the order of its parts. Text times itself is left out, as
    it would only repeat the text.

    >>> pairs(["cs"], ["size", "colour", "cost"], [True, True, False])
    [(1, 0), (2, 0)]
    >>> pairs(["cc"], ["size", "colour", "cost"], [True, True, False])
    [(1, 2), (2, 2)]
    >>> pairs(["size:cost"], ["size", "colour", "cost"], [True, True, False])
    [(2, 0)]
    """
    found: dict[tuple[int, ...], None] = {}
    for spec in specs:
        for places in product(*find_parts(spec, names, strict)):
            ordered = tuple(sorted(places, key=lambda i: names[i]))
            if not any(text[i] and ordered.count(i) > 1 for i in ordered):
                found[ordered] = None
    return list(found)


def find_parts(spec: str, names: Sequence[str], strict: bool) -> list[list[int]]:
    """For each part of an interaction the positions of the features that it stands for."""
    by_name = ":" in spec
    found = []
    for part in spec.split(":") if by_name else spec:
        places = [i for i, n in enumerate(names) if (n == part if by_name else n.startswith(part))]
        if strict and not places:
            what = "is called" if by_name else "begins with"
            raise BadInput(
                f"interactions: in {spec!r}, no feature {what} {part!r}; "
                f"the features are {list_some(names, 20)}"
            )
        found.append(places)
    return found


class Products:
    """The products of features of many rows, which are multiplied at once, those of equally many parts together."""

    def __init__(self) -> None:
        self.parts: dict[int, list[list[int]]] = {}  # by how many are multiplied: where they are
        self.rows: dict[int, list[int]] = {}

    def add_row(self, row: int, products: Sequence[tuple[int, ...]], places: Sequence[int]) -> None:
        """Note the products of a row; each is given by positions in `places`, which are those of its features."""
        for each in products:
            self.parts.setdefault(len(each), []).append([places[i] for i in each])
            self.rows.setdefault(len(each), []).append(row)

    def put_behind(
        self, ends: NDArray[np.int64], place: Hashes, value: Array
    ) -> tuple[NDArray[np.int64], Hashes, Array]:
        """The features of rows, which end where `ends` says, and behind them in every row its products."""
        if not self.parts:
            return ends, place, value
        rows = len(ends) - 1
        row = [np.repeat(np.arange(rows), np.diff(ends))]
        places, values = [place], [value]
        for size in sorted(self.parts):
            parts = np.array(self.parts[size], dtype=np.int64)
            places.append(hash_product([place[parts[:, i]] for i in range(size)]))
            values.append(np.prod(value[parts], axis=1))
            row.append(np.array(self.rows[size], dtype=np.int64))
        owner = np.concatenate(row)
        order = np.argsort(owner, kind="stable")
        indptr = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=rows))]).astype(
            np.int64
        )
        return indptr, np.concatenate(places)[order], np.concatenate(values)[order]
