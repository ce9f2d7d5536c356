"""Errata about prediction sets: rules as packages or papers have them, against truths that the search chooses.

The forecast is always 0, so the truth of a round is its score; a set is everything up to a threshold q, which misses a
score above q. E is the number of misses less alpha times the number of rounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from littlestone.falsify.erratum import Erratum

from .drawing import chart

Moves = tuple[int, ...]  # of each round: 0, the truth is the forecast; 1, it is a record
ALPHAS, GAMMAS = (0.5, 0.3, 0.1), (0.5, 1.0)


def moves(T: int) -> Iterator[tuple[float, float, Moves]]:
    """A level, a step, and T rounds, in each of which the truth is the forecast or a record: every such sequence."""
    for alpha, gamma in product(ALPHAS, GAMMAS):
        for m in product((0, 1), repeat=T):
            yield alpha, gamma, m


def shown(i: Any) -> str:
    alpha, gamma, m = i
    words = ", ".join("a record" if v else "0" for v in m)
    return f"alpha = {alpha:g}, step {gamma:g}, scores {words}"


# ACI.


def quantile(scores: list[float], share: float) -> float:
    """The smallest number that at least `share` of the scores and of one infinite score do not exceed."""
    rank = math.ceil(share * (len(scores) + 1) - 1e-9)
    return math.inf if rank > len(scores) else sorted(scores)[max(rank, 1) - 1]


def aci(alpha: float, gamma: float, m: Moves, clipped: bool) -> tuple[list[int], float]:
    """The misses of adaptive conformal inference, and its largest E; `clipped`: its level is kept in [0, 1]."""
    a, E, most = alpha, 0.0, 0.0
    scores: list[float] = []
    misses = []
    for record in m:
        q = math.inf if a <= 0.0 else -math.inf if a >= 1.0 else quantile(scores, 1.0 - a)
        score = float(len(scores) + 1) if record else 0.0
        missed = int(score > q)
        misses.append(missed)
        scores.append(score)
        a += gamma * (alpha - missed)
        if clipped:
            a = min(max(a, 0.0), 1.0)
        E += missed - alpha
        most = max(most, E)
    return misses, most


def aci_sides(clipped: bool) -> Callable[[Any], tuple[float, float]]:
    def sides(i: Any) -> tuple[float, float]:
        alpha, gamma, m = i
        return aci(alpha, gamma, m, clipped)[1], (alpha + gamma * (1.0 - alpha)) / gamma

    return sides


def always_records() -> str:
    T = list(range(1, 201))
    found = {}
    for clipped in (True, False):
        missed = aci(0.1, 0.05, (1,) * 200, clipped)[0]
        found[clipped] = [sum(missed[:t]) for t in T]
    return chart(
        "Misses of ACI at alpha = 0.1, step 0.05, every score a record",
        "T",
        [
            ("level clipped to [0, 1]", T, [float(v) for v in found[True]]),
            ("not clipped", T, [float(v) for v in found[False]]),
            ("alpha T and the bound", T, [0.1 * t + (0.1 + 0.05 * 0.9) / 0.05 for t in T]),
        ],
    )


ACI_CLIP = Erratum(
    "E-ACI-CLIP",
    "adaptive conformal inference whose level is clipped to [0, 1]: misses - alpha T <= (alpha + gamma (1 - alpha)) / "
    "gamma after every round",
    aci_sides(True),
    "so it is where the level is not clipped: everything where it is 0 or less, the empty set where it is 1 or more",
    aci_sides(False),
    "alpha in {.5, .3, .1}, gamma in {.5, 1}, every sequence of T rounds whose score is 0 or larger than all before",
    moves,
    tuple(range(1, 13)),
    show=shown,
    short=8,
    picture=always_records,
)

# Scale-free gradient descent.


def sf_ogd(alpha: float, D: float, m: Moves, clipped: bool) -> tuple[float, float]:
    """The largest -E of scale-free gradient descent, and its bound; a record is a score of D. `clipped`: q >= 0."""
    q, squares, E, fewest, turns, last, stride = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for record in m:
        missed = int((D if record else 0.0) > q)
        g = alpha - missed
        squares += g * g
        step = D / math.sqrt(3.0 * squares)
        q -= step * g
        if clipped:
            q = max(q, 0.0)
        turns, last, stride = turns + abs(1.0 / step - last), 1.0 / step, max(stride, step)
        E += missed - alpha
        fewest = max(fewest, -E)
    B = D if any(m) else 0.0
    return fewest, (B + stride) * turns


SF_OGD_CLIP = Erratum(
    "E-SF-OGD-CLIP",
    "scale-free gradient descent whose threshold is clipped at 0: alpha T - misses <= (B + max eta_t) sum_t |1/eta_t - "
    "1/eta_(t-1)|, scores in [0, B]",
    lambda i: sf_ogd(i[0], i[1], i[2], clipped=True),
    "so it is where the threshold may be negative, and the set empty",
    lambda i: sf_ogd(i[0], i[1], i[2], clipped=False),
    "alpha in {.5, .3, .1}, D in {.5, 1}, every sequence of T rounds whose score is 0 or D",
    moves,
    tuple(range(1, 14)),
    show=lambda i: shown(i).replace("a record", f"{i[1]:g}").replace("step", "D ="),
    short=8,
)

# DtACI.

SPREAD = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128)  # the steps of its experts
WINDOW = 100.0  # the length of the intervals that its defaults are tuned for


def dtaci(alpha: float, T: float) -> float:
    """The published bound on |misses / T - alpha| at the default steps, rate and share. Gibbs & Candes 2024."""
    low, high, k = SPREAD[0], SPREAD[-1], len(SPREAD)
    both = (1 - alpha) ** 2 * alpha**3 + alpha**2 * (1 - alpha) ** 3
    eta = math.sqrt(3.0 / WINDOW * (math.log(k * WINDOW) + 2.0) / both)
    share = 1.0 / (2.0 * WINDOW)
    wide = 1.0 + 2.0 * high
    return (
        wide / (T * low)
        + wide**2 / low * eta * math.exp(eta * wide)
        + 2.0 * (1.0 + high) / low * share
    )


def horizons(e: int) -> Iterator[tuple[float, float]]:
    for alpha in (0.1, 0.05, 0.2):
        yield alpha, 10.0**e


def tuned_aci(i: Any) -> tuple[float, float]:
    """What T-ACI says of one of the experts, that of the largest step: it is below 1 after a few rounds."""
    alpha, T = i
    gamma = SPREAD[-1]
    return (1.0 - alpha + gamma) / gamma / T, 1.0


DTACI = Erratum(
    "E-DTACI",
    "DtACI, at its default parameters, has a bound on |misses / T - alpha| that says something, that is, below 1, for "
    "large T",
    lambda i: (dtaci(*i), 1.0),
    "that of plain ACI at the largest of its steps, (1 - alpha + gamma) / (gamma T), is below 1 from T = 9 on",
    tuned_aci,
    "alpha in {.1, .05, .2}, T = 10^6, 10^7, …, 10^12 (the large part of the bound does not fall with T)",
    horizons,
    tuple(range(6, 13)),
    show=lambda i: f"alpha = {i[0]:g}, T = {i[1]:.0e}",
)

# Regret is not coverage.


def thresholds(T: int) -> Iterator[tuple[float, tuple[tuple[float, float], ...]]]:
    """A level, and T rounds: a score of 0 or 8, and a threshold that covers it just so, or just misses it."""
    rounds = [(s, q) for s in (0.0, 8.0) for q in (s, s - 0.5)]
    for alpha in (0.5, 0.1):
        for r in product(rounds, repeat=T):
            yield alpha, r


def pinball(alpha: float, score: float, q: float) -> float:
    return (1.0 - alpha) * (score - q) if score > q else alpha * (q - score)


def low_regret_covers(i: Any) -> tuple[float, float]:
    """misses - alpha T against 1/2, where the regret to every constant is negative; else nothing is claimed."""
    alpha, rounds = i
    own = sum(pinball(alpha, s, q) for s, q in rounds)
    best = min(sum(pinball(alpha, s, c) for s, _ in rounds) for c in (0.0, 8.0))
    if own >= best:
        return 0.0, 0.5
    return sum(s > q for s, q in rounds) - alpha * len(rounds), 0.5


def tracked(i: Any) -> tuple[float, float]:
    """Quantile tracking on the same scores, at a step of 1: |E| <= B + 1, whatever its regret."""
    alpha, rounds = i
    q, E, far = 0.0, 0.0, 0.0
    for s, _ in rounds:
        missed = int(s > q)
        q += missed - alpha
        E += missed - alpha
        far = max(far, abs(E))
    return far, max(s for s, _ in rounds) + 1.0


REGRET = Erratum(
    "E-REGRET-COVERAGE",
    "thresholds whose pinball loss is below that of every constant one cover a share of about 1 - alpha: "
    "misses - alpha T <= 1/2",
    low_regret_covers,
    "regret says nothing of coverage: a theorem about misses is needed, such as that of quantile tracking, "
    "|misses - alpha T| <= (B + eta) / eta",
    tracked,
    "alpha in {.5, .1}, T rounds, scores 0 and 8, thresholds that hold the score or miss it by 1/2",
    thresholds,
    tuple(range(1, 7)),
    show=lambda i: (
        f"alpha = {i[0]:g}, (score, threshold): {', '.join(f'({s:g}, {q:g})' for s, q in i[1])}"
    ),
    short=5,
)

ERRATA = (ACI_CLIP, SF_OGD_CLIP, DTACI, REGRET)
