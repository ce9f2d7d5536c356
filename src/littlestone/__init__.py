"""Littlestone: online learning whose learners carry their theorems.

    import littlestone as ls
    run = ls.play("tracker", advice, outcomes)
    run.loss, run.regret, run.bound, run.certificate

Learners are in groups, `ls.experts`, `ls.linear`, `ls.bandits`, …, and reachable from here as well: `ls.Perceptron` is
`ls.linear.Perceptron`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from .core import hooks

__version__ = "1.0.0"

# Where each public name is. Its group is the first part of its module: `ls.Perceptron` is `ls.linear.Perceptron`.
# What is found in a group only is in group_names.py.
_WHERE = {
    "play": "play.play",
    "learner": "play.play",
    "compare": "report.comparison",
    "load": "live.store",
    "from_bytes": "live.store",
    "engine_id": "engine.target",
    "connect": "serve.client",
    "connect_async": "serve.async_client",
    "show_versions": "engine.versions",
    "schema": "core.schema",
    "falsify": "falsify",
    "statement": "falsify.lookup",
    "Learner": "core.learner",
    "Run": "run.run",
    "Stream": "encode.stream",
    "Arms": "environments.arms",
    "LinearArms": "environments.linear_arms",
    "replay": "offpolicy.replay",
    "off_policy_value": "offpolicy.off_policy",
    "LoggedDecisions": "offpolicy.logged",
    "certify": "supervised.certify",
    "plan": "supervised.plan",
    "AdaBoost": "supervised.adaboost",
    "BaggingVote": "supervised.bagging_vote",
    "KernelRidgeLOO": "supervised.kernel_ridge_loo",
    "KernelFisher": "supervised.kernel_fisher",
    "KernelKMeans": "supervised.kernel_k_means",
    "NearestMean": "supervised.nearest_mean",
    "condense": "supervised.neighbours",
    "error_distribution": "supervised.error_distribution",
    "leave_one_out": "supervised.leave_one_out",
    "prune": "supervised.pruned_tree",
    "RegularisedKernel": "supervised.regularised_kernel",
    "svm_report": "supervised.svm_report",
    "pruning_path": "supervised.pruning",
    "intervals": "conformal.sets.intervals",
    "Intervals": "conformal.sets.live_intervals",
    "PredictionSets": "conformal.sets.prediction_sets",
    "Batch": "core.stream",
    "Guarantee": "core.guarantee",
    "Assumption": "core.guarantee",
    "LittlestoneError": "core.errors",
    "BadInput": "core.errors",
    "BadFile": "core.errors",
    "ZeroOne": "core.losses",
    "Absolute": "core.losses",
    "Square": "core.losses",
    "LogLoss": "core.losses",
    "Pinball": "core.losses",
    "Hinge": "core.losses",
    "SquaredHinge": "core.losses",
    "PerceptronLoss": "core.losses",
    "Consistent": "experts.consistent",
    "Halving": "experts.halving",
    "HalvingCover": "experts.halving_cover",
    "HalvingDisjunctions": "experts.halving_disjunctions",
    "SOA": "experts.soa",
    "WeightedMajority": "experts.weighted_majority",
    "RandomizedWeightedMajority": "experts.exponential_weights",
    "ExponentialWeights": "experts.exponential_weights",
    "Hedge": "experts.exponential_weights",
    "WeightedAverage": "experts.weighted_average",
    "AggregatingAlgorithm": "experts.weighted_average",
    "FixedShare": "experts.fixed_share",
    "VariableShare": "experts.fixed_share",
    "MixingPastPosteriors": "experts.mixing_past_posteriors",
    "AdaHedge": "experts.adahedge",
    "Squint": "experts.squint",
    "MLPoly": "experts.ml_poly",
    "BOA": "experts.boa",
    "Tracker": "experts.tracker",
    "Multitask": "memory.multitask",
    "EXP3": "bandits.exp3",
    "EXP3Exploring": "bandits.exp3_exploring",
    "EXP3IX": "bandits.exp3_ix",
    "EXP3S": "bandits.exp3_s",
    "EXP4": "bandits.exp4",
    "TsallisINF": "bandits.tsallis_inf",
    "FollowTheLeader": "convex.follow_the_leader",
    "LazyFTRL": "convex.lazy_ftrl",
    "MirrorDescent": "convex.mirror_descent",
    "ProjectedGradient": "convex.projected_gradient",
    "KernelOGD": "kernels.learners.kernel_gradient",
    "KernelPerceptron": "kernels.learners.kernel_perceptron",
    "FourierOGD": "kernels.learners.random_fourier",
    "FourierPerceptron": "kernels.learners.random_fourier",
    "MEGIMCSI": "matrices.meg_imcsi",
    "MatrixFactorisation": "matrices.matrix_factorisation",
    "MultitaskRKHS": "matrices.multitask_rkhs",
    "RowMajority": "matrices.row_majority",
    "graph": "graphs.algorithms.build",
    "Graph": "graphs.algorithms.graph",
    "GraphPerceptron": "graphs.learners.graph_perceptron",
    "EigenfunctionClassifier": "graphs.semisupervised.eigenfunction_classifier",
    "HarmonicClassifier": "graphs.semisupervised.harmonic_classifier",
    "MinCutClassifier": "graphs.semisupervised.min_cut_classifier",
    "PLaplacian": "graphs.semisupervised.p_laplacian",
    "SoftHarmonic": "graphs.semisupervised.harmonic_classifier",
    "ThresholdDynamics": "graphs.semisupervised.threshold_dynamics",
    "SpectralClusters": "graphs.semisupervised.spectral_clusters",
    "NeighbourMajority": "graphs.learners.neighbour_majority",
    "PSeminorm": "graphs.learners.p_seminorm",
    "SpanningTrees": "graphs.learners.spanning_trees",
    "Spine": "graphs.learners.spine",
    "ACI": "conformal.learners.aci",
    "Cover": "conformal.learners.cover",
    "DecayingTracker": "conformal.learners.decaying_tracker",
    "KTBetting": "conformal.learners.kt_betting",
    "ConformalPID": "conformal.learners.conformal_pid",
    "DtACI": "conformal.learners.dtaci",
    "SAOCP": "conformal.learners.saocp",
    "GroupTracker": "conformal.learners.group_tracker",
    "HalvingSets": "conformal.learners.halving_sets",
    "QuantileTracker": "conformal.learners.quantile_tracker",
    "SFOGD": "conformal.learners.sf_ogd",
    "Refitted": "refitted.refitted",
    "RefittedRegression": "refitted.refitted_regression",
    "WindowNeighbours": "refitted.window_neighbours",
    "RefittedBoosting": "refitted.refitted_boosting",
    "RefittedBoostingRegression": "refitted.refitted_boosting_regression",
    "MondrianForest": "trees.mondrian_forest",
    "MondrianForestRegression": "trees.mondrian_forest_regression",
    "AdaGrad": "linear.adagrad",
    "AROW": "linear.arow",
    "AveragedPerceptron": "linear.averaged_perceptron",
    "CoinBetting": "linear.coin_betting",
    "DNFWinnow": "linear.dnf",
    "EGPlusMinus": "linear.eg_plus_minus",
    "Elimination": "linear.elimination",
    "EliminationConjunction": "linear.elimination",
    "FTRLProximal": "linear.ftrl_proximal",
    "Logistic": "linear.logistic",
    "MulticlassPassiveAggressive": "linear.multiclass_passive_aggressive",
    "MulticlassPerceptron": "linear.multiclass_perceptron",
    "NormalizedAdaptive": "linear.normalized_adaptive",
    "OGD": "linear.ogd",
    "Mixture": "mixtures.mixture",
    "MixtureRegression": "mixtures.mixture_regression",
    "OnlineKernel": "linear.online_kernel",
    "OnlineKernelRegression": "linear.online_kernel_regression",
    "OnlineLinear": "linear.online_linear",
    "OnlineLinearRegression": "linear.online_linear_regression",
    "OnlineNewton": "linear.online_newton",
    "PNormPerceptron": "linear.p_norm_perceptron",
    "PassiveAggressive": "linear.passive_aggressive",
    "Perceptron": "linear.perceptron",
    "PerceptronDisjunction": "linear.perceptron_disjunction",
    "ScaleFree": "linear.scale_free",
    "SecondOrderPerceptron": "linear.second_order_perceptron",
    "Softmax": "linear.softmax",
    "VotedPerceptron": "linear.voted_perceptron",
    "Winnow1": "linear.winnow1",
    "Winnow2": "linear.winnow2",
    "WinnowEG": "linear.winnow_eg",
    "UCB1": "bandits.ucb1",
    "KLUCB": "bandits.kl_ucb",
    "MOSS": "bandits.moss",
    "Thompson": "bandits.thompson",
    "GaussianThompson": "bandits.thompson",
    "EpsilonGreedy": "bandits.epsilon_greedy",
    "ExploreThenCommit": "bandits.explore_then_commit",
    "LinUCB": "bandits.linucb",
    "LinearThompson": "bandits.linear_thompson",
}
# The groups, and the module that each of them is.
_GROUPS = {
    "experts": "experts",
    "linear": "linear",
    "kernels": "kernels",
    "convex": "convex",
    "bandits": "bandits",
    "memory": "memory",
    "mixtures": "mixtures",
    "matrices": "matrices",
    "graphs": "graphs",
    "refitted": "refitted",
    "trees": "trees",
    "conformal": "conformal",
    "supervised": "supervised",
    "theory": "theory",
    "environments": "environments",
    "offpolicy": "offpolicy",
    "batch": "batch",
    "datasets": "datasets",
    "scale": "scale",
    "losses": "core.losses",
    "errors": "core.errors",
}
# What completion shows beside the groups.
_TOP = (
    "play",
    "learner",
    "compare",
    "load",
    "certify",
    "plan",
    "intervals",
    "Intervals",
    "falsify",
    "statement",
    "graph",
    "schema",
    "show_versions",
    "engine_id",
    "Run",
    "Learner",
    "Guarantee",
    "Stream",
)
__all__ = ["__version__", *_GROUPS, *_WHERE]

# What lower packages ask higher ones for (core/hooks.py): "module:attribute", and "module:" for the module itself.
_HOOKS = {
    "live": "live.facade:",
    "live_certificate": "run.live_certificate:",
    "learner_packages": "learner_packages:",
    "group_names": "group_names:",
    "vw_line": "streams.text.vw_line:vw_line",
    "sets_from_body": "conformal.sets.live_sets:from_body",
    "report": "report.write:write_report",
    "plot": "report.plot:plot",
    "explain": "report.explain:explain",
    "explain_example": "report.explain_example:",
    "bound_curve": "report.curves:bound_curve",
    "to_frame": "report.frame:to_frame",
    "as_html": "report.notebook:as_html",
    "plain_sentence": "report.plain_sentence:plain_sentence",
    "simple_costs": "report.reliability:simple_costs",
}


def _find(place: str) -> Any:
    """A module of the package, or what has this name in it."""
    from importlib import import_module

    module, _, attribute = place.partition(":")
    found = import_module(f"littlestone.{module}")
    return getattr(found, attribute) if attribute else found


hooks.register(lambda name: _find(_HOOKS[name]))


def __getattr__(name: str) -> Any:
    if name in _GROUPS:
        found = _find(f"{_GROUPS[name]}:")
    elif name in _WHERE:
        found = _find(f"{_WHERE[name]}:{name}")
    else:
        from .core.synonyms import no_attribute

        raise no_attribute("littlestone", name, (*_WHERE, *_GROUPS))
    globals()[name] = found
    return found


class _Package(ModuleType):
    """`ls.play` and `ls.falsify` are functions, also after the folders of these names were imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _WHERE and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    hidden = [name for name in globals() if name.startswith("__")]
    return sorted({*hidden, *_GROUPS, *_TOP})
