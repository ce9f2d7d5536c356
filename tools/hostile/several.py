"""Several theorems at once, and one word for them: planted promises that are kept, broken, vacuous or unknown."""

from __future__ import annotations

from typing import Any

import numpy as np

import littlestone as ls
from littlestone.core.guarantee import Assumption, Guarantee

from .checked_verdict import CheckedVerdict
from .planted import Planted, PlantedLabels

NEVER = Assumption("nothing", lambda s: "it is never met")
WORDS = ("kept", "broken", "vacuous", "unknown")


def attack(rng: np.random.Generator, engine: str) -> CheckedVerdict:
    """A run with up to five theorems whose verdicts are known; a few have no answer, and then none is known."""
    words = [str(w) for w in rng.choice(WORDS, int(rng.integers(0, 6)))]
    T, silent, advised = int(rng.integers(1, 9)), rng.random() < 0.25, rng.random() < 0.5
    y = np.full(T, np.nan) if silent else rng.integers(0, 2, T) * 1.0
    first: Any = Planted if advised else PlantedLabels

    class Several(first, abstract=True):  # type: ignore[misc]
        guarantees = tuple(promise(w, k, advised) for k, w in enumerate(words))

    more = {} if advised else {"labels": [0.0, 1.0]}
    x = rng.random((T, 2))
    certificate = ls.play(Several(), x, y, engine="plain", **more).certificate
    expected = ["unknown"] * len(words) if silent else words
    said, what = [v.verdict for v in certificate], f"{words}, {'silent' if silent else 'answered'}"
    word = certificate.verdict
    if said != expected:
        return CheckedVerdict(word, f"{said}, and not {expected} ({what})")
    if word != in_one_word(expected):
        return CheckedVerdict(word, f"{word}, and not {in_one_word(expected)} ({what})")
    return CheckedVerdict(word)


def promise(word: str, k: int, advised: bool) -> Guarantee:
    """A theorem with this verdict: numbers of a run are far from 1e6, and not below -1e6."""
    size = {"kept": 1e6, "broken": -1e6, "vacuous": 1e6, "unknown": float("nan")}[word]
    against, measures = ("expert", "regret") if advised else ("none", "mistakes")
    needs = (NEVER,) if word == "vacuous" else ()
    return Guarantee(f"T-{k}", "planted", "", "", lambda s: size, against, measures, needs)


def in_one_word(words: list[str]) -> str:
    """What the table of docs/certificates.md says, written again."""
    if not words:
        return "none"
    if "broken" in words:
        return "broken"
    if "kept" in words:
        return "kept"
    return "unknown" if "unknown" in words else "vacuous"
