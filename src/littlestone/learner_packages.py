"""The packages of learners, whose import makes every learner known to the registry, and of theorems about models."""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from importlib.metadata import entry_points
from typing import Any

from .core.errors import PluginLeftOut
from .core.guarantee import Guarantee
from .core.learner import Learner

LEARNER_PACKAGES = (
    "experts",
    "linear",
    "kernels.learners",
    "convex",
    "bandits",
    "memory",
    "matrices",
    "graphs.learners",
    "conformal.learners",
    "trees",
    "refitted",
    "mixtures",
)
OTHER_NAMES = {"auto": "mixture"}  # of learners
MODEL_PACKAGES = ("supervised",)  # packages whose files hold guarantees that no learner carries
GROUP = "littlestone.learners"  # of the entry points of other distributions
PACKAGE = __name__.partition(".")[0]


def walk() -> tuple[str, ...]:
    """Import every learner file; the names of the modules, which are those that a saved file may mention.

    Other distributions name modules of learners of theirs as entry points of the group `littlestone.learners`. These
    are imported, too. One that cannot be imported is left out with a warning, and harms no other.
    """
    for entry in entry_points(group=GROUP):
        try:
            entry.load()
        except Exception as problem:  # whatever the code of another distribution raises
            where = f"{entry.dist.name}: " if entry.dist is not None else ""
            warnings.warn(
                f"{where}the learners of {entry.value} are left out, as it cannot be imported: {problem}",
                PluginLeftOut,
                stacklevel=2,
            )
    return imported(LEARNER_PACKAGES)


def import_learner(key: str) -> None:
    """Import the file of the learner of this key: `fixed-share` is the class FixedShare."""
    here = importlib.import_module(PACKAGE)
    without_dashes = key.replace("-", "").lower()
    for name, module in here._WHERE.items():
        if name.lower() == without_dashes and module.rpartition(".")[0] in LEARNER_PACKAGES:
            getattr(here, name)


def as_learner(v: Any) -> Learner[Any, Any, Any, Any] | None:
    """The learner that fits an estimator of scikit-learn's kind anew; None where it is no such estimator."""
    from .refitted.estimator import is_estimator, predicts_numbers

    if not is_estimator(v):
        return None
    from .refitted.refitted import Refitted
    from .refitted.refitted_regression import RefittedRegression

    return RefittedRegression(estimator=v) if predicts_numbers(v) else Refitted(estimator=v)


def theorems() -> dict[str, Guarantee]:
    """Every guarantee about a fitted model, by id."""
    import sys

    found: dict[str, Guarantee] = {}
    for name in imported(MODEL_PACKAGES):
        here = [v for v in vars(sys.modules[name]).values() if isinstance(v, Guarantee)]
        found |= {g.id: g for g in here}
    return found


def imported(packages: tuple[str, ...]) -> tuple[str, ...]:
    """Import every file of these packages; return the names of the modules."""
    found = []
    for name in packages:
        package = importlib.import_module(f"{PACKAGE}.{name}")
        for module in pkgutil.walk_packages(package.__path__, f"{PACKAGE}.{name}."):
            importlib.import_module(module.name)
            found.append(module.name)
    return tuple(found)
