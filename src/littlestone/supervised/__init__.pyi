"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .adaboost import AdaBoost as AdaBoost
from .bagging_vote import BaggingVote as BaggingVote
from .certify import certify as certify
from .error_distribution import error_distribution as error_distribution
from .kernel_fisher import KernelFisher as KernelFisher
from .kernel_k_means import KernelKMeans as KernelKMeans
from .kernel_ridge_loo import KernelRidgeLOO as KernelRidgeLOO
from .kkt import kkt as kkt
from .leave_one_out import leave_one_out as leave_one_out
from .nearest_mean import NearestMean as NearestMean
from .neighbours import can_tie as can_tie
from .neighbours import condense as condense
from .neighbours import neighbour_ties as neighbour_ties
from .plan import crowd as crowd
from .plan import plan as plan
from .pruned_tree import prune as prune
from .pruning import pruning_path as pruning_path
from .regularised_kernel import RegularisedKernel as RegularisedKernel
from .svm_report import svm_report as svm_report
