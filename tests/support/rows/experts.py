"""Worked rows of the learners over experts.

Most are worked examples of the ledger (X-…). Where a row was not worked by hand, the few lines of NumPy that give its
numbers, written from the literature and not from the learner's file, stand beside it.
"""

from __future__ import annotations

from math import exp, log, log2, sqrt
from typing import Any

import numpy as np

from littlestone.testing import Row

EXPERTS = [(1, 1, 0, 0), (1, 0, 1, 0), (0, 1, 1, 1)]  # X-EXPERT-DATA, with outcomes 1, 0, 1
TRACE = [(0.9, 0.1), (0.8, 0.3), (0.2, 0.7)]  # X-WA-TRACE, with the outcome 1 in every round
UNIT = {"interval": (0.0, 1.0)}
MIXED = [(0, 1), (1, 0), (0.5, 1)], [0, 0, 1]  # advice that errs now here, now there
SWAP = [(0, 1), (1, 0), (0, 1)]  # losses
THRESHOLDS = [(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)]  # what thresholds say of three points


def shares(*rows: Any) -> Any:
    """Weights as fractions of their sum."""
    w = np.array(rows, float)
    return w / w.sum(axis=1, keepdims=True)


def by_the_first(T: int, n: int, seed: int) -> tuple[Any, Any]:
    """Of two features, the first decides, with a margin of 0.38."""
    x = np.array([(0.0, 1.0), (1.0, 0.0), (1.0, 1.0)])[
        np.random.default_rng(seed).integers(0, 3, T)
    ]
    return x, x[:, 0].copy()


def by_a_threshold(T: int, n: int, seed: int) -> tuple[Any, Any]:
    """Points of THRESHOLDS at random; its second row labels them; the first is a mistake."""
    x = np.random.default_rng(seed).integers(0, 3, T)
    x[:3] = 1, 0, 2
    return x[:, None].astype(float), np.array(THRESHOLDS, float)[1, x]


ROWS = [
    # T-CONSISTENT is tight: only the expert in use says 1, and it is wrong.
    Row(
        key="consistent",
        parameters={},
        x=[(1, 0, 0), (0, 1, 0), (0, 0, 0)],
        y=[0, 0, 0],
        predictions=[1, 1, 0],
        decisions=[(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 1)],
        loss=2,
        theorem="T-CONSISTENT",
        bound=2,
    ),
    # X-HALV-TABLE. The experts ruled out say the opposite of the table's vote: counting them would change it.
    Row(
        key="halving",
        parameters={},
        x=[(1, 1, 0, 0, 1, 1, 0, 0), (0, 0, 0, 1, 0, 0, 1, 1), (1, 1, 1, 1, 1, 1, 0, 0)],
        y=[0, 1, 1],
        predictions=[1, 1, 0],
        decisions=shares(
            [1] * 8, (0, 0, 1, 1, 0, 0, 1, 1), (0, 0, 0, 1, 0, 0, 1, 1), (0, 0, 0, 1, 0, 0, 0, 0)
        ),
        loss=2,
        theorem="T-HALVING",
        bound=3,
    ),
    # Thresholds on three points. Point 1: two thresholds say 0 and two say 1, of dimension 1 each: a tie, which says 1,
    # and errs; 000 and 001 are left. Point 2: one of each. Point 0: both say 0, of dimension 1; none, -1, says 1.
    Row(
        key="soa",
        parameters={"hypotheses": THRESHOLDS},
        x=[[1], [2], [0]],
        y=[0, 1, 0],
        predictions=[1, 1, 0],
        decisions=[0, 0, -2, -2],
        loss=1,
        theorem="T-SOA",
        bound=2,
        state={"alive": [0, 1, 0, 0], "left": 1, "dimension": 2},
        width=1,
        sample=by_a_threshold,
    ),
    # 13 directions at multiples of 27.7 degrees. To the right of the vertical axis lie 0, ±1, ±2, ±3: 7 against 6;
    # above the horizontal one 0, 1, 2, 3 of these: 4 against 3; beyond the diagonal 2, 3 of these: a tie, which says
    # 1, and errs; 0 and 1 are left.
    Row(
        key="halving-cover",
        parameters={"gamma": 0.5},
        x=[(1, 0), (0, 1), (-1, 1)],
        y=[1, 1, 0],
        predictions=[1, 1, 1],
        decisions=None,
        loss=1,
        theorem="T-HALVING-COVER",
        bound=log2(13),
        state={"alive": 2},
        sample=by_the_first,
    ),
    # Two features of four say 1: a tie. Then one of two: a tie, which says 1, and errs; feature 2 is left.
    Row(
        key="halving-disjunctions",
        parameters={"k": 1},
        x=[(1, 1, 0, 0), (1, 0, 1, 0), (0, 1, 0, 0)],
        y=[1, 0, 1],
        predictions=[1, 1, 1],
        decisions=None,
        loss=1,
        theorem="T-DISJ-HALVING",
        bound=2,
        state={"alive": 1},
        sample=by_the_first,
    ),
    # X-EXPERT-DATA: weights after round 3 are (.25, 1, .25, .5), and expert 2 never errs.
    Row(
        key="weighted-majority",
        parameters={"beta": 0.5},
        x=EXPERTS,
        y=[1, 0, 1],
        predictions=[1, 1, 1],
        decisions=shares((1, 1, 1, 1), (1, 1, 0.5, 0.5), (0.5, 1, 0.25, 0.5), (0.25, 1, 0.25, 0.5)),
        loss=1,
        theorem="T-WM",
        bound=log(4) / log(4 / 3),
    ),
    # The same data: the weight of those who err is 2/4, 1.5/3, 0.5/2.25.
    Row(
        key="randomized-weighted-majority",
        parameters={"beta": 0.5},
        x=EXPERTS,
        y=[1, 0, 1],
        predictions=None,
        decisions=shares((1, 1, 1, 1), (1, 1, 0.5, 0.5), (0.5, 1, 0.25, 0.5), (0.25, 1, 0.25, 0.5)),
        loss=1 / 2 + 1 / 2 + 2 / 9,
        theorem="T-RWM",
        bound=2 * log(4),
    ),
    # eta = ln 2: every unit of loss halves a weight.
    Row(
        key="exponential-weights",
        parameters={"eta": log(2), "loss": "absolute"},
        x=[(0, 1), (0, 1), (1, 0)],
        y=[0, 0, 0],
        predictions=[1 / 2, 1 / 3, 4 / 5],
        decisions=shares((1, 1), (2, 1), (4, 1), (2, 1)),
        loss=1 / 2 + 1 / 3 + 4 / 5,
        theorem="T-EWA",
        bound=1 + log(2) * 3 / 8,
        options=UNIT,
    ),
    # X-HEDGE-TRACE, in the allocation game; after it L = (1, 2, 2).
    Row(
        key="hedge",
        parameters={"eta": sqrt(2 * log(3) / 3)},
        x=None,
        y=[(0, 1, 0.5), (1, 0, 0.5), (0, 1, 1)],
        predictions=None,
        decisions=[
            *[(1 / 3, 1 / 3, 1 / 3), (0.481507, 0.204611, 0.313882), (1 / 3, 1 / 3, 1 / 3)],
            *shares((1, exp(-sqrt(2 * log(3) / 3)), exp(-sqrt(2 * log(3) / 3)))),
        ],
        loss=1.805114,
        theorem="T-HEDGE",
        bound=2.567426,
    ),
    # X-WA-TRACE; by T-WA-EN-EQ the loss is that of a product of predictions.
    Row(
        key="weighted-average",
        parameters={"loss": "log"},
        x=TRACE,
        y=[1, 1, 1],
        predictions=[0.5, 0.75, 0.22],
        decisions=[(0.5, 0.5), (0.9, 0.1), (0.96, 0.04), (0.872727, 0.127273)],
        loss=-log(0.5 * 0.75 * 0.22),
        theorem="T-WA",
        bound=log(2),
    ),
    # eta = 2, and for v and x of each round
    #   g = lambda y: -np.log(v @ np.exp(-2 * (y - x) ** 2)) / 2;  predict 0.5 + 0.5 * (g(0) - g(1));
    #   v *= np.exp(-2 * (y - x) ** 2);  v /= v.sum()
    Row(
        key="aggregating-algorithm",
        parameters={"loss": "square"},
        x=[(0, 0.5), (0.25, 1), (0.5, 0)],
        y=[0, 1, 0.5],
        predictions=[0.306834, 0.491190, 0.235574],
        decisions=[(0.5, 0.5), (0.622459, 0.377541), (0.348645, 0.651355), (0.468791, 0.531209)],
        loss=0.422956,
        theorem="T-AA-SQ",
        bound=log(2) / 2,
        options=UNIT,
    ),
    # X-FS-TRACE; the bound is that of no shift: ln 2 + 2 ln(1 / 0.9).
    Row(
        key="fixed-share",
        parameters={"loss": "log", "alpha": 0.1},
        x=TRACE,
        y=[1, 1, 1],
        predictions=[0.5, 0.71, 0.280423],
        decisions=[(0.5, 0.5), (0.82, 0.18), (0.839155, 0.160845), *shares((0.057619, 0.041931))],
        loss=2.307095,
        theorem="T-FIXED-SHARE",
        bound=log(2) - 2 * log(0.9),
    ),
    # X-VS-TRACE; expert 1 loses 0.69, and the bound is that of no shift.
    Row(
        key="variable-share",
        parameters={"loss": "square", "alpha": 0.1},
        x=TRACE,
        y=[1, 1, 1],
        predictions=[0.5, 0.615443, 0.352635],
        decisions=[
            (0.5, 0.5),
            (0.630885, 0.369115),
            (0.694730, 0.305270),
            *shares((0.357631, 0.242760)),
        ],
        loss=0.816966,
        theorem="T-VARIABLE-SHARE",
        bound=(0.69 * log(1 / 0.9) + log(2)) / 0.5,
        options=UNIT,
    ),
    # v_1 = (.9, .1), p_2 = .9 v_1 + .1 (1/2, 1/2); v_2 = (.688, .042) / .73, p_3 = .9 v_2 + .1 (1.4, .6) / 2;
    # v_3 = (.183644, .057247) / .240890, p_4 = .9 v_3 + .1 (2.342466, .657534) / 3.
    Row(
        key="mixing-past-posteriors",
        parameters={"loss": "log", "alpha": 0.1},
        x=TRACE,
        y=[1, 1, 1],
        predictions=[0.5, 0.73, 0.240890],
        decisions=[(0.5, 0.5), (0.86, 0.14), (0.918219, 0.081781), (0.764201, 0.235799)],
        loss=-log(0.5 * 0.73 * 0.240890),
        theorem="T-MPP",
        bound=log(2) - 2 * log(0.9),
    ),
    # pi = w = (1/2, 1/2) and delta = (1/2, 1/4): beta = 4/3, e = (7/6, 5/6), pi = (7/12, 5/12), w = (15/28, 9/20), so
    # that v = (5/8, 3/8); and so on, from pi = w = np.array([0.5, 0.5]), by
    #   d = w * 0.5**ell;  b = (pi @ w) / (pi @ d);  e = 1 - w + b * d
    #   pi, w = pi * e, (0.25 * (1 - w) + 0.75 * b * d) / e;  v = pi * w / (pi @ w)
    # The bound is that of expert 1, awake in all rounds: ln 2 for its name, ln 2 for the first round, 2 ln(4/3) for
    # staying awake, all over ln 2; and ln 2 * 3 / 8 for Hoeffding's lemma.
    Row(
        key="multitask",
        parameters={"eta": log(2), "alpha": 0.25},
        x=None,
        y=SWAP,
        predictions=None,
        decisions=[(0.5, 0.5), (0.625, 0.375), (0.476326, 0.523674), (0.613936, 0.386064)],
        loss=0.5 + 0.625 + 0.523674,
        theorem="T-MT-HOEFFDING",
        bound=2 + 2 * log(4 / 3) / log(2) + log(2) * 3 / 8,
    ),
    # Delta = 1/2 after round 1, so that eta = ln 4; the mix loss of round 2 is -log4(.8/4 + .2) = .660964, so that
    # Delta = .639036 and eta = 1.084677; the one of round 3 is -ln((1 + exp(-eta)) / 2) / eta = .370584.
    Row(
        key="adahedge",
        parameters={},
        x=None,
        y=SWAP,
        predictions=None,
        decisions=[(0.5, 0.5), (0.8, 0.2), (0.5, 0.5), (0.711361, 0.288639)],
        loss=1.8,
        theorem="T-ADAHEDGE-GAP",
        bound=2 * (0.5 + 0.139036 + 0.129416),
    ),
    # R = (1/2, -1/2), V = (1/4, 1/4) after round 1, and so on; with all 59 rates from 1/(2 E_1) down,
    #   j = np.arange(1, 60);  eta = 2.0**-j / 0.5;  eta, j = eta[eta <= 1 / (2 * E)], j[eta <= 1 / (2 * E)]
    #   p = (eta / (j * (j + 1)) * np.exp(np.outer(R, eta) - np.outer(V, eta**2))).sum(1);  p /= p.sum()
    # E becomes .705194 in round 2, and rate 1 leaves; for expert 1, V = .567449, the best rate is the next one, 1/2.
    Row(
        key="squint",
        parameters={},
        x=None,
        y=SWAP,
        predictions=None,
        decisions=[(0.5, 0.5), (0.705194, 0.294806), (0.519855, 0.480145), (0.622424, 0.377576)],
        loss=0.5 + 0.705194 + 0.480145,
        theorem="T-SQUINT",
        bound=0.567449 / 2 + 2 * (log(2) + log(6) + (1 - 0.5 / 0.705194) / 2),
    ),
    # r = 2 (a - y)(a - x) is (1/2, -1/2), then (0, 2), then (-.119260, .077168), where a is the prediction:
    # R = (1/2, 3/2) and B + V = (4.25, 8.25) after round 2, R = (.380740, 1.577168) after round 3.
    Row(
        key="ml-poly",
        parameters={},
        x=MIXED[0],
        y=MIXED[1],
        predictions=[1 / 2, 1, 45 / 56],
        decisions=shares(
            *[(1, 1), (1, 0), (0.5 / 4.25, 1.5 / 8.25)],
            (0.380740 / (4.25 + 0.119260**2), 1.577168 / (8.25 + 0.077168**2)),
        ),
        loss=0.25 + 1 + (11 / 56) ** 2,
        theorem="T-ML-POLY",
        bound=sqrt(4.264223) * (sqrt(2 + log(4.264223 / 0.25) + log(8.255955 / 0.25)) + 0.75),
    ),
    # The same r, of other predictions:
    #   r = 2 * (a - y) * (a - x);  c = E / max(E, abs(r).max());  E = max(E, abs(r).max())
    #   S += r - eta * (c * r) ** 2;  V += r**2;  eta = np.minimum(1 / (2 * E), np.sqrt(np.log(2) / V))
    #   p = eta * np.exp(eta * S);  p /= p.sum()
    # and the bound for expert 1 from E = 1.068893, E_1 = 1/2, V = (.419159, 1.404520), 1/eta = (2.137787, 2.137787)
    Row(
        key="boa",
        parameters={},
        x=MIXED[0],
        y=MIXED[1],
        predictions=[0.5, 0.731059, 0.764365],
        decisions=[(0.5, 0.5), (0.731059, 0.268941), (0.471269, 0.528731), (0.443746, 0.556254)],
        loss=0.839970,
        theorem="T-BOA",
        bound=4.993019,
    ),
    # docs/theory/tracker.md in NumPy, with the shares that lead into round t + 1 and out of round t:
    #   A = [P; 1/2 1/2; p of ml-poly; p of boa];  w = q @ A;  a = w @ x
    #   ell = 2 * (a - y) * (x - a);  d = np.ptp(ell);  Q += d**2;  own = A @ ell
    #   m = S = d in round 1;  then b = t ** (-1 / 3);  m += b * (min(d, m / b) - m);  S = m if not 1/2 <= m / S <= 2
    #   inv = np.repeat([np.sqrt(Q), 64 * S, 16 * S, 4 * S, S, S / 4], 2)
    #   debt += own[:12] + inv * np.log((P * np.exp(-ell / inv[:, None])).sum(1))
    #   debt += np.maximum(0, inv - old) * np.log(1 / low);  old = inv, and before that, from round 2 on,
    #   debt -= old * np.log(1 - np.tile([1 / t, 1 / 16], 6))
    #   P *= np.exp(-ell / inv[:, None]);  P /= P.sum(1, keepdims=True);  s = np.tile([1 / (t + 1), 1 / 16], 6)[:, None]
    #   P = (1 - s) * P + s / 2;  low = np.minimum(low, P.min(1));  d = max(0, own.max()) - min(0, own.min())
    #   r = -own * min(1, B / d);  Z += (pi * r * (2 * np.maximum(R, 0) + r) / (B**2 + V)).sum() if B > 0
    #   B = max(B, d);  R += r;  V += r**2;  q = pi * np.maximum(R, 0) / (B**2 + V);  q = q / q.sum(),
    #   pi / 1.7 if q is 0
    # where pi = 1.7 q = np.repeat([32, 16, 8, 4, 2, 1], 2) / 126 and .5, .1, .1, P = low = 1/2, all others 0 at first;
    # ml-poly and boa learn from r = own - ell as in their rows above; the bound is the least of debt, or for these two
    # the sum of own less the least sum of ell, + B + np.sqrt(max(Z, 0) * (B**2 + V) / pi).
    Row(
        key="tracker",
        parameters={},
        x=MIXED[0],
        y=MIXED[1],
        predictions=[0.5, 0.601887, 0.751975],
        decisions=[(0.5, 0.5), (0.601887, 0.398113), (0.496050, 0.503950), (0.356082, 0.643918)],
        loss=0.673784,
        theorem="T-TRACKER-MIX",
        bound=1.152425,
    ),
]
