"""Classes that occur as rounds go by, one class alone, missing outcomes: losses are those of what was published.

What is published is asked of a live learner, round by round, and charged here. A planted theorem promises a share of
that. Learners on graphs are given one class, or several that nobody declared: no theorem of theirs is ever broken.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import littlestone as ls
from littlestone.core.guarantee import Guarantee

from .checked_verdict import SHARES, CheckedVerdict, check_verdict

KEYS = ("softmax", "online-linear")
ON_GRAPHS = ("spine", "spanning-trees")


def labels_of(rng: np.random.Generator, T: int) -> list[str | None]:
    """Labels in a hostile order: one alone, a new one each round, a late one, or drawn; some are missing."""
    K = int(rng.integers(1, 6))
    kind = rng.integers(4)
    if kind == 0:
        y = ["c0"] * T
    elif kind == 1:
        y = [f"c{t}" for t in range(T)]
    elif kind == 2:
        y = ["c0"] * (T - 1) + ["c1"]
    else:
        y = [f"c{k}" for k in np.minimum(rng.geometric(0.5, T) - 1, K - 1)]
    missing = rng.random(T) < (0.2 if rng.random() < 0.3 else 0.0)
    return [None if gone else label for label, gone in zip(y, missing, strict=True)]


def published(key: str, x: Any, y: list[str | None], declared: Any) -> tuple[list[float], float]:
    """What each round charges, by the probabilities that a live learner gives; and what unknown classes cost of it."""
    learner = ls.learner(key)
    learner = learner.start(2, labels=declared) if declared else learner.start(2)
    charged, price = [], 0.0
    for t, label in enumerate(y):
        p = learner.predict_proba(x[t]) if learner.labels else {}
        if label is None:
            charged.append(math.nan)
        elif label in p:
            charged.append(-math.log(p[label]))
            price -= math.log(sum(p.values())) if not declared else 0.0
        else:
            charged.append(-math.log(1.0 - sum(p.values())))
            price += charged[-1]
        learner.update(x[t], math.nan if label is None else label)
    return charged, price


def attack(rng: np.random.Generator, engine: str) -> CheckedVerdict:
    """One run, of a learner of probabilities or of one on a graph."""
    T = int(rng.integers(1, 24))
    y = labels_of(rng, T)
    if rng.random() < 0.3:
        return attack_graph(rng, y, engine)
    key, share = str(rng.choice(KEYS)), float(rng.choice(SHARES))
    there = sorted({label for label in y if label is not None})
    declared = there if len(there) > 1 and rng.random() < 0.3 else None
    x = rng.normal(size=(T, 2))
    what = f"{key}, {y}, declared {declared}, share {share:g}"
    if not there:
        y[0] = "c0"
    charged, price = published(key, x, y, declared)
    run: Any = ls.play(key, x, y, labels=declared, engine="plain")
    if not np.allclose(run.losses, charged, rtol=1e-9, atol=1e-9, equal_nan=True):
        return CheckedVerdict("refused", f"charged is not what was published ({what})")
    total = float(np.nansum(charged))
    promise = share * total - price
    run.transcript.learner.guarantees = (
        Guarantee("T-PLANTED", "planted", "", "", lambda s: promise, against="none"),
    )
    return check_verdict(lambda: [run], [total <= share * total], [total > 1e-3], what)


def attack_graph(rng: np.random.Generator, y: list[str | None], engine: str) -> CheckedVerdict:
    """Labels of vertices of a path, in memory or one by one: a theorem may be kept or vacuous, and never broken."""
    key, n = str(rng.choice(ON_GRAPHS)), len(y) + 1
    learner = ls.learner(key, graph=ls.graph([(v, v + 1) for v in range(n - 1)], n=n))
    x = rng.permutation(n)[: len(y)].astype(float)[:, None]
    if all(label is None for label in y):
        y = ["c0", *y[1:]]
    alone = rng.random() < 0.5
    data = (x, y) if alone else (iter(list(zip(x, y, strict=True))),)
    found = str(ls.play(learner, *data, engine="plain").certificate.verdict)
    return CheckedVerdict(found, f"broken: {key}, {y}" if found == "broken" else "")
