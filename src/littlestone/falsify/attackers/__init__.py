"""Every attacker, by name: each is one small file with a function `attack`."""

from __future__ import annotations

from ..hunt import Attack
from . import (
    ascent,
    balance,
    blocks,
    coverage,
    exhaustive,
    extremes,
    greedy,
    literature,
    local,
    places,
    scatter,
    sweep,
    tree,
)

ATTACKERS: dict[str, Attack] = {
    "balance": balance.attack,
    "places": places.attack,
    "coverage": coverage.attack,
    "exhaustive": exhaustive.attack,
    "tree": tree.attack,
    "literature": literature.attack,
    "scatter": scatter.attack,
    "blocks": blocks.attack,
    "greedy": greedy.attack,
    "local": local.attack,
    "ascent": ascent.attack,
    "sweep": sweep.attack,
    "extremes": extremes.attack,
}
