"""Text as words: each word is a feature of its own, lower-cased, and so are runs of words where that is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

WORD = re.compile(r"\w+(?:['’]\w+)*")
FEW = 10  # texts; with fewer, words and categories cannot be told apart
MANY = 50  # texts, nearly all of them different, that are worth a note
WORDS = 3.0  # words that a text has on average, where it is no category


def features(column: str, text: str, ngram: int = 1) -> list[str]:
    """The features of a text: "column=word" for each word, and for each run of up to `ngram` words.

    >>> features("message", "Free entry, FREE!")
    ['message=free', 'message=entry', 'message=free']
    >>> features("m", "win a prize", 2)
    ['m=win', 'm=a', 'm=prize', 'm=win a', 'm=a prize']
    """
    words = WORD.findall(text.lower())
    found = [f"{column}={word}" for word in words]
    for n in range(2, ngram + 1):
        found += [f"{column}={' '.join(words[i : i + n])}" for i in range(len(words) - n + 1)]
    return found


def are_words(texts: Sequence[str]) -> bool:
    """Are these texts sentences, most of them different, rather than categories?

    >>> are_words([f"message number {i} of many" for i in range(20)])
    True
    >>> are_words(["New York", "Rio de Janeiro"] * 10)
    False
    """
    if len(texts) < FEW or len(set(texts)) * 2 < len(texts):
        return False
    return sum(len(t.split()) for t in texts) >= WORDS * len(texts)


def note(column: str, texts: Sequence[str], words: bool) -> str | None:
    """A note for the user about a column of text whose values are nearly all different; else None."""
    if words:
        return f"{column!r} is read as words, as it holds sentences; text=[] makes each text a category"
    different = len(set(texts))
    if len(texts) < MANY or different < 0.9 * len(texts):
        return None
    return (
        f"{column!r} has {different:,} different texts in {len(texts):,} rows, each a category of its own; "
        f"text=[{column!r}] reads words, features=['!{column}'] leaves it out"
    )
