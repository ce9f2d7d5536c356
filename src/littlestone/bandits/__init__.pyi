"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .epsilon_greedy import EpsilonGreedy as EpsilonGreedy
from .exp3 import EXP3 as EXP3
from .exp3_exploring import EXP3Exploring as EXP3Exploring
from .exp3_ix import EXP3IX as EXP3IX
from .exp3_s import EXP3S as EXP3S
from .exp4 import EXP4 as EXP4
from .explore_then_commit import ExploreThenCommit as ExploreThenCommit
from .kl_ucb import KLUCB as KLUCB
from .linear_thompson import LinearThompson as LinearThompson
from .linucb import LinUCB as LinUCB
from .moss import MOSS as MOSS
from .thompson import GaussianThompson as GaussianThompson
from .thompson import Thompson as Thompson
from .tsallis_inf import TsallisINF as TsallisINF
from .ucb1 import UCB1 as UCB1
