"""What a run said of a promise, and whether that is false."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import littlestone as ls

SHARES = (
    1.01,
    1.0001,
    0.9999,
    0.99,
)  # of what is just kept: the first two promises are true, the others false


@dataclass
class Told:
    """The verdict ("refused" where there was no run), and what is wrong with it."""

    verdict: str
    false: str = ""
    idle: str = ""  # unknown, where nothing was in the way


def told(
    play: Callable[[], list[Any]],
    kept: list[bool | None],
    sure: list[bool],
    what: str,
    never: bool = False,
    searched: bool = False,
) -> Told:
    """Play, and compare each run's verdict with the truth; `never`: no verdict can be given.

    `searched`: "kept" says itself that it was checked for the comparators that were searched for, and not for all.
    """
    try:
        runs = play()
        certificates = [run.certificate for run in runs]
    except ls.LittlestoneError:
        return Told("refused")
    said = [str(c.verdict) for c in certificates]
    for verdict, certificate, truth, clear in zip(said, certificates, kept, sure, strict=True):
        given = verdict in ("kept", "broken")
        if given and (never or truth is None):
            return Told(verdict, f"{verdict}, where no verdict can be given ({what})")
        if given and (verdict == "kept") != truth and not (searched and verdict == "kept"):
            return Told(verdict, f"{verdict}, which is false ({what})")
        if not given and not all(v.why for v in certificate):
            return Told(verdict, f"{verdict} without a reason ({what})")
        if not given and clear:
            return Told(verdict, idle=f"{verdict} ({what}): {certificate.verdicts[0].why}")
    return Told(said[0])
