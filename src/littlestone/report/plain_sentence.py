"""One plain sentence about a run: would something simple have been better, and does its bound say anything?

The table, the page, `repr`, notebooks and JSON lead with it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..run.run import Run
from .page import in_words
from .references import simple_references
from .simple import Reference
from .words import entrants

LITTLE = 10.0  # a bound of more than so many times the loss says little


def sentence_of(loss: float, simple: Sequence[tuple[str, float]], bound: float = math.nan) -> str:
    """The sentence, from the loss of a learner, the losses of simple answers, and the bound on its regret.

    What is not known is left out; where nothing is, the sentence is empty.

    >>> sentence_of(125.2, [("the mean of the experts", 123.6), ("a constant", 400.0)])
    'the mean of the experts would have been better (123.6 against 125.2)'
    >>> sentence_of(10.0, [("a constant", 12.5), ("the value before", 40.0)])
    'better than a constant (10 against 12.5) and anything as simple'
    >>> sentence_of(10.0, [], bound=150.0)
    'the bound is more than ten times the loss: it says little here'
    """
    known = [(lost, name) for name, lost in simple if not math.isnan(lost)]
    parts = []
    if known and not math.isnan(loss):
        lost, name = min(known)
        apart = 1e-9 * max(abs(lost), abs(loss))
        if lost < loss - apart:
            parts.append(f"{name} would have been better ({numbers(lost, loss)})")
        elif loss < lost - apart:
            parts.append(f"better than {name} ({numbers(loss, lost)}) and anything as simple")
        else:
            parts.append(f"no better than {name} ({in_words(loss)})")
    if 0.0 < LITTLE * loss < bound:
        parts.append("the bound is more than ten times the loss: it says little here")
    return "; ".join(parts)


def numbers(first: float, second: float) -> str:
    """Two numbers, in as many digits as tell them apart.

    >>> numbers(123.6, 125.2), numbers(0.25001, 0.25002), numbers(1181.2, 1181.4)
    ('123.6 against 125.2', '0.25001 against 0.25002', '1,181.2 against 1,181.4')
    """
    if in_words(first) != in_words(second):
        return f"{in_words(first)} against {in_words(second)}"
    for digits in range(5, 17):
        each = [f"{v:,.{digits}g}" for v in (first, second)]
        if each[0] != each[1]:
            break
    return " against ".join(each)


def plain_sentence(*every: Run) -> str:
    """The sentence about a run, or about the runs of all keys together; losses and mistakes are those a round.

    What a theorem promises is looked at where certificates were made: to make one may take a search.
    """
    total = math.fsum(run.importance for run in every)
    if not any(run.answered for run in every):
        return "no row has an outcome: nothing was learned, and nothing can be compared"
    if not total:
        return ""
    labels = all(run.classifies for run in every)
    own = math.fsum(run.mistakes if labels else run.loss for run in every)
    simple = [
        (name_of(r, every[0]), (r.mistakes if labels else r.loss) / total)
        for r in simple_references(list(every))
    ]
    bound = known_bound(every) / total
    charged = math.fsum(run.loss for run in every) / total
    if labels and LITTLE * charged < bound:  # the bound is on the loss, which may be another number
        return "; ".join(
            filter(None, [sentence_of(own / total, simple), sentence_of(charged, [], bound)])
        )
    return sentence_of(own / total, simple, math.nan if labels else bound)


def known_bound(every: Sequence[Run]) -> float:
    """The bounds of all runs together; NaN where certificates were not made, which may take a search."""
    for run in every:
        if not run.transcript.certify or (run.traits.kind.has_examples and not run.judged):
            return math.nan
    return math.fsum(run.bound for run in every)


def name_of(r: Reference, run: Run) -> str:
    """What the sentence calls a simple answer."""
    if r.kind == "uniform":
        all_ = entrants(run)
        return "an arm at random" if all_ == "arms" else f"the mean of the {all_}"
    if r.kind == "previous":
        what = "label" if run.traits.classes else "value"
        return f"the last {what} known" if run.transcript.delay else f"the {what} before"
    return "a constant" if r.kind == "constant" else r.name
