"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .aci import ACI as ACI
from .conformal_pid import ConformalPID as ConformalPID
from .cover import Cover as Cover
from .decaying_tracker import DecayingTracker as DecayingTracker
from .dtaci import DtACI as DtACI
from .group_tracker import GroupTracker as GroupTracker
from .halving_sets import HalvingSets as HalvingSets
from .kt_betting import KTBetting as KTBetting
from .quantile_tracker import QuantileTracker as QuantileTracker
from .saocp import SAOCP as SAOCP
from .sf_ogd import SFOGD as SFOGD
