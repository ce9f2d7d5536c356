"""The parts of `play` that only bandits need: losses of all arms, rewards, environments, offers, many seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Batch
from ..encode.named_rows import columns_of, in_order
from ..encode.stream import Stream
from ..engine.checks import array, refuse
from ..environments.arms import Arms
from ..environments.linear_arms import LinearArms
from ..environments.worlds import Table
from ..games import Offer, offers
from ..run.seeds import SeedRuns
from ..settings.available import rows_there
from ..settings.contexts import context_numbers
from ..settings.setting import DECLARE_PLAY, named_by_user
from ..streams.open import open_stream
from .request import Request
from .seeds import many


def open_arms(request: Request) -> tuple[Request, Stream]:
    """The losses of all arms as a stream; and the request, with the features and the interval that were found."""
    if isinstance(request.data, Arms):
        request, stream = open_environment(request, request.data)
    else:
        options = replace(request.read, losses=True, checked=False, features=None)
        stream = open_stream(request.data, options=options)
        stream = replace(stream, names=tuple(arm_name(v) for v in stream.names))
        if request.read.rewards:
            stream, interval = as_losses(stream, request.play.interval)
            request = request.play_with(interval=interval)
    request = request.read_with(losses=True)
    request, columns = in_columns(request)
    offer = make_offer(request, stream)
    if offer is not None and request.play.seeds == 1:
        stream = replace(with_offers(stream, offer), columns=columns)
    return request, stream


def open_environment(request: Request, arms: Arms) -> tuple[Request, Stream]:
    """Rounds that are drawn as they are played."""
    rounds = request.play.rounds
    if not isinstance(rounds, (int, np.integer)) or rounds < 1:
        raise BadInput("an environment goes on for ever: say how many rounds, rounds=1000")
    if request.read.rewards:
        raise BadInput("rewards: these arms draw losses; an arm of reward m has the mean 1 - m")
    if request.read.features is None and request.learner.contexts and isinstance(arms, LinearArms):
        if rounds > len(arms.features):
            raise BadInput(
                f"rounds: these arms have features of {len(arms.features)} rounds, not {rounds}"
            )
        request = request.read_with(features=arms.features[:rounds])
    return request, arms.stream(int(rounds), int(request.play.seed))


def play_seeds(request: Request, stream: Stream) -> SeedRuns:
    """Many runs of one learner over the same losses or in the same environment, each with draws of its own."""
    data, play, rounds = request.data, request.play, stream.rounds
    interval = play.interval
    if isinstance(data, Arms):
        world: Any = data.world
    else:
        if not stream.whole:
            raise BadInput("seeds: rounds from a file are read once; load them into memory first")
        Y = next(iter(stream.batches)).y
        low, high = interval or find_interval(Y)
        refuse(Y, low, high, 0, stream.names, "loss", False)
        world, interval, rounds = Table(Y), (low, high), len(Y)
    offer = make_offer(request, stream)
    return many(
        request.learner, world, rounds=int(rounds or 0), seeds=int(play.seeds), seed=int(play.seed), offer=offer,
        interval=interval, names=stream.names, source=stream.source, arms=data if isinstance(data, Arms) else None,
        features=0 if offer is None else offer.x.shape[1], progress=play.progress, engine_=play.engine,
        workers=play.workers, horizon=play.horizon,
    )  # fmt: skip


def arm_name(name: str) -> str:
    """The name of a column, or "arm 0" for one that was only counted ("expert 1")."""
    kind, _, number = name.partition(" ")
    return f"arm {int(number) - 1}" if kind == "expert" and number.isdigit() else name


def find_interval(Y: Any) -> tuple[float, float]:
    """[0, 1], or the interval that the losses span where they leave it."""
    low, high = float(np.min(Y)), float(np.max(Y))
    if not np.isfinite(low + high) or (low >= 0.0 and high <= 1.0):
        return 0.0, 1.0
    return (min(low, 0.0), high) if min(low, 0.0) < high else (low - 0.5, low + 0.5)


def as_losses(
    stream: Stream, interval: tuple[float, float] | None
) -> tuple[Stream, tuple[float, float]]:
    """A stream of rewards as one of losses, low + high - reward, and the interval (low, high)."""
    if interval is None:
        if not stream.whole:
            raise BadInput("rewards from a file: declare where they lie, interval=(low, high)")
        low, high = find_interval(next(iter(stream.batches)).y)
    else:
        low, high = map(float, interval)

    def turned(b: Batch) -> Batch:
        # here, where they are rewards still: the user knows nothing of the losses that stand for them
        refuse(b.y, low, high, b.first, stream.names, "reward", False, DECLARE_PLAY)
        return b._replace(y=low + high - b.y)

    made: Any = map(turned, stream.batches)
    return replace(stream, batches=list(made) if stream.whole else made, again=None), (low, high)


def in_columns(request: Request) -> tuple[Request, tuple[tuple[str, bool], ...]]:
    """The features of a frame, or of dicts, as numbers, and their names, in the order that the learner knows."""
    given = request.read.features
    dicts = isinstance(given, (list, tuple)) and any(isinstance(row, Mapping) for row in given)
    names = list(given[0]) if dicts and isinstance(given[0], Mapping) else columns_of(given)
    if names is None and not dicts:
        return request, ()
    live = request.learner.live if request.play.resume else None
    known = (live.setting.columns if live is not None else None) or tuple(map(str, names or ()))
    numbers = numbers_in(given, known) if dicts else columns_in(given, list(names or ()), known)
    return request.read_with(features=numbers), tuple((name, False) for name in known)


def columns_in(frame: Any, names: Sequence[Any], known: tuple[str, ...]) -> Any:
    """The columns of a frame as a matrix, in the order that is known."""
    there = in_order({str(name): name for name in names}, known, "feature", True)
    return np.column_stack([array(frame[name], f"features, column {name!r}", 1) for name in there])


def numbers_in(rows: Sequence[Any], columns: tuple[str, ...]) -> Any:
    """The features of many rounds, a dict each, as a matrix."""
    found = []
    for r, row in enumerate(rows):
        try:
            if not isinstance(row, Mapping):
                raise BadInput(f"it must be a dict, as the others are, not {row!r:.60}")
            by_name = {str(name): v for name, v in row.items()}
            found.append(context_numbers(in_order(by_name, columns, "feature"), columns))
        except BadInput as problem:
            raise BadInput(f"features, row {r + 1}: {problem}") from None
    return np.array(found)


def make_offer(request: Request, stream: Stream) -> Offer | None:
    """What each round offers: which arms can be pulled, and the features of the round or of each of its arms.

    `available` is T x n of True and False; `features` is T x d, or T x n x d, one row an arm.
    """
    available, features, learner = request.read.available, request.read.features, request.learner
    T, n = stream.rounds, len(stream.names)
    if available is None and features is None:
        return None
    on = x = None
    if available is not None:
        on = rows_there(available, stream.names if named_by_user(stream.names) else None, n)
        if T is not None and on.shape != (T, n):
            raise BadInput(f"available must be {T} rounds of {n} arms, not shape {on.shape}")
        bad = ~np.isin(on, (0.0, 1.0))
        if bad.any():
            r, i = np.argwhere(bad)[0]
            raise BadInput(
                f"available: row {r + 1}, arm {i} is {on[r, i]:g}; it must be True or False"
            )
        none = ~on.any(axis=1)
        if none.any():
            raise BadInput(
                f"available: row {int(np.argmax(none)) + 1}: no arm is there to be pulled"
            )
    if features is not None:
        x = np.atleast_1d(array(features, "features", None))
        x = np.ascontiguousarray(x.reshape(len(x), -1))
        if T is not None and len(x) != T:
            raise BadInput(f"features has {len(x)} rows; there are {T} rounds")
        refuse(x, -1e150, 1e150, 0, (), "features", False)
    offer = offers(T or len(on if x is None else x), on, x)  # type: ignore[arg-type]
    if offer.x.shape[1]:
        learner.examine(offer.x, n, 0)  # type: ignore[attr-defined]
    return offer


def with_offers(stream: Stream, offer: Offer) -> Stream:
    """The same rounds, and what each of them offers."""

    def batches() -> Any:
        at = 0
        for b in stream.batches:
            rows = slice(at, at + len(b.y))
            yield Batch(Offer(offer.on[rows], offer.x[rows]), b.y, b.first, b.key)
            at += len(b.y)

    return replace(stream, batches=list(batches()) if stream.whole else batches(), again=None)
