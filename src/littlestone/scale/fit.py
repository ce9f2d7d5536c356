"""Fit a model to each shard of a stream, and predict with a mixture of the models that has a theorem.

The shards' models are experts, and the aggregating algorithm mixes them: under log loss that is Bayes' mixture, at
most ln m above the best of m models on any sequence; under square loss on [0, 1] at most 1/2 ln m. The mean of the
models' weights has no such theorem, and is not offered.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import registry
from ..core.errors import BadInput
from ..core.game import ONE, SEVERAL
from ..core.losses import Square
from ..live import store
from ..play.play import play as play_here
from .tables import files_of, is_paths, read_table
from .worker_memory import on_worker

FEW = 10_000  # where a shard has fewer rows, one pass over all rows is usually better
LEAST = 2.0**-40  # no model's probability of a class is taken for less, so that no loss is infinite


def fit(
    learner: Any,
    shards: Any,
    *,
    client: Any = None,
    interval: tuple[float, float] = (0.0, 1.0),
    **options: Any,
) -> Mixture:
    """A model of each shard, and their mixture; the same bits with a client and without.

    learner: one over examples that gives probabilities of classes (logistic, softmax, online-linear), or numbers.
    shards: files ("data/*.parquet"), or a list of frames or of pairs (examples, outcomes). Each is played once.
    interval: where outcomes that are numbers lie; predictions are cut off there.
    options: those of `ls.play`, such as outcome= for files and frames.

    >>> import littlestone as ls
    >>> rows = [[0.0, 1.0], [1.0, 0.0]]
    >>> model = ls.scale.fit("logistic", [(rows, [0, 1]), (rows, [0, 1])], engine="plain")
    >>> model.predict_proba([[1.0, 0.0]]).round(1).tolist()
    [[0.4, 0.6]]
    """
    made = registry.learner(learner)
    if not made.examples:
        raise BadInput(f"{made.key} combines experts; scale.fit is for learners over examples")
    given: list[Any] = files_of(shards) if is_paths(shards) else list(shards)
    if not given:
        raise BadInput("shards: there is none")
    if client is None:
        found = [fit_one(shard, made, options) for shard in given]
    else:
        held = given if is_paths(shards) else client.scatter(given, hash=False)
        found = client.gather(
            client.map(
                on_worker, [fit_one] * len(held), held, learner=made, options=options, pure=False
            )
        )
    return Mixture(found, interval)


def fit_one(shard: Any, learner: Any, options: Any) -> dict[str, Any]:
    """The model of one shard, as the bytes of its file."""
    pair = isinstance(shard, tuple) and len(shard) == 2
    data, outcomes = (
        shard if pair else (read_table(shard) if isinstance(shard, str) else shard, None)
    )
    run = play_here(learner, data, outcomes, certify=False, record="none", **options)
    return {"model": store.to_bytes(run.learner), "rounds": run.rounds, "loss": run.loss}


class Mixture:
    """Models of shards, which play as the experts of the aggregating algorithm."""

    def __init__(self, shards: list[dict[str, Any]], interval: tuple[float, float]) -> None:
        self.models = [store.from_bytes(one["model"]) for one in shards]
        self.rounds = [int(one["rounds"]) for one in shards]
        self.losses = [float(one["loss"]) for one in shards]  # of each model, on its own shard
        self.interval = interval
        labels = list(
            dict.fromkeys(y for model in self.models for y in model.classes if y is not None)
        )
        self.classes = sorted(labels, key=lambda y: (isinstance(y, str), y))
        if self.models[0].labels and len(self.classes) < 2:
            raise BadInput(
                f"every outcome of every shard is {self.classes[0]!r}: there is nothing to tell apart"
            )
        loss: Any = "log" if self.classes else Square(*map(float, interval))
        learner = registry.learner("aggregating-algorithm", loss=loss)
        self.learner = learner.start(len(self.models), allocation=False)
        self.notes: list[str] = []
        if len(shards) > 1 and min(self.rounds) < FEW:
            self.notes.append(
                f"the smallest shard has {min(self.rounds):,} rows: a model that has seen so few may predict worse "
                "than one pass over all rows; compare with ls.play"
            )

    def advice(self, x: Any) -> Any:
        """The prediction of each model for each row, T x m: the probability of the second class, or a number.

        With more than two classes T x m x k: the probability of each of `classes`.
        """
        said = [self.said(model, x) for model in self.models]
        return np.ascontiguousarray(np.stack(said, axis=1))

    def said(self, model: Any, x: Any) -> Any:
        live = model.begun()
        if not self.classes:
            return np.clip(np.asarray(live.predict_rows(x), float), *self.interval)
        p = chances(live, x)
        known = [live.labels.index(y) if y in live.labels else None for y in self.classes]
        none = np.zeros(len(p))
        each = [none if i is None else p[:, i] for i in known]
        if len(each) == 2:  # a shard may have had one class alone
            second = each[1] if known[1] is not None else 1.0 - each[0]
            return np.clip(second, LEAST, 1.0 - LEAST)
        found = np.maximum(np.column_stack(each), LEAST)
        return found / found.sum(axis=1, keepdims=True)

    @property
    def weights(self) -> Any:
        """The weight of each model: equal at first, then by its likelihood on the outcomes seen so far."""
        return self.learner.weights

    def predict_proba(self, x: Any) -> Any:
        """The probability of each of `classes`, a row for each row of x: the weighted mean of the models'."""
        if not self.classes:
            raise BadInput("the models predict numbers: there are no probabilities")
        said = self.advice(x)
        if said.ndim == 3:
            return np.einsum("tmk,m->tk", said, self.weights)
        p = said @ self.weights
        return np.column_stack([1.0 - p, p])

    def predict(self, x: Any) -> Any:
        """The most probable class of each row, or the number."""
        if self.classes:
            return np.array(self.classes)[np.argmax(self.predict_proba(x), axis=1)]
        return np.array([self.learner.predict(row) for row in self.advice(x)])

    def play(self, x: Any, y: Any, **options: Any) -> Any:
        """Predict rows and learn the weights of the models from their outcomes; a run, with its certificate.

        The models stay as they are. The certificate says: loss at most that of the best model + ln m (log loss of
        classes), or + 1/2 ln m (square loss, outcomes in [0, 1]). `run.predictions` are the probabilities of the second
        class; with more than two classes, those of the class that came: nothing else counts for losses and weights.
        """
        codes = np.asarray(y)
        if self.classes:
            number = {label: i for i, label in enumerate(self.classes)}
            unknown = [v for v in dict.fromkeys(codes.tolist()) if v not in number]
            if unknown:
                raise BadInput(f"outcome {unknown[0]!r} is none of the classes {self.classes}")
            codes = np.array([number[v] for v in codes.tolist()])
        advice = self.advice(x)
        if advice.ndim == 3:
            advice = advice[np.arange(len(codes)), :, codes]
            codes = np.ones(len(codes))
        run = play_here(self.learner.replace(), advice, codes.astype(float), **options)
        self.learner = run.learner
        return run

    def __repr__(self) -> str:
        return f"<Mixture of {len(self.models)} models, {sum(self.rounds):,} rows>"


def chances(live: Any, x: Any) -> Any:
    """The probability of each class that a model knows, T x classes, many rows at once."""
    from ..live.many import match_rows

    traits = live.traits
    vector = traits.action == "distribution" and traits.width != ONE
    if not (traits.scores or traits.draws or vector):
        raise BadInput(
            f"the scores of {live.learner.key} are no probabilities; those of logistic, softmax and online-linear are"
        )
    rows = match_rows(live, x)
    if isinstance(rows, list):
        return live.predict_proba(x)
    D, A, _ = live.charge_rows(rows, None)
    if traits.classes == SEVERAL:
        if vector:
            return A[:, : len(live.labels)]
        e = np.exp(D - D.max(axis=1, keepdims=True))
        return (e / e.sum(axis=1, keepdims=True))[:, : len(live.labels)]
    one = 0.5 * (1.0 + D) if traits.draws else 0.5 * (1.0 + np.tanh(0.5 * D))
    one = np.clip(one.reshape(-1), 0.0, 1.0)
    known = [live.coder.label(0.0), live.coder.label(1.0)]
    return np.column_stack([np.where(y == known[1], one, 1.0 - one) for y in live.labels])
