"""The schema of every learner: its defaults are in it, values out of their range are not."""

import json
import re

import pytest
from support.rows import ALL, made

import littlestone as ls
from littlestone.core.learner import defaults, hints
from littlestone.live.schema import schema
from littlestone.testing.refusals import beyond

TYPES = {
    "number": (int, float), "integer": int, "string": str, "boolean": bool, "null": type(None), "array": list,
    "object": dict,
}  # fmt: skip


def fits(v, part):
    """Does a value fit a schema? Of JSON Schema, what the package writes."""
    if "not" in part:
        return False
    if "anyOf" in part:
        return any(fits(v, one) for one in part["anyOf"])
    kinds = part.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    one = any(
        isinstance(v, TYPES[k]) and (k == "boolean" or not isinstance(v, bool)) for k in kinds
    )
    if not one or (isinstance(v, float) and v != v) or v in (float("inf"), float("-inf")):
        return False
    if "integer" in kinds and isinstance(v, float):
        return False
    if isinstance(v, list):
        return len(v) >= part.get("minItems", 0) and all(fits(p, part["items"]) for p in v)
    if isinstance(v, dict):
        named, rest = part.get("properties", {}), part.get("additionalProperties", True)
        return set(part.get("required", ())) <= set(v) and all(
            fits(p, named[k]) if k in named else rest is not False and fits(p, rest)
            for k, p in v.items()
        )
    return (
        v in part.get("enum", [v])
        and re.search(part.get("pattern", ""), str(v)) is not None
        and not (isinstance(v, (int, float)) and not in_limits(v, part))
    )


def in_limits(v, part):
    return (
        v >= part.get("minimum", v)
        and v <= part.get("maximum", v)
        and not v <= part.get("exclusiveMinimum", v - 1)
        and not v >= part.get("exclusiveMaximum", v + 1)
    )


@pytest.mark.parametrize("key", ALL)
def test_parameters(key):
    learner = made(key)
    found = schema(learner)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["title"] == key
    part = found["properties"]["parameters"]
    assert list(part["properties"]) == list(learner.parameters)
    for name, default in defaults(type(learner)).items():
        one = part["properties"][name]
        if "default" in one and "not" not in one and not (name == "loss" and default is None):
            assert fits(default, one), name
        for bad in beyond(hints(type(learner))[name]):
            if isinstance(bad, (int, float, str, bool)) or bad is None:
                as_json = bad is not True and bad != 2
                assert not as_json or not fits(bad, one), (name, bad)


@pytest.mark.parametrize(
    ("key", "rounds", "outcomes", "bad"),
    [
        ("hedge", [[0.1, 0.2], {"a": 0.5}, [None, 1.0]], [0.5, None], ["much"]),
        ("tracker", [[0.1, 0.2], {"a": 0.5}], [0.5, None], [{"a": "much"}]),
        ("weighted-majority", [["yes", "no"], {"a": 1}], ["yes", 1], [5]),
        ("perceptron", [[0.1, 0.2], {"a": 0.5, "city": "Rome"}], ["yes", 1, None], [[]]),
        ("ogd", [[0.1]], [0.5, None], ["yes"]),
        ("exp3", [{}, {"available": ["a"]}, {"arm": "a", "propensity": 0.5}], [0.5], [[1.0], {"propensity": 2}]),
        ("linucb", [{"features": [1.0, 2.0]}, {"features": {"a": 1.0}}], [0.5], [{}]),
    ],
)  # fmt: skip
def test_rounds_and_outcomes(key, rounds, outcomes, bad):
    found = schema(key)["properties"]
    for v in rounds:
        assert fits(v, found["round"]), v
    for v in outcomes:
        assert fits(v, found["outcome"]), v
    for v in bad:
        assert not fits(v, found["round"]), v


def test_losses_alone():
    found = schema("hedge", allocation=True)["properties"]
    assert fits(None, found["round"])
    assert fits({"a": 0.5, "b": 1.0}, found["outcome"])
    assert not fits({"a": None}, found["outcome"])
    with pytest.raises(ls.BadInput, match="needs advice and outcomes"):
        schema("weighted-average", allocation=True)


def test_an_unknown_learner_is_refused():
    with pytest.raises(ls.BadInput, match="there is no learner 'no-such'"):
        schema("no-such")
