"""The public names: groups as in the literature, found when they are first asked for, and completed by `dir`."""

import importlib
import inspect

import pytest

import littlestone as ls
from littlestone.core.learner import Learner
from littlestone.group_names import names_of

GROUPS = [name for name, module in ls._GROUPS.items() if name == module]


def public(module):
    return [name for name in dir(module) if not name.startswith("_")]


def test_completion_of_the_top_is_short():
    assert len(public(ls)) < 60
    assert {*ls._GROUPS, "play", "learner", "Run", "show_versions"} <= {*public(ls)}
    assert "Perceptron" not in dir(ls), "learners are completed in their group"


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_completes_its_names_and_says_what_they_are(group):
    module = getattr(ls, group)
    assert module is importlib.import_module(f"littlestone.{group}")
    assert inspect.getdoc(module)
    assert public(module) == sorted(names_of(group))
    assert public(module), "an empty group"
    for name in public(module):
        found = getattr(module, name)
        assert not inspect.ismodule(found), f"{group}.{name} is a file"
        assert not callable(found) or inspect.getdoc(found), f"{group}.{name} has no docstring"


def test_a_learner_is_on_the_top_and_in_its_group():
    groups = [getattr(ls, group) for group in GROUPS]
    for name in ls._WHERE:
        found = getattr(ls, name)
        if isinstance(found, type) and issubclass(found, Learner) and found is not Learner:
            assert any(found is vars(g).get(name) or name in dir(g) for g in groups), name
    assert ls.Perceptron is ls.linear.Perceptron
    assert ls.KernelPerceptron is ls.kernels.KernelPerceptron
    assert ls.Hedge is ls.experts.Hedge


def test_a_public_name_wins_over_a_file_of_its_name():
    importlib.import_module("littlestone.supervised.plan")
    importlib.import_module("littlestone.scale.play")
    assert inspect.isfunction(ls.supervised.plan)
    assert inspect.isfunction(ls.scale.play)


@pytest.mark.parametrize("name", ["play", "falsify"])
def test_a_function_wins_over_a_folder_of_its_name(name, monkeypatch):
    folder = importlib.import_module(f"littlestone.{name}")
    monkeypatch.delitem(vars(ls), name, raising=False)
    setattr(ls, name, folder)  # as its first import does
    assert inspect.isfunction(getattr(ls, name))


@pytest.mark.parametrize("group", GROUPS)
def test_a_misspelt_name_of_a_group_is_answered_with_the_nearest(group):
    module = getattr(ls, group)
    name = max(public(module), key=len)
    with pytest.raises(AttributeError, match=rf"littlestone\.{group}' has no .*mean {name}\?"):
        getattr(module, name[:-1])


def test_what_was_buried_is_found():
    for group, name in (
        ("supervised", "crowd"),
        ("supervised", "kkt"),
        ("graphs", "effective_resistance"),
        ("matrices", "max_norm"),
    ):
        assert callable(getattr(getattr(ls, group), name))
