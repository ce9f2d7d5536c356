"""How large errors are at present: several answers, which `cover` mixes.

A centre is the forecast itself, or the forecast plus what is left of the last errors (`regression`). Around each:

    level    mean errors over 12, 72, 500 and 5000 rounds (half-lives)
    season   for each season: the mean error of this hour (or weekday, …); and in units of the level, times the level
    spread   how far the forecasters are apart, in units of errors; times the level, fully and by its root
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.stream import Array

HALF_LIVES = (12.0, 72.0, 500.0, 5000.0)  # of the errors that make up a level, in rounds
FAST, SLOW = 1, 2  # the levels that seasons and the spread are multiplied with
VISITS = 12.0  # half-life of what is known of a place in a season, in visits
CENTRES = 2
OF_SEASON, OF_SPREAD = 2, 4  # scales that a season, and the spread, add to each centre
MOST = 1e6  # an error counts as at most so many times the level, or the spread


class Scales(NamedTuple):
    """Sums of errors, which fade."""

    fades: Array  # 4 + 1: what a level, and a place of a season, remembers after one round more
    levels: Array  # CENTRES x 4
    ones: Array  # 4: sums of ones, which fade alike
    seasons: Array  # S: how many places each season has
    places: Array  # S + 1: where its places begin
    slots: Array  # 2 CENTRES x places: errors, then errors in units of the level
    signed: Array  # 2 x places: the error with its sign, and the last one
    visits: Array  # places: sums of ones, which fade alike
    apart: Array  # 2 + CENTRES: spreads, ones, and errors in units of the spread
    recent: Array  # 3: the last error; errors with their signs over 12 rounds, and ones


def scales(seasons: tuple[float, ...]) -> Scales:
    """Before the first round."""
    begin = np.concatenate([[0.0], np.cumsum(np.array(seasons, dtype=np.float64))])
    P = max(1, int(begin[-1]))
    return Scales(
        0.5 ** (1.0 / np.array([*HALF_LIVES, VISITS])), np.zeros((CENTRES, len(HALF_LIVES))),
        np.zeros(len(HALF_LIVES)), np.array(seasons, dtype=np.float64),
        begin, np.zeros((2 * CENTRES, P)), np.zeros((2, P)), np.zeros(P), np.zeros(2 + CENTRES), np.zeros(3),
    )  # fmt: skip


def features(seasons: int) -> int:
    """What the next error is regressed on: the last error, the last twelve, and two for each season."""
    return 2 + 2 * seasons


def per_centre(seasons: int, spread: int) -> int:
    return len(HALF_LIVES) + OF_SEASON * seasons + OF_SPREAD * spread


def names(seasons: tuple[float, ...], spread: int) -> list[str]:
    """The scales around one centre, in words."""
    found = [f"the last {h:g} rounds" for h in HALF_LIVES]
    for s in seasons:
        found += [f"this place in {s:g} rounds", f"this place in {s:g} rounds, times the level"]
    if spread:
        found += ["spread", "spread times the level", "root of the spread times the level",
                  "root of the spread times season and level"]  # fmt: skip
    return found


def place(s: Scales, i: int, clock: float) -> int:
    """Where in the arrays this moment of season i is."""
    return int(s.places[i]) + int(clock % s.seasons[i])


def known_errors(s: Scales, clock: float, f: Any, j: int) -> None:
    """Write down the features of the regression, from place j of f on."""
    f[j] = s.recent[0]
    f[j + 1] = s.recent[1] / s.recent[2] if s.recent[2] > 0.0 else 0.0
    for i in range(s.seasons.shape[0]):
        p = place(s, i, clock)
        f[j + 2 + 2 * i] = s.signed[0, p] / s.visits[p] if s.visits[p] > 0.0 else 0.0
        f[j + 3 + 2 * i] = s.signed[1, p]


def present(s: Scales, c: int, clock: float, spread: float, has: int, out: Any, j: int) -> int:
    """Write down the scales around centre c, from place j of `out` on; the place after the last."""
    H, S = s.ones.shape[0], s.seasons.shape[0]
    for h in range(H):
        out[j + h] = s.levels[c, h] / s.ones[h]
    fast, slow, rel = out[j + FAST], out[j + SLOW], 1.0
    j += H
    for i in range(S):
        p = place(s, i, clock)
        n = s.visits[p] + 1.0  # one visit more, at which all was as usual
        out[j] = (s.slots[c, p] + slow) / n
        share = (s.slots[s.levels.shape[0] + c, p] + 1.0) / n
        out[j + 1] = share * fast
        rel = share if i == 0 else rel
        j += 2
    if has > 0:
        mean = s.apart[0] / s.apart[1] if s.apart[1] > 0.0 else 0.0
        wide = min(max(spread / mean, 1e-3), 1e3) if mean > 0.0 else 1.0
        ratio = s.apart[2 + c] / s.apart[1] if s.apart[1] > 0.0 else 0.0
        out[j] = ratio * spread
        out[j + 1] = wide * fast
        out[j + 2] = math.sqrt(wide) * slow
        out[j + 3] = math.sqrt(wide) * rel * fast
        j += 4
    return j


def faded(s: Scales, c: int, clock: float, spread: float, error: float) -> None:
    """One more error around centre c; `shared` comes after the last centre."""
    H, C = s.ones.shape[0], s.levels.shape[0]
    level = s.levels[c, FAST] / s.ones[FAST] if s.ones[FAST] > 0.0 else error
    for h in range(H):
        s.levels[c, h] = s.fades[h] * s.levels[c, h] + error
    rel = min(error, MOST * level) / level if level > 0.0 else 1.0
    fade = s.fades[H]
    for i in range(s.seasons.shape[0]):
        p = place(s, i, clock)
        s.slots[c, p] = fade * s.slots[c, p] + error
        s.slots[C + c, p] = fade * s.slots[C + c, p] + rel
    if spread > 0.0:
        slow = s.fades[SLOW]
        s.apart[2 + c] = slow * s.apart[2 + c] + min(error, MOST * spread) / spread


def shared(s: Scales, clock: float, spread: float, error: float) -> None:
    """What all centres share, after one more error of the forecast."""
    H = s.ones.shape[0]
    for h in range(H):
        s.ones[h] = s.fades[h] * s.ones[h] + 1.0
    fade = s.fades[H]
    for i in range(s.seasons.shape[0]):
        p = place(s, i, clock)
        s.visits[p] = fade * s.visits[p] + 1.0
        s.signed[0, p] = fade * s.signed[0, p] + error
        s.signed[1, p] = error
    if spread > 0.0:
        slow = s.fades[SLOW]
        s.apart[0] = slow * s.apart[0] + spread
        s.apart[1] = slow * s.apart[1] + 1.0
    fast = s.fades[0]
    s.recent[0] = error
    s.recent[1] = fast * s.recent[1] + error
    s.recent[2] = fast * s.recent[2] + 1.0
