"""Draw rounds and settings: extreme values, few different rounds in blocks, and a truth where the theorem needs one.

Random streams hardly test a bound; few different rounds, each repeated for a while, do. Everything comes as arrays
whose first axis is the run, so that a volley is drawn at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core import losses
from ..core.parameters import Choice, Interval
from ..core.stream import Array
from .attack import Volley
from .target import Target
from .worlds import WORLDS, labels

Generator = np.random.Generator
# numbers that are tried for a parameter where its range allows them: the ends, the middle, the notes' constants
NUMBERS = (0.0, 1e-3, 0.03, 0.1, math.exp(-1), 0.5, 0.9, 1.0, 2.0, 8.0)
WORDS = ("absolute", "square", "log", "zero-one", "pinball:0.9")
PALETTES = ((0.0, 1.0), (0.0, 1.0), (0.0, 0.5, 1.0), (0.0, 0.1, 0.9, 1.0))
INTERVALS = ((0.0, 1.0), (0.0, 1.0), (-3.0, 7.0), (0.0, 0.01))
# parameters whose whole range is not worth a search: a cover of the sphere grows like 1/gamma^d
FEWER: dict[str, tuple[float, ...]] = {"gamma": (0.3, 0.4, 0.6, 0.9)}
# settings that a theorem needs in order to apply
RECIPES: dict[str, dict[str, Any]] = {"T-FTL-STRONG": {"family": "distance"}}
FAR = 0.05  # where a loss may be infinite, advice stays so far from 0 and 1


def first_volleys(target: Target, seed: int, sizes: tuple[int, int] | None) -> Iterator[Volley]:
    """One small volley of each kind of rounds: to compile with before the clock starts, and to begin with."""
    rng = np.random.default_rng(seed)
    T, n = sizes or (4, 2 if target.learner.examples else 3)
    n = 1 if "interval" in target.kinds else target.places or n
    for kind in target.kinds:
        given = setting(target, rng, kind, n, T)
        if given is not None:
            x, y, k = rounds(target, rng, kind, 2, T, n, given)
            yield Volley(y, x, k=k, **given)


def setting(
    target: Target, rng: Generator, kind: str, n: int, T: int, patient: bool = False
) -> dict[str, Any] | None:
    """A setting that the theorem is about; None where it is about none that was tried."""
    for swept in (0.5,) * 16 + (0.0,) * 4:
        found = draw_rounds(target, rng, kind, n, swept, patient)
        if target.guarantee.id == "T-LOGISTIC":  # eta = R/(X sqrt T), and examples of length X = 1
            R = float(rng.choice([0.3, 1.0, 3.0]))
            found["parameters"] = {"radius": R, "eta": R / math.sqrt(T)}
        if target.admits(kind, n, T, found):
            return found
    return None


def draw_rounds(
    target: Target, rng: Generator, kind: str, n: int, swept: float, patient: bool
) -> dict[str, Any]:
    """Parameters, an interval, and whether the learner knows the number of rounds: as the theorem's bound allows.

    `patient`: other losses too, each of which is compiled anew.
    """
    found = draw_parameters(target, rng, n, swept, patient)
    found |= RECIPES.get(target.guarantee.id, {})
    interval = draw_interval(target, rng, kind, found) if target.learner.bounded else None
    known = target.mentions is not None or bool(rng.random() < 0.7)
    given: dict[str, Any] = {"parameters": found, "interval": interval, "horizon_known": known}
    if target.learner.examples:
        given["passes"] = int(rng.choice([1, 1, 2, 3])) if "CYCLE" in target.guarantee.id else 1
    if target.guarantee.delayed:
        given["delay"] = int(rng.integers(1, 4))
    if kind == "interval" and "late" in found:  # this parameter is the delay of feedback
        given["delay"] = found["late"] = int(rng.integers(0, 4))
    return given


def draw_parameters(
    target: Target, rng: Generator, n: int, swept: float, patient: bool
) -> dict[str, Any]:
    """Values of parameters that the theorem leaves free; each but the worlds stays as it is with chance 1 - swept."""
    found: dict[str, Any] = {}
    for name, (type_, declared, _) in target.free.items():
        if name in WORLDS:
            found[name] = WORLDS[name](rng)
        elif rng.random() > swept or name in ("rows", "columns"):
            continue
        elif name == "loss" and (patient and not target.learner.examples):
            found[name] = str(rng.choice(WORDS))
        elif name in FEWER:
            found[name] = float(rng.choice(FEWER[name]))
        elif name == "prior":
            parts = rng.choice([0.01, 1.0, 3.0], n)
            found[name] = tuple((parts / parts.sum()).tolist())
        else:
            value = draw_declared(rng, type_, declared, n)
            if value is not None:
                found[name] = value
    return found


def draw_declared(rng: Generator, type_: Any, declared: Any, n: int) -> Any:
    """A value of a parameter, by its type and what it is declared to be; None where none is drawn."""
    if type_ is bool:
        return bool(rng.integers(2))
    if isinstance(declared, Choice):
        return str(rng.choice(declared.words))
    if isinstance(declared, Interval) and declared.whole:
        top = min(declared.high, max(n, 3), declared.low + 20)
        candidates = [*range(int(declared.low), int(top) + 1), *(10, 100, 200)]
        return int(rng.choice([v for v in candidates if declared.holds(v)]))
    return numbers(rng, declared) if isinstance(declared, Interval) else None


def draw_interval(
    target: Target, rng: Generator, kind: str, parameters: dict[str, Any]
) -> tuple[float, float] | None:
    """Where advice and outcomes lie; None where that is not asked for."""
    interval = INTERVALS[int(rng.integers(len(INTERVALS)))] if target.scales else (0.0, 1.0)
    word = parameters.get("loss", target.learner.parameters.get("loss", "square"))
    loss = losses.parse_loss(word)
    if kind == "losses":
        return (0.0, interval[1])
    if kind == "labels" or isinstance(loss, (losses.LogLoss, losses.ZeroOne)):
        return None
    return interval


def numbers(rng: Generator, declared: Interval) -> float | None:
    """Draw a number of an interval: one of NUMBERS, or any; None where none was found."""
    if rng.random() < 0.5:
        candidates = [v for v in NUMBERS if declared.holds(v)]
        return float(rng.choice(candidates)) if candidates else None
    if math.isfinite(declared.high):
        v = float(rng.uniform(declared.low, declared.high))
    else:
        v = declared.low + float(np.exp(rng.uniform(-4.0, 3.0)))
    return v if declared.holds(v) else None


def order(rng: Generator, B: int, T: int, rows: int) -> Any:
    """Draw which row comes in which round of each run: at random, one block a row, blocks of any length, or in turn."""
    how = int(rng.integers(4))
    if how == 0:
        return rng.integers(0, rows, (B, T))
    if how == 1:
        cuts = np.sort(rng.integers(0, T + 1, (B, rows - 1)), axis=1)
        return (np.arange(T)[None, :, None] >= cuts[:, None, :]).sum(axis=2)
    if how == 2:
        moved = rng.random((B, T)) < rng.choice([0.03, 0.1, 0.3, 0.6])
        moved[:, 0] = True
        first = np.maximum.accumulate(np.where(moved, np.arange(T), 0), axis=1)
        return np.take_along_axis(rng.integers(0, rows, (B, T)), first, axis=1)
    period = rng.integers(1, rows + 1, (B, 1))
    return np.broadcast_to(np.arange(T), (B, T)) % period


def rounds(
    target: Target, rng: Generator, kind: str, B: int, T: int, n: int, given: dict[str, Any]
) -> tuple[Any, Any, int]:
    """x (or None) and y of B runs of T rounds, and the number k of features in the disjunction that labels them."""
    rows = int(rng.integers(1, min(T, 6) + 1)) if rng.random() < 0.7 else T
    palette = np.array(PALETTES[int(rng.integers(len(PALETTES)))])
    if kind in ("losses", "advice", "labels"):
        x, y, k = experts(target, rng, kind, (B, rows, n), palette, given)
    elif kind == "boolean":
        x = (rng.random((B, rows, n)) < rng.choice([0.2, 0.5, 0.8])).astype(float)
        k = int(rng.integers(1, min(n, 3) + 1))
        y = truth(target, x, k)
    elif kind == "interval":
        x, k = np.zeros((B, rows, n)), 0
        y = rng.choice(palette, (B, rows)) * rng.choice([1.0, -1.0, 30.0], (B, 1))
    elif target.places == 1:
        x, y, k = places(target, rng, kind, (B, rows), given)
    else:
        x, y, k = examples(target, rng, kind, (B, rows, n))
    if rows < T or rng.random() < 0.5:
        at = order(rng, B, T, rows)
        y = np.take_along_axis(y, at[..., None] if y.ndim == 3 else at, axis=1)
        x = None if x is None else np.take_along_axis(x, at[..., None], axis=1)
    return x, y, k


def experts(
    target: Target,
    rng: Generator,
    kind: str,
    size: tuple[int, int, int],
    palette: Array,
    given: dict[str, Any],
) -> tuple[Any, Any, int]:
    B, rows, n = size
    if kind == "labels":
        classes = 2 if rng.random() < 0.8 else 3
        x = rng.integers(0, classes, size).astype(float)
        y = rng.integers(0, classes, (B, rows)).astype(float)
        return x, x[:, :, -1].copy() if target.needs_truth else y, 0
    low, high = given["interval"] or (0.0, 1.0)
    parameters = target.learner.parameters | given["parameters"]
    loss = losses.parse_loss(parameters.get("loss", "square"))
    if isinstance(loss, losses.ZeroOne):
        palette = np.array((0.0, 1.0))
    if isinstance(loss, losses.LogLoss) and kind == "advice":
        palette = np.clip(palette, FAR, 1.0 - FAR)
    if rng.random() < 0.4:  # one expert is always right, and the others are as wrong as can be
        right = rng.integers(0, n, (B, rows))
        far = palette.min()
        end = rng.choice([far, palette.max()], (B, rows))
        x = np.repeat((palette.max() + far - end)[..., None], n, axis=2)
        np.put_along_axis(x, right[..., None], end[..., None], axis=2)
        if kind == "losses":
            x = np.abs(x - end[..., None])
    elif rng.random() < 0.15 and not isinstance(loss, losses.ZeroOne):
        x = rng.uniform(palette.min(), palette.max(), size)
        end = rng.uniform(0.0, 1.0, (B, rows))
    else:
        x, end = rng.choice(palette, size), rng.choice(palette, (B, rows))
    if isinstance(loss, losses.LogLoss):
        end = np.round(end)
    x, end = low + (high - low) * x, low + (high - low) * end
    return (None, x, 0) if kind == "losses" else (x, end, 0)


def examples(
    target: Target, rng: Generator, kind: str, size: tuple[int, int, int]
) -> tuple[Any, Any, int]:
    """Draw features, and outcomes that follow a linear function of them, with noise or without."""
    B, rows, n = size
    limits = target.learner.limits
    if limits is not None:
        return (*places_in_table(rng, limits, (B, rows)), 0)
    x = draw_features(rng, size)
    u = rng.normal(size=(B, 1, n))
    if target.guarantee.against == "separator":  # its comparators have no negative weights
        u = np.abs(u)
    if "cover" in target.key:  # the theorem is about unit vectors, and a margin
        x, u = with_margin(rng, x, u, float(target.learner.parameters.get("gamma") or 0.4))
    if "disjunctions" in target.key:
        k = int(target.learner.parameters.get("k") or 1)
        x = (x > 0).astype(float)
        return x, np.where((x[..., :k] > 0).any(axis=2), 1.0, -1.0), k
    if target.guarantee.id == "T-LOGISTIC":
        x = x + 0.01 * rng.normal(size=size)
        x = x / np.linalg.norm(x, axis=2, keepdims=True)
    s = (x * u).sum(axis=2)
    noise = 0.0 if target.needs_truth or rng.random() < 0.5 else float(rng.choice([0.1, 1.0, 10.0]))
    s = s + noise * rng.normal(size=s.shape)
    if kind == "two":
        return x, np.where(s >= 0, 1.0, -1.0), 0
    if kind == "classes":
        U = rng.normal(size=(B, n, 3))
        return x, np.argmax(x @ U + noise * rng.normal(size=(B, rows, 3)), axis=2).astype(float), 0
    return x, s if rng.random() < 0.7 else np.sign(s), 0


def places_in_table(rng: Generator, limits: Any, size: tuple[int, int]) -> tuple[Any, Any]:
    """Places in a table, and labels that are constant in blocks; some of them are turned over."""
    x = np.stack([rng.integers(0, top, size) for top in limits], axis=2).astype(float)
    block = rng.integers(1, 3, 2)
    y = np.where((x // block).sum(axis=2) % 2 == 0, 1.0, -1.0)
    return x, np.where(rng.random(size) < rng.choice([0.0, 0.2]), -y, y)


def draw_features(rng: Generator, size: tuple[int, int, int]) -> Any:
    """Features of -1, 0 and 1, one of them at a time, or normal ones of one length or of many."""
    B, rows, n = size
    how = int(rng.integers(4))
    if how == 0:
        return rng.choice([-1.0, 0.0, 1.0], size)
    if how == 1:
        return np.eye(n)[rng.integers(0, n, (B, rows))] * rng.choice([-1.0, 1.0], (B, rows, 1))
    return rng.normal(size=size) * (1.0 if how == 2 else np.exp(rng.normal(size=(B, rows, 1))))


def with_margin(rng: Generator, x: Any, u: Any, gamma: float) -> tuple[Any, Any]:
    """Unit vectors at the margin gamma from the plane of u, of length 1."""
    x = x + 0.1 * rng.normal(size=x.shape)
    u = u / np.linalg.norm(u, axis=2, keepdims=True)
    x = x / np.linalg.norm(x, axis=2, keepdims=True)
    side = np.where((x * u).sum(axis=2, keepdims=True) >= 0, 1.0, -1.0)
    across = x - (x * u).sum(axis=2, keepdims=True) * u
    across = across / np.maximum(np.linalg.norm(across, axis=2, keepdims=True), 1e-12)
    return side * gamma * u + math.sqrt(1.0 - gamma**2) * across, u


def places(
    target: Target, rng: Generator, kind: str, size: tuple[int, int], given: dict[str, Any]
) -> tuple[Any, Any, int]:
    """Draw places, and their labels by one labelling a run, some of them turned over."""
    learner = target.learner.replace(**given["parameters"])
    assert learner.limits is not None
    x = rng.integers(0, learner.limits[0], size)
    classes = 2 if kind == "two" or rng.random() < 0.7 else 3
    y = np.array([labels(learner, rng, classes)[row] for row in x])
    if kind == "two" and not target.needs_truth:
        y = 2.0 * y - 1.0
    if not target.needs_truth:
        other = -y if kind == "two" else (y + 1.0) % classes
        y = np.where(rng.random(size) < rng.choice([0.0, 0.0, 0.2]), other, y)
    return x[..., None].astype(float), y, 0


def truth(target: Target, x: Any, k: int) -> Any:
    """Labels of the disjunction of the first k features; of their conjunction, for learners of conjunctions."""
    on = (x[..., :k] > 0).all(axis=-1) if "conjunction" in target.key else (x[..., :k] > 0).any(-1)
    return np.where(on, 1.0, -1.0)
