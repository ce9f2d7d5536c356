"""The rooms of learners, whose import makes every learner known to the registry, and of theorems about models."""

from __future__ import annotations

import importlib
import pkgutil

from .core.guarantee import Guarantee

ROOMS = (
    "experts",
    "linear",
    "kernel",
    "convex",
    "bandits",
    "memory",
    "matrices",
    "graphs",
    "conformal",
)
MODELS = ("supervised",)  # rooms whose files hold guarantees that no learner carries
PACKAGE = __name__.partition(".")[0]


def walk() -> tuple[str, ...]:
    """Import every learner file; the names of the modules, which are those that a saved file may mention."""
    return imported(ROOMS)


def theorems() -> dict[str, Guarantee]:
    """Every guarantee about a fitted model, by id."""
    import sys

    found: dict[str, Guarantee] = {}
    for name in imported(MODELS):
        here = [v for v in vars(sys.modules[name]).values() if isinstance(v, Guarantee)]
        found |= {g.id: g for g in here}
    return found


def imported(rooms: tuple[str, ...]) -> tuple[str, ...]:
    """Import every file of these rooms; the names of the modules."""
    found = []
    for room in rooms:
        package = importlib.import_module(f"{PACKAGE}.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{PACKAGE}.{room}."):
            importlib.import_module(module.name)
            found.append(module.name)
    return tuple(found)
