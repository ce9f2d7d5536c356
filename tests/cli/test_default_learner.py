"""Which learner `run` takes for examples where none is named."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from click.testing import CliRunner

import littlestone as ls
from littlestone.cli.command_options import CommandOptions
from littlestone.cli.default_learner import NARROW, choose_for_table, mixture_may_play
from littlestone.cli.main import main
from littlestone.encode.stream import Stream


def taken(width=6, key="online-linear", form="csv", written=(), **known):
    stream = Stream([], tuple(f"x{i}" for i in range(width)), features=True, **known)
    options = CommandOptions(written=frozenset(written))
    learner, said = ls.learner(key), ""
    if mixture_may_play(learner, SimpleNamespace(form=form), options):
        learner, said = choose_for_table(learner, stream)
    assert (said != "") == (learner.key != key)
    return learner.key


@pytest.mark.parametrize("width", [1, 6, NARROW])
def test_the_mixture_for_a_dense_and_narrow_table(width):
    assert taken(width) == "mixture"
    assert taken(width, "online-linear-regression", "parquet") == "mixture-regression"
    assert taken(width, form="jsonl", records=True) == "mixture"


def test_lines_for_wide_sparse_and_hashed_rows():
    assert taken(NARROW + 1) == "online-linear"
    assert taken(0) == "online-linear"
    assert taken(bits=18) == "online-linear"
    assert taken(records=True, bits=18) == "online-linear"
    assert taken(places={}) == "online-linear"
    for form in ("libsvm", "vw"):
        assert taken(form=form) == "online-linear"


@pytest.mark.parametrize("name", ["settings", "readable", "by", "delay", "interactions"])
def test_lines_where_an_option_asks_for_them(name):
    assert taken(written=[name]) == "online-linear"


def test_other_learners_stay_what_they_are():
    assert taken(key="perceptron") == "perceptron"


def test_it_says_which_learner_it_took_and_how_to_have_the_other():
    stream = Stream([], ("a",), features=True)
    assert choose_for_table(ls.learner("online-linear"), stream)[1] == (
        "learner: mixture, for 1 dense feature (faster, often less accurate: --learner online-kernel, without trees; "
        "--learner online-linear, lines alone)"
    )


def said_by(*words):
    result = CliRunner().invoke(main, ["run", *map(str, words)])
    assert result.exit_code == 0, result.output
    return result.output


def test_text_of_few_values_is_no_reason_for_lines(tmp_path):
    path, saved = tmp_path / "visits.csv", tmp_path / "visits.ls"
    rows = [f"{10 * i % 7},{('Rome', 'Oslo')[i % 2]},{('no', 'yes')[i % 2]}" for i in range(40)]
    path.write_text("\n".join(["time,city,bought", *rows]) + "\n", encoding="utf-8")
    known = "learner: mixture, for 2 columns (city: 2 values)"
    assert known in said_by(path, "--report", "")
    assert "mixture" not in said_by(path, "-b", 10, "--save", saved, "--report", "")
    assert ls.load(saved).begun().bits == 10
