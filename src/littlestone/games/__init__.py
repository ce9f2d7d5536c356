"""The games: how a decision becomes an action, what it costs, and what the learner is shown."""

from __future__ import annotations

from ..core.game import Game as Game
from ..core.game import Shape as Shape
from .bandit import Bandit as Bandit
from .bandit import Offer as Offer
from .bandit import Pulled as Pulled
from .bandit import available as available
from .bandit import count_absences as count_absences
from .bandit import offers as offers
from .convex import Convex as Convex
from .convex import Gradient as Gradient
from .examples import Classes as Classes
from .examples import Coin as Coin
from .examples import Labels as Labels
from .examples import Margin as Margin
from .examples import Regression as Regression
from .examples import RegressionFrom as RegressionFrom
from .examples import with_offset as with_offset
from .experts import Advice as Advice
from .experts import Allocation as Allocation
from .experts import Draw as Draw
from .experts import Losses as Losses
from .experts import Sleeping as Sleeping
from .experts import Substitution as Substitution
from .experts import Tangent as Tangent
from .experts import Vote as Vote
from .room import Room as Room
from .room import make_scratch as make_scratch
from .sets import Missed as Missed
from .sets import PredictionInterval as PredictionInterval

GAMES = (
    Allocation,
    Advice,
    Substitution,
    Tangent,
    Vote,
    Draw,
    Labels,
    Margin,
    Regression,
    RegressionFrom,
    Classes,
    Coin,
    Convex,
    PredictionInterval,
    Bandit,
)
