"""No stream beats the theorem: blocks of repeated rounds, the exact best comparator, every tuning that is legal.

Random streams hardly test a regret bound; few different rounds, each repeated for a while, do. What these streams can
see is tested too: learners with planted bugs must be caught.
"""

import math
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support.rounds import needs_truth, takes
from support.rows import EXPERT_KEYS as KEYS

import littlestone as ls
from littlestone.core import losses
from littlestone.core.errors import BadInput, NotRealizable
from littlestone.core.learner import hints
from littlestone.core.numeric import normalise
from littlestone.core.outcome import Outcome
from littlestone.core.parameters import Interval, split_hint
from littlestone.core.registry import learners
from littlestone.experts import fixed_share
from littlestone.experts.fixed_share import posterior
from littlestone.games import Losses, Substitution
from littlestone.games import experts as experts_games

LONGEST = 60
WORDS = ("absolute", "square", "log", "zero-one", "pinball:0.9")
# numbers that are tried for a parameter where its range allows them: the ends, the middle, the notes' constants
NUMBERS = (0.0, 1e-3, 0.03, 0.1, math.exp(-1), 0.5, 0.9, 1.0, 2.0, 8.0)


class Case(NamedTuple):
    """A learner and a stream for it."""

    key: str
    parameters: dict[str, Any]
    x: Any  # None in the allocation game
    y: Any
    options: dict[str, Any]
    told: bool  # is it told how many rounds there will be?


@st.composite
def legal(draw, key, n):
    """Parameters: the theorem's own tuning as often as not, else any that are in range."""
    found = {}
    for name, hint in hints(learners()[key]).items():
        kind, declared, _ = split_hint(hint)
        if draw(st.booleans()):
            continue
        if name == "loss":
            found[name] = draw(st.sampled_from(WORDS))
        elif name == "prior":
            parts = draw(st.lists(st.sampled_from((0.01, 1.0, 3.0)), min_size=n, max_size=n))
            found[name] = tuple(np.array(parts) / sum(parts))
        elif name == "gamma":
            found[name] = draw(st.sampled_from((0.3, 0.6, 1.0)))
        elif kind is bool:
            found[name] = draw(st.booleans())
        elif isinstance(declared, Interval) and declared.whole:
            top = declared.high if math.isfinite(declared.high) else 3
            found[name] = draw(st.integers(int(declared.low), int(min(top, n))))
        elif isinstance(declared, Interval):
            found[name] = draw(st.sampled_from([v for v in NUMBERS if declared.holds(v)]))
    return found


@st.composite
def blocks(draw, rows):
    """Which row comes in which round: a few blocks of one row each, perhaps again and again, or all in turn."""
    if draw(st.integers(0, 3)) == 0:
        return (list(range(rows)) * LONGEST)[: draw(st.sampled_from((7, 24, LONGEST)))]
    block = st.tuples(st.integers(0, rows - 1), st.sampled_from((1, 1, 2, 3, 9, 30)))
    once = [r for r, size in draw(st.lists(block, min_size=1, max_size=6)) for _ in range(size)]
    return (once * draw(st.sampled_from((1, 2, LONGEST))))[:LONGEST]


def vectors(values, n):
    return st.lists(st.sampled_from(values), min_size=n, max_size=n)


@st.composite
def cases(draw, key):
    """Few different rounds, in blocks; extreme values and some in between; sleepers; late and missing answers."""
    cls, n = learners()[key], draw(st.integers(2, 5))
    kinds = {takes(key), takes(key, False)}
    kind = draw(st.sampled_from(sorted(kinds)))
    options: dict[str, Any] = {}
    if kind == "features":
        n = {"halving-disjunctions": 4, "soa": 1}.get(key, 2)
    parameters = draw(legal(key, n))
    if key == "multitask" and draw(st.booleans()):
        parameters["modes"] = None  # all numbers of modes are mixed
    rows = draw(st.integers(1, 4))
    order = draw(blocks(rows))
    if key == "soa":
        line = st.lists(vectors((0, 1), 4), min_size=2, max_size=9)
        parameters["hypotheses"] = draw(line)
    if parameters.get("gamma", 0.0) > 0.5:  # a cover of the sphere is large otherwise
        n = draw(st.integers(2, 3))
    if kind == "features":
        x, y = draw(truths(key, parameters, n, rows))
    elif kind == "labels":
        classes = draw(st.sampled_from((2, 2, 3)))
        x = np.array(
            draw(st.lists(vectors(range(classes), n), min_size=rows, max_size=rows)), float
        )
        y = np.array(draw(vectors(range(classes), rows)), float)
        if needs_truth(key):
            y = x[:, -1].copy()
        options["labels"] = list(range(classes))
    else:
        low, high = draw(st.sampled_from(((0.0, 1.0), (-3.0, 7.0), (0.0, 0.01))))
        loss = losses.parse_loss(parameters.get("loss", getattr(cls(), "loss", "square")))
        if isinstance(loss, (losses.LogLoss, losses.ZeroOne)) or kind == "losses":
            low = 0.0
            high = high if kind == "losses" else 1.0
        values = (
            (0.0, 1.0) if isinstance(loss, losses.ZeroOne) else (0.0, 1.0, 0.0, 1.0, 0.5, 0.9, 0.2)
        )
        scale = np.array(values) * (high - low) + low
        x = np.array(draw(st.lists(vectors(scale, n), min_size=rows, max_size=rows)))
        y = np.array(draw(vectors(scale, rows)))
        if draw(
            st.booleans()
        ):  # in each row one expert is right, and the others are as wrong as can be
            right, far = (
                draw(vectors(range(n), rows)),
                0.05 if isinstance(loss, losses.LogLoss) else 0.0,
            )
            end = np.array(draw(vectors((far, 1.0 - far), rows)))
            end = np.zeros(rows) if kind == "losses" else end
            y, x = end * (high - low) + low, np.tile((1.0 - end[:, None]) * (high - low) + low, n)
            x[np.arange(rows), right] = y
        if cls.bounded and draw(st.booleans()):
            options["interval"] = (low, high)
    if kind in ("advice", "labels") and draw(st.integers(0, 3)) == 0:
        awake = np.array(
            draw(st.lists(vectors((True, True, False), n), min_size=rows, max_size=rows))
        )
        awake[:, -1] |= needs_truth(key) or ~awake.any(axis=1)
        x = np.where(awake, x, np.nan)
    if kind != "losses" and draw(st.integers(0, 7)) == 0:
        y = np.append(y, np.nan)
        x = np.vstack([x, x[:1]])
        order = [order[0], *[rows if draw(st.integers(0, 5)) == 0 else r for r in order[1:]]]
    if draw(st.integers(0, 4)) == 0:
        late = needs_truth(key) or draw(st.booleans())
        options |= {"delay": draw(st.integers(1, 3)), "interleave": late}
    told = draw(st.booleans())
    if kind == "losses":
        return Case(key, parameters, None, x[order], options, told)
    return Case(key, parameters, x[order], y[order], options, told)


@st.composite
def truths(draw, key, parameters, d, rows):
    """Features and labels on which one hypothesis is always right: a direction, a disjunction, a row of a class."""
    if "disjunctions" in key:
        k = parameters.get("k", 1)
        x = np.array(draw(st.lists(vectors((0.0, 1.0), d), min_size=rows, max_size=rows)))
        return x, (x[:, :k] != 0).any(axis=1).astype(float)
    if key == "soa":
        x = np.array(draw(vectors(range(4), rows)))
        h = np.array(draw(st.sampled_from(parameters["hypotheses"])))
        return x[:, None].astype(float), h[x].astype(float)
    # x = side (gamma u + sqrt(1 - gamma^2) v) with v at a right angle to u, which is no axis of the cover
    gamma = parameters.get("gamma") or 0.4
    angle, about = (
        draw(st.floats(0, 6.28)),
        draw(st.lists(st.floats(0, 6.28), min_size=rows, max_size=rows)),
    )
    u = np.array([math.cos(angle), math.sin(angle), 0.3][:d])
    u /= np.linalg.norm(u)
    x, y = [], []
    for turn in about:
        v = (
            np.array([-u[1], u[0], 0.0][:d])
            if d == 2
            else np.cross(u, [math.cos(turn), math.sin(turn), 1.0])
        )
        v *= draw(st.sampled_from((-1.0, 1.0))) / np.linalg.norm(v)
        side = draw(st.sampled_from((-1.0, 1.0)))
        x.append(side * (gamma * u + math.sqrt(1 - gamma**2) * v))
        y.append(float(side > 0))
    return np.array(x), np.array(y)


def played(case):
    """The run of a case; None where the learner has said why it cannot be played."""
    try:
        learner = ls.learner(case.key, **case.parameters)
        rounds, options = (case.x, case.y), {"engine": "plain", **case.options}
        if not case.told:
            rounds, options["losses"] = (
                (iter([case.y if case.x is None else rounds]),),
                case.x is None,
            )
        elif case.x is None:
            rounds = (case.y,)
        return ls.play(learner, *rounds, **options)
    except NotRealizable:
        if needs_truth(case.key):  # these streams have one
            raise
        return None
    except BadInput as refused:
        text = str(refused)
        # parameters that do not go together, or an expert that was sure of what did not happen
        assert text.startswith(case.key) or "infinite" in text, text
        return None


def attack(key, examples, look, phases=tuple(Phase)):
    """Play many cases, and look at each run."""

    @settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        phases=phases,
        suppress_health_check=list(HealthCheck),
    )
    @given(cases(key))
    def strike(case):
        run = played(case)
        if run is not None:
            look(run)

    strike()


@pytest.mark.parametrize("key", KEYS)
def test_no_stream_beats_the_theorem(key):
    seen = Counter()

    def look(run):
        for v in run.certificate:
            seen[v.guarantee.id, v.verdict] += 1
            assert v.verdict != "broken", f"{v}\n{run.parameters}"
            if v.verdict == "kept":
                assert v.measured <= v.bound + 1e-6 * (1 + abs(run.loss) + abs(v.bound))
                assert v.regret == pytest.approx(run.loss - v.comparator_loss, abs=1e-9)

    attack(key, 150, look)
    for g in learners()[key].guarantees:  # a theorem that was never checked was not tested
        assert seen[g.id, "kept"] >= 3, (g.id, seen)


@pytest.mark.parametrize("key", KEYS)
def test_the_chart_ends_where_the_certificate_says(key):
    ends = Counter()

    def look(run):
        for v in run.certificate:
            curve = run.bound_curve(v)
            if curve is None:
                continue
            t, regret, bound = curve
            ends[v.guarantee.id] += 1
            assert t[-1] == run.rounds
            assert regret[-1] == pytest.approx(v.regret, rel=1e-9, abs=1e-9)
            assert bound[-1] == pytest.approx(v.regret_bound, rel=1e-9, abs=1e-9)
            assert len(t) == run.rounds
            # how many experts a path has is known at its end only; late, what a bound needs is known at its end only
            if "m" not in v.guarantee.uses and not run.transcript.delay:
                assert (regret <= bound + 1e-9 * (1 + abs(run.loss))).all()

    attack(key, 40, look)
    if takes(key, False) != "features":
        assert ends


def test_the_chart_of_a_single_copy_ends_when_the_last_answer_has_come():
    rng = np.random.default_rng(0)
    run = ls.play("tracker", rng.random((30, 3)), rng.random(30), delay=3, engine="plain")
    assert run.transcript.interleaved is False
    curves = [(v, run.bound_curve(v)) for v in run.certificate]
    assert [v.verdict for v, _ in curves] == ["kept"] * 4
    for v, curve in curves:
        if curve is not None:
            assert (curve[1][-1], curve[2][-1]) == pytest.approx((v.regret, v.regret_bound))
    assert sum(curve is not None for _, curve in curves) == 3


# Planted bugs.


def mirrored(rule):
    """Learn from the mirror image: the largest loss is taken for the smallest."""

    def learn(self, state, x, d, f):
        if isinstance(f, Outcome):
            return rule(self, state, x, d, Outcome(-f.y, f.h))
        both = f.ell.max() + f.ell.min()
        f = Losses(both - f.ell, both - f.own) if math.isfinite(both) else f
        return rule(self, state, x, d, f)

    return learn


def deaf(rule):
    """Never learn anything."""

    def learn(self, state, x, d, f):
        return state

    return learn


class Caught(Exception):
    """Some certificate says broken."""


def caught(key, examples=400):
    """Expect a certificate to say broken, or a version space that somebody must be right and is not."""

    def look(run):
        if "broken" in {v.verdict for v in run.certificate}:
            raise Caught

    with pytest.raises((Caught, NotRealizable)):
        attack(key, examples, look, [Phase.generate])


@pytest.mark.parametrize("bug", [mirrored, deaf])
@pytest.mark.parametrize("key", KEYS)
def test_a_planted_bug_is_caught(key, bug, monkeypatch):
    rules = learners()[key].Params
    monkeypatch.setattr(rules, "learn", bug(rules.learn))
    caught(key)


def no_share(self, state, x, p, f):
    posterior(state.p, self.eta, f.ell)
    return state


BUGS = [
    ("fixed-share", lambda m: m.setattr(fixed_share, "share", lambda p, alpha, mass: normalise(p))),
    ("variable-share", lambda m: m.setattr(ls.VariableShare.Params, "learn", no_share)),
    (
        "weighted-average",
        lambda m: m.setattr(ls.WeightedAverage.Params, "rate", lambda s, _: 8 * s.eta),
    ),
    # Vovk's rate with the weighted average: E-SIM
    (
        "aggregating-algorithm",
        lambda m: m.setattr(Substitution, "act", experts_games.average_advice),
    ),
    # follow the leader
    ("adahedge", lambda m: m.setattr(ls.AdaHedge.Params, "rate", lambda s, n, Delta: 1e12)),
    ("hedge", lambda m: m.setattr(ls.Hedge.Params, "rate", lambda s, state: 1e6)),
]


@pytest.mark.parametrize(("key", "plant"), BUGS, ids=[key for key, _ in BUGS])
def test_a_bug_in_one_place_is_caught(key, plant, monkeypatch):
    plant(monkeypatch)
    caught(key)
