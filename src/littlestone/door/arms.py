"""`play` for bandits: losses or rewards of all arms, or an environment that draws them; offers; many seeds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.learner import Learner
from ..core.stream import Batch, Stream
from ..engine.checks import array, refuse
from ..games import Offer, offers
from ..natures.arms import Arms
from ..natures.linear_arms import LinearArms
from ..run.run import Run, Runs
from ..run.seeds import SeedRuns, many
from ..session.play import play as play_stream
from ..session.worlds import Table
from ..streams.open import open_stream


def play_bandit(
    learner: Learner[Any, Any, Any, Any],
    data: Any,
    *,
    rewards: bool = False,
    available: Any = None,
    features: Any = None,
    rounds: int | None = None,
    seeds: int = 1,
    seed: int = 0,
    interval: tuple[float, float] | None = None,
    experts: Any = None,
    by: str | None = None,
    format: str | None = None,
    **options: Any,
) -> Run | Runs | SeedRuns:
    """Play a bandit; see `facade.play`."""
    if not isinstance(seeds, (int, np.integer)) or seeds < 1:
        raise BadInput(f"seeds must be a number of runs, 1 or more, not {seeds!r}")
    world: Any = None
    if isinstance(data, Arms):
        if not isinstance(rounds, (int, np.integer)) or rounds < 1:
            raise BadInput("an environment goes on for ever: say how many rounds, rounds=1000")
        if rewards:
            raise BadInput("rewards: these arms draw losses; an arm of reward m has the mean 1 - m")
        if features is None and learner.contexts and isinstance(data, LinearArms):
            if rounds > len(data.features):
                raise BadInput(
                    f"rounds: these arms have features of {len(data.features)} rounds, not {rounds}"
                )
            features = data.features[:rounds]
        stream, world = data.stream(int(rounds), int(seed)), data.world
    else:
        columns = {"experts": experts, "by": by, "format": format}
        stream = open_stream(data, losses=True, checked=False, **columns)
        stream = replace(stream, names=tuple(arm_name(v) for v in stream.names))
        if rewards:
            stream, interval = reflected(stream, interval)
    T = int(rounds) if isinstance(data, Arms) else stream.rounds  # type: ignore[arg-type]
    n = len(stream.names)
    offer = offered(T, n, available, features)
    if offer is not None and offer.x.shape[1]:
        learner.examine(offer.x, n, 0)  # type: ignore[attr-defined]
    if seeds == 1:
        if offer is not None:
            stream = with_offers(stream, offer)
        return play_stream(
            learner, stream, allocation=True, seed=seed, interval=interval, **options
        )
    if options.get("delay"):
        raise BadInput("seeds and delay do not go together: play each seed with its delay")
    if world is None:
        if not stream.whole:
            raise BadInput("seeds: rounds from a file are read once; load them into memory first")
        Y = next(iter(stream.batches)).y
        low, high = interval or spanned(Y)
        refuse(Y, low, high, 0, stream.names, "loss", False)
        world, interval, T = Table(Y), (low, high), len(Y)
    progress, engine = options.get("progress"), options.get("engine")
    return many(
        learner, world, rounds=int(T or 0), seeds=int(seeds), seed=int(seed), offer=offer, interval=interval,
        names=stream.names, source=stream.source, arms=data if isinstance(data, Arms) else None,
        features=0 if offer is None else offer.x.shape[1], progress=progress, engine_=engine,
        workers=options.get("workers"), horizon=options.get("horizon"),
    )  # fmt: skip


def arm_name(name: str) -> str:
    """Losses that only were counted are arms here."""
    kind, _, number = name.partition(" ")
    return f"arm {int(number) - 1}" if kind == "expert" and number.isdigit() else name


def spanned(Y: Any) -> tuple[float, float]:
    """[0, 1], or what the losses span where they leave it."""
    low, high = float(np.min(Y)), float(np.max(Y))
    if not np.isfinite(low + high) or (low >= 0.0 and high <= 1.0):
        return 0.0, 1.0
    return (min(low, 0.0), high) if min(low, 0.0) < high else (low - 0.5, low + 0.5)


def reflected(
    stream: Stream, interval: tuple[float, float] | None
) -> tuple[Stream, tuple[float, float]]:
    """Losses low + high - reward."""
    if interval is None:
        if not stream.whole:
            raise BadInput("rewards from a file: declare where they lie, interval=(low, high)")
        low, high = spanned(next(iter(stream.batches)).y)
    else:
        low, high = map(float, interval)
    made: Any = (b._replace(y=low + high - b.y) for b in stream.batches)
    return replace(stream, batches=list(made) if stream.whole else made, again=None), (low, high)


def offered(T: int | None, n: int, available: Any, features: Any) -> Offer | None:
    """What rounds offer, checked: T x n of True and False, T x d features or T x n x d, one row an arm."""
    if available is None and features is None:
        return None
    on = x = None
    if available is not None:
        on = array(available, "available", 2)
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
        x = array(features, "features", np.ndim(features))
        x = np.ascontiguousarray(x.reshape(len(x), -1))
        if T is not None and len(x) != T:
            raise BadInput(f"features has {len(x)} rows; there are {T} rounds")
        refuse(x, -1e150, 1e150, 0, (), "features", False)
    return offers(T or len(on if x is None else x), on, x)  # type: ignore[arg-type]


def with_offers(stream: Stream, offer: Offer) -> Stream:
    """The same rounds, and what each of them offers."""

    def batches() -> Any:
        at = 0
        for b in stream.batches:
            rows = slice(at, at + len(b.y))
            yield Batch(Offer(offer.on[rows], offer.x[rows]), b.y, b.first, b.key)
            at += len(b.y)

    return replace(stream, batches=list(batches()) if stream.whole else batches(), again=None)
