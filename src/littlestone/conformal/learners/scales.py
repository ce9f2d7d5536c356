"""How large errors are at present: several answers, which `cover` mixes.

A centre is the forecast itself, or the forecast plus what is left of the last errors (`regression`). Around each:

    level    mean errors over 12, 72, 500 and 5000 rounds (half-lives)
    season   for each season: the mean error of this hour (or weekday, …); and in units of the level, times the level
    spread   how far the forecasters are apart, in units of errors; times the level, fully and by its root
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.stream import Array

HALF_LIVES = (12.0, 72.0, 500.0, 5000.0)  # of the errors that make up a level, in rounds
FAST, SLOW = 1, 2  # the levels that seasons and the spread are multiplied with
VISITS = 12.0  # half-life of what is known of a place in a season, in visits
FADES = tuple(0.5 ** (1.0 / h) for h in HALF_LIVES)  # what is left of a sum after one round more
VISIT = 0.5 ** (1.0 / VISITS)
CENTRES = 2
OF_SEASON, OF_SPREAD = 2, 4  # scales that a season, and the spread, add to each centre
MOST = 1e6  # an error counts as at most so many times the level, or the spread


# One array of sums, so that one round from Python hands over few of them; where each begins:
ONES, LEVELS = 0, 4  # sums of ones, and of errors around each centre: four half-lives each
APART = LEVELS + 4 * CENTRES  # spreads, ones, and errors in units of the spread, one a centre
RECENT = APART + 2 + CENTRES  # the last error; errors with their signs over 12 rounds, and ones
# Rows of what is known of the places of seasons: errors around each centre, the same in units of the level, …
SIGNED, LAST, VISITS_OF = (
    2 * CENTRES,
    2 * CENTRES + 1,
    2 * CENTRES + 2,
)  # with their signs, the last one, ones


def sums() -> Array:
    """Before the first round."""
    return np.zeros(RECENT + 3)


def season_lengths(seasons: tuple[float, ...]) -> Array:
    """How many places each season has, and where its places begin."""
    lengths = np.array(seasons, dtype=np.float64)
    return np.concatenate([lengths, np.cumsum(lengths) - lengths])


def slots(seasons: tuple[float, ...]) -> Array:
    """What is known of each place: nothing."""
    return np.zeros((VISITS_OF + 1, max(1, int(sum(seasons)))))


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


def place(lengths: Any, i: int, clock: float) -> int:
    """Where in the arrays this moment of season i is."""
    return int(lengths[lengths.shape[0] // 2 + i]) + int(clock % lengths[i])


def known_errors(v: Any, at: Any, lengths: Any, clock: float, f: Any, j: int) -> None:
    """Write down the features of the regression, from place j of f on."""
    f[j] = v[RECENT]
    f[j + 1] = v[RECENT + 1] / v[RECENT + 2] if v[RECENT + 2] > 0.0 else 0.0
    for i in range(lengths.shape[0] // 2):
        p = place(lengths, i, clock)
        f[j + 2 + 2 * i] = at[SIGNED, p] / at[VISITS_OF, p] if at[VISITS_OF, p] > 0.0 else 0.0
        f[j + 3 + 2 * i] = at[LAST, p]


def present(
    v: Any, at: Any, lengths: Any, c: int, clock: float, spread: float, has: int, out: Any, j: int
) -> int:
    """Write down the scales around centre c, from place j of `out` on; the place after the last."""
    for h in range(4):
        out[j + h] = v[LEVELS + 4 * c + h] / v[ONES + h]
    fast, slow, rel = out[j + FAST], out[j + SLOW], 1.0
    j += 4
    for i in range(lengths.shape[0] // 2):
        p = place(lengths, i, clock)
        n = at[VISITS_OF, p] + 1.0  # one visit more, at which all was as usual
        out[j] = (at[c, p] + slow) / n
        share = (at[CENTRES + c, p] + 1.0) / n
        out[j + 1] = share * fast
        rel = share if i == 0 else rel
        j += 2
    if has > 0:
        ones = v[APART + 1]
        mean = v[APART] / ones if ones > 0.0 else 0.0
        wide = min(max(spread / mean, 1e-3), 1e3) if mean > 0.0 else 1.0
        out[j] = (v[APART + 2 + c] / ones if ones > 0.0 else 0.0) * spread
        out[j + 1] = wide * fast
        out[j + 2] = math.sqrt(wide) * slow
        out[j + 3] = math.sqrt(wide) * rel * fast
        j += 4
    return j


def faded(v: Any, at: Any, lengths: Any, c: int, clock: float, spread: float, error: float) -> None:
    """One more error around centre c; `shared` comes after the last centre."""
    level = v[LEVELS + 4 * c + FAST] / v[ONES + FAST] if v[ONES + FAST] > 0.0 else error
    for h in range(4):
        v[LEVELS + 4 * c + h] = FADES[h] * v[LEVELS + 4 * c + h] + error
    rel = min(error, MOST * level) / level if level > 0.0 else 1.0
    for i in range(lengths.shape[0] // 2):
        p = place(lengths, i, clock)
        at[c, p] = VISIT * at[c, p] + error
        at[CENTRES + c, p] = VISIT * at[CENTRES + c, p] + rel
    if spread > 0.0:
        v[APART + 2 + c] = FADES[SLOW] * v[APART + 2 + c] + min(error, MOST * spread) / spread


def shared(v: Any, at: Any, lengths: Any, clock: float, spread: float, error: float) -> None:
    """What all centres share, after one more error of the forecast."""
    for h in range(4):
        v[ONES + h] = FADES[h] * v[ONES + h] + 1.0
    for i in range(lengths.shape[0] // 2):
        p = place(lengths, i, clock)
        at[VISITS_OF, p] = VISIT * at[VISITS_OF, p] + 1.0
        at[SIGNED, p] = VISIT * at[SIGNED, p] + error
        at[LAST, p] = error
    if spread > 0.0:
        v[APART] = FADES[SLOW] * v[APART] + spread
        v[APART + 1] = FADES[SLOW] * v[APART + 1] + 1.0
    v[RECENT] = error
    v[RECENT + 1] = FADES[0] * v[RECENT + 1] + error
    v[RECENT + 2] = FADES[0] * v[RECENT + 2] + 1.0
