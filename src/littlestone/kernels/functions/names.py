"""Kernels by name, and the ranges of their parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, get_type_hints

import numpy as np

from ...core.errors import BadInput
from .algebra import Exp, Kernel, Multiple, Product, Series, Sum
from .delta import Delta
from .linear import GeneralLinear, Linear
from .maps import Bell, Called, Conformal, LinearMap, Mapped, Normalised
from .minimum import Min
from .polynomial import Exponential, Polynomial
from .radial import Cauchy, Gaussian, Laplace, Matern
from .set_measures import Intersection
from .soft_matching import SoftGapWeighted, refuse_soft
from .splines import Spline
from .subsequences import (
    AllSubsequences,
    FixedLength,
    GapNumber,
    GapWeighted,
    RestrictedGapWeighted,
)
from .subsets import AllSubsets, Anova, CommonSubsets
from .substrings import BlendedSpectrum, Mismatch, Spectrum

NAMES: dict[str, Any] = {
    "linear": Linear,
    "polynomial": Polynomial,
    "exponential": Exponential,
    "gaussian": Gaussian,
    "rbf": Gaussian,
    "laplace": Laplace,
    "matern": Matern,
    "cauchy": Cauchy,
    "spline": Spline,
    "anova": Anova,
    "all-subsets": AllSubsets,
    "common-subsets": CommonSubsets,
    "intersection": Intersection,
    "min": Min,
    "delta": Delta,
    "gap-weighted": GapWeighted,
    "restricted-gap-weighted": RestrictedGapWeighted,
    "gap-number": GapNumber,
    "fixed-length": FixedLength,
    "all-subsequences": AllSubsequences,
    "spectrum": Spectrum,
    "blended-spectrum": BlendedSpectrum,
    "mismatch": Mismatch,
}
STRINGS = (
    GapWeighted, RestrictedGapWeighted, GapNumber, FixedLength, AllSubsequences, Spectrum, BlendedSpectrum, Mismatch,
    SoftGapWeighted,
)  # fmt: skip
# every class that a kernel may be made of; Bell and Called are factors of Conformal
KERNELS = (
    *dict.fromkeys(NAMES.values()), GeneralLinear, Sum, Product, Multiple, Series, Exp, Mapped, LinearMap,
    Normalised, Conformal, Bell, Called, SoftGapWeighted,
)  # fmt: skip
# a parameter is at least 0 unless it is here, with its kernel or for all of them, or must be above 0
LEAST = {"base": 1.0, "p": 1.0, "FixedLength.p": 0.0, "alphabet": 1.0}
ABOVE = {"beta", "decay", "length"}
MOST = {"decay": 1.0, "order": 20.0}


def kernel_named(kernel: Any, owner: str = "kernel") -> Kernel:
    """A kernel from what the user wrote: a kernel, or its name with its parameters after a colon.

    >>> kernel_named("gaussian:0.5"), kernel_named("polynomial:3,0")
    (Gaussian(beta=0.5), Polynomial(degree=3, constant=0.0))
    """
    if isinstance(kernel, KERNELS):
        return check_kernel(kernel, owner)
    word, _, rest = str(kernel).partition(":")
    if not isinstance(kernel, str) or word not in NAMES:
        raise BadInput(
            f"{owner}: kernel must be one of {', '.join(NAMES)} (gaussian:0.5 with its parameter) "
            f"or a kernel object, not {kernel!r:.80}"
        )
    made = NAMES[word]
    given = rest.split(",") if rest else []
    if len(given) > len(made._fields):
        raise BadInput(
            f"{owner}: {kernel}: {word} has {len(made._fields)} parameters: {', '.join(made._fields)}"
        )
    try:
        values = [float(v) for v in given]
    except ValueError:
        raise BadInput(
            f"{owner}: {kernel}: write numbers after the colon, as in gaussian:0.5"
        ) from None
    return check_kernel(made(*values), owner)


def seeing(kernel: Any) -> Iterator[Any]:
    """The kernels that see the examples as they are, not what a map makes of them."""
    yield kernel
    if not isinstance(kernel, (Mapped, LinearMap)):
        for part in kernel:
            if isinstance(part, KERNELS):
                yield from seeing(part)


def takes_sets(kernel: Any) -> bool:
    """Must features be 0 or 1?"""
    return any(isinstance(k, (CommonSubsets, Intersection)) for k in seeing(kernel))


def takes_strings(kernel: Any) -> bool:
    """Are the examples strings?"""
    return any(isinstance(k, STRINGS) for k in seeing(kernel))


def refuse_numbers(kernel: Any, what: str) -> None:
    """Strings are given: refuse a kernel that would take the code points of their letters for numbers."""
    for k in seeing(kernel):
        parts = [part for part in k if isinstance(part, KERNELS)]
        if not parts and not isinstance(k, (*STRINGS, Delta)):
            name = type(k).__name__
            raise BadInput(f"{what} holds strings, and the {name} kernel is for vectors of numbers")


def refuse_width(kernel: Any, features: int, room: int, owner: str) -> None:
    """A matrix is for so many features, and sparse examples are given room for more than there are."""
    for k in seeing(kernel):
        wide = k.A.shape[1] if isinstance(k, (GeneralLinear, LinearMap)) else room
        if wide != room:
            have = f"have {features}" if wide != features else "must be dense then, not sparse"
            name = type(k).__name__
            raise BadInput(
                f"{owner}: A of the {name} kernel is for {wide} features; examples {have}"
            )


def check_kernel(kernel: Any, owner: str) -> Kernel:
    """The kernel with its parameters as the types they are declared as: one signature, one compilation."""
    values, kinds = [], get_type_hints(type(kernel))
    for name, v in zip(kernel._fields, kernel, strict=True):
        what = f"{owner}: {name} of the {type(kernel).__name__} kernel"
        if kinds[name] in (float, bool, int):
            values.append(check_number(kernel, name, kinds[name], v, what))
        else:
            values.append(check_part(kernel, name, v, what, owner))
    return type(kernel)(*values)  # type: ignore[no-any-return]


def check_number(kernel: Any, name: str, kind: type, v: Any, what: str) -> Any:
    """A parameter that is a number, a whole number or a truth value."""
    if kind is bool:
        if not isinstance(v, (bool, np.bool_)) and v not in (0.0, 1.0):
            raise BadInput(f"{what} must be True or False, not {v!r:.60}")
        return bool(v)
    least = LEAST.get(f"{type(kernel).__name__}.{name}", LEAST.get(name, 0.0))
    above = kind is float and name in ABOVE
    x = number(v, what, least, above, MOST.get(name, math.inf))
    if kind is float:
        return x
    if x != int(v):
        raise BadInput(f"{what} must be a whole number, not {v!r}")
    return int(v)


def check_part(kernel: Any, name: str, v: Any, what: str, owner: str) -> Any:
    """A parameter of another kind: numbers, a matrix, a kernel or a function."""
    if name == "c" and isinstance(kernel, Series):
        return tuple(number(c, what, 0.0, False) for c in v) or (0.0,)
    if name == "A":
        return matrix(v, what, symmetric=isinstance(kernel, GeneralLinear))
    if name in ("kernel", "left", "right"):
        return kernel_named(v, owner)
    if name in ("phi", "f"):
        return check_function(kernel, name, v, what, owner)
    if name == "similarity":
        v = matrix(v, what, symmetric=True)
        refuse_soft(kernel, v, f"{owner}: SoftGapWeighted:")
    return v


def check_function(kernel: Any, name: str, v: Any, what: str, owner: str) -> Any:
    """A parameter that is a function of a vector, or a factor of a conformal kernel."""
    is_factor = isinstance(v, (Bell, Called))
    if name == "f" and isinstance(kernel, Conformal) and not is_factor:
        return Called(v)
    if name == "f" and isinstance(v, Bell):
        return check_kernel(v, owner)
    if not (callable(v) or is_factor):
        raise BadInput(f"{what} must be a function of a vector, not {v!r:.60}")
    return v


def number(v: Any, what: str, least: float, above: bool, most: float = math.inf) -> float:
    requirement = f"{what} must be a number {'above' if above else 'of at least'} {least:g}"
    requirement += f" and at most {most:g}" * (most < math.inf) + f", not {v!r:.60}"
    try:
        x = float(v)
    except (TypeError, ValueError):
        raise BadInput(requirement) from None
    if not math.isfinite(x) or not least <= x <= most or (above and x == least):
        raise BadInput(requirement)
    return x


def matrix(A: Any, what: str, symmetric: bool) -> Any:
    """A C-contiguous, read-only float64 copy; for x' A z symmetric and positive semidefinite."""
    try:
        M = np.array(A, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise BadInput(f"{what} must be a matrix of numbers, not {A!r:.60}") from None
    if M.ndim != 2 or not np.isfinite(M).all():
        raise BadInput(f"{what} must be a matrix of finite numbers, not of shape {M.shape}")
    if symmetric:
        if M.shape[0] != M.shape[1] or not np.allclose(M, M.T, rtol=1e-12, atol=0.0):
            raise BadInput(f"{what} must be symmetric")
        low = np.linalg.eigvalsh(M)[0] if len(M) else 0.0
        if low < -1e-10 * max(1e-300, float(np.abs(M).max(initial=0.0))):
            raise BadInput(
                f"{what} must be positive semidefinite; its least eigenvalue is {low:.6g}, so x' A z is no kernel"
            )
    return M
