"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .adagrad import AdaGrad as AdaGrad
from .arow import AROW as AROW
from .averaged_perceptron import AveragedPerceptron as AveragedPerceptron
from .coin_betting import CoinBetting as CoinBetting
from .dnf import DNFWinnow as DNFWinnow
from .eg_plus_minus import EGPlusMinus as EGPlusMinus
from .elimination import Elimination as Elimination
from .elimination import EliminationConjunction as EliminationConjunction
from .ftrl_proximal import FTRLProximal as FTRLProximal
from .logistic import Logistic as Logistic
from .multiclass_passive_aggressive import (
    MulticlassPassiveAggressive as MulticlassPassiveAggressive,
)
from .multiclass_perceptron import MulticlassPerceptron as MulticlassPerceptron
from .normalized_adaptive import NormalizedAdaptive as NormalizedAdaptive
from .ogd import OGD as OGD
from .online_kernel import OnlineKernel as OnlineKernel
from .online_kernel_regression import OnlineKernelRegression as OnlineKernelRegression
from .online_linear import OnlineLinear as OnlineLinear
from .online_linear_regression import OnlineLinearRegression as OnlineLinearRegression
from .online_newton import OnlineNewton as OnlineNewton
from .p_norm_perceptron import PNormPerceptron as PNormPerceptron
from .passive_aggressive import PassiveAggressive as PassiveAggressive
from .perceptron import Perceptron as Perceptron
from .perceptron_disjunction import PerceptronDisjunction as PerceptronDisjunction
from .scale_free import ScaleFree as ScaleFree
from .second_order_perceptron import SecondOrderPerceptron as SecondOrderPerceptron
from .softmax import Softmax as Softmax
from .voted_perceptron import VotedPerceptron as VotedPerceptron
from .winnow1 import Winnow1 as Winnow1
from .winnow2 import Winnow2 as Winnow2
from .winnow_eg import WinnowEG as WinnowEG
