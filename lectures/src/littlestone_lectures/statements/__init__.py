"""Statements of the ledger that no learner carries: identities, counts, lower bounds, lemmas of one round."""

from __future__ import annotations

from littlestone.falsify.statement import Statement

from . import (
    bandits,
    batch,
    bayes_and_neighbours,
    conversions,
    counting,
    graphs,
    kernel_rules,
    learning_bounds,
    lower_bounds,
    matrices,
    networks,
    norms,
    off_policy,
    p_resistances,
    potentials,
    sample_sizes,
    shattering,
    steps,
    supervised_fits,
    support_vectors,
    tracking,
    trees_and_votes,
    variants,
)

STATEMENTS: list[Statement] = [
    *lower_bounds.STATEMENTS, *potentials.STATEMENTS, *steps.STATEMENTS, *counting.STATEMENTS, *tracking.STATEMENTS,
    *bandits.STATEMENTS, *graphs.STATEMENTS, *matrices.STATEMENTS, *batch.STATEMENTS, *norms.STATEMENTS,
    *off_policy.STATEMENTS, *conversions.STATEMENTS, *variants.STATEMENTS,
    *sample_sizes.STATEMENTS, *shattering.STATEMENTS,
    *supervised_fits.STATEMENTS, *bayes_and_neighbours.STATEMENTS, *kernel_rules.STATEMENTS,
    *support_vectors.STATEMENTS, *trees_and_votes.STATEMENTS, *learning_bounds.STATEMENTS,
    *networks.STATEMENTS, *p_resistances.STATEMENTS,
]  # fmt: skip

LEFT: dict[str, str] = sample_sizes.LEFT  # ids that are not attacked, and why
