"""Littlestone: online learning whose learners carry their theorems.

import littlestone as ls
run = ls.play("tracker", advice, outcomes)
run.loss, run.regret, run.bound, run.certificate
"""

from __future__ import annotations

from typing import Any

from .core import hooks

__version__ = "0.13.0"

_WHERE = {
    "play": "door.play",
    "learner": "door.play",
    "compare": "report.comparison",
    "load": "live.store",
    "from_bytes": "live.store",
    "engine_id": "engine.target",
    "falsify": "falsify",
    "Learner": "core.learner",
    "Run": "run.run",
    "Stream": "encode.stream",
    "Arms": "environments.arms",
    "LinearArms": "environments.linear_arms",
    "replay": "offpolicy.replay",
    "estimate": "offpolicy.off_policy",
    "Log": "offpolicy.logged",
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
    "loo": "supervised.leave_one_out",
    "prune": "supervised.pruned_tree",
    "RegularisedKernel": "supervised.regularised_kernel",
    "svm_report": "supervised.svm_report",
    "weakest_links": "supervised.pruning",
    "intervals": "sets.intervals",
    "Intervals": "sets.live_intervals",
    "PredictionSets": "sets.prediction_sets",
    "Batch": "core.stream",
    "Guarantee": "core.guarantee",
    "Assumption": "core.guarantee",
    "LittlestoneError": "core.errors",
    "BadInput": "core.errors",
    "BadFile": "core.errors",
    "ZeroOne": "core.losses",
    "Absolute": "core.losses",
    "Square": "core.losses",
    "Entropic": "core.losses",
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
    "KernelOGD": "kernel.kernel_gradient",
    "KernelPerceptron": "kernel.kernel_perceptron",
    "FourierOGD": "kernel.random_fourier",
    "FourierPerceptron": "kernel.random_fourier",
    "MEGIMCSI": "matrices.meg_imcsi",
    "MatrixFactorisation": "matrices.matrix_factorisation",
    "RowMajority": "matrices.row_majority",
    "graph": "networks.build",
    "Graph": "networks.graph",
    "GraphPerceptron": "graphs.graph_perceptron",
    "EigenfunctionClassifier": "semisupervised.eigenfunction_classifier",
    "HarmonicClassifier": "semisupervised.harmonic_classifier",
    "MinCutClassifier": "semisupervised.min_cut_classifier",
    "PLaplacian": "semisupervised.p_laplacian",
    "SoftHarmonic": "semisupervised.harmonic_classifier",
    "ThresholdDynamics": "semisupervised.threshold_dynamics",
    "SpectralClusters": "semisupervised.spectral_clusters",
    "NeighbourMajority": "graphs.neighbour_majority",
    "PSeminorm": "graphs.p_seminorm",
    "SpanningTrees": "graphs.spanning_trees",
    "Spine": "graphs.spine",
    "ACI": "conformal.aci",
    "Cover": "conformal.cover",
    "DecayingTracker": "conformal.decaying_tracker",
    "KTBetting": "conformal.kt_betting",
    "ConformalPID": "conformal.conformal_pid",
    "DtACI": "conformal.dtaci",
    "SAOCP": "conformal.saocp",
    "GroupTracker": "conformal.group_tracker",
    "HalvingSets": "conformal.halving_sets",
    "QuantileTracker": "conformal.quantile_tracker",
    "SFOGD": "conformal.sf_ogd",
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
__all__ = ["__version__", *_WHERE]

# What lower packages ask higher ones for (core/hooks.py): "module:attribute", and "module:" for the module itself.
_HOOKS = {
    "live": "live.facade:",
    "live_certificate": "run.live_certificate:",
    "learner_packages": "learner_packages:",
    "vw_line": "streams.text.vw_line:vw_line",
    "sets_from_body": "sets.live_sets:from_body",
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
    if name == "scale":  # a room by its own name: `ls.scale.play`
        from importlib import import_module

        return import_module("littlestone.scale")
    if name not in _WHERE:
        import difflib

        near = [] if name.startswith("_") else difflib.get_close_matches(name, _WHERE, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise AttributeError(f"module 'littlestone' has no attribute {name!r}{hint}")
    found = globals()[name] = _find(f"{_WHERE[name]}:{name}")
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE, "scale"})
