"""A small picture for the page of each learner: what it loses over two hundred rounds, beside something simple.

The pictures are made when the site is built, from the rounds of the learner's worked row (tests/support/rows), and put
into the page as SVG in the colours of its text: nothing is fetched, nothing is kept in the repository.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from littlestone.testing.kinds import Advice, Arms, Examples, Losses  # noqa: E402
from littlestone.testing.subject import Subject  # noqa: E402
from tests.support.rows import OURS, row  # noqa: E402

ROUNDS = 200
POINTS = 50  # of a curve
WIDE, HIGH, LEFT, RIGHT, TOP, BELOW = 480, 170, 48, 172, 10, 26
STYLES = (
    "stroke-width='2.2'",
    "stroke-width='1.6' stroke-dasharray='6 3'",
    "stroke-width='1.4' stroke-dasharray='1.5 3'",
)


class Line(NamedTuple):
    """A curve: the total loss after each round."""

    name: str
    losses: Any


def picture(key: str) -> str:
    """The figure of a learner, as a line of HTML."""
    subject = Subject(OURS[key](**row(key).parameters), row(key))
    before = os.environ.get("LITTLESTONE_ENGINE")
    os.environ["LITTLESTONE_ENGINE"] = "plain"
    try:
        x, y = rounds(subject)
        run = subject.play(x, y, certify=False)
    finally:
        os.environ.pop("LITTLESTONE_ENGINE")
        if before is not None:
            os.environ["LITTLESTONE_ENGINE"] = before
    lines = [Line(key, run.losses), *beside(subject, x, y, len(run.losses))]
    words = " and ".join(line.name for line in lines[1:])
    caption = f"Total loss over {len(run.losses)} rounds drawn at random" + (
        f", beside {words}." if words else "."
    )
    return f'<figure class="playing">{chart(lines, caption)}<figcaption>{caption}</figcaption></figure>'


def rounds(subject: Subject) -> tuple[Any, Any]:
    """Rounds in which there is something to learn."""
    kind, given = subject.kind, subject.row
    rng, n = np.random.default_rng(3), given.width or kind.width
    if given.sample is not None or isinstance(kind, (Examples, Arms)):
        return subject.rounds(ROUNDS, seed=3)
    if isinstance(kind, Losses):  # the first expert is best, then the last
        means = np.where(
            np.arange(ROUNDS)[:, None] < 120, np.linspace(0.3, 0.7, n), np.linspace(0.7, 0.3, n)
        )
        return None, np.clip(means + rng.uniform(-0.3, 0.3, (ROUNDS, n)), 0.0, 1.0)
    if kind.learner.labels:  # each expert errs at times, the last one never
        y = rng.integers(0, 2, ROUNDS).astype(float)
        wrong = rng.random((ROUNDS, n)) < np.linspace(0.4, 0.0, n)
        return np.where(wrong, 1.0 - y[:, None], y[:, None]), y
    y = np.round(rng.random(ROUNDS))
    noise = rng.random((ROUNDS, n)) * np.linspace(0.9, 0.35, n)
    return np.clip(np.abs(y[:, None] - noise), 0.02, 0.98), y


def beside(subject: Subject, x: Any, y: Any, T: int) -> list[Line]:
    """Something simple to compare with, where the rounds say what it would have lost."""
    kind = subject.kind
    if isinstance(kind, (Losses, Arms)):
        what = "arm" if isinstance(kind, Arms) else "expert"
        return best_and_mean(np.asarray(y, float), what)
    if isinstance(kind, Advice):
        loss = kind.traits.loss
        if loss is None or kind.learner.labels:
            return best_and_mean((np.asarray(x) != np.asarray(y)[:, None]).astype(float), "expert")
        return best_and_mean(
            np.array([[loss.at(v, b) for v in a] for a, b in zip(x, y, strict=True)]), "expert"
        )
    if isinstance(kind, Examples) and kind.traits.counts_mistakes and len(y) == T:
        values, counts = np.unique(np.asarray(y), return_counts=True)
        often = values[int(np.argmax(counts))]
        return [Line("the most frequent label", (np.asarray(y) != often).astype(float))]
    if isinstance(kind, Examples) and kind.traits.scores and len(y) == T:
        values, codes = np.unique(np.asarray(y), return_inverse=True)
        shares = np.bincount(codes, minlength=len(values)) / T
        return [Line("the shares of the labels", -np.log(shares[codes]))]
    if (
        isinstance(kind, Examples)
        and kind.traits.classes == 2
        and kind.traits.loss is not None
        and len(y) == T
    ):
        return [
            Line(
                "a score of 0",
                np.array([kind.traits.loss.at(0.0, v) for v in (-1, 1)])[(np.asarray(y) > 0) * 1],
            )
        ]
    if (
        isinstance(kind, Examples)
        and not kind.traits.classes
        and kind.traits.loss is not None
        and len(y) == T
    ):
        mean = float(np.mean(y))
        return [
            Line("the mean of all outcomes", np.array([kind.traits.loss.at(mean, v) for v in y]))
        ]
    return []


def best_and_mean(losses: Any, what: str) -> list[Line]:
    best = int(np.argmin(losses.sum(axis=0)))
    return [
        Line(f"the best {what}", losses[:, best]),
        Line(f"a random {what}", losses.mean(axis=1)),
    ]


def chart(lines: Sequence[Line], title: str) -> str:
    """Totals from the first round on, named at their right ends, in the colour of the text around them."""
    T = len(lines[0].losses)
    at = np.unique(np.linspace(0, T, POINTS + 1).round().astype(int))
    totals = [np.concatenate([[0.0], np.cumsum(line.losses)])[at] for line in lines]
    top, low = (
        max(float(v.max()) for v in totals) or 1.0,
        min(0.0, *(float(v.min()) for v in totals)),
    )
    wide, high = WIDE - LEFT - RIGHT, HIGH - TOP - BELOW

    def place(t: Any, v: float) -> tuple[float, float]:
        return LEFT + wide * float(t) / T, TOP + high * (1.0 - (v - low) / ((top - low) or 1.0))

    (x0, y0), (x1, y1) = place(0, low), place(T, top)
    parts = [
        f"<svg viewBox='0 0 {WIDE} {HIGH}' role='img' aria-label='{title}' font-size='12' fill='currentColor'>",
        f"<path d='M{x0:.0f} {y1:.0f}V{y0:.0f}H{x1:.0f}' fill='none' stroke='currentColor' opacity='.45'/>",
        f"<text x='{x0 - 5:.0f}' y='{y1 + 9:.0f}' text-anchor='end'>{top:.3g}</text>",
        f"<text x='{x0 - 5:.0f}' y='{y0:.0f}' text-anchor='end'>{low:.3g}</text>",
        f"<text x='{x1:.0f}' y='{HIGH - 8}' text-anchor='end'>round {T}</text>",
    ]
    ends = spread_out([place(T, float(v[-1]))[1] + 4 for v in totals])
    for i, (line, v, end) in enumerate(zip(lines, totals, ends, strict=True)):
        points = " ".join(
            "{:.0f},{:.1f}".format(*place(t, float(value))) for t, value in zip(at, v, strict=True)
        )
        parts.append(
            f"<polyline class='line{i}' points='{points}' fill='none' stroke='currentColor' {STYLES[i]}/>"
        )
        parts.append(f"<text class='line{i}' x='{x1 + 6:.0f}' y='{end:.0f}'>{line.name}</text>")
    return "".join([*parts, "</svg>"])


def spread_out(ends: list[float]) -> list[float]:
    """Heights of the names, at least a line apart, and inside the picture.

    >>> spread_out([50.0, 52.0, 10.0])
    [50.0, 64.0, 12.0]
    """
    order, made, last = sorted(range(len(ends)), key=ends.__getitem__), list(ends), -2.0
    for i in order:
        made[i] = last = max(ends[i], last + 14.0)
    over = max(0.0, last - (HIGH - BELOW + 4))
    return [v - over for v in made]
