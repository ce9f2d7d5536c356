"""Kernels, their algebra, and Gram matrices.

>>> gaussian = Gaussian(0.5)
>>> gaussian([0, 0], [1, 1]) + 2 * 3 == (gaussian + 2 * Linear())([0, 0], [1, 1]) + 6
True
>>> gram(Linear() * Linear() + 1.0 * Delta(), [[1.0], [2.0]]).tolist()
[[2.0, 4.0], [4.0, 17.0]]
"""

from .algebra import Exp, Kernel, Multiple, Product, Series, Sum
from .delta import Delta
from .gram import blocks, diagonal, gram, is_psd
from .linear import GeneralLinear, Linear
from .maps import Bell, Called, Conformal, LinearMap, Mapped, Normalised
from .minimum import Min
from .names import KERNELS, NAMES, kernel_named, refuse_width, takes_sets
from .polynomial import Exponential, Polynomial
from .radial import Gaussian, Laplace
from .subsets import AllSubsets, Anova, Intersection, indicators

__all__ = [
    "KERNELS",
    "NAMES",
    "AllSubsets",
    "Anova",
    "Bell",
    "Called",
    "Conformal",
    "Delta",
    "Exp",
    "Exponential",
    "Gaussian",
    "GeneralLinear",
    "Intersection",
    "Kernel",
    "Laplace",
    "Linear",
    "LinearMap",
    "Mapped",
    "Min",
    "Multiple",
    "Normalised",
    "Polynomial",
    "Product",
    "Series",
    "Sum",
    "blocks",
    "diagonal",
    "gram",
    "indicators",
    "is_psd",
    "kernel_named",
    "refuse_width",
    "takes_sets",
]
