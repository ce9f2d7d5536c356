"""Every learner, by key, and every guarantee, by id. Their files are imported when the registry is asked for them."""

from __future__ import annotations

import functools
from typing import Any

from .errors import BadInput
from .guarantee import Guarantee
from .hooks import hook
from .learner import Learner, defaults, loaded

AnyLearner = Learner[Any, Any, Any, Any]


@functools.cache
def walk() -> tuple[str, ...]:
    """Import every learner file of the package; the names of the modules."""
    names: tuple[str, ...] = hook("learner_packages").walk()
    return names


def learners() -> dict[str, type[AnyLearner]]:
    """Key -> class, those of the user included, in the order of their keys."""
    walk()
    return dict(sorted(loaded_learners().items()))


def loaded_learners() -> dict[str, type[AnyLearner]]:
    """Key -> class, of the files that were imported so far, in the order in which they were imported."""
    found: dict[str, type[AnyLearner]] = {}

    def visit(cls: type[AnyLearner]) -> None:
        for sub in cls.__subclasses__():
            if not sub.abstract:
                found[sub.key] = sub
            visit(sub)

    visit(Learner)
    return found


def of_key(key: str) -> type[AnyLearner] | None:
    """Find the class of a key: import the file of that name, and all other files only where that does not have it.

    All of them take 0.15 s to import, half as long as Numba.
    """
    key = hook("learner_packages").OTHER_NAMES.get(key, key)
    hook("learner_packages").import_learner(key)
    return loaded_learners().get(key) or learners().get(key)


def guarantees() -> dict[str, Guarantee]:
    """Id -> theorem: those that learners carry, and those about models that were fitted to all rows at once.

    >>> guarantees()["T-VALIDATION-EXACT"].name
    'the exact validation bound'
    """
    found = {g.id: g for cls in learners().values() for g in cls.guarantees}
    return dict(sorted((found | hook("learner_packages").theorems()).items()))


def learner(key: str | AnyLearner, **parameters: Any) -> AnyLearner:
    """Make a learner by key.

    >>> learner("hedge", eta=0.5).eta
    0.5

    "auto" is the mixture: what to take for a table, whether its outcomes are classes or numbers. An estimator of
    scikit-learn's kind becomes a learner that fits it anew to the rows so far.
    """
    if isinstance(key, Learner):
        return key.replace(**parameters) if parameters else key
    if isinstance(key, type):
        raise BadInput(
            f"{key.__name__} is a class: play a learner of it, as in {key.__name__}(), or its key"
        )
    if not isinstance(key, str) and (made := hook("learner_packages").as_learner(key)) is not None:
        return learner(made, **parameters)
    cls = loaded.get(str(key)) or of_key(str(key))
    if cls is None:
        from .synonyms import suggest_key

        raise BadInput(f"there is no learner {key!r}; {suggest_key(str(key), learners())}")
    for name in parameters:
        known = defaults(cls)
        if name not in known:
            names = ", ".join(known) or "none"
            raise BadInput(f"{key} has no parameter {name!r}; its parameters: {names}")
    return cls(**parameters)
