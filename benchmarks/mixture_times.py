"""What a row costs the default for tables, and what its state takes: us of CPU a row, and MB.

    python -m benchmarks.mixture_times [ROWS]

Rows are normal; classes are those of the nearest of three centres each, 10% of them drawn anew; numbers are a curve of
three features with noise. Each case is compiled on 300 rows first; then it is played whole, and its first 20,000 rows
alone. Fits run on another thread, and count. Up to ROWS rows of each (1,000,000: six minutes).
"""

from __future__ import annotations

import sys
import time
from typing import Any, NamedTuple

import numpy as np

import littlestone as ls

FIRST, TO_COMPILE = 20_000, 300


class Case(NamedTuple):
    classes: int  # 0: numbers
    features: int
    rows: int


CASES = (
    Case(2, 10, 1_000_000),
    Case(0, 10, 1_000_000),
    Case(4, 10, 100_000),
    Case(10, 20, 100_000),
    Case(2, 100, 20_000),
)


def make_rows(case: Case) -> tuple[Any, Any]:
    """The rows of a case, and their outcomes."""
    r = np.random.default_rng(1)
    X = r.normal(size=(case.rows, case.features))
    if case.classes == 0:
        noise = 0.3 * r.normal(size=case.rows)
        return X, np.sin(2.0 * X[:, 0]) * X[:, 1] + np.abs(X[:, 2]) + noise
    centres = r.normal(size=(3 * case.classes, case.features))
    squares = (centres**2).sum(axis=1)
    y = (squares - 2.0 * X @ centres.T).argmin(axis=1) % case.classes
    again = r.random(case.rows) < 0.1
    y[again] = r.integers(0, case.classes, again.sum())
    return X, y


def bytes_of(state: Any) -> int:
    if isinstance(state, tuple):
        return sum(map(bytes_of, state))
    return int(np.asarray(state).nbytes)


def measure(key: str, X: Any, y: Any) -> tuple[float, Any]:
    """Us of CPU a row, and the run."""
    begin = time.process_time()
    run = ls.play(key, X, y, certify=False, record="none")
    return 1e6 * (time.process_time() - begin) / len(y), run


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else max(case.rows for case in CASES)
    print("| classes | features | rows | us a row | the first 20,000 | state, MB | loss a row |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for case in CASES:
        case = case._replace(rows=min(case.rows, most))
        X, y = make_rows(case)
        key = "mixture" if case.classes else "mixture-regression"
        measure(key, X[:TO_COMPILE], y[:TO_COMPILE])
        early, _ = measure(key, X[:FIRST], y[:FIRST])
        whole, run = measure(key, X, y)
        megabytes = bytes_of(run.learner.state) / 1e6
        print(
            f"| {case.classes or 'numbers'} | {case.features} | {case.rows:,} | {whole:.0f} | {early:.0f} | "
            f"{megabytes:.0f} | {run.loss / case.rows:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
