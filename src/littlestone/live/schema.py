"""JSON Schema of a learner: its parameters, what a round brings, what its outcome is, and what it answers."""

from __future__ import annotations

import math
from typing import Any, get_args, get_origin

from ..core.errors import BadInput
from ..core.game import ONE, SEVERAL, Traits
from ..core.learner import Learner, defaults, hints
from ..core.losses import NAMES, SCORES
from ..core.parameters import Choice, Interval, split_hint
from ..core.registry import learner as make_learner

DRAFT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]
AnyLearner = Learner[Any, Any, Any, Any]

NUMBER: Schema = {"type": "number"}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
LABEL: Schema = {"type": ["string", "number", "boolean"]}
NUMBERS: Schema = {"type": "array", "items": NUMBER, "minItems": 1}
BY_NAME: Schema = {"type": "object", "additionalProperties": NUMBER}
ROW: Schema = {"anyOf": [NUMBERS, BY_NAME]}


def schema(learner: str | AnyLearner, allocation: bool = False) -> Schema:
    """What a learner takes, as JSON Schema: `parameters`, a `round`, its `outcome`, and the `answer` to a round.

    A program that asks over a wire can check what it was sent before a learner sees it. Learners over experts that take
    advice and outcomes as well as losses alone: `allocation=True` for the latter.

    >>> found = schema("exp3")["properties"]
    >>> found["parameters"]["properties"]["eta"]
    {'anyOf': [{'type': 'number', 'exclusiveMinimum': 0.0}, {'type': 'null'}], 'default': None}
    >>> found["outcome"]["description"]
    'the loss of the arm that was pulled'
    """
    made = make_learner(learner)
    cls = type(made)
    rounds, outcome, answer = of_kind(made, allocation)
    return {
        "$schema": DRAFT,
        "title": made.key,
        "description": (cls.__doc__ or "").strip().partition("\n")[0],
        "type": "object",
        "properties": {
            "parameters": parameters(cls),
            "round": rounds,
            "outcome": outcome,
            "answer": answer,
        },
    }


def parameters(cls: type[AnyLearner]) -> Schema:
    """The parameters of a class of learners, with their ranges and defaults."""
    known = defaults(cls)
    found = {name: parameter(name, hint, cls.examples) for name, hint in hints(cls).items()}
    for name, part in found.items():
        if known[name] is None or isinstance(known[name], (bool, int, float, str)):
            part["default"] = known[name]
    return {"type": "object", "properties": found, "additionalProperties": False}


def parameter(name: str, hint: Any, examples: bool) -> Schema:
    """One parameter: its type and range, and null where it may be left out."""
    kind, declared, optional = split_hint(hint)
    if name == "loss":
        words = [*NAMES, *(SCORES if examples else ())]
        return {"type": "string", "pattern": f"^({'|'.join(words)})(:[-+.e0-9]+)*$"}
    if isinstance(declared, Choice):
        found: Schema = {"type": "string", "enum": list(declared.words)}
    elif kind is bool:
        found = {"type": "boolean"}
    elif kind in (int, float):
        found = {"type": "integer" if kind is int else "number", **limits(declared)}
    elif get_origin(kind) is tuple and get_args(kind)[:1] == (float,):
        found = {"type": "array", "items": NUMBER}
    elif name in ("set", "kernel"):
        found = {"type": "string"}
    else:  # graphs, hypotheses, losses of points
        return {"description": "given in Python alone", "not": {}}
    return {"anyOf": [found, {"type": "null"}]} if optional else found


def limits(declared: Any) -> Schema:
    """The ends of a declared range; those that are infinite are left out."""
    if not isinstance(declared, Interval):
        return {}
    low = "minimum" if declared.closed[0] == "[" else "exclusiveMinimum"
    high = "maximum" if declared.closed[1] == "]" else "exclusiveMaximum"
    ends = {low: declared.low, high: declared.high}
    return {k: v for k, v in ends.items() if math.isfinite(v)}


def of_kind(learner: AnyLearner, allocation: bool) -> tuple[Schema, Schema, Schema]:
    """What a round brings, its outcome, and what is answered, by the kind of rounds."""
    traits = traits_of(learner, allocation)
    if traits.kind.has_arms:
        features = {"features": ROW} if learner.contexts else {}
        there = {"type": "array", "items": {"type": ["string", "integer"]}, "minItems": 1}
        rounds = about("what is known before an arm is pulled", {"type": "object", "properties": {
            **features, "available": there, "arm": {"type": ["string", "integer"]}, "propensity": SHARE,
        }, "required": list(features), "additionalProperties": False})  # fmt: skip
        arm: Schema = {"type": ["string", "integer"]}
        return rounds, about("the loss of the arm that was pulled", NUMBER), about("the arm", arm)
    if traits.kind.losses_alone:
        task = {"type": "integer", "minimum": 0} if learner.tasked else {"type": "null"}
        return (
            about("the task" if learner.tasked else "nothing", task),
            about("the loss of each expert", ROW),
            about("the weight of each expert", NUMBERS),
        )
    outcome = LABEL if traits.classes else NUMBER
    outcome = about(
        "the outcome; null: it will never be known", {"anyOf": [outcome, {"type": "null"}]}
    )
    if traits.kind.has_advice:
        entry: Schema = (
            {"type": ["string", "number", "boolean", "null"]}
            if traits.classes
            else {"type": ["number", "null"]}
        )
        row: Schema = {"anyOf": [
            {"type": "array", "items": entry, "minItems": 1}, {"type": "object", "additionalProperties": entry},
        ]}  # fmt: skip
        answer = LABEL if traits.classes else NUMBER
        return (
            about("the advice of each expert; one that is not there sleeps", row),
            outcome,
            about("the prediction", answer),
        )
    return (
        about("an example: numbers, or a feature by its name", example(learner)),
        outcome,
        answer_schema(traits),
    )


def traits_of(learner: AnyLearner, allocation: bool) -> Traits:
    """Of the game that it plays: with outcomes where it can, unless losses alone are asked for."""
    traits: Traits
    try:
        traits = learner.game(allocation or learner.bandit).traits()
    except BadInput:
        if allocation:
            raise
        traits = learner.game(True).traits()
    return traits


def example(learner: AnyLearner) -> Schema:
    """One example: a list of numbers, or a dict of numbers and text."""
    if learner.strings:
        return {"anyOf": [NUMBERS, {"type": "string"}]}
    value: Schema = {"type": ["number", "string", "boolean", "null"]}  # null: it is missing
    names = {"type": "object", "additionalProperties": value}
    return {"anyOf": [NUMBERS, names]}


def answer_schema(traits: Traits) -> Schema:
    """What is answered to an example."""
    if traits.action == "set":
        limit = {"type": ["number", "null"]}
        ends = {"type": "array", "items": limit, "minItems": 2, "maxItems": 2}
        return about("lower and upper limit; null: there is none", ends)
    if traits.width != ONE:
        return about("a point, or a probability for each class", NUMBERS)
    words = "the label" if traits.classes == SEVERAL or traits.classes else "the prediction"
    return about(words, LABEL if traits.classes else NUMBER)


def about(text: str, part: Schema) -> Schema:
    """A schema with a description."""
    return {"description": text, **part}
