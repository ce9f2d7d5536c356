"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .adahedge import AdaHedge as AdaHedge
from .boa import BOA as BOA
from .consistent import Consistent as Consistent
from .exponential_weights import ExponentialWeights as ExponentialWeights
from .exponential_weights import Hedge as Hedge
from .exponential_weights import RandomizedWeightedMajority as RandomizedWeightedMajority
from .fixed_share import FixedShare as FixedShare
from .fixed_share import VariableShare as VariableShare
from .halving import Halving as Halving
from .halving_cover import HalvingCover as HalvingCover
from .halving_disjunctions import HalvingDisjunctions as HalvingDisjunctions
from .mixing_past_posteriors import MixingPastPosteriors as MixingPastPosteriors
from .ml_poly import MLPoly as MLPoly
from .soa import SOA as SOA
from .squint import Squint as Squint
from .tracker import Tracker as Tracker
from .weighted_average import AggregatingAlgorithm as AggregatingAlgorithm
from .weighted_average import WeightedAverage as WeightedAverage
from .weighted_majority import WeightedMajority as WeightedMajority
