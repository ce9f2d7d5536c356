"""Where sessions begin: afresh, or from where a learner is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.errors import BadInput
from .session import Session

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..encode.stream import Stream
    from .options import PlayOptions
    from .plan import Plan

    AnyLearner = Learner[Any, Any, Any, Any]


def begin_session(learner: AnyLearner, stream: Stream, plan: Plan, key: Any = None) -> Session:
    """The session of a learner, or of a key; a learner that goes on is copied, and stays as it is."""
    how = plan.options
    if not how.resume:
        return Session(learner, plan, stream)
    one = learner if how.by_key is None else how.by_key.get(key)
    return Session(learner, plan, stream, None if one is None else one.begun().copied())


def refuse_resume(learner: AnyLearner, stream: Stream, options: PlayOptions) -> None:
    """Refuse to go on where nothing was learned, or where names are hashed to another number of places."""
    if options.by_key is None and learner.live is None:
        raise BadInput(f"{learner.key} cannot resume: it has not seen a round yet")
    if not learner.examples:
        return
    one = next(iter(options.by_key.values())) if options.by_key else learner
    known = one.begun().bits
    if known and stream.bits and known != stream.bits:
        raise BadInput(
            f"{one.key} was trained on names hashed to 2^{known} places; here they are hashed to "
            f"2^{stream.bits}: bits={known} hashes them as then"
        )
