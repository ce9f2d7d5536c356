"""Compare the verdicts of runs with the truth, which is known."""

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
class CheckedVerdict:
    """The verdict ("refused" where there was no run), and what is wrong with it."""

    verdict: str
    false: str = ""
    idle: str = ""  # unknown, where nothing was in the way


def check_verdict(
    play: Callable[[], list[Any]],
    kept: list[bool | None],
    sure: list[bool],
    what: str,
    never: bool = False,
    searched: bool = False,
) -> CheckedVerdict:
    """Play, and compare each run's verdict with the truth; `never`: no verdict can be given.

    `searched`: "kept" says itself that it was checked for the comparators that were searched for, and not for all.
    """
    try:
        runs = play()
        certificates = [run.certificate for run in runs]
    except ls.LittlestoneError:
        return CheckedVerdict("refused")
    said = [str(c.verdict) for c in certificates]
    for verdict, certificate, truth, clear in zip(said, certificates, kept, sure, strict=True):
        given = verdict in ("kept", "broken")
        if given and (never or truth is None):
            return CheckedVerdict(verdict, f"{verdict}, where no verdict can be given ({what})")
        if given and (verdict == "kept") != truth and not (searched and verdict == "kept"):
            return CheckedVerdict(verdict, f"{verdict}, which is false ({what})")
        if not given and not all(v.why for v in certificate):
            return CheckedVerdict(verdict, f"{verdict} without a reason ({what})")
        if not given and clear:
            return CheckedVerdict(
                verdict, idle=f"{verdict} ({what}): {certificate.verdicts[0].why}"
            )
    return CheckedVerdict(said[0])
