"""`ls.play` and `ls.learner`. What editors and type checkers see of `play` is in play.pyi.

Signature, docstring and stub of `play` are made of the declarations of its options: play/signature.py.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..core import registry
from ..core.learner import Learner
from ..core.notebook import in_notebook
from .request import AnyLearner, make_request
from .rounds import open_rounds, play_rounds, play_with_bar
from .signature import docstring_of_play, signature_of_play

if TYPE_CHECKING:
    from ..run.run import Run, Runs
    from ..run.seeds import SeedRuns


def play(
    learner: AnyLearner | str | Mapping[Any, AnyLearner], data: Any, outcomes: Any = None, **options: Any
) -> Run | Runs | SeedRuns:  # fmt: skip
    request, stream = open_rounds(make_request(learner, data, outcomes, options))
    unset = options.get("progress") is None
    if unset and "ipykernel.zmqshell" in sys.modules and in_notebook():
        return play_with_bar(request, stream)
    return play_rounds(request, stream)


play.__doc__ = docstring_of_play()
play.__signature__ = signature_of_play()  # type: ignore[attr-defined]


def learner(key: str, **parameters: Any) -> Learner[Any, Any, Any, Any]:
    """Any learner of the registry, by key."""
    return registry.learner(key, **parameters)


__all__ = ["learner", "play"]
