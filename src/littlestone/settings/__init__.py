"""What a learner is given: advice, losses, examples or arms. A new kind of rounds is one more class here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .arms import Arms as Arms
from .arms import Round as Round
from .examples import Examples as Examples
from .experts import Advice as Advice
from .experts import Losses as Losses
from .setting import Known as Known
from .setting import Setting as Setting

if TYPE_CHECKING:
    from ..core.learner import Learner

KINDS: dict[str, type[Setting]] = {c.given: c for c in (Advice, Losses, Examples, Arms)}


def fitted(learner: Learner[Any, Any, Any, Any], known: Known, losses: bool) -> Setting:
    """Fit a learner to what is known before its first round; `losses`: rounds bring losses, and no outcomes."""
    game = learner.game(losses)
    return KINDS[game.traits().given].fitted(learner, game, known)
