"""The rooms of learners: importing them makes every learner known to the registry."""

from __future__ import annotations

import importlib
import pkgutil

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
PACKAGE = __name__.partition(".")[0]


def walk() -> tuple[str, ...]:
    """Import every learner file; the names of the modules, which are those that a saved file may mention."""
    found = []
    for room in ROOMS:
        package = importlib.import_module(f"{PACKAGE}.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{PACKAGE}.{room}."):
            importlib.import_module(module.name)
            found.append(module.name)
    return tuple(found)
