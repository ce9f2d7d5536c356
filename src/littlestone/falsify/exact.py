"""A violation is checked again in fifty digits before the word "broken" is used.

The plain rules are run once more, with every helper that they name rebound to one in fifty digits (as the engine
rebinds them to compiled ones), on states and rounds of such numbers; the bound likewise. So what is checked are the
rules that users run, without their rounding. Comparators of learners over examples come from optimisation in double
precision, and the check says so; where a rule cannot be rebound, its plain run must exceed the bound by far more than
rounding explains.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from ..core.errors import LittlestoneError
from ..core.game import PAIR
from ..core.guarantee import LOOSE, Guarantee, Symbols, at_worst, rounding
from ..core.named_tuples import is_named_tuple
from ..core.outcome import Outcome
from ..engine.compile import helpers
from ..engine.reach import ours
from ..games import Room, make_scratch
from ..hindsight.folds.sequences import Sequences
from ..run.run import Run
from ..settings.fit import first_state
from .attack import Case, ratio
from .conjecture import Conjecture
from .digits import DIGITS, SCOPE, Number, numbers, precision
from .expression import Expression
from .judge import judge_guarantee, measure, over_examples, sides
from .many_runs import extend
from .target import Target

# both relative to the size of a run's numbers:
MARGIN = 1e-12  # error that the first state may bring along, since it is made of floats
ROUNDING = 1e-6  # an excess of a plain run above this is more than rounding
LONGEST = 12_000  # longer runs are not checked in fifty digits
LONG = 200  # a run of at most so many rounds that exceeds its bound is checked once more, …
MANY = 700  # … in so many digits: the square of a denormal number has 650 zeros


@dataclass(frozen=True)
class Check:
    """What exact arithmetic says of a case."""

    broken: bool
    measured: float
    bound: float
    arithmetic: str  # which arithmetic was used, in words


def check(target: Target, case: Case) -> Check:
    """Is the bound broken by this case, all rounding set aside?"""
    REBOUND.clear()
    run = target.played(case, engine="plain" if case.rounds <= LONGEST else None, record="all")
    in_floats = judge_guarantee(target.guarantee, run)
    if in_floats.why:
        return Check(False, in_floats.measured, in_floats.bound, "plain rules")
    if case.rounds <= LONGEST and not case.delay:
        try:
            found = exactly(target.guarantee, run, case)
            if found.broken and case.rounds <= LONG:  # 1 + 1e-300 has more than fifty digits
                with precision(MANY):
                    found = exactly(target.guarantee, run, case)
            return found
        except (TypeError, AttributeError, ValueError, LookupError, LittlestoneError):
            pass  # the rule works with floats only
    scale = abs(run.loss) + abs(in_floats.measured) + abs(in_floats.bound)
    broken = in_floats.exceeds and in_floats.measured - in_floats.bound > ROUNDING * scale
    return Check(
        broken, in_floats.measured, in_floats.bound, "plain rules in double precision, by far"
    )


def exactly(g: Guarantee, run: Run, case: Case) -> Check:
    """Play the run again in fifty digits: its loss, what the learner notes, and what each expert lost."""
    s = run.transcript
    params, game = lifted(s.learner.params), lifted(s.game)
    state = numbers(first_state(s.learner, s.shape))
    width = 2 if s.traits.width == PAIR else 1
    space = Room(*[numbers(v) for v in make_scratch(s.shape, width)])
    x, y = rows(run, case)
    n, T = s.shape.n, len(y)
    examples, tangents = over_examples(run), s.traits.tangents
    loss, L, R, V, top = Number(0), zeros(n), zeros(n), zeros(n), Number(0)
    wrong, mixed = Number(0), Number(0)
    # with the gradient trick a bound against every expert is one against every mixture of them
    mixture = run.mixture if tangents else None
    q = numbers(np.asarray(mixture[0], float)) if mixture is not None else zeros(0)
    E, F = zeros((1, n)), zeros((1, n))
    K = min(T - 1, 32) + 1 if g.against == "sequence" else 0
    best = zeros((K, n))
    for t in range(T):
        here, outcome = x[t], Outcome(y[t], Number(1)) if examples else y[t]
        d = params.decide(state, here)
        a = game.act(params, d, here, 0.0, space)
        f = game.feedback(d, a, here, outcome, space)
        cost = game.cost(d, a, outcome, f)
        loss = loss + cost
        if examples:
            wrong = wrong + game.realised_cost(a, outcome)
        else:
            E[:] = Number(0)
            game.keep(f, a, here, outcome, E, F, 0)
            shown = F[0] if tangents else cost - E[0]
            if len(q):
                mixed = mixed + game.loss.at(q @ here, outcome)
            L, R, V = L + E[0], R + shown, V + shown * shown
            top = max([top, *map(abs, shown)])
            if K:
                extend(best, E, 0)
        state = params.learn(state, here, d, f)
    notes = zeros(len(s.learner.diagnostics))
    if len(notes):
        params.write_diagnostics(state, notes)
    noted = dict(zip(s.learner.diagnostics, notes, strict=True))
    return compare_with_bound(g, run, Sums(T, loss, wrong, L, R, V, top, best, noted, q, mixed))


@dataclass
class Sums:
    """The totals of a run, in fifty digits."""

    T: int
    loss: Any
    wrong: Any  # mistakes, of a learner over examples
    L: Any  # what each expert lost
    R: Any  # the regrets as the learner was shown them, their squares, and the largest
    V: Any
    r: Any
    best: Any  # what the best sequences with at most k shifts lost, by their last expert
    noted: dict[str, Any]
    q: Any  # the best fixed mixture, and what it lost
    mixed: Any


def compare_with_bound(g: Guarantee, run: Run, b: Sums) -> Check:
    """Compare what was measured with the bound: in fifty digits for experts, else in double precision."""
    family, known, _ = sides(g, run)
    assert family is not None
    if over_examples(run) or not summed_here(g, run):
        known.__dict__.update({k: float(v) for k, v in b.noted.items()}, loss=float(b.loss))
        if "mistakes" in vars(known):
            known.__dict__["mistakes"] = float(b.wrong)
        known = at_worst(g, known)
        L = np.asarray(family.L, float)
        bound = np.broadcast_to(np.asarray(g.bound(known), float), L.shape)
        what = measure(g, known, family, float(b.loss), L)
        how = f"rules in {DIGITS} digits, comparator in double precision"
        return widest(what, bound, rounding([known], float(b.loss), L, what, bound), how)
    L, more = b.L, {"R": b.R, "V": b.V, "r": b.r}
    if g.against == "sequence":
        L = np.array([min(row) for row in b.best])
        assert run.sequences is not None
        more |= {name: run.sequences.more[name] for name in ("k", "m")}
        L = L[: len(run.sequences.L)]
    elif g.against == "none":
        L = zeros(1)
    every = {k: raised(v) for k, v in vars(known).items()}
    every |= {"T": Number(b.T), "loss": b.loss, "L": L} | more | b.noted
    bound = rebound(g.bound)(Symbols(**every))
    bound = np.broadcast_to(np.asarray(bound, object), L.shape)
    what = what_was_measured(g, b, L)
    if len(b.q) and g.against == "expert" and g.measures == "regret":
        what, bound = np.append(what, b.loss - b.mixed), np.append(bound, b.q @ bound)
    made_of = [[float(v) for v in part] for part in (what, bound)]
    margin = MARGIN / LOOSE * rounding([known], float(b.loss), 0.0, *made_of)
    return widest(what, bound, margin, f"{DIGITS} digits")


def what_was_measured(g: Guarantee, b: Sums, L: Any) -> Any:
    """What the theorem bounds, for each comparator, in fifty digits."""
    if g.measures == "shown regret":
        return b.R
    if g.measures == "regret":
        return b.loss - L
    if g.measures == "mistakes":
        return np.array([b.loss] * len(L))
    return np.array([max(b.noted[name] for name in g.measures.split("|"))] * len(L))


def summed_here(g: Guarantee, run: Run) -> bool:
    """Are the comparators experts, or sequences of them, whose losses were summed here?"""
    if g.against == "sequence":
        return type(run.transcript.folds.sequences) is Sequences
    return g.against in ("expert", "none")


def widest(what: Any, bound: Any, margin: Any, how: str) -> Check:
    """The comparator that exceeds its bound most; where none does, the one that comes closest to it."""
    excess = np.array([float(v) for v in what - bound])
    excess = np.where(np.isnan(excess), -np.inf, excess) - margin
    i = int(np.argmax(excess))
    if not excess[i] > 0.0:
        i = int(np.argmax(ratio([float(v) for v in what], [float(v) for v in bound], margin)))
    return Check(bool(excess[i] > 0.0), float(what[i]), float(bound[i]), how)


def rows(run: Run, case: Case) -> tuple[Any, Any]:
    """Rounds as the rules get them: classes coded, a constant where there is an intercept, pass after pass."""
    y = np.asarray(case.y, float)
    if case.x is None:
        return np.zeros((len(y), 0)), numbers(y)
    x = np.asarray(case.x, float)
    if over_examples(run):
        if run.transcript.data is not None:
            y = np.asarray(run.codes, float)[: len(x)]
        if run.transcript.intercept:
            x = np.hstack([np.ones((len(x), 1)), x])
        x, y = np.tile(x, (case.passes, 1)), np.tile(y, case.passes)
    return numbers(x), numbers(y)


def zeros(shape: Any) -> Any:
    made = np.empty(shape, object)
    made[...] = Number(0)
    return made


def raised(v: Any) -> Any:
    """A symbol in fifty digits; unlike `numbers`, this converts whole numbers too."""
    if isinstance(v, (int, float, np.number)) and not isinstance(v, bool):
        return Number(v)
    return numbers(v)


# Rules in fifty digits.


REBOUND: dict[Any, Any] = {}  # emptied before each check: a rule may have been replaced since


def rebound(f: Any) -> Any:
    """A function with `math`, `np`, `float` and the helpers it names in fifty digits."""
    if not isinstance(f, FunctionType):
        return exact_call(f)
    if f not in REBOUND:
        scope = {**f.__globals__, **SCOPE}
        made = FunctionType(f.__code__, scope, f.__name__, f.__defaults__, f.__closure__)
        made.__kwdefaults__ = f.__kwdefaults__
        REBOUND[f] = made  # before its helpers, one of which it may be itself
        scope |= {name: rebound(g) for name, g in called(f)}
    return REBOUND[f]


def called(f: FunctionType) -> Any:
    """The functions that `f` calls by name, in Python, also where they have a compiled twin."""
    yield from helpers(f)
    for name in f.__code__.co_names:
        g = f.__globals__.get(name)
        if isinstance(g, FunctionType) and ours(g.__module__) and hasattr(g, "has_compiled_form"):
            yield name, g


def exact_call(f: Any) -> Any:
    """A bound of the user's in fifty digits; any other callable is called as it is."""
    if isinstance(f, Conjecture):
        inner = rebound(f.bound)
        return lambda s: f.exactly(s, inner)
    return f.exactly if isinstance(f, Expression) else f


def lifted(v: Any) -> Any:
    """Parameters, or a game, in fifty digits: the same NamedTuples, their methods rebound."""
    if not is_named_tuple(v):
        return numbers(v)
    return kind(type(v))(*map(lifted, v))


def kind(cls: type) -> Any:
    rules = {
        k: rebound(f) for k, f in vars(cls).items() if isinstance(f, FunctionType) and k[0] != "_"
    }
    return type(cls.__name__, (cls,), rules)
