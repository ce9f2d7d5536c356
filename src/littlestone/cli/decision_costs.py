"""`--threshold` and `--cost`: what decisions cost, as a command line says it."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.costs import Costs, costs_of
from ..core.errors import BadInput

THRESHOLD = "--threshold must be a probability, 0.2, or one of a class, yes=0.2"
COST = "--cost must be DECIDED,TRUE=NUMBER, as no,yes=5: to decide for no where yes is true costs 5"


def costs_in_words(threshold: str | None, cost: Sequence[str]) -> Costs | None:
    """The costs that the options say.

    >>> costs_in_words(None, ["no,yes=5", "yes,no=2"]).listed
    {('no', 'yes'): 5.0, ('yes', 'no'): 2.0}
    >>> costs_in_words("yes=0.2", ()).positive
    'yes'
    """
    if threshold is not None and cost:
        raise BadInput(
            "--threshold and --cost: a threshold stands for costs; leave one of them out"
        )
    if threshold is not None:
        name, named, number = threshold.rpartition("=")
        value = as_number(number, f"{THRESHOLD}; not {threshold!r}")
        return costs_of(threshold={name: value} if named else value)
    listed = {}
    for text in cost:
        pair, _, number = text.rpartition("=")
        wrong = f"{COST}; not {text!r}"
        said, comma, true = (part.strip() for part in pair.partition(","))
        if not (comma and said and true) or "," in true:
            raise BadInput(wrong)
        listed[said, true] = as_number(number, wrong)
    return costs_of(listed)


def as_number(text: str, wrong: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadInput(wrong) from None
