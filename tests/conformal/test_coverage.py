"""The theorems of prediction sets against natures that aim at them: kept always, and nearly attained."""

import functools
import math

import pytest
from support.duels import (
    NATURES,
    attained,
    brink,
    covers_when_possible,
    duel,
    misses_when_possible,
    ratios,
    record_scores,
    written,
)

import littlestone as ls
from littlestone.core.guarantee import Symbols

T = 1007  # so many rounds bring whole numbers of misses close to H
SHARP = ls.Cover(sharp=1)
LEARNERS = [
    ls.QuantileTracker(eta=0.01),
    ls.QuantileTracker(eta=0.3, level=0.5),
    ls.ACI(gamma=0.01),
    ls.ACI(gamma=0.1, level=0.7, window=20),
    ls.DecayingTracker(eta=0.1, power=0.1),
    ls.DecayingTracker(),
    ls.SFOGD(largest=0.3),
    ls.KTBetting(),
    ls.Cover(),
    SHARP,
    SHARP.replace(kappa=0.3, level=0.6),
]


def named(learner):
    return ",".join(map(str, (learner.key, *learner.parameters.values())))


def delays(learner):
    """A theorem about a single copy that learns late: which delays it is tried with."""
    return (0, 1, 24) if all(g.late for g in learner.guarantees) else (0,)


def told(learner, late):
    return learner.replace(late=late) if learner.key == "cover" else learner


@pytest.mark.parametrize("learner", LEARNERS, ids=named)
def test_no_nature_beats_the_bound(learner):
    natures = [make() for make in NATURES.values()]
    for late in delays(learner):
        mine = told(learner, late)
        more = [record_scores()]
        if learner.key == "cover":
            tail = (1 - learner.level) / 2
            more.append(brink(T, late, learner.kappa, tail))
        for nature in [*natures, *more]:
            found = ratios(mine, nature, T, late)
            assert found
            assert max(found.values()) <= 1 + 1e-12, (late, found)


@pytest.mark.parametrize("learner", LEARNERS, ids=named)
def test_no_sequence_of_twelve_rounds_beats_the_bound(learner):
    late = max(delays(learner)[:2])
    for bits in range(0, 1 << 12, 1 if learner.key != "cover" else 41):
        found = ratios(told(learner, late), written(bits), 12, late)
        assert max(found.values()) <= 1 + 1e-12, (bits, found)


# The worst ratios found, cut off: a bound that becomes loose, or a rule that no longer follows it, is seen here.
ATTAINED = [
    (ls.QuantileTracker(eta=0.003), misses_when_possible(), 0, "T-QUANTILE-TRACKER", 0.999),
    (ls.QuantileTracker(eta=0.003), misses_when_possible(), 24, "T-QUANTILE-TRACKER", 0.99),
    (ls.ACI(gamma=0.01), record_scores(), 0, "T-ACI", 0.98),
    (ls.ACI(gamma=0.1), record_scores(), 24, "T-ACI", 0.98),
    (ls.ACI(gamma=0.01), covers_when_possible(), 0, "T-ACI-BELOW", 0.998),
    (ls.ACI(gamma=0.03), covers_when_possible(), 24, "T-ACI-BELOW", 0.9999),
    (ls.DecayingTracker(eta=0.1, power=0.1), record_scores(), 0, "T-DECAYING-TRACKER", 0.88),
    (ls.SFOGD(), record_scores(), 0, "T-SF-OGD", 0.48),
    (ls.KTBetting(), covers_when_possible(), 0, "T-KT-BETTING", 0.79),
    (SHARP, brink(T), 0, "T-COVER", 0.998),
    (SHARP.replace(late=1), brink(T, 1), 1, "T-COVER", 0.97),
    (SHARP.replace(late=24), brink(T, 24), 24, "T-COVER", 0.989),
    (SHARP, covers_when_possible(), 0, "T-COVER-BELOW", 0.99),
]


@pytest.mark.parametrize(("learner", "nature", "late", "theorem", "least"), ATTAINED)
def test_the_bound_is_nearly_attained(learner, nature, late, theorem, least):
    assert least <= attained(learner, nature, T, late)[theorem] <= 1 + 1e-12


# Planted bugs.


class ClippedACI(ls.ACI, abstract=True):
    def learn(self, state, x, d, f):
        made = ls.ACI.learn(self, state, x, d, f)
        return made._replace(a=min(max(made.a, 0.0), 1.0))


class ClippedTracker(ls.QuantileTracker, abstract=True):
    def learn(self, state, x, d, f):
        made = ls.QuantileTracker.learn(self, state, x, d, f)
        return made._replace(q=max(made.q, 0.0))


class ClippedSFOGD(ls.SFOGD, abstract=True):
    def learn(self, state, x, d, f):
        made = ls.SFOGD.learn(self, state, x, d, f)
        return made._replace(steps=made.steps._replace(q=max(made.steps.q, 0.0)))


@pytest.mark.parametrize(
    ("learner", "nature"),
    [
        (ClippedACI(gamma=0.1), record_scores()),
        (ClippedTracker(), covers_when_possible()),
        (ClippedSFOGD(), covers_when_possible()),
    ],
    ids=lambda v: getattr(v, "key", ""),
)
def test_a_clip_is_caught(learner, nature):
    assert max(ratios(learner, nature, 10 * T).values()) > 1


def test_clipped_aci_covers_half_of_the_rounds():
    s = duel(ClippedACI(gamma=0.1), record_scores(), T)
    assert s.over > 0.35 * T  # misses in about half of the rounds, where a tenth was asked for


@pytest.mark.parametrize(
    ("learner", "nature", "theorem"),
    [
        (ls.ACI(gamma=0.03), covers_when_possible, "T-ACI-BELOW"),
        (ls.ACI(gamma=0.1), record_scores, "T-ACI"),
        (SHARP.replace(late=24), functools.partial(brink, T, 24), "T-COVER"),
    ],
    ids=["aci below", "aci", "cover"],
)
def test_a_delay_that_is_one_too_short_is_caught(learner, nature, theorem):
    s = duel(learner, nature(), T, 24)
    short = Symbols(**{**vars(s), "crowd": 23})
    g = next(g for g in learner.guarantees if g.id == theorem)
    assert getattr(s, g.measures) <= g.bound(s) + 1e-9
    assert getattr(s, g.measures) > g.bound(short) + 1e-9


def test_the_bounds_of_kt_betting_solve_their_equation():
    g = ls.KTBetting.guarantees[0]
    X = g.bound(Symbols(T=1000, highest=3.0, lowest=0.0, wealth=0.5)) - 1
    bet = X / 1001 * 0.5 / (math.e * math.sqrt(math.pi * 1000)) * math.exp(X * X / 2000)
    assert bet == pytest.approx(3.0)
