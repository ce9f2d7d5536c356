"""Which part of a mixture had the most weight, and when.

>>> leads = init_leads(2)
>>> for t, first in enumerate([0.6, 0.4, 0.3, 0.9]):
...     update_leads(leads, np.array([first, 1.0 - first]), t)
>>> for lead in name_leads(leads, ("line", "tree"), 4):
...     print(lead.name, round(lead.share, 6), lead.first, lead.last, lead.led)
line 0.55 1 1 0.5
tree 0.45 2 3 0.5
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.learner import Lead
from ...core.stream import Array

# Rows of `parts`: the sum of the weights; rounds in which it led; first and last round of its longest lead, from 1.
WEIGHT, LED, FIRST, LAST, LEAD_ROWS = range(5)
LEADER, SINCE = 0, 1  # entries of `now`: who leads, and the round since when


class Leads(NamedTuple):
    parts: Array  # LEAD_ROWS x parts
    now: Array


def init_leads(m: int) -> Leads:
    """Before the first round, of m parts."""
    return Leads(parts=np.zeros((LEAD_ROWS, m)), now=np.array([-1.0, 0.0]))


def update_leads(leads: Leads, weights: Array, t: int) -> None:
    """Count a round, after t others, in which the parts had these weights."""
    parts, now, best = leads.parts, leads.now, 0
    for j in range(weights.shape[0]):
        parts[WEIGHT, j] += weights[j]
        if weights[j] > weights[best]:
            best = j
    if now[LEADER] != best:
        now[LEADER], now[SINCE] = best, t + 1.0
    parts[LED, best] += 1.0
    longest = parts[LAST, best] - parts[FIRST, best] + 1.0 if parts[FIRST, best] > 0.0 else 0.0
    if t + 2.0 - now[SINCE] > longest:
        parts[FIRST, best], parts[LAST, best] = now[SINCE], t + 1.0


def name_leads(leads: Leads, names: tuple[str, ...], t: int) -> list[Lead]:
    """The leads of the parts after t rounds, the heaviest part first."""
    parts = leads.parts
    found = [
        Lead(name, float(parts[WEIGHT, j]) / t, int(parts[FIRST, j]), int(parts[LAST, j]), float(parts[LED, j]) / t)
        for j, name in enumerate(names)
    ]  # fmt: skip
    return sorted(found, key=lambda lead: -lead.share)
