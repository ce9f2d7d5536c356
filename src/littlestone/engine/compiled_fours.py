"""Dense rows, four numbers at a time: the compiled forms of `dot`, `add` and `shift`; and the check of numbers.

LLVM turns the loops of plain Python into vectors as well, but takes the last few numbers of a row one by one. A round
waits for its score, the step for that, and the next score for what the step has written, which a processor hands over
at once only where it is read in the pieces that it was written in. So all go in fours, down to the last three.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from . import compiled_lanes as wide
from .compiled_borrow import fetch, piece

unsigned = np.uint64  # an index that may be negative counts from the end: three more instructions
COMING = 1024  # how many numbers ahead of the check memory is asked for: 8 kB, a quarter of a small nearest cache


def lie_in_fours(*kinds: Any) -> bool:
    """Are these types of arrays whose numbers lie side by side, so that four are loaded at once?"""
    return all(
        isinstance(v, types.Array) and v.layout == "C" and v.dtype == types.float64 for v in kinds
    )


def dot_in_fours(w: Any, x: Any) -> float:
    """See `core.vectors.dot`. Four sums, since of one sum each term waits for the last."""
    n = x.shape[0]
    a = b = c = d = wide.lanes(0.0, 0.0, 0.0, 0.0)
    whole, fours = n - n % 16, n - n % 4
    for k in range(0, whole, 16):
        a = a + wide.values(w, k) * wide.values(x, k)
        b = b + wide.values(w, k + 4) * wide.values(x, k + 4)
        c = c + wide.values(w, k + 8) * wide.values(x, k + 8)
        d = d + wide.values(w, k + 12) * wide.values(x, k + 12)
    for k in range(whole, fours, 4):
        a = a + wide.values(w, k) * wide.values(x, k)
    s = wide.total((a + b) + (c + d))
    for k in range(fours, n):
        s += w[unsigned(k)] * x[unsigned(k)]
    return s  # type: ignore[no-any-return]


def add_in_fours(w: Any, c: Any, x: Any) -> None:
    """See `core.vectors.add`."""
    n = x.shape[0]
    whole, fours = n - n % 16, n - n % 4
    for k in range(0, whole, 16):
        p, q = wide.values(w, k), wide.values(w, k + 4)
        r, s = wide.values(w, k + 8), wide.values(w, k + 12)
        wide.put_values(w, k, p + c * wide.values(x, k))
        wide.put_values(w, k + 4, q + c * wide.values(x, k + 4))
        wide.put_values(w, k + 8, r + c * wide.values(x, k + 8))
        wide.put_values(w, k + 12, s + c * wide.values(x, k + 12))
    for k in range(whole, fours, 4):
        wide.put_values(w, k, wide.values(w, k) + c * wide.values(x, k))
    for k in range(fours, n):
        w[unsigned(k)] += c * x[unsigned(k)]


def shift_in_fours(w: Any, c: Any, x: Any) -> tuple[float, float]:
    """See `core.vectors.shift`. |w|^2 changes by c (2 <w, x> + c |x|^2).

    Sixteen a turn, and few instructions: a processor sees no further than some 400 of them ahead (logistic, 100
    features: 53 ns a row; 67 with `norm2` apart and a loop that LLVM turned into vectors).
    """
    n = x.shape[0]
    a = b = d = e = wide.lanes(0.0, 0.0, 0.0, 0.0)
    whole, fours = n - n % 16, n - n % 4
    for k in range(0, whole, 16):
        p, q = wide.values(w, k), wide.values(w, k + 4)
        r, s = wide.values(w, k + 8), wide.values(w, k + 12)
        x0, x1 = wide.values(x, k), wide.values(x, k + 4)
        wide.put_values(w, k, p + c * x0)
        wide.put_values(w, k + 4, q + c * x1)
        a, b, d, e = a + p * x0, b + q * x1, d + x0 * x0, e + x1 * x1
        x0, x1 = wide.values(x, k + 8), wide.values(x, k + 12)
        wide.put_values(w, k + 8, r + c * x0)
        wide.put_values(w, k + 12, s + c * x1)
        a, b, d, e = a + r * x0, b + s * x1, d + x0 * x0, e + x1 * x1
    for k in range(whole, fours, 4):
        p, x0 = wide.values(w, k), wide.values(x, k)
        wide.put_values(w, k, p + c * x0)
        a, d = a + p * x0, d + x0 * x0
    score, length2 = wide.total(a + b), wide.total(d + e)
    for k in range(fours, n):
        v, old = x[unsigned(k)], w[unsigned(k)]
        w[unsigned(k)] = old + c * v
        score += v * old
        length2 += v * v
    return c * (score + score + c * length2), length2


def sum_of_sizes(Z: Any, a: Any, b: Any) -> float:
    """The sum of |Z[a]|, …, |Z[b - 1]|; of memory it asks for what comes later.

    So the check costs hardly more than not to look (perceptron, 100 dense features: 24 ns a row, 23 without the check;
    31 where nothing was asked for). The sum is LLVM's: with one in fours, online-linear over 8 features took 215 or 270
    ns a row, one or the other in each process.
    """
    block, s = piece(Z, a, max(b - a, 0)), 0.0
    for i in range(0, block.shape[0], 8):  # a line of the cache
        fetch(block, i + COMING)
    for i in range(block.shape[0]):
        s += abs(block[i])
    return s
