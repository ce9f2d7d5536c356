"""The tables that need no network: those of scikit-learn, a series of months, and a simulation."""

from __future__ import annotations

import pyarrow as pa

from ..core.errors import BadInput
from .catalogue import INSIDE, about

# Thousands of passengers of airlines, each month from 1949 to 1960: series G of Box and Jenkins.
PASSENGERS = """
112 118 132 129 121 135 148 148 136 119 104 118 115 126 141 135 125 149 170 170 158 133 114 140 145 150 178 163
172 178 199 199 184 162 146 166 171 180 193 181 183 218 230 242 209 191 172 194 196 196 236 235 229 243 264 272
237 211 180 201 204 188 235 227 234 264 302 293 259 229 203 229 242 233 267 269 270 315 364 347 312 274 237 278
284 277 317 313 318 374 413 405 355 306 271 306 315 301 356 348 355 422 465 467 404 347 305 336 340 318 362 348
363 435 491 505 404 359 310 337 360 342 406 396 420 472 548 559 463 407 362 405 417 391 419 461 472 535 622 606
508 461 390 432
"""


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
    own = {"shifting-experts": shifting, "air-passengers": air_passengers}
    return own[name]() if name in own else of_scikit_learn(name)


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


def air_passengers() -> pa.Table:
    """One number a month.

    >>> air_passengers().slice(0, 2).to_pylist()
    [{'month': '1949-01', 'passengers': 112}, {'month': '1949-02', 'passengers': 118}]
    """
    numbers = [int(word) for word in PASSENGERS.split()]
    months = [f"{1949 + t // 12}-{1 + t % 12:02}" for t in range(len(numbers))]
    return pa.table({"month": months, "passengers": numbers})
