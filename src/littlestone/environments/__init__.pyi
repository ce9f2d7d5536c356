"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .adversaries import contest as contest
from .adversaries import duel as duel
from .arms import Arms as Arms
from .drifting import drifting_experts as drifting_experts
from .drifting import drifting_stream as drifting_stream
from .exhaustive import worst_case as worst_case
from .exhaustive import worst_hedge as worst_hedge
from .exhaustive_winnow import worst_winnow as worst_winnow
from .iid import coin_labels as coin_labels
from .iid import coin_losses as coin_losses
from .iid import coin_stream as coin_stream
from .iid import iid_losses as iid_losses
from .iid import iid_stream as iid_stream
from .linear_adversaries import fill as fill
from .linear_adversaries import hadamard as hadamard
from .linear_adversaries import orthonormal as orthonormal
from .linear_arms import LinearArms as LinearArms
from .shifting import shifting_experts as shifting_experts
from .shifting import shifting_stream as shifting_stream
