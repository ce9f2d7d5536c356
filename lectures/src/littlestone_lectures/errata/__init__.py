"""Statements that lecture notes print and that are false, each beside its correction."""

from __future__ import annotations

from littlestone.falsify.erratum import Erratum

from . import (
    bandits,
    boolean,
    convex,
    coverage,
    ensembles,
    experts,
    graphs,
    kernels,
    learning_theory,
    linear,
    matrices,
    mixtures,
    saocp,
    support_vectors,
    tracking,
    winnow,
)

ERRATA: list[Erratum] = [
    *experts.ERRATA, *mixtures.ERRATA, *linear.ERRATA, *winnow.ERRATA, *boolean.ERRATA, *convex.ERRATA,
    *tracking.ERRATA, *bandits.ERRATA, *matrices.ERRATA, *coverage.ERRATA, *saocp.ERRATA,
    *kernels.ERRATA, *support_vectors.ERRATA, *ensembles.ERRATA, *learning_theory.ERRATA, *graphs.ERRATA,
]  # fmt: skip
