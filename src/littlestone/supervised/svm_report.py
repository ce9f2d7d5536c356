"""`ls.svm_report`: the optimality, margins, support vectors and left-out rows of scikit-learn's SVC and SVR."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.svm import SVC, SVR
from sklearn.utils.validation import check_X_y

from ..core.errors import BadInput
from ..core.guarantee import Assumption, Certificate, Guarantee, Symbols, Verdict, judge
from ..core.intervals import Interval
from ..core.stream import Array
from .checked_rows import refuse_holes

CONVERGED = Assumption(
    "the solver has converged",
    lambda s: (
        None
        if s.violation <= s.tol
        else f"a condition is violated by {s.violation:.3g}, above tol = {s.tol:g}"
    ),
)
UNFINISHED = "the solver has not converged, so nothing follows for rows left out"
LEFT_OUT = Guarantee(
    "T-SVM-LOO", "leave-one-out errors and support vectors",
    "an SVM errs on at most as many left-out rows as it has support vectors: others can be left out without a change",
    "Vapnik & Chapelle 2000; lectures on supervised learning, 3",
    lambda s: s.support, against="none", measures="mistakes", assumptions=(CONVERGED,),
    uses=("support", "violation", "tol"),
)  # fmt: skip


@dataclass
class SVMReport:
    """How well a fitted SVM meets the conditions of optimality. Arrays have one entry for each training row."""

    alphas: Array  # dual coefficients, 0 to C; for SVR alpha - alpha*, -C to C
    margins: Array  # y f(x); for SVR the residual y - f(x)
    slacks: Array  # what each row adds to the loss: hinge, or epsilon-insensitive
    violations: Array  # of the conditions of Karush, Kuhn and Tucker
    norm2: float  # |w|^2
    offset: float  # b
    offsets: Interval  # every b in it is optimal; one point where a support vector is free
    primal: float  # |w|^2 / 2 + sum_i C_i slack_i
    dual: float
    C: Array  # of each row
    free: Any  # support vectors strictly inside: 0 < alpha < C
    bound: Any  # support vectors with alpha = C
    kind: str
    tol: float
    notes: list[str] = field(default_factory=list)
    rounding: float = (
        0.0  # how much libsvm's kernel values in single precision may add to the violations
    )
    left_out: int | None = None  # errors on rows left out, where they were counted
    refits: int = 0

    @property
    def support(self) -> int:
        return int(self.free.sum() + self.bound.sum())

    @property
    def margin(self) -> float:
        """1 / |w|: the distance of the planes f = 1 and f = -1 from f = 0."""
        return float(1.0 / np.sqrt(self.norm2)) if self.norm2 > 0.0 else float("inf")

    @property
    def gap(self) -> float:
        """The objective is at most this far above the least one there is (weak duality)."""
        return self.primal - self.dual

    @property
    def converged(self) -> bool:
        """Do the conditions of optimality hold up to tol, and what single precision adds?"""
        return bool(self.violations.max() <= self.tol + self.rounding)

    @property
    def certificate(self) -> Certificate:
        if self.kind == "SVR":
            return Certificate([], ["no theorem of the ledger is about SVR"])
        if self.left_out is None:
            why = "no row was left out: svm_report(…, leave_out=True) fits once for each support vector"
            return Certificate([Verdict(LEFT_OUT, "unknown", why, "", np.nan, float(self.support))])
        s = Symbols(
            support=float(self.support), mistakes=float(self.left_out),
            violation=float(self.violations.max()), tol=self.tol + self.rounding,
        )  # fmt: skip
        found = judge(LEFT_OUT, None, [s], float(self.left_out))
        found.comparator = "left-out rows, against support vectors"
        return Certificate([found])

    def __str__(self) -> str:
        m = len(self.alphas)
        between = (
            f"any in {self.offsets}"
            if self.offsets.high > self.offsets.low
            else f"{self.offset:.6g}"
        )
        lines = [
            f"{self.kind}: {self.support} support vectors of {m} rows ({int(self.free.sum())} free, "
            f"{int(self.bound.sum())} at C), |w| = {np.sqrt(self.norm2):.6g}, margin {self.margin:.6g}, b: {between}",
            f"objective {self.primal:.8g}, at most {max(self.gap, 0.0):.2g} above the least; the conditions of "
            f"optimality are violated by {self.violations.max():.2g} at most (tol = {self.tol:g})",
        ]
        if self.kind == "SVC":
            lines.append(
                f"training errors {int((self.margins <= 0).sum())}, slack {self.slacks.sum():.6g} in all; "
                + (
                    f"leave-one-out errors at most {self.support} of {m}"
                    if self.converged
                    else UNFINISHED
                )
            )
        return "\n  ".join(
            [*lines, *(f"{v}" for v in self.certificate if self.left_out is not None), *self.notes]
        )


def svm_report(model: Any, X: Any, y: Any, *, leave_out: bool = False) -> SVMReport:
    """Check a fitted SVC (two classes) or SVR against the conditions of optimality, on the rows it was fitted to.

    leave_out  count leave-one-out errors, with one fit for each support vector: other rows cannot be missed (T-SVM-LOO)

        alpha_i = 0      y_i f(x_i) >= 1
        0 < alpha_i < C  y_i f(x_i) = 1
        alpha_i = C      y_i f(x_i) <= 1        and  sum_i y_i alpha_i = 0

    >>> from sklearn.svm import SVC
    >>> X, y = [[1, 1], [2, 2], [2, 0], [0, 0], [1, 0], [0, 1]], [1, 1, 1, -1, -1, -1]
    >>> print(svm_report(SVC(kernel="linear", C=100.0, tol=1e-8).fit(X, y), X, y, leave_out=True))
    SVC: 3 support vectors of 6 rows (3 free, 0 at C), |w| = 2.82843, margin 0.353553, b: -3
      objective 4, at most 0 above the least; the conditions of optimality are violated by 0 at most (tol = 1e-08)
      training errors 0, slack 0 in all; leave-one-out errors at most 3 of 6
      T-SVM-LOO: kept, mistakes 2 against 3 (left-out rows, against support vectors)

    Ledger: A-SVM-KKT, A-SVM-LOO; A3.1-A3.10.
    """
    if not isinstance(model, (SVC, SVR)) or type(model) not in (SVC, SVR):
        raise BadInput(f"svm_report takes a fitted SVC or SVR, not {type(model).__name__}")
    if not hasattr(model, "dual_coef_"):
        raise BadInput(f"svm_report: fit the {type(model).__name__} first")
    refuse_holes(X, "svm_report")
    try:
        X, y = check_X_y(X, y, dtype=np.float64)
    except ValueError as error:
        raise BadInput(f"svm_report: {error}") from None
    if len(y) != model.shape_fit_[0]:
        raise BadInput(
            f"svm_report: the model was fitted to {model.shape_fit_[0]} rows, these are {len(y)}: give the same rows"
        )
    found = seen_as_svc(model, X, y) if isinstance(model, SVC) else seen_as_svr(model, X, y)
    if leave_out:
        if not isinstance(model, SVC):
            raise BadInput("svm_report: leave_out counts labels, and SVR has none")
        found.left_out, found.refits = left_out(model, X, y, found)
    return found


def seen_as_svc(model: SVC, X: Array, y: Any) -> SVMReport:
    if len(model.classes_) != 2:
        raise BadInput(f"svm_report takes two classes, and the SVC has {len(model.classes_)}")
    unknown = ~np.isin(y, model.classes_)
    if unknown.any():
        r = int(np.argmax(unknown))
        raise BadInput(
            f"svm_report: y of row {r + 1} is {y[r]}, which is none of {model.classes_.tolist()}"
        )
    sign = np.where(y == model.classes_[1], 1.0, -1.0)
    C = model.C * np.where(sign > 0, model.class_weight_[1], model.class_weight_[0])
    signed = dense_coefficients(model, len(y))
    alphas = sign * signed
    b = float(model.intercept_[0])
    f = model.decision_function(X)
    margins = sign * f
    norm2 = max(float(signed @ (f - b)), 0.0)
    bound = alphas >= C * (1.0 - 1e-9)
    free = (alphas > 0.0) & ~bound
    off = np.where(free, np.abs(margins - 1.0), np.maximum(1.0 - margins, 0.0))
    off = np.where(bound, np.maximum(margins - 1.0, 0.0), off)
    slacks = np.maximum(1.0 - margins, 0.0)
    limits = Interval(b, b)
    if not free.any():  # b is known to an interval: each row bounds b from one side
        need = b + sign * (1.0 - margins)  # the b at which y f(x) = 1
        low = need[((sign > 0) & ~bound) | ((sign < 0) & bound)]
        high = need[((sign < 0) & ~bound) | ((sign > 0) & bound)]
        limits = Interval(float(low.max(initial=-np.inf)), float(high.min(initial=np.inf)))
    primal = 0.5 * norm2 + float(C @ slacks)
    return SVMReport(
        alphas, margins, slacks, off, norm2, b, limits, primal, float(alphas.sum()) - 0.5 * norm2, C, free, bound,
        "SVC", float(model.tol), balance(signed, float(C.max())), rounding(model, X, alphas),
    )  # fmt: skip


def seen_as_svr(model: SVR, X: Array, y: Array) -> SVMReport:
    """|y - f| <= epsilon costs nothing; beta = alpha - alpha* is at most C in size."""
    beta = dense_coefficients(model, len(y))
    C, eps = np.full(len(y), float(model.C)), float(model.epsilon)
    b = float(model.intercept_[0])
    f = model.predict(X)
    r = y - f
    size = np.abs(beta)
    bound = size >= C * (1.0 - 1e-9)
    free = (size > 0.0) & ~bound
    along = np.sign(beta) * r
    off = np.where(free, np.abs(along - eps), np.maximum(np.abs(r) - eps, 0.0))
    off = np.where(bound, np.maximum(eps - along, 0.0), off)
    slacks = np.maximum(np.abs(r) - eps, 0.0)
    norm2 = max(float(beta @ (f - b)), 0.0)
    primal = 0.5 * norm2 + float(C @ slacks)
    dual = float(beta @ y - eps * size.sum()) - 0.5 * norm2
    return SVMReport(
        beta, r, slacks, off, norm2, b, Interval(b, b), primal, dual, C, free, bound, "SVR", float(model.tol),
        balance(beta, float(C.max())), rounding(model, X, beta),
    )  # fmt: skip


def dense_coefficients(model: Any, m: int) -> Array:
    """The coefficients of all rows: scikit-learn keeps those of the support vectors, the others are 0."""
    found = np.zeros(m)
    found[model.support_] = np.ravel(model.dual_coef_)
    return found


def rounding(model: Any, X: Array, alphas: Array) -> float:
    """libsvm keeps kernel values in single precision; f is a sum of alpha_i K(x_i, x)."""
    rows = X[alphas != 0.0]
    if not len(rows):
        return 0.0
    if model.kernel in ("rbf", "sigmoid"):
        top = 1.0
    elif model.kernel == "precomputed":
        top = float(np.abs(np.diag(X)).max())
    elif model.kernel == "linear":
        top = float((rows**2).sum(axis=1).max())
    elif model.kernel == "poly":
        gamma = gamma_of(model, X)
        top = float(np.abs(gamma * (rows**2).sum(axis=1) + model.coef0).max() ** model.degree)
    else:
        top = float(np.abs(np.diag(model.kernel(rows, rows))).max())
    return float(np.finfo(np.float32).eps * np.abs(alphas).sum() * top)


def balance(signed: Array, C: float) -> list[str]:
    off = abs(float(signed.sum()))
    return [] if off <= 1e-9 * C * len(signed) else [f"note: sum_i y_i alpha_i is {off:.3g}, not 0"]


def gamma_of(model: Any, X: Array) -> float:
    """gamma as a number."""
    if model.gamma == "scale":
        spread = float(X.var())
        return 1.0 / (X.shape[1] * spread) if spread > 0.0 else 1.0
    return 1.0 / X.shape[1] if model.gamma == "auto" else float(model.gamma)


def fixed_kernel(model: SVC, X: Array) -> SVC:
    """The same SVM with gamma as a number: "scale" and "auto" would be another kernel without a row."""
    return clone(model).set_params(gamma=gamma_of(model, X))


def left_out(model: SVC, X: Array, y: Any, found: SVMReport) -> tuple[int, int]:
    """Errors on left-out rows: only support vectors can be missed. A class that disappears is missed."""
    once = fixed_kernel(model, X)
    own = model.kernel == "precomputed"
    errors, fits = 0, 0
    for i in np.flatnonzero(found.free | found.bound):
        rest = np.arange(len(y)) != i
        if len(np.unique(y[rest])) < 2:
            errors += 1
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = clone(once).fit(X[np.ix_(rest, rest)] if own else X[rest], y[rest])
        fits += 1
        score = fitted.decision_function(X[i : i + 1][:, rest] if own else X[i : i + 1])[0]
        errors += int((score if y[i] == model.classes_[1] else -score) <= 0.0)
    return errors, fits
