"""`ls.play` and `ls.learner`. What editors and type checkers see of `play` is in play.pyi.

Signature, docstring and stub of `play` are made of the declarations of its options: door/signature.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..core import registry
from ..core.learner import Learner
from .request import AnyLearner, make_request
from .rounds import play_request
from .signature import docstring_of_play, signature_of_play

if TYPE_CHECKING:
    from ..run.run import Run, Runs
    from ..run.seeds import SeedRuns


def play(
    learner: AnyLearner | str | Mapping[Any, AnyLearner], data: Any, outcomes: Any = None, **options: Any
) -> Run | Runs | SeedRuns:  # fmt: skip
    request = make_request(learner, data, outcomes, options)
    return play_request(request, bar=options.get("progress") is None)


play.__doc__ = docstring_of_play()
play.__signature__ = signature_of_play()  # type: ignore[attr-defined]


def learner(key: str, **parameters: Any) -> Learner[Any, Any, Any, Any]:
    """Any learner of the registry, by key."""
    return registry.learner(key, **parameters)


__all__ = ["learner", "play"]
