"""Statements of the ledger that no learner carries: identities, counts, lower bounds, lemmas of one round."""

from __future__ import annotations

from . import (
    bandits,
    batch,
    counting,
    graphs,
    lower_bounds,
    matrices,
    norms,
    potentials,
    steps,
    tracking,
)
from .claim import Statement

STATEMENTS: list[Statement] = [
    *lower_bounds.STATEMENTS, *potentials.STATEMENTS, *steps.STATEMENTS, *counting.STATEMENTS, *tracking.STATEMENTS,
    *bandits.STATEMENTS, *graphs.STATEMENTS, *matrices.STATEMENTS, *batch.STATEMENTS, *norms.STATEMENTS,
]  # fmt: skip
