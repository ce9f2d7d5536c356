"""How much memory a state would take: estimated from small ones, before any of it is asked for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..core.errors import BadInput, LittlestoneError
from ..core.game import Shape
from ..core.machine import memory
from ..encode.compact_places import AT_ONCE, GAPS
from ..engine.memory import arrays

if TYPE_CHECKING:
    from ..core.learner import Learner

    AnyLearner = Learner[Any, Any, Any, Any]

SMALL = {
    "n": 256,
    "features": 64,
    "classes": 16,
}  # the shape of the states that are made to estimate a size
MANY = 2048  # up to so many coordinates, contexts and classes nothing is estimated
LARGE = 1 << 29  # bytes: a larger state is refused where indices have large gaps
SHARE = 0.75  # of the memory of this machine that a state may take


def refuse_size(learner: AnyLearner, shape: Shape) -> None:
    """Refuse a state that would not fit into memory."""
    if max(shape.n, shape.features, shape.classes) <= MANY:
        return
    if estimate_bytes(learner, shape) > SHARE * memory():
        raise too_large(learner, shape)


def refuse_gaps(learner: AnyLearner, shape: Shape, met: int, room: int = 0) -> None:
    """Refuse a large state for indices with large gaps.

    `met` is how many numbers sparse examples have held so far, `room` how many places there were before.
    """
    if shape.n <= GAPS * max(met, room) or shape.n <= MANY:
        return
    needed = estimate_bytes(learner, shape)
    if needed > LARGE:
        raise BadInput(
            f"the largest index is beyond {shape.n // 2:,}, and there were {met:,} numbers so far: {learner.key} "
            f"would take {in_words(needed)} of memory for them; hash indices to fewer places (-b 18, bits=18), or "
            "number the features without gaps"
        )


def refuse_many(learner: AnyLearner, n: int, contexts: int) -> None:
    """Refuse to begin, one round at a time, with so many coordinates that each round would take seconds."""
    if max(n, contexts) <= AT_ONCE:
        return
    shape = Shape(n, 0, 1.0, 2)._replace(features=contexts)
    sparse = (
        "; sparse examples (dicts) take what they use"
        if learner.examples and learner.sparse
        else ""
    )
    raise BadInput(
        f"{learner.key} with {n:,} coordinates{other_sizes(learner, shape)} would take "
        f"{in_words(estimate_bytes(learner, shape))} of memory, and all of it in each round: "
        f"begin with at most {AT_ONCE:,}{sparse}"
    )


def too_large(learner: AnyLearner, shape: Shape) -> BadInput:
    """Make the error that says: a state of this shape does not fit into memory."""
    needed, there = estimate_bytes(learner, shape), memory()
    return BadInput(
        f"{learner.key} with {shape.n:,} coordinates{other_sizes(learner, shape)} would take {in_words(needed)} of "
        f"memory; there are at most {in_words(there)}: use fewer, or hash names to fewer places (bits=…)"
    )


def estimate_bytes(learner: AnyLearner, shape: Shape) -> float:
    """Bytes of a first state: those of a small one, times the powers by which it grows."""
    small = shape._replace(**{k: min(getattr(shape, k), most) for k, most in SMALL.items()})
    least = 8.0 * (shape.n + shape.features + shape.classes)
    try:
        base = total = bytes_of(learner, small)
        for name in SMALL:
            size, needed = getattr(small, name), getattr(shape, name)
            if needed > size:
                double = bytes_of(learner, small._replace(**{name: 2 * size}))
                total *= (needed / size) ** math.log2(max(1.0, double / base))
    except (LittlestoneError, ArithmeticError, LookupError, TypeError, ValueError):
        return least  # sizes that depend on each other: at least one number a coordinate
    return max(least, total)


def bytes_of(learner: AnyLearner, shape: Shape) -> float:
    """Bytes of the arrays of a first state."""
    return float(sum(v.nbytes for v in arrays(learner.begin(shape)))) + 1.0


def other_sizes(learner: AnyLearner, shape: Shape) -> str:
    found = f", {shape.features:,} features" if shape.features > MANY and learner.bandit else ""
    return found + (f", {shape.classes:,} classes" if shape.classes > MANY else "")


def in_words(size: float) -> str:
    return f"{size / 2**30:,.1f} GiB"
