"""Online to batch: a random stop, the average of the hypotheses, and exponential weights averaged.

A learner that does well on every sequence does well on T examples drawn independently from one
distribution; its hypothesis before round t has not seen example t, so that its loss there is fair.

    random_stop    one hypothesis, at a time drawn at random
    average        all of them together: the mean of their predictions, or their vote
    ewa            the average of exponential weights, which needs no other theorem

Each takes a run, or a learner and a sample of which a part is held out, and returns a Conversion: a
predictor with bounds on its risk (its expected loss on a new example), printed beside the hold-out.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.intervals import confidence
from ..core.stream import Array
from ..engine.memory import copy
from ..experts.exponential_weights import ExponentialWeights
from ..play.play import play
from .committee import Committee, gather, linear_so_far, mean_weights
from .conversion import (
    BEYOND,
    Bound,
    Conversion,
    deviation,
    held_back,
    held_out,
    mistake_bound,
    seeded,
)
from .replay import Replay, divided, find_rounds, pair_test


def random_stop(
    played: Any,
    X: Any = None,
    y: Any = None,
    *,
    mistakes: float | None = None,
    delta: float = 0.05,
    span: float | None = None,
    holdout: float = 0.2,
    test: Any = None,
    seed: int = 0,
) -> Conversion:
    """The hypothesis before round t, with t drawn from 1, …, T.

        t = uniform on 1, …, T
        return the hypothesis after t - 1 examples

    If the learner makes at most B mistakes on every sequence, a new example is misclassified with
    probability at most B/T, over the sample, the stop and the example: whichever round t is, example t
    is as good as a new one (T-O2B-RANDOM-T; say `mistakes=B`). Whatever the learner, the risk, averaged
    over the stops that might have been, is at most the mean loss online plus a deviation
    (T-O2B-LEMMA4), for losses in [0, M], M = `span`. One play of t - 1 rounds.

    >>> import littlestone as ls
    >>> run = ls.play("perceptron", [[1.0, 0.0], [0.0, 1.0]] * 50, [1, -1] * 50, engine="plain")
    >>> found = random_stop(run, mistakes=2, seed=1)
    >>> found.predict([[5.0, 0.0], [0.0, 5.0]]).tolist(), found.bounds[0].value
    ([1, -1], 0.02)

    Helmbold and Warmuth (1995). Ledger: A-O2B-RANDOM-T; T-O2B-RANDOM-T, T-O2B-LEMMA4.
    """
    delta, mistakes, draws = confidence(delta), mistake_bound(mistakes), seeded(seed)
    replay, test = find_rounds(played, X, y, holdout, test)
    if mistakes is not None:
        replay.refuse_mistakes(mistakes)
    T = replay.T
    stop = int(draws.integers(1, T + 1))
    live = replay.after(stop - 1)
    found = Conversion(
        f"{replay.run.label} stopped at random before round {stop:,} of {T:,}",
        lambda X: replay.written(replay.many(live, examples(replay, X))[1]),
        lambda X: replay.many(live, examples(replay, X))[0],
        replay.run.loss / T,
    )
    if mistakes is not None:
        made_of = f"{mistakes:g} mistakes at most in {T:,} rounds"
        found.bounds.append(Bound("T-O2B-RANDOM-T", mistakes / T, "risk", None, made_of, 1.0))
    lemma(found, replay, span, delta, "T-O2B-LEMMA4", "risk, averaged over the stop,")
    check(found, replay, test, lambda X: replay.many(live, X))
    return found


def average(
    played: Any,
    X: Any = None,
    y: Any = None,
    *,
    delta: float = 0.05,
    span: float | None = None,
    holdout: float = 0.2,
    test: Any = None,
    seed: int = 0,
) -> Conversion:
    """Predict the mean of what the T hypotheses predict, each from before its round.

        h_t = the hypothesis before round t
        return x -> (h_1(x) + … + h_T(x)) / T

    Where the loss is convex in the prediction and in [0, M], the risk is at most the mean loss online
    plus M sqrt(ln(1/delta)/(2T)), and exceeds that of the best expert by at most R_T/T +
    2M sqrt(ln(2/delta)/(2T)), R_T the regret (T-O2B-THM5). M is that of the loss on the
    interval that was declared, or `span`. The zero-one loss is not convex: then the hypotheses vote, and
    since a vote errs only where half of them do, its risk is at most twice as much (T-O2B-VOTE). A
    hypothesis that draws its label splits its vote by the probabilities of the labels.

    Weights of experts, and scores <w, x> of linear learners, average to those of one mean vector; it
    costs O(d) a round. Other hypotheses are kept, 2000 at most: of more, a random sample is averaged,
    and the bound grows by M sqrt(ln(2/delta)/(2 * 2000)).

    Two rounds of two experts, who say 0 and 1; the outcome is 0. The weights before them are 1/2, 1/2
    and 3/4, 1/4, and so their mean is 5/8, 3/8:

    >>> import littlestone as ls
    >>> learner = ls.Hedge(eta=math.log(3), loss="absolute")
    >>> run = ls.play(learner, [[0.0, 1.0]] * 2, [0.0] * 2, interval=(0, 1), engine="plain")
    >>> print(average(run, test=([[0.0, 1.0]], [0.0])))
    average of 2 hypotheses of hedge
      mean loss online 0.375
      risk at most 1.24, with probability 0.95 (T-O2B-THM5; mean loss 0.375 + 0.8654): it takes more rounds ...
      risk beyond that of the best expert at most 2.296, with probability 0.95 (T-O2B-THM5; ...): it takes more ...
      hold-out 0.375 on 1 example

    Cesa-Bianchi, Conconi and Gentile (2004). Ledger: A-O2B-AVG; T-O2B-LEMMA4, T-O2B-THM5, T-O2B-VOTE;
    E-O2B-24, E-O2B-27, E-O2B-29, E-O2B-CONST.
    """
    delta = confidence(delta)
    seeded(seed)
    replay, test = find_rounds(played, X, y, holdout, test)
    if replay.mixes:
        return mixture(replay, delta, span, test)
    live = replay.fresh()
    w = mean_weights(replay, live) if linear_so_far(live) else None
    if w is not None:
        live = replay.run.learner.begun().copied()
        live.state = copy(live.state._replace(w=w))
        members: list[tuple[Any, float]] = [(live.state, 1.0)]
        all_of_them = True
    else:
        members, all_of_them = gather(replay, seed)
    team = Committee(replay, live, members)
    title = "vote" if replay.counts_mistakes else "average"
    found = Conversion(
        f"{title} of {replay.T:,} hypotheses of {replay.run.label}",
        lambda X: replay.written(team.many(examples(replay, X))[1]),
        lambda X: team.many(examples(replay, X))[0],
        replay.run.loss / replay.T,
    )
    if not all_of_them:
        found.notes.append(f"a random sample of {len(members):,} of the hypotheses was kept")
    which, factor = ("T-O2B-VOTE", 2.0) if replay.counts_mistakes else ("T-O2B-THM5", 1.0)
    sample = None if all_of_them else len(members)
    lemma(found, replay, span, delta, which, "risk", factor, sample)
    check(found, replay, test, team.many, votes=replay.counts_mistakes)
    return found


def ewa(
    advice: Any,
    y: Any,
    *,
    loss: Any = "absolute",
    interval: tuple[float, float] | None = None,
    delta: float = 0.05,
    holdout: float = 0.2,
    test: Any = None,
) -> Conversion:
    """Exponential weights at their tuned rate, averaged: one fixed mixture of N experts.

    Nothing about the run is needed: the risk exceeds that of the best expert by at most
    M (sqrt(ln N / (2T)) + 2 sqrt(ln(2/delta)/(2T))), known before the first example is seen (T-O2B-EWA).
    The loss must be convex and in [0, M]; the other bounds of `average` come along. M is that of the loss on
    `interval`: left unset no bound is given, since rare outcomes may lie beyond all that the sample has.

    >>> print(ewa([[0.0, 1.0]] * 100, [0.0] * 100, interval=(0, 1), holdout=0.0).bounds[-1])
    risk beyond that of the best expert at most 0.3305, with probability 0.95 (T-O2B-EWA; 2 experts)

    Ledger: A-O2B-EWA; T-O2B-EWA, T-O2B-THM5.
    """
    delta = confidence(delta)
    learner = ExponentialWeights(loss=loss)
    advice, y = np.asarray(advice), np.asarray(y)
    advice, y, test = divided(advice, y, held_back(holdout), pair_test(test))
    run = play(learner, advice, y, interval=interval)
    found = average(run, delta=delta, test=test)
    replay = Replay(run)
    M, T, N = replay.span(None), replay.T, advice.shape[1]
    if math.isnan(M):
        return found
    value = M * math.sqrt(math.log(N) / (2.0 * T)) + 2.0 * deviation(M, T, delta / 2.0)
    found.bounds.append(Bound("T-O2B-EWA", value, BEYOND, delta, f"{N:,} experts", M))
    return found


def mixture(replay: Replay, delta: float, span: float | None, test: Any) -> Conversion:
    """The conversion for learners that mix advice, or draw an expert: with the mean of their weights."""
    live, p = replay.fresh(), np.zeros(replay.x.shape[1])
    for t, _ in replay.walk(live):
        p += live.params.decide(live.state, replay.x[t])
    p /= replay.T
    drawn = replay.traits.draws

    def scores(X: Any) -> Array:
        return np.asarray(examples(replay, X) @ p)

    def draws(X: Any) -> Any:
        Z = examples(replay, X)
        who = np.random.default_rng(0).choice(len(p), size=len(Z), p=p)
        return replay.written(Z[np.arange(len(Z)), who])

    T, loss = replay.T, replay.run.loss
    title = f"average of {T:,} hypotheses of {replay.run.label}"
    found = Conversion(title, draws if drawn else scores, scores, loss / T)
    lemma(found, replay, span, delta, "T-O2B-THM5", "risk")
    M = replay.span(span)
    if replay.transcript.certify and not math.isnan(M):
        regret = loss - float(np.min(replay.run.experts.L))
        value = regret / T + 2.0 * deviation(M, T, delta / 2.0)
        made_of = f"regret {regret:.4g} in {T:,} rounds"
        found.bounds.append(Bound("T-O2B-THM5", value, BEYOND, delta, made_of, M))
    if test is not None:
        Z, truth = replay.tested(test)
        if drawn:  # what a draw costs on average
            at = replay.traits.loss.at
            costs = [
                sum(q * at(v, s) for q, v in zip(p, x, strict=True))
                for x, s in zip(Z, truth, strict=True)
            ]
            found.holdout = held_out(np.array(costs))
        else:
            found.holdout = held_out(replay.costs(None, Z @ p, truth))
    return found


def examples(replay: Replay, X: Any) -> Any:
    """Examples, or advice, as the game knows them."""
    return replay.coded(X, [])[0]


def lemma(
    found: Conversion,
    replay: Replay,
    span: float | None,
    delta: float,
    which: str,
    what: str,
    factor: float = 1.0,
    sample: int | None = None,
) -> None:
    """Add the bound `factor` times (mean loss online + deviation) to what was found; or a note on why there is none."""
    M, T = replay.span(span), replay.T
    if math.isnan(M):
        found.notes.append(
            "no bound: the largest loss M must be known beforehand, and a sample does not tell it; "
            "declare interval=(low, high) of advice and outcomes, or span=M"
        )
        return
    more = deviation(M, T, delta if sample is None else delta / 2.0)
    text = f"mean loss {found.mean_loss:.4g} + {more:.4g}"
    if sample is not None:
        kept = deviation(M, sample, delta / 2.0)
        more, text = more + kept, f"{text} + {kept:.4g} for the sample"
    text = text if factor == 1.0 else f"{factor:g} times the {text}"
    found.bounds.append(Bound(which, factor * (found.mean_loss + more), what, delta, text, M))


def check(found: Conversion, replay: Replay, test: Any, many: Any, votes: bool = False) -> None:
    """Measure the predictor on examples that were held out; a vote is right or wrong, even where members draw."""
    if test is not None:
        X, truth = replay.tested(test)
        decisions, actions = many(X)
        wrong = (actions != truth).astype(np.float64)
        found.holdout = held_out(wrong if votes else replay.costs(decisions, actions, truth))
