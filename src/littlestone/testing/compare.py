"""How the checks compare what they find with what they expect, and say what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.errors import BadInput

DIGITS = 2e-6  # how far a number may be from one that was worked out to six decimals


def leaves(v: Any) -> list[Any]:
    """The arrays and numbers of a state, copied.

    >>> [leaf.tolist() for leaf in leaves((np.zeros(2), (1.0, 2)))]
    [[0.0, 0.0], 1.0, 2]
    """
    return [leaf for each in v for leaf in leaves(each)] if isinstance(v, tuple) else [np.array(v)]


def same(a: Any, b: Any) -> bool:
    """Are two states equal, bit for bit?

    >>> same((np.zeros(1), 1.0), (np.zeros(1), 1.0)), same((0.0,), (-0.0,))
    (True, False)
    """
    pairs = zip(leaves(a), leaves(b), strict=True)
    return all(p.dtype == q.dtype and p.tobytes() == q.tobytes() for p, q in pairs)


def need(true: Any, what: str) -> None:
    """Raise an AssertionError that says `what`, unless it is true. (`assert` is silent under python -O.)"""
    if not true:
        raise AssertionError(what)


def near(found: Any, expected: Any, what: str, rel: float = 0.0, abs: float = DIGITS) -> None:
    """Raise an AssertionError unless two arrays agree."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    need(found.shape == expected.shape, f"{what}: shape {found.shape}, not {expected.shape}")
    np.testing.assert_allclose(found, expected, rtol=rel, atol=abs, err_msg=what)


def equal(found: Any, expected: Any, what: str) -> None:
    """Raise an AssertionError unless two arrays, or labels, are equal; NaN is equal to NaN."""
    found, expected = np.asarray(found), np.asarray(expected)
    numbers = found.dtype.kind == expected.dtype.kind == "f"
    # NumPy 2.0 cannot compare text with numbers
    kinds = (found.dtype.kind in "US") == (expected.dtype.kind in "US")
    same_shape = kinds and found.shape == expected.shape
    alike = same_shape and np.array_equal(found, expected, equal_nan=numbers)
    need(alike, f"{what}:\n{found}\nis not\n{expected}")


def refused(call: Callable[[], Any], words: str, what: str) -> BadInput:
    """Return the refusal of a call; raise unless it is refused, in one line that holds the words (a pattern)."""
    try:
        call()
    except BadInput as refusal:
        said = str(refusal)
        need("\n" not in said, f"{what}: the message has more than one line: {said!r}")
        need(re.search(words, said), f"{what}: the message says {said!r}, nothing like {words!r}")
        return refusal
    raise AssertionError(f"{what} was not refused")
