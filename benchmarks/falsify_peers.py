"""The falsifier's attackers, let loose on other libraries: does an implementation keep the theorem of its algorithm?

    python -m benchmarks.falsify_peers [--seconds 10]

Each peer plays the runs that the attackers think of, one round at a time; comparators and bounds are those that
Littlestone computes for the same rounds. A ratio above 1 is a run on which the peer does worse than the theorem of the
algorithm allows: then it is another algorithm, or has a bug.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from river import base, ensemble, linear_model, optim
from sklearn.linear_model import Perceptron, SGDClassifier

import littlestone as ls
from littlestone.core.errors import LittlestoneError
from littlestone.core.stream import Array
from littlestone.falsify.attack import Case, Trial, Volley, ratio
from littlestone.falsify.hunt import Hunt
from littlestone.falsify.judge import sides
from littlestone.falsify.search import attackers, search
from littlestone.falsify.shrink import shrink
from littlestone.falsify.target import Target

USED = ("literature", "scatter", "blocks", "local", "extremes")


class Slow:
    """There is no compiled loop of a peer."""

    waited = 0.0

    def ratios(self, volley: Volley) -> None:
        return None

    def ready(self, *setting: Any) -> bool:
        return False


@dataclass(frozen=True)
class Peer:
    """An implementation, the learner here that is the same algorithm, and what it loses on a case."""

    name: str
    learner: Any
    theorem: str
    lost: Callable[[Case], float]  # mistakes or loss, whichever the theorem measures
    bound: Callable[[Any], Any] | None = (
        None  # where the theorem's own counts steps that the peer may make otherwise
    )


class OfPeer(Target):
    """The same theorem, with the losses of the peer."""

    def __init__(self, peer: Peer) -> None:
        super().__init__(peer.learner, peer.theorem, peer.bound)
        self.given = frozenset(
            self.learner.parameters
        )  # nothing is varied: the peer is set up once
        self.peer, self.compiled = peer, Slow()

    def trial(self, case: Case, engine: str | None = None) -> Trial:
        if case.passes > 1 or case.delay:
            return Trial(0.0, why="one pass, feedback at once")
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                run = self.played(case, engine)
                family, s, why = sides(self.guarantee, run)
                if why or family is None:
                    return Trial(0.0, why=why)
                own = self.peer.lost(case)
        except (LittlestoneError, ValueError) as refused:  # of the peer, too
            return Trial(0.0, why=str(refused))
        L = np.asarray(family.L, float)
        total = np.broadcast_to(np.asarray(self.guarantee.bound(s), float), L.shape)
        what = own - L if self.guarantee.measures == "regret" else np.full(len(L), own)
        slack = 1e-6 * (1.0 + abs(own) + np.where(np.isfinite(L), np.abs(L), 0.0))
        each = ratio(what, total, slack)
        i = int(np.argmax(each))
        beyond = bool(what[i] - total[i] > slack[i])
        return Trial(float(each[i]), float(what[i]), float(total[i]), family.names(i), beyond)

    def ratios(self, volley: Volley) -> Array:
        return np.array([self.trial(volley.case(b)).ratio for b in range(len(volley))])


def signs(y: Any) -> Any:
    y = np.asarray(y, float)
    return np.where(y > (0.0 if (y < 0).any() else 0.5), 1, -1)


def sk_perceptron(case: Case) -> float:
    model, wrong = Perceptron(fit_intercept=False, shuffle=False), 0
    for t, (x, y) in enumerate(zip(np.asarray(case.x, float), signs(case.y), strict=True)):
        score = 0.0 if t == 0 else float(model.coef_[0] @ x)
        wrong += y * score <= 0.0
        model.partial_fit(x[None], [y], classes=[-1, 1])
    return float(wrong)


def river_perceptron(case: Case) -> float:
    model, wrong = linear_model.Perceptron(), 0
    for x, y in zip(np.asarray(case.x, float).tolist(), signs(case.y), strict=True):
        features = dict(enumerate(x))
        score = model._raw_dot_one(features)
        wrong += y * score <= 0.0
        model.learn_one(features, bool(y > 0))
    return float(wrong)


def sk_hinge(case: Case) -> float:
    model = SGDClassifier(
        loss="hinge",
        alpha=0.0,
        learning_rate="constant",
        eta0=ETA,
        fit_intercept=False,
        shuffle=False,
    )
    total = 0.0
    for t, (x, y) in enumerate(zip(np.asarray(case.x, float), signs(case.y), strict=True)):
        total += max(0.0, 1.0 - y * (0.0 if t == 0 else float(model.coef_[0] @ x)))
        model.partial_fit(x[None], [y], classes=[-1, 1])
    return total


def river_logistic(case: Case) -> float:
    model = linear_model.LogisticRegression(optim.SGD(ETA), intercept_lr=0.0)
    total = 0.0
    for x, y in zip(np.asarray(case.x, float).tolist(), signs(case.y), strict=True):
        features = dict(enumerate(x))
        total += float(np.logaddexp(0.0, -y * model._raw_dot_one(features)))
        model.learn_one(features, bool(y > 0))
    return total


class Says(base.Regressor):
    """An expert: it says what column i says."""

    def __init__(self, i: int = 0) -> None:
        self.i = i

    def learn_one(self, x: Any, y: Any) -> None:
        """It is what it is."""

    def predict_one(self, x: Any) -> Any:
        return x[self.i]


def river_ewa(case: Case, warm: bool = False) -> float:
    n = np.shape(case.x)[1]
    model = ensemble.EWARegressor([Says(i) for i in range(n)], optim.losses.Squared(), RATE)
    if warm:  # a round in which all are right
        model.learn_one(dict.fromkeys(range(n), 0.0), 0.0)
    total = 0.0
    for x, y in zip(np.asarray(case.x, float).tolist(), np.asarray(case.y, float), strict=True):
        features = dict(enumerate(x))
        total += (y - model.predict_one(features)) ** 2
        model.learn_one(features, float(y))
    return float(total)


def of_descent(s: Any) -> Any:
    """T-OGD with |gradient| <= R in every round: at a kink of the loss the peer may take another subgradient."""
    return s.U2 / (2 * ETA) + ETA * s.T * s.R2 / 2


ETA, RATE = 0.5, 0.5
PEERS = (
    Peer("scikit-learn Perceptron", ls.Perceptron(), "T-PERC", sk_perceptron),
    Peer("scikit-learn Perceptron", ls.Perceptron(), "T-PERC-INSEP", sk_perceptron),
    Peer("River Perceptron", ls.Perceptron(intercept=True), "T-PERC", river_perceptron),
    Peer("River Perceptron", ls.Perceptron(intercept=True), "T-PERC-INSEP", river_perceptron),
    Peer("scikit-learn SGDClassifier, hinge", ls.OGD(loss="hinge", eta=ETA), "T-OGD", sk_hinge, of_descent),
    Peer("River LogisticRegression", ls.OGD(loss="logistic", eta=ETA), "T-OGD", river_logistic, of_descent),
    Peer("River EWARegressor", ls.WeightedAverage(loss="square", eta=RATE), "T-WA", river_ewa),
    Peer("River EWARegressor, after a round", ls.WeightedAverage(loss="square", eta=RATE), "T-WA",
         lambda case: river_ewa(case, warm=True)),
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="for each")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print(f"{'peer':36}{'theorem':14}{'runs':>7}{'worst ratio':>13}  what")
    for peer in PEERS:
        target = OfPeer(peer)
        hunt = Hunt(target, asked.seed, asked.seconds)
        search(hunt, attackers(USED), lambda _: None, lambda _target, _case: True)
        best = hunt.best
        said = "kept in every run"
        if best is not None and best.ratio > 1.0 + 1e-6:
            small = shrink(target, best.case)
            trial = target.trial(small)
            said = f"{trial.measured:.6g} > {trial.bound:.6g}: {shown(small)}"
        worst = math.nan if best is None else best.ratio
        print(f"{peer.name:36}{peer.theorem:14}{hunt.runs:>7,}{worst:>13.4f}  {said}", flush=True)


def shown(case: Case, most: int = 4) -> str:
    rows = [
        f"{np.round(x, 4).tolist()} -> {y:g}"
        for x, y in zip(np.asarray(case.x)[:most], np.asarray(case.y)[:most], strict=True)
    ]
    return "; ".join(rows) + ("; …" if case.rounds > most else "")


if __name__ == "__main__":
    main()
