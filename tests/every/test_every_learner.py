"""What holds for every learner of the package: one file and one row, and it is tested by these.

The checks are those of `littlestone.testing`, which a learner written elsewhere can be held to as well. Each learner is
compiled once, on rounds of its row's kind; what does not depend on the engine is checked in plain Python. What is
special to advice, examples or arms is in the files beside this one.
"""

import inspect
import json
import re
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from support.rounds import subject
from support.rows import ALL, OURS, ROOM, ROWS, made, row

import littlestone as ls
from littlestone import games
from littlestone.cli.main import main
from littlestone.core import losses, vectors
from littlestone.core.game import Traits
from littlestone.core.learner import hints
from littlestone.engine.compile import has_numba, ready
from littlestone.engine.loops import play_rounds
from littlestone.environments import worlds
from littlestone.testing import check_learner, checks
from littlestone.testing.subject import using

CASES = {f"{key}: {name}": check for key in ALL for name, check in checks(made(key), row(key))}


@pytest.mark.parametrize("case", CASES)
def test_check(case):
    assert CASES[case]() is None  # it raises where it fails


def test_every_learner_is_checked():
    """No check is missing where it applies: what all learners have in common, and what some have."""
    assert sorted(r.key for r in ROWS) == sorted(ALL)
    engines = ["plain", "compiled"] if has_numba() else ["plain"]
    for key in ALL:
        names = {case.partition(": ")[2] for case in CASES if case.startswith(f"{key}: ")}
        for engine in engines:
            for name in (
                "its row",
                "whole, in batches, one at a time, resumed",
                "saved, it goes on",
            ):
                assert f"{name} ({engine})" in names, key
        assert ("compiled is plain" in names) is has_numba()
        assert ("sparse is dense (plain)" in names) is (OURS[key].examples and OURS[key].sparse)
        assert ("its arrays stay" in names) is (OURS[key].examples and OURS[key].fixed)
        assert len(names) == len(list(checks(made(key), row(key))))


def test_all_checks_at_once(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    check_learner(made("perceptron"), row("perceptron"))
    with pytest.raises(AssertionError, match="the row is one of hedge, not of perceptron"):
        check_learner(made("perceptron"), row("hedge"))


# Compiled once.


def strided(v):
    wide = np.zeros((2 * len(v), *v.shape[1:]))
    wide[::2] = v
    return wide[::2]


def frozen(v):
    v = v.copy()
    v.flags.writeable = False
    return v


FORMS = (frozen, strided, np.float32, np.asfortranarray, np.ndarray.tolist)


@pytest.mark.skipif(not has_numba(), reason="numba is not installed: compiled rules not tested")
@pytest.mark.parametrize("key", [key for key in ALL if not OURS[key].bandit])
def test_one_signature(key):
    """Writable, strided, float32, lists and whole numbers, recorded or not, live or not: compiled once."""
    s = subject(key)
    examples = OURS[key].examples
    with using("compiled"):
        x, y = s.rounds(8)
        if s.kind.traits.loss is not None and isinstance(s.kind.traits.loss, losses.LogLoss):
            x = np.round(x * 4) / 4 * 0.98 + 0.01  # float32 must not make an expert too sure
        s.play(x, y)
        dispatcher = ready(play_rounds, made(key).params, made(key).game(x is None), "compiled")
        before = len(dispatcher.signatures)
        assert before >= 1
        for form in FORMS:
            u = None if x is None else form(x)
            v = form(y) if not examples or form is np.ndarray.tolist else y
            data = (v,) if u is None else (u, v)
            ls.play(made(key), *data, certify=False, **options_of(key))
        if (whole := whole_numbers(s, x, y)) is not None:
            ls.play(made(key), *whole, certify=False, **options_of(key))
        more = [{"record": "none"}, {"seed": 5}]
        more += [{"importance": np.ones(8)}, {"passes": 2}] if examples else []
        more += [] if examples else [{"delay": 1, "interleave": True}, {"shifts": 1}]
        for options in more:
            s.play(x, y, **options)
        live = s.begun(x, y, 8)
        for t in range(3):
            asked = None if x is None else x.astype(np.float32)
            s.kind.predict(live, asked, t)
            s.kind.learn(live, x, y, t)
        if examples:
            live.update(x[3], y[3], 2.0)
    assert len(dispatcher.signatures) == before, dispatcher.signatures


def options_of(key):
    return {"interval": (0.0, 1.0)} if OURS[key].bounded else {}


def whole_numbers(s, x, y):
    """The rounds as whole numbers; None where that has no meaning."""
    if OURS[s.learner.key].examples:
        return None
    if isinstance(s.kind.traits.loss, losses.LogLoss):
        return None  # an expert that is sure of the wrong thing has infinite loss
    return tuple(np.round(v).astype(np.int32) for v in (x, y) if v is not None)


def test_no_field_is_called_like_a_method():
    """Numba looks methods up by name alone: one called like a field of any NamedTuple hides that field."""
    modules = {losses, vectors, worlds} | {
        m for name, m in sys.modules.items() if name.startswith(games.__name__)
    }
    modules |= {sys.modules[cls.__module__] for cls in OURS.values()}
    tuples = {
        v
        for module in modules
        for v in vars(module).values()
        if isinstance(v, type) and issubclass(v, tuple) and hasattr(v, "_fields")
    } | {cls.Params for cls in OURS.values()}
    tuples -= {Traits}  # compiled code never sees it
    assert len(tuples) > len(ALL)
    methods = {
        name: cls
        for cls in tuples
        for name, f in vars(cls).items()
        if inspect.isfunction(f) and not name.startswith("_")
    }
    assert {
        "at",
        "slope",
        "act",
        "feedback",
        "cost",
        "decide",
        "learn",
        "write_diagnostics",
        "fill",
    } <= set(methods)
    for cls in tuples:
        for field in cls._fields:
            assert field not in methods, (
                f"{cls.__qualname__}.{field} and {methods[field].__qualname__}"
            )


# What it says of itself.


def test_listed():
    result = CliRunner().invoke(main, ["list"], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    shown = json.loads(CliRunner().invoke(main, ["list", "--json"]).output)
    about = {entry["learner"]: entry for entry in shown}
    for key in ALL:
        assert re.search(rf"^\s*{re.escape(key)}\s", result.output, re.M), key
        for g in OURS[key].guarantees:
            assert g.id in about[key]["theorems"]


@pytest.mark.parametrize("key", ALL)
def test_shown(key):
    result = CliRunner().invoke(main, ["show", key], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    for word in (key, *hints(OURS[key]), *(g.id for g in OURS[key].guarantees)):
        assert word in result.output


@pytest.mark.parametrize("key", ALL)
def test_it_can_be_had_by_name(key):
    cls = OURS[key]
    assert getattr(ls, cls.__name__) is cls
    assert isinstance(ls.learner(key), cls)


@pytest.mark.parametrize("key", ALL)
def test_documented(key):
    cls = OURS[key]
    lines = inspect.cleandoc(cls.__doc__).split("\n")
    assert cls.__doc__ != getattr(cls.__mro__[1], "__doc__", None)
    assert lines[0].endswith((".", "!")), "one line that says what it is for"
    assert not lines[1]
    assert any(line.startswith(">>> ") for line in lines), "a doctest"
    first = next(i for i, line in enumerate(lines) if line.startswith(">>> "))
    assert any(line.startswith("    ") for line in lines[:first]), "pseudo-code"
    if ROOM[key] in ("experts", "memory"):
        assert any(line.startswith("    ") and "each round" in line for line in lines)
        cost = r"O\(\w+\) a|operations a round|exponentials an expert and round"
        assert re.search(cost, cls.__doc__), "its cost"
        last = " ".join(lines).rpartition(">>>")[2]
        assert re.search(r"Ledger: |\(\d{4}\)", last), "a reference"
