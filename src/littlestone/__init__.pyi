"""What type checkers and editors see: the names that `__init__.py` finds when they are first asked for.

tests/docs/test_typing.py compares the two lists.
"""

from .bandits.epsilon_greedy import EpsilonGreedy as EpsilonGreedy
from .bandits.exp3 import EXP3 as EXP3
from .bandits.exp3_exploring import EXP3Exploring as EXP3Exploring
from .bandits.exp3_ix import EXP3IX as EXP3IX
from .bandits.exp3_s import EXP3S as EXP3S
from .bandits.exp4 import EXP4 as EXP4
from .bandits.explore_then_commit import ExploreThenCommit as ExploreThenCommit
from .bandits.kl_ucb import KLUCB as KLUCB
from .bandits.linear_thompson import LinearThompson as LinearThompson
from .bandits.linucb import LinUCB as LinUCB
from .bandits.moss import MOSS as MOSS
from .bandits.thompson import GaussianThompson as GaussianThompson
from .bandits.thompson import Thompson as Thompson
from .bandits.tsallis_inf import TsallisINF as TsallisINF
from .bandits.ucb1 import UCB1 as UCB1
from .conformal.aci import ACI as ACI
from .conformal.cover import Cover as Cover
from .conformal.decaying_tracker import DecayingTracker as DecayingTracker
from .conformal.kt_betting import KTBetting as KTBetting
from .conformal.quantile_tracker import QuantileTracker as QuantileTracker
from .conformal.sf_ogd import SFOGD as SFOGD
from .convex.follow_the_leader import FollowTheLeader as FollowTheLeader
from .convex.lazy_ftrl import LazyFTRL as LazyFTRL
from .convex.mirror_descent import MirrorDescent as MirrorDescent
from .convex.projected_gradient import ProjectedGradient as ProjectedGradient
from .core.errors import BadFile as BadFile
from .core.errors import BadInput as BadInput
from .core.errors import LittlestoneError as LittlestoneError
from .core.guarantee import Assumption as Assumption
from .core.guarantee import Guarantee as Guarantee
from .core.learner import Learner as Learner
from .core.losses import Absolute as Absolute
from .core.losses import Entropic as Entropic
from .core.losses import Hinge as Hinge
from .core.losses import PerceptronLoss as PerceptronLoss
from .core.losses import Pinball as Pinball
from .core.losses import Square as Square
from .core.losses import SquaredHinge as SquaredHinge
from .core.losses import ZeroOne as ZeroOne
from .core.stream import Batch as Batch
from .core.stream import Stream as Stream
from .door.play import learner as learner
from .door.play import play as play
from .experts.adahedge import AdaHedge as AdaHedge
from .experts.boa import BOA as BOA
from .experts.consistent import Consistent as Consistent
from .experts.exponential_weights import ExponentialWeights as ExponentialWeights
from .experts.exponential_weights import Hedge as Hedge
from .experts.exponential_weights import RandomizedWeightedMajority as RandomizedWeightedMajority
from .experts.fixed_share import FixedShare as FixedShare
from .experts.fixed_share import VariableShare as VariableShare
from .experts.halving import Halving as Halving
from .experts.halving_cover import HalvingCover as HalvingCover
from .experts.halving_disjunctions import HalvingDisjunctions as HalvingDisjunctions
from .experts.mixing_past_posteriors import MixingPastPosteriors as MixingPastPosteriors
from .experts.ml_poly import MLPoly as MLPoly
from .experts.soa import SOA as SOA
from .experts.squint import Squint as Squint
from .experts.tracker import Tracker as Tracker
from .experts.weighted_average import AggregatingAlgorithm as AggregatingAlgorithm
from .experts.weighted_average import WeightedAverage as WeightedAverage
from .experts.weighted_majority import WeightedMajority as WeightedMajority
from .falsify import falsify as falsify
from .graphs.graph_perceptron import GraphPerceptron as GraphPerceptron
from .graphs.neighbour_majority import NeighbourMajority as NeighbourMajority
from .graphs.p_seminorm import PSeminorm as PSeminorm
from .graphs.spanning_trees import SpanningTrees as SpanningTrees
from .graphs.spine import Spine as Spine
from .kernel.kernel_gradient import KernelOGD as KernelOGD
from .kernel.kernel_perceptron import KernelPerceptron as KernelPerceptron
from .kernel.random_fourier import FourierOGD as FourierOGD
from .kernel.random_fourier import FourierPerceptron as FourierPerceptron
from .linear.adagrad import AdaGrad as AdaGrad
from .linear.arow import AROW as AROW
from .linear.averaged_perceptron import AveragedPerceptron as AveragedPerceptron
from .linear.coin_betting import CoinBetting as CoinBetting
from .linear.dnf import DNFWinnow as DNFWinnow
from .linear.eg_plus_minus import EGPlusMinus as EGPlusMinus
from .linear.elimination import Elimination as Elimination
from .linear.elimination import EliminationConjunction as EliminationConjunction
from .linear.ftrl_proximal import FTRLProximal as FTRLProximal
from .linear.logistic import Logistic as Logistic
from .linear.multiclass_passive_aggressive import (
    MulticlassPassiveAggressive as MulticlassPassiveAggressive,
)
from .linear.multiclass_perceptron import MulticlassPerceptron as MulticlassPerceptron
from .linear.normalized_adaptive import NormalizedAdaptive as NormalizedAdaptive
from .linear.ogd import OGD as OGD
from .linear.online_kernel import OnlineKernel as OnlineKernel
from .linear.online_kernel_regression import OnlineKernelRegression as OnlineKernelRegression
from .linear.online_linear import OnlineLinear as OnlineLinear
from .linear.online_linear_regression import OnlineLinearRegression as OnlineLinearRegression
from .linear.online_newton import OnlineNewton as OnlineNewton
from .linear.p_norm_perceptron import PNormPerceptron as PNormPerceptron
from .linear.passive_aggressive import PassiveAggressive as PassiveAggressive
from .linear.perceptron import Perceptron as Perceptron
from .linear.perceptron_disjunction import PerceptronDisjunction as PerceptronDisjunction
from .linear.scale_free import ScaleFree as ScaleFree
from .linear.second_order_perceptron import SecondOrderPerceptron as SecondOrderPerceptron
from .linear.softmax import Softmax as Softmax
from .linear.voted_perceptron import VotedPerceptron as VotedPerceptron
from .linear.winnow1 import Winnow1 as Winnow1
from .linear.winnow2 import Winnow2 as Winnow2
from .linear.winnow_eg import WinnowEG as WinnowEG
from .live.store import load as load
from .matrices.matrix_factorisation import MatrixFactorisation as MatrixFactorisation
from .matrices.meg_imcsi import MEGIMCSI as MEGIMCSI
from .matrices.row_majority import RowMajority as RowMajority
from .memory.multitask import Multitask as Multitask
from .natures.arms import Arms as Arms
from .natures.linear_arms import LinearArms as LinearArms
from .networks.build import graph as graph
from .networks.graph import Graph as Graph
from .offpolicy.logged import Log as Log
from .offpolicy.off_policy import estimate as estimate
from .offpolicy.replay import replay as replay
from .run.run import Run as Run
from .semisupervised.eigenfunction_classifier import (
    EigenfunctionClassifier as EigenfunctionClassifier,
)
from .semisupervised.harmonic_classifier import HarmonicClassifier as HarmonicClassifier
from .semisupervised.harmonic_classifier import SoftHarmonic as SoftHarmonic
from .semisupervised.min_cut_classifier import MinCutClassifier as MinCutClassifier
from .semisupervised.p_laplacian import PLaplacian as PLaplacian
from .semisupervised.spectral_clusters import SpectralClusters as SpectralClusters
from .sets.intervals import intervals as intervals
from .supervised.certify import certify as certify
from .supervised.plan import plan as plan

__version__: str
