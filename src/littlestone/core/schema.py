"""The parameters of a learner as a JSON Schema: names, types, ranges, defaults."""

from __future__ import annotations

import inspect
import math
from typing import Any

from .learner import Learner, defaults, hints
from .parameters import Choice, Interval, split_hint
from .registry import AnyLearner, learner

JSON_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}


def schema(key: str | AnyLearner | type[AnyLearner]) -> dict[str, Any]:
    """The JSON Schema of a learner's parameters, by its key, its class or a learner.

    >>> found = schema("fixed-share")
    >>> found["title"], found["properties"]["alpha"]
    ('fixed-share', {'type': ['number', 'null'], 'minimum': 0.0, 'maximum': 1.0, 'default': None})
    """
    cls = key if isinstance(key, type) and issubclass(key, Learner) else type(learner(key))
    known = hints(cls)
    first = inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": cls.key,
        "description": " ".join(first.split()),
        "type": "object",
        "properties": {n: describe(known[n], v) for n, v in defaults(cls).items()},
        "additionalProperties": False,
    }


def describe(hint: Any, default: Any) -> dict[str, Any]:
    """The schema of one parameter.

    >>> from littlestone.core.parameters import Positive
    >>> describe(Positive, 1.0)
    {'type': 'number', 'exclusiveMinimum': 0.0, 'default': 1.0}
    """
    kind, declared, optional = split_hint(hint)
    found: dict[str, Any] = {}
    name = JSON_TYPES.get(kind)
    if isinstance(declared, Interval):
        name = "integer" if declared.whole else name or "number"
    if name:
        found["type"] = [name, "null"] if optional else name
    if isinstance(declared, Choice):
        found["enum"] = [*declared.words, *([None] if optional else [])]
    elif isinstance(declared, Interval):
        found |= limits(declared)
    return found | ({"default": default} if is_json(default) else {"default": str(default)})


def limits(i: Interval) -> dict[str, float]:
    """The ends of an interval, where it has any.

    >>> limits(Interval(0.0, math.inf, "()"))
    {'exclusiveMinimum': 0.0}
    """
    low = "minimum" if i.closed[0] == "[" else "exclusiveMinimum"
    high = "maximum" if i.closed[1] == "]" else "exclusiveMaximum"
    ends = {low: i.low, high: i.high}
    return {name: v for name, v in ends.items() if math.isfinite(v)}


def is_json(v: Any) -> bool:
    """Is it a number, a word, a truth value or nothing?"""
    return (
        v is None or isinstance(v, (bool, int, str)) or (isinstance(v, float) and math.isfinite(v))
    )
