"""A mixture of the parts of a learner, and of a stack of them: Bayes' rule, and a share that falls as 1/t.

    weight_j = (1 - share) weight_j likelihood_j / (their sum) + share / m;   share = 1 / (t + 2) after round t (from 0)

Its log loss is at most ln m + ln T above that of each of the m experts. Vovk (1990); Herbster & Warmuth (1998). What a
likelihood is, and how the stack learns, is for the learner to say.

One part and the stack, of which the stack gave the outcome no chance; a half is shared after the first round:

>>> parts = init_part_mixture(1)
>>> parts.weights[:] = 0.5, 0.0
>>> share_weights(parts, 0.5, 0)
>>> parts.weights.tolist()
[0.75, 0.25]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.stream import Array


class PartMixture(NamedTuple):
    stack_weights: Array  # of each part
    weights: Array  # of each part in the mixture, and of their stack
    losses: Array  # log losses of these so far, and of the mixture


def init_part_mixture(m: int) -> PartMixture:
    """Before the first round, with m parts: all are alike."""
    return PartMixture(
        stack_weights=np.full(m, 1.0 / m),
        weights=np.full(m + 1, 1.0 / (m + 1)),
        losses=np.zeros(m + 2),
    )


def share_weights(parts: PartMixture, whole: float, t: int) -> None:
    """Weights that were multiplied by likelihoods, and have the sum `whole`, after round t."""
    m, share = parts.weights.shape[0], 1.0 / (t + 2.0)
    for j in range(m):
        parts.weights[j] = (1.0 - share) * parts.weights[j] / whole + share / m


def regret_to_best_part(parts: PartMixture) -> float:
    """The loss of the mixture less that of its best expert."""
    m, best = parts.weights.shape[0], parts.losses[0]
    for j in range(1, m):
        best = min(best, parts.losses[j])
    return parts.losses[m] - best  # type: ignore[no-any-return]
