"""Bagging as the lectures print it: the majority of the votes, where scikit-learn averages probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import BaggingClassifier
from sklearn.utils.validation import check_is_fitted

from ..core.errors import BadInput
from .checked_rows import check_rows

TIES = ("first", "last")


class BaggingVote(BaggingClassifier):  # type: ignore[misc]
    """scikit-learn's BaggingClassifier, predicting with the majority of the votes.

    `fit` and every parameter are scikit-learn's. BaggingClassifier averages the probabilities of its estimators, which
    is a vote only if every leaf is pure. `ties` says which of the classes with equally many votes is predicted, the
    "first" or the "last" of `classes_`: the votes of an even number of estimators can be tied (E-BAG-TIE).

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(40, 1))
    >>> y = (X[:, 0] + rng.normal(size=40) > 0).astype(int)
    >>> tree = DecisionTreeClassifier(max_depth=1)
    >>> vote = BaggingVote(tree, n_estimators=3, random_state=0).fit(X, y)
    >>> vote.votes([[-0.1]]).tolist(), vote.predict([[-0.1]]).tolist()
    ([[1, 2]], [1])
    >>> vote.predict_proba([[-0.1]]).round(3).tolist()  # the averages, which say 0
    [[0.522, 0.478]]

    Breiman (1996). Ledger: A-BAGGING; A4.6. The chance that a crowd errs: `littlestone.supervised.plan.crowd`.
    """

    def __init__(
        self, estimator: Any = None, n_estimators: int = 10, *, ties: str = "last", max_samples: Any = 1.0,
        max_features: Any = 1.0, bootstrap: bool = True, bootstrap_features: bool = False, oob_score: Any = False,
        warm_start: bool = False, n_jobs: Any = None, random_state: Any = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(
            estimator, n_estimators, max_samples=max_samples,
            max_features=max_features, bootstrap=bootstrap, bootstrap_features=bootstrap_features, oob_score=oob_score,
            warm_start=warm_start, n_jobs=n_jobs, random_state=random_state, verbose=verbose,
        )  # fmt: skip
        self.ties = ties

    def votes(self, X: Any) -> Any:
        """How many estimators vote for each class, a row an example."""
        check_is_fitted(self)
        X = check_rows(self, X)
        found = np.zeros((len(X), len(self.classes_)), np.int64)
        for model, features in zip(self.estimators_, self.estimators_features_, strict=True):
            said = np.asarray(
                model.predict(X[:, features]), np.int64
            )  # they were fitted to the codes of the labels
            found[np.arange(len(X)), said] += 1
        return found

    def predict(self, X: Any) -> Any:
        """The class with the most votes."""
        if self.ties not in TIES:
            raise BadInput(f"BaggingVote: ties must be one of {', '.join(TIES)}, not {self.ties!r}")
        votes = self.votes(X)
        if self.ties == "first":
            return self.classes_[votes.argmax(axis=1)]
        return self.classes_[votes.shape[1] - 1 - votes[:, ::-1].argmax(axis=1)]
