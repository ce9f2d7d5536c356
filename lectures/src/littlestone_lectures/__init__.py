"""The lecture notes as a course: pages, experiments, exercises, statements, errata, and what only lectures need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .estimators import over_tanks as over_tanks
    from .exercises.classes import consistent_hypothesis as consistent_hypothesis
    from .exercises.classes import rademacher as rademacher
    from .exercises.classes import shattered_tree as shattered_tree
    from .exercises.classes import structural_risk as structural_risk
    from .exercises.classes import vc_of_stumps as vc_of_stumps
    from .exercises.convexity import is_convex as is_convex
    from .exercises.cuts import min_cut_uniqueness as min_cut_uniqueness
    from .exercises.kernels import is_kernel as is_kernel
    from .exercises.kernels import min_kernel_features as min_kernel_features
    from .exercises.machines import choose_c as choose_c
    from .exercises.machines import margin_bound as margin_bound
    from .exercises.machines import nearest_hull_points as nearest_hull_points
    from .exercises.machines import svm_kkt as svm_kkt
    from .exercises.sheets import answer_key as answer_key
    from .exercises.sheets import exercise as exercise
    from .exercises.sheets import marks as marks
    from .exercises.trees import impurity_sums as impurity_sums
    from .experiments.few_labels import few_labels as few_labels
    from .experiments.fits import bias_variance as bias_variance
    from .experiments.fits import model_selection as model_selection
    from .experiments.fits import polynomial_fitting as polynomial_fitting
    from .experiments.machines import bootstrap_share as bootstrap_share
    from .experiments.machines import support_vector_errors as support_vector_errors
    from .experiments.neighbours import knn_consistency as knn_consistency
    from .experiments.no_free_lunch import no_free_lunch as no_free_lunch
    from .experiments.no_free_lunch import no_free_lunch_for as no_free_lunch_for
    from .experiments.norms import unit_balls as unit_balls
    from .experiments.online import perceptron_or_winnow as perceptron_or_winnow
    from .experiments.online import share_simulation as share_simulation
    from .graph_kernels import random_walk as random_walk
    from .graph_kernels import shortest_path as shortest_path
    from .graph_kernels import weisfeiler_lehman as weisfeiler_lehman
    from .svm_by_hand import HardMargin as HardMargin

_WHERE = {
    "HardMargin": "svm_by_hand",
    "answer_key": "exercises.sheets",
    "bias_variance": "experiments.fits",
    "bootstrap_share": "experiments.machines",
    "choose_c": "exercises.machines",
    "consistent_hypothesis": "exercises.classes",
    "exercise": "exercises.sheets",
    "few_labels": "experiments.few_labels",
    "impurity_sums": "exercises.trees",
    "is_convex": "exercises.convexity",
    "is_kernel": "exercises.kernels",
    "knn_consistency": "experiments.neighbours",
    "margin_bound": "exercises.machines",
    "marks": "exercises.sheets",
    "min_cut_uniqueness": "exercises.cuts",
    "min_kernel_features": "exercises.kernels",
    "model_selection": "experiments.fits",
    "nearest_hull_points": "exercises.machines",
    "no_free_lunch": "experiments.no_free_lunch",
    "no_free_lunch_for": "experiments.no_free_lunch",
    "over_tanks": "estimators",
    "perceptron_or_winnow": "experiments.online",
    "polynomial_fitting": "experiments.fits",
    "rademacher": "exercises.classes",
    "random_walk": "graph_kernels",
    "share_simulation": "experiments.online",
    "shattered_tree": "exercises.classes",
    "shortest_path": "graph_kernels",
    "structural_risk": "exercises.classes",
    "support_vector_errors": "experiments.machines",
    "svm_kkt": "exercises.machines",
    "unit_balls": "experiments.norms",
    "vc_of_stumps": "exercises.classes",
    "weisfeiler_lehman": "graph_kernels",
}
__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"littlestone_lectures has no {name!r}; it has {', '.join(__all__)}")
    from importlib import import_module

    found = vars(import_module(f"{__name__}.{_WHERE[name]}"))[name]
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
