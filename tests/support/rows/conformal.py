"""Worked rows of the learners whose prediction sets keep their coverage."""

from __future__ import annotations

from math import inf, log, pi, sqrt, tan

from littlestone.testing import Row

ALIKE = [[10.0], [10.0], [10.0]]

ROWS = [
    # q: 0, a miss + 4 (3/4), a hit - 4 (1/4), a miss. E comes closest to its bound after round 1, whose score is 2:
    # 3/4 of (2 + 4) / 4. After round 3 it is 5/4 of (10 + 4) / 4.
    Row(
        key="quantile-tracker",
        parameters={"level": 0.75, "eta": 4.0},
        x=ALIKE,
        y=[12.0, 12.0, 20.0],
        predictions=[(10, 10), (7, 13), (8, 12)],
        decisions=[(0, 0), (3, 3), (2, 2), (5, 5)],
        loss=2,
        theorem="T-QUANTILE-TRACKER",
        bound=1.5,
        state={"q": 5.0},
    ),
    # a: .5, a hit .55, a miss .5, a miss .45, a hit .5. No score: infinite. {1}, share .45 of 2: the first. {1, 2}, .5
    # of 3: the second. {2, 3}, .55 of 3: the second. {3, 2.5}, .5 of 3: the second. (.5 + .1 * .5) / .1.
    Row(
        key="aci",
        parameters={"level": 0.5, "gamma": 0.1, "window": 2},
        x=[[0.0], [0.0], [0.0], [0.0]],
        y=[1.0, -2.0, 3.0, 2.5],
        predictions=[(-inf, inf), (-1, 1), (-2, 2), (-3, 3)],
        decisions=[(inf, inf), (1, 1), (2, 2), (3, 3), (3, 3)],
        loss=2,
        theorem="T-ACI",
        bound=5.5,
        state={"a": 0.5},
    ),
    # Steps 4, 4/sqrt 2, 4/sqrt 3, and a miss, a hit, a miss. After round 1: (2 + 4) / 4; after round 3 the bound is
    # (10 + 4) sqrt(3)/4.
    Row(
        key="decaying-tracker",
        parameters={"level": 0.75, "eta": 4.0, "power": 0.5},
        x=ALIKE,
        y=[12.0, 12.0, 20.0],
        predictions=None,
        decisions=[(0, 0), (3, 3), (3 - sqrt(0.5), 3 - sqrt(0.5)), (4.024944, 4.024944)],
        loss=2,
        theorem="T-DECAYING-TRACKER",
        bound=1.5,
        state={"q": 4.024944, "turns": sqrt(3) / 4, "stride": 4.0},
    ),
    # Sums of squares 9/16, 18/16, 19/16; q: 0, 1, 1 + sqrt(1/2), less 1/sqrt(19). E is 3/4, 3/2, 5/4, and
    # comes closest to its bound after round 2: (2 + 4/3) sqrt(18)/4.
    Row(
        key="sf-ogd",
        parameters={"level": 0.75, "largest": sqrt(3)},
        x=ALIKE,
        y=[12.0, 12.0, 11.0],
        predictions=None,
        decisions=[(0, 0), (1, 1), (1 + sqrt(0.5),) * 2, (1 + sqrt(0.5) - 1 / sqrt(19),) * 2],
        loss=2,
        theorem="T-SF-OGD",
        bound=(2 + 4 / 3) * sqrt(18) / 4,
        state={"squares": 19 / 16},
    ),
    # E: 3/4, 1/2, 1/4; money: 8, 8 - 3/4, 7.25 - 1.208333/4; q = E / (t + 1) money.
    # E is largest after round 1: X e^(X^2/2) = 2 e sqrt(pi) / 8 = 1.204528.
    Row(
        key="kt-betting",
        parameters={"level": 0.75, "wealth": 8.0},
        x=ALIKE,
        y=[11.0, 11.0, 10.5],
        predictions=[(10, 10), (7, 13), (8.791667, 11.208333)],
        decisions=[(0, 0), (3, 3), (1.208333, 1.208333), (0.434245, 0.434245)],
        loss=1,
        theorem="T-KT-BETTING",
        bound=1.843756,
        state={"money": 6.947917},
    ),
    # An error of 2, no miss: E = -1/20 in both tails, H = sqrt 2, scales of 2, quantiles ln 10, p = -.0015. Then an
    # error of 5, a miss above: the quantiles are ln 10 - .05 s and + .95 s with the step s = 2^.3 + .003; scales are
    # (2 r + 5)/(r + 1), r = .5^(1/h), 3.512918 on average; the regression of 2.5 units on (1, 1) has the slopes 2.5/12,
    # so that half of the weight is moved up by 2.5/12 (5 + 3.543310); E = -.1 and .9, H = sqrt 3; p = -.003 and .027.
    # After round 2 E is closest to its bound, sqrt(3) + .95. The last interval is (3.252713, 28.145393).
    Row(
        key="cover",
        parameters={},
        x=[[10.0], [10.0], [10.0]],
        y=[12.0, 15.0, 15.0],
        predictions=[(-inf, inf), (10 - 4.522214, 14.522214), (3.252713, 28.145393)],
        decisions=None,
        loss=1,
        theorem="T-COVER",
        bound=sqrt(3) + 0.95,
        state={"misses": [0, 1], "rounds": 3},
    ),
    # A miss, a hit, a miss: p is 0, 3, 2, 5; E is 0, 3/4, 1/2, 5/4. After 3 rounds (T + 1) / ln(T + 1) is 4 / ln 4.
    Row(
        key="conformal-pid",
        parameters={"level": 0.75, "eta": 4.0, "K": 1.0},
        x=ALIKE,
        y=[12.0, 12.0, 20.0],
        predictions=None,
        decisions=[
            (0, 0),
            *(
                (q, q)
                for q in (3 + tan(0.375 * log(2)), 2 + tan(log(3) / 6), 5 + tan(0.3125 * log(4)))
            ),
        ],
        loss=2,
        theorem="T-CONFORMAL-PID",
        bound=pi / 2 * 4 / log(4) + 1,
        state={"q": 5.0},
    ),
    # theta: 0 0, a miss in the group 3 3, a hit outside 2 3, a miss in the group 5 6. After round 1 E is 3/4,
    # 2 eta (1 - alpha) B is 12, and (eta (1 - alpha))^2 |x|^2 is 9 * 2.
    Row(
        key="group-tracker",
        parameters={"level": 0.75, "eta": 4.0, "groups": 1},
        x=[[10.0, 1.0], [10.0, 0.0], [10.0, 1.0]],
        y=[12.0, 12.0, 20.0],
        predictions=[(10, 10), (7, 13), (5, 15)],
        decisions=[(0, 0), (3, 3), (5, 5)],
        loss=2,
        theorem="T-GROUP-TRACKER",
        bound=sqrt(30) / 4,
        state={"theta": [5.0, 6.0], "long": 2.0},
    ),
    # Sets 1, …, 8: the middle is 4, which 5 misses; of 5, …, 8 it is 6, which 0 does not and 8 does; then only 8.
    Row(
        key="halving-sets",
        parameters={"largest": 8.0, "sets": 8},
        x=ALIKE,
        y=[15.0, 10.0, 18.0],
        predictions=[(6, 14), (4, 16), (4, 16)],
        decisions=[(4, 4), (6, 6), (6, 6), (8, 8)],
        loss=2,
        theorem="T-HALVING-SETS",
        bound=3,
        state={"first": 8},
    ),
    # No score: infinite, beta 1, so that a_k = 1/2 + gamma_k / 2, on average .5159375; {1}, share .4840625 of 2: the
    # first. beta = 1/2 is not above any a_k, which all go back to 1/2; {1, 2}, share 1/2 of 3: the second.
    Row(
        key="dtaci",
        parameters={"level": 0.5, "window": 10},
        x=[[0.0], [0.0], [0.0]],
        y=[1.0, 2.0, 2.0],
        predictions=[(-inf, inf), (-1, 1), (-2, 2)],
        decisions=[(inf, inf, 0.5), (1, 1, 0.5159375), (2, 2, 0.5)],
        loss=1,
        theorem="T-DTACI",
        bound=log(8) / 2.72 - 3 * log(0.999) / 2.72 + 2.72 * (0.5 * 1.256) ** 2 * 3 / 8,
        state={},
    ),
    # The first tracker: 0, a miss + 1, and a hit - sqrt(1/2); the second, from 0, + 1; the third from 8/9. Priors 1,
    # 1/8, 1/18, and no bets yet. The best threshold, 1/2, loses 1/2 of the distance of 1.
    Row(
        key="saocp",
        parameters={"level": 0.5, "largest": sqrt(3)},
        x=[[0.0], [0.0]],
        y=[1.5, 0.5],
        predictions=None,
        decisions=[
            (0, 0),
            (8 / 9, 8 / 9),
            ((1 - sqrt(0.5) + 1 / 8 + 8 / 9 / 18) / (1 + 1 / 8 + 1 / 18),) * 2,
        ],
        loss=1,
        theorem="T-SAOCP",
        bound=0.5 + 15 * sqrt(3) * sqrt(2 * (log(2) + 1)),
        state={"pinball": 0.75 + 7 / 36},
    ),
]
