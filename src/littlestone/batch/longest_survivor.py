"""The longest survivor: return the hypothesis that was right for the longest stretch of rounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.intervals import confidence
from ..engine.memory import copy
from .conversion import Bound, Conversion, held_out, mistake_bound
from .replay import find_rounds


def longest_survivor(
    played: Any,
    X: Any = None,
    y: Any = None,
    *,
    mistakes: float | None = None,
    delta: float = 0.05,
    holdout: float = 0.2,
    test: Any = None,
) -> Conversion:
    """The hypothesis that was right in the most rounds before its first mistake.

        the learner learns only from its mistakes, so that a hypothesis stays until it errs
        return the one that stayed longest

    Let h_i be the hypothesis after i mistakes, r its risk, and n the number of examples it got right
    before it erred or the sample ended. These examples came after h_i, so it survives n of them with
    probability at most (1-r)^n. Fix d_i > 0. Then P(n >= k) <= (1-r)^k < d_i for the first k with
    (1-r)^k < d_i: with probability at least 1 - d_i it survives fewer, that is (1-r)^n >= d_i, or

        r <= 1 - d_i^(1/n) <= ln(1/d_i) / n.

    With d_i = delta / ((i+1)(i+2)), which sum to delta, that holds for all hypotheses at once, whichever
    is chosen. If the learner makes at most B mistakes on every sequence (`mistakes=B`), there are B+1
    hypotheses, d_i = delta / (B+1) will do, and the longest of them survives at least (T-B)/(B+1) rounds:
    so r <= (B+1) ln((B+1)/delta) / (T-B), known before the first example is seen. A bound on mistakes
    that holds for every sequence holds when only mistakes are learned from: they are a sequence, too.

    One prediction a round, and an update a mistake; nothing but the best hypothesis is kept.

    >>> import littlestone as ls
    >>> run = ls.play("perceptron", [[1.0, 0.0], [0.0, 1.0]] * 50, [1, -1] * 50, engine="plain")
    >>> print(longest_survivor(run, mistakes=2, test=([[2.0, 0.0]], [1])))
    longest survivor of perceptron: after 1 mistake, right for 98 rounds
      mean loss online 0.01
      risk at most 0.04092, with probability 0.95 (T-O2B-SURVIVOR; 2 mistakes at most)
      hold-out 0 on 1 example

    Gallant (1986), the pocket algorithm; Kearns, Li, Pitt and Valiant (1987); Littlestone (1989).
    Ledger: A-O2B-SURVIVOR; T-O2B-SURVIVOR.
    """
    delta, mistakes = confidence(delta), mistake_bound(mistakes)
    replay, test = find_rounds(played, X, y, holdout, test)
    if replay.traits.action != "label":
        raise BadInput("longest_survivor: only labels can be right; these predictions are numbers")
    live, T = replay.fresh(), replay.T
    best, after, longest, n, wrong = copy(live.state), 0, 0, 0, 0
    for t, right in replay.walk(live, conservative=True):
        n += right
        if (not right or t + 1 == T) and n > longest:
            best, after, longest = copy(live.state), wrong, n
        if not right:
            n, wrong = 0, wrong + 1
    live.state = best
    found = Conversion(
        f"longest survivor of {replay.run.label}: after {after:,} mistake{'s' * (after != 1)}, "
        f"right for {longest:,} round{'' if longest == 1 else 's'}",
        lambda X: replay.written(replay.many(live, replay.coded(X, [])[0])[1]),
        lambda X: replay.many(live, replay.coded(X, [])[0])[0],
        wrong / T,
    )
    if mistakes is None:
        share, made_of = delta / ((after + 1) * (after + 2)), ""
    else:
        replay.refuse_mistakes(mistakes, wrong)
        share, made_of = delta / (mistakes + 1.0), f"{mistakes:g} mistakes at most"
    value = -math.expm1(math.log(share) / longest) if longest else 1.0
    found.bounds.append(Bound("T-O2B-SURVIVOR", value, "risk", delta, made_of, 1.0))
    if test is not None:
        Z, truth = replay.tested(test)
        found.holdout = held_out((replay.many(live, Z)[1] != truth).astype(np.float64))
    return found
