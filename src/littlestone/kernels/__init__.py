"""Kernels, their algebra, and Gram matrices.

>>> gaussian = Gaussian(0.5)
>>> gaussian([0, 0], [1, 1]) + 2 * 3 == (gaussian + 2 * Linear())([0, 0], [1, 1]) + 6
True
>>> gram(Linear() * Linear() + 1.0 * Delta(), [[1.0], [2.0]]).tolist()
[[2.0, 4.0], [4.0, 17.0]]
"""

from . import calls as calls
from .algebra import Exp, Kernel, Multiple, Product, Series, Sum
from .delta import Delta
from .diffusion import exponential_diffusion, von_neumann_diffusion
from .function_norm import function_norm
from .functions import RKHSFunction
from .gram import blocks, diagonal, gram, is_psd
from .letters import letters
from .linear import GeneralLinear, Linear
from .maps import Bell, Called, Conformal, LinearMap, Mapped, Normalised
from .minimum import Min
from .multinomial import polynomial_features
from .names import KERNELS, NAMES, kernel_named, refuse_width, takes_sets, takes_strings
from .newton_anova import newton_anova
from .paths import PathKernel
from .pivoted_cholesky import pivoted_cholesky
from .polynomial import Exponential, Polynomial
from .radial import Cauchy, Gaussian, Laplace, Matern
from .refutation import refute
from .set_measures import Intersection, agreement, union_complement
from .soft_matching import SoftGapWeighted
from .splines import Spline
from .subsequences import (
    AllSubsequences,
    FixedLength,
    GapNumber,
    GapWeighted,
    RestrictedGapWeighted,
)
from .subsets import AllSubsets, Anova, CommonSubsets, indicators
from .substrings import BlendedSpectrum, Mismatch, Spectrum
from .trees import Subtrees

__all__ = [
    "KERNELS",
    "NAMES",
    "AllSubsequences",
    "AllSubsets",
    "Anova",
    "Bell",
    "BlendedSpectrum",
    "Called",
    "Cauchy",
    "CommonSubsets",
    "Conformal",
    "Delta",
    "Exp",
    "Exponential",
    "FixedLength",
    "GapNumber",
    "GapWeighted",
    "Gaussian",
    "GeneralLinear",
    "Intersection",
    "Kernel",
    "Laplace",
    "Linear",
    "LinearMap",
    "Mapped",
    "Matern",
    "Min",
    "Mismatch",
    "Multiple",
    "Normalised",
    "PathKernel",
    "Polynomial",
    "Product",
    "RKHSFunction",
    "RestrictedGapWeighted",
    "Series",
    "SoftGapWeighted",
    "Spectrum",
    "Spline",
    "Subtrees",
    "Sum",
    "agreement",
    "blocks",
    "diagonal",
    "exponential_diffusion",
    "function_norm",
    "gram",
    "indicators",
    "is_psd",
    "kernel_named",
    "letters",
    "newton_anova",
    "pivoted_cholesky",
    "polynomial_features",
    "refuse_width",
    "refute",
    "takes_sets",
    "takes_strings",
    "union_complement",
    "von_neumann_diffusion",
]
