"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .learners.aci import ACI as ACI
from .learners.conformal_pid import ConformalPID as ConformalPID
from .learners.cover import Cover as Cover
from .learners.decaying_tracker import DecayingTracker as DecayingTracker
from .learners.dtaci import DtACI as DtACI
from .learners.group_tracker import GroupTracker as GroupTracker
from .learners.halving_sets import HalvingSets as HalvingSets
from .learners.kt_betting import KTBetting as KTBetting
from .learners.quantile_tracker import QuantileTracker as QuantileTracker
from .learners.saocp import SAOCP as SAOCP
from .learners.sf_ogd import SFOGD as SFOGD
from .sets.intervals import intervals as intervals
from .sets.live_intervals import Intervals as Intervals
from .sets.prediction_sets import PredictionSets as PredictionSets
