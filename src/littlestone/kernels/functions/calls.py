"""Kernels are called: k(x, z) for two examples, k.gram(X, Z) for all pairs. Every class has to be known here."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from .algebra import CLASSES
from .examples import only_row
from .gram import examples, gram
from .names import KERNELS, kernel_named, takes_strings

SHORT = 4096  # cells of a table that plain Python fills within some milliseconds


def call(kernel: Any, x: Any, z: Any) -> Any:
    """K(x, z) for two vectors, lists or numbers, or for two strings; the parameters of the kernel are checked first.

    A kernel of strings that is given two lists of them makes their matrix: scikit-learn's `SVC(kernel=k)` calls it so.
    """
    k: Any = kernel_named(kernel)
    if takes_strings(k) and not (is_vector(x) and is_vector(z)):
        strings = isinstance(x, str), isinstance(z, str)
        if any(strings) and not all(strings):
            raise BadInput(
                f"x and z must be two strings, or two lists of them, not {x!r:.40} and {z!r:.40}"
            )
        return one_pair(k, x, z) if all(strings) else gram(k, x, z)
    X, Z = only_row(x, "x"), only_row(z, "z")
    if X.shape[1] != Z.shape[1]:
        raise BadInput(f"x has {X.shape[1]} features and z has {Z.shape[1]}: they must be alike")
    k._suits(X, "x")
    k._suits(Z, "z")
    return float(k._gram(X, Z)[0, 0])


def one_pair(kernel: Any, s: str, t: str) -> float:
    """K(s, t); short strings do not wait for a loop to be compiled."""
    if len(s) * len(t) > SHORT:
        return float(gram(kernel, [s], [t])[0, 0])
    M = examples(kernel, [s, t], "x and z")
    kernel._suits(M, "x and z")
    return float(kernel.of(M[0], M[1]))


def is_vector(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.ndim == 1 and x.dtype.kind in "fiub"


def gram_of(kernel: Any, X: Any, Z: Any = None) -> Array:
    """The matrix of K(x, z) for the examples of X and of Z, or for all pairs of X."""
    return gram(kernel, X, Z)


for made in KERNELS:
    if made in CLASSES:  # a kernel, and not the factor of one
        made.__call__, made.gram = call, gram_of
