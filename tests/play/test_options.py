"""Options of a play: declared once, as data, and validated from the declaration."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.options import EVERY_KIND, declarations, describe_range
from littlestone.play.options import PlayOptions


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"record": "some"}, "record must be one of auto, all, none, not 'some': leave it out for auto"),
        ({"asleep": None}, "asleep must be one of error, last, not None: leave it out for error"),
        ({"engine": "fast"}, "engine must be one of plain, compiled, not 'fast': leave it out for compiled, where"),
        ({"seed": 2**63}, "seed must be a whole number from 0 to 2^63 - 1, not 9223372036854775808"),
        ({"seed": 0.5}, "seed must be a whole number from 0 to 2^63 - 1, not 0.5: leave it out for 0"),
        ({"passes": True}, "passes must be a whole number, 1 or more, not True: leave it out for 1"),
        ({"horizon": 0}, "horizon must be a whole number, 1 or more, not 0: leave it out for the number of rounds"),
        ({"shifts": -1}, "shifts must be a whole number, 0 or more, not -1"),
        ({"certify": "no"}, "certify must be True or False, not 'no': leave it out for True"),
        ({"interval": (1, 0)}, "interval must be two finite numbers, low < high, not (1, 0)"),
        ({"interval": 3}, "interval must be two finite numbers, low < high, not 3"),
        ({"sink": 3}, "sink must be a function of round, predictions and losses, not 3"),
        ({"threshold": 2.0}, "threshold"),
        ({"seeds": 2, "delay": [0, 1]}, "seeds and delay do not go together"),
    ],
)  # fmt: skip
def test_a_value_outside_the_declared_range_is_named_with_the_next_step(asked, message):
    with pytest.raises(BadInput) as problem:
        PlayOptions(**asked)
    assert message in str(problem.value)


def test_numpys_numbers_and_arrays_are_values_like_others():
    made = PlayOptions(
        seed=np.int64(3), resume=np.True_, delay=np.array([0, 2]), importance=np.ones(2)
    )
    assert made.seed == 3
    made.refuse_learner(ls.learner("perceptron"))


@pytest.mark.parametrize(
    ("key", "asked", "message"),
    [
        ("hedge", {"passes": 2}, "passes=2: it is for learners over examples, and hedge is none of them; leave it"),
        ("exp3", {"importance": np.ones(2)}, "importance=array([1., 1.]): it is for learners over examples"),
        ("perceptron", {"asleep": "last"}, "asleep='last': it is for learners that combine experts"),
        ("perceptron", {"rounds": 3}, "rounds=3: it is for bandits, and perceptron is none of them"),
    ],
)  # fmt: skip
def test_an_option_that_does_not_apply_is_refused_and_its_default_is_not(key, asked, message):
    learner = ls.learner(key)
    PlayOptions().refuse_learner(learner)
    with pytest.raises(BadInput) as problem:
        PlayOptions(**asked).refuse_learner(learner)
    assert message in str(problem.value)


def test_every_option_is_declared_in_full():
    groups = {}
    for name, rule, default in declarations(PlayOptions):
        assert rule.help, name
        assert not rule.help.endswith(".")
        assert rule.kinds
        assert set(rule.kinds) <= set(EVERY_KIND)
        groups.setdefault(rule.group, []).append(name)
        if rule.form != "free":
            assert rule.otherwise or default is not None, f"{name}: what happens without it?"
            assert describe_range(rule)
    assert [name for name, _, _ in declarations(PlayOptions)] == [
        f.name for f in fields(PlayOptions)
    ]
    hidden = {name for name, rule, _ in declarations(PlayOptions) if not rule.public}
    assert hidden == {"by_key", "decisions", "checkpoint"}


def test_options_never_change():
    with pytest.raises(FrozenInstanceError):
        PlayOptions().seed = 1  # type: ignore[misc]
