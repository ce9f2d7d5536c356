"""`--threshold` and `--cost`: what decisions cost, as a command line says it."""

from __future__ import annotations

from ..core.costs import Costs, costs_of
from ..core.errors import BadInput
from .parsed_options import Options

THRESHOLD = "--threshold must be a probability, 0.2, or one of a class, yes=0.2"
COST = "--cost must be DECIDED,TRUE=NUMBER, as no,yes=5: to decide for no where yes is true costs 5"


def decision_costs(options: Options) -> Costs | None:
    """The costs that the options say; None where they say nothing.

    >>> decision_costs(Options(cost=("no,yes=5", "yes,no=2"))).listed
    {('no', 'yes'): 5.0, ('yes', 'no'): 2.0}
    >>> decision_costs(Options(threshold="yes=0.2")).positive
    'yes'
    """
    if options.threshold is not None and options.cost:
        raise BadInput(
            "--threshold and --cost: a threshold stands for costs; leave one of them out"
        )
    if options.threshold is not None:
        name, named, number = options.threshold.rpartition("=")
        value = as_number(number, f"{THRESHOLD}; not {options.threshold!r}")
        return costs_of(threshold={name: value} if named else value)
    listed = {}
    for text in options.cost:
        pair, _, number = text.rpartition("=")
        wrong = f"{COST}; not {text!r}"
        said, comma, true = (part.strip() for part in pair.partition(","))
        if not (comma and said and true) or "," in true:
            raise BadInput(wrong)
        listed[said, true] = as_number(number, wrong)
    return costs_of(listed) if listed else None


def as_number(text: str, wrong: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadInput(wrong) from None
