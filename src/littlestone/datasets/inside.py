"""The tables that need no network: those of scikit-learn, and a simulation."""

from __future__ import annotations

import pyarrow as pa

from ..core.errors import BadInput
from .catalogue import INSIDE, about


def table(name: str) -> pa.Table:
    """One of the tables inside, its outcomes in the last column.

    >>> iris = table("iris")
    >>> iris.num_rows, iris.column_names[-1], iris["species"][0].as_py()
    (150, 'species', 'setosa')
    """
    if about(name) not in INSIDE:
        raise BadInput(
            f"{name!r} is not inside: ls.datasets.fetch({name!r}) gives its file",
            field="name",
            value=name,
        )
    return shifting() if name == "shifting-experts" else of_scikit_learn(name)


def of_scikit_learn(name: str) -> pa.Table:
    """A table that comes with scikit-learn: classes by their names, rows in the order of the file."""
    from sklearn import datasets

    loaders = {
        "breast-cancer": datasets.load_breast_cancer,
        "diabetes": datasets.load_diabetes,
        "wine": datasets.load_wine,
        "iris": datasets.load_iris,
    }
    found = loaders[name]()
    columns = {str(n): found.data[:, j] for j, n in enumerate(found.feature_names)}
    classes = found.get("target_names")
    outcome = found.target if classes is None else classes[found.target]
    return pa.table({**columns, about(name).outcome: outcome.tolist()})


def shifting() -> pa.Table:
    """Sixty-four forecasters of 0, of whom the best one changes three times."""
    from ..environments.shifting import shifting_experts

    advice, outcomes, _ = shifting_experts(seed=0)
    columns = {f"expert {i + 1}": advice[:, i] for i in range(advice.shape[1])}
    return pa.table({**columns, "outcome": outcomes})
