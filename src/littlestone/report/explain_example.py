"""Why a learner over examples answers as it does: what each feature does to its score, and weights by name."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.game import ONE, PER_CLASS, SEVERAL
from ..core.learner import Learner
from ..core.named_tuples import field_or_none
from ..core.notebook import InNotebook
from ..core.vectors import Sparse
from ..encode.example_rows import index_and_value
from ..encode.named_rows import holds_rows, named_row
from ..encode.nested_fields import flatten_record
from ..interop.lines import line
from ..linear.parts.coin_betting import current_weights
from ..linear.parts.discounted_bayes import MIX_WEIGHTS, MODELS, STACK, STACK_WEIGHTS
from ..linear.parts.feature_scaling import CENTRE, SPREAD, Scaler, sparse_features
from ..linear.parts.row_sum import weight_per_feature
from ..linear.parts.stacking import COIN, COIN_INPUT

AnyLearner = Learner[Any, Any, Any, Any]
SHOWN = 20


class Effect(NamedTuple):
    """What one feature does to a score."""

    feature: str
    value: Any
    effect: float


@dataclass(frozen=True)
class Explanation(InNotebook):
    """A prediction, its score, and what each feature adds to it, the largest first.

    With classes the score is that of the predicted class against the others: a positive effect speaks for it.
    """

    prediction: Any
    score: float
    effects: tuple[Effect, ...]

    def __iter__(self) -> Iterator[Effect]:
        return iter(self.effects)

    def __len__(self) -> int:
        return len(self.effects)

    def __str__(self) -> str:
        rows = [
            f"{e.effect:+12.5g}  {e.feature} = {e.value if isinstance(e.value, str) else f'{e.value:g}'}"
            for e in self.effects[:SHOWN]
        ]
        more = [f"{'':>12}  and {len(self) - SHOWN} more"] if len(self) > SHOWN else []
        return "\n".join([f"{self.score:12.5g}  score of {self.prediction!r}", *rows, *more])


def explain_example(learner: AnyLearner, x: Any) -> Explanation:
    """See `Learner.explain`."""
    live = learner.begun()
    if (
        not live.traits.kind.has_examples
        or live.decides_alone
        or live.traits.decision not in (ONE, PER_CLASS)
    ):
        raise BadInput(
            f"explain: {learner.key} learns from no features; learner.weights has the weights that it decides with"
        )
    if holds_rows(x):
        raise BadInput("explain: pass one example, not many")
    prediction, score = live.predict(x), scored(live)
    whole = score(x)
    found = [Effect(name, v, whole - score(less)) for name, v, less in without(live, x)]
    found.sort(key=lambda e: -abs(e.effect))
    return Explanation(prediction, whole, tuple(found))


def scored(live: Any) -> Any:
    """A function that scores an example; with classes, for the class of the first call, against the others."""
    several, classes = live.traits.classes == SEVERAL, live.traits.classes != 0
    place: list[Any] = []

    def score(x: Any) -> float:
        d = live.decide(x)
        if not several:
            side = -1.0 if classes and (place or [d])[0] < 0 else 1.0
            place[:] = place or [math.copysign(1.0, d)]
            return float(side * d)
        place[:] = place or [int(np.argmax(d))]
        others = np.delete(d, place[0])
        if not len(others):
            return float(d[place[0]])
        top = float(others.max())
        if live.traits.scores:  # logarithms of probabilities: add up those of the other classes
            top += float(np.log(np.exp(others - top).sum()))
        return float(d[place[0]]) - top

    return score


def without(live: Any, x: Any) -> Iterator[tuple[str, Any, Any]]:
    """Each feature of an example, its value, and the example without it.

    A sparse example leaves it out. A dense one has 0 instead, or its centre where the learner knows it.
    """
    if live.sparse:
        yield from without_sparse(live, x)
        return
    values, usual = np.array(live.setting.dense(x), float), centres(live)
    row = named_row(x)
    for name, places in features_of(live):
        other = values.copy()
        other[places] = usual[places]
        v = values[places[0]] if row is None else row[name]
        yield name, v if isinstance(v, str) or v is None else float(v), other


def without_sparse(live: Any, x: Any) -> Iterator[tuple[str, Any, Any]]:
    """The same of a sparse example, by name or by place."""
    row = named_row(x)
    if row is not None:
        row = flatten_record(row)
        for name, v in row.items():
            if v is not None:  # None stands for a missing value of a table
                rest: dict[Any, Any] = {k: u for k, u in row.items() if k != name}
                yield str(name), v, rest | ({name: None} if live.setting.hashed.columns else {})
        return
    if isinstance(x, str):
        raise BadInput("explain: pass the example as a dict, by name, not as a line of text")
    index, value = index_and_value(x)
    for k, (i, v) in enumerate(zip(index.tolist(), value.tolist(), strict=True)):
        yield str(i), v, Sparse(np.delete(index, k), np.delete(value, k))


def features_of(live: Any) -> Iterator[tuple[str, list[int]]]:
    """Each feature of dense examples, and where its numbers are: text of few values has several."""
    table = live.setting.categories.columns
    if not table:
        yield from ((name, [i]) for i, name in enumerate(names_of(live)))
    yield from live.setting.categories.spans


def centres(live: Any) -> Any:
    """The centre of each feature, where the learner knows it, or else 0."""
    scaler = field_or_none(field_or_none(live.state, "linear") or live.state, "scaler")
    if isinstance(scaler, Scaler):
        return scaler.stats[: live.width, CENTRE]
    return np.zeros(live.width)


def names_of(live: Any) -> list[str]:
    return [str(n) for n in live.names or (f"feature {i + 1}" for i in range(live.width))]


def named_weights(learner: AnyLearner) -> dict[Any, Any]:
    """See `Learner.named_weights`."""
    live = learner.begun()
    if not live.traits.kind.has_examples:
        return dict(zip(live.names or (), learner.weights.tolist(), strict=False))
    if live.sparse and not live.setting.features:
        raise BadInput(
            "named_weights: names were hashed, and the learner does not know them; explain(x) takes an example by "
            "name, and `littlestone run --readable-model` writes the weights of a file by name"
        )
    places = live.setting.features if live.sparse else {n: i for i, n in enumerate(names_of(live))}
    W = rows(learner, live, max(places.values(), default=-1) + 1)
    rows_by_name = [{str(n): float(w[i]) for n, i in places.items()} for w in W]
    if len(rows_by_name) == 1:
        return rows_by_name[0]
    return dict(zip(live.labels, rows_by_name, strict=True))


def weights_at(
    learner: AnyLearner, hashed: dict[Any, int], products: dict[int, tuple[int, ...]]
) -> tuple[list[Any], Any, list[tuple[int, str]]]:
    """The classes, a row of weights each, and the name of each place.

    `hashed` has the hashes of names, `products` those of products ("a:b") and of their parts. Places whose name is not
    known, as the features of vw text, are called by their number.
    """
    live = learner.begun()
    if not live.sparse:
        places = list(enumerate(names_of(live)))
    elif live.setting.features:
        places = [(i, str(n)) for n, i in live.setting.features.items()]
    else:
        places = name_places(live, hashed, products)
    W = rows(learner, live, max((i for i, _ in places), default=-1) + 1)
    classes = list(live.labels) if len(W) > 1 else [None]
    return classes, W, places


def name_places(
    live: Any, hashed: dict[Any, int], products: dict[int, tuple[int, ...]]
) -> list[tuple[int, str]]:
    """Each place of hashed features, and the names that are hashed to it."""
    most = live.shape.n - int(live.setting.intercept)
    mask = (1 << live.bits) - 1 if live.bits else -1
    known: dict[int, list[str]] = {}
    called: dict[int, str] = {}
    for name, h in hashed.items() if live.bits else ():
        text = name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)
        known.setdefault(h & mask, []).append(text)
        called[h] = text
    for h, parts in products.items() if live.bits else ():
        if all(part in called for part in parts):
            known.setdefault(h & mask, []).append(":".join(called[part] for part in parts))
    return [(i, " or ".join(known.get(i, [str(i)]))) for i in range(most)]


def rows(learner: AnyLearner, live: Any, features: int) -> Any:
    """A row of weights, or one for each class."""
    state = live.state
    if isinstance(field_or_none(state, "scaler"), Scaler):
        posterior = state.posterior if state.posterior.ndim == 3 else state.posterior[None]
        e = state.experts
        # the weight of each model, with its part in the stack
        q = e[MIX_WEIGHTS, :MODELS] + e[MIX_WEIGHTS, STACK] * e[STACK_WEIGHTS, :MODELS]
        spread = state.scaler.stats[:features, SPREAD]
        W = posterior[:, 1 : features + 1, :MODELS] @ q
        if "row_sum" in state._fields:
            W += (
                weight_per_feature(state.row_sum, q, state.mean_row_length)[:, None]
                * sparse_features(state.scaler)[:features]
            )
        W = np.divide(W, spread, out=np.zeros_like(W), where=spread > 0.0)
        if "coin" in state._fields:
            part = e[MIX_WEIGHTS, COIN] + e[MIX_WEIGHTS, STACK] * e[STACK_WEIGHTS, COIN_INPUT]
            W += part * current_weights(state.coin)[:, 1 : features + 1]
        return W
    scores = live.traits.decision in (ONE, PER_CLASS)
    found = None if learner.boolean or not scores else line(learner, features)
    if found is None:
        raise BadInput(
            f"named_weights: the scores of {learner.key} are no sum over features; explain(x) tells what each one does"
        )
    return found[0]
