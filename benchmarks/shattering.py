"""How long the dimensions of a class take: python -m benchmarks.shattering.

There is no peer to compare with; the limits are those that the project set itself: 5 s for the VC dimension of a random
1024 x 32 matrix, 3 s for Littlestone's dimension of the 5,051 intervals on 100 points. The first call
compiles, or loads what was compiled before; that is in the time.
"""

from __future__ import annotations

import time

import numpy as np

from littlestone import theory

RANDOM = np.random.default_rng(0).random((1024, 32)) < 0.5
CLASSES = (
    ("VC dimension, random 1024 x 32", theory.vc_dimension, RANDOM, 5.0),
    ("Littlestone dimension, 5,051 intervals", theory.littlestone_dimension, theory.intervals(range(100)), 3.0),
)  # fmt: skip


def main() -> None:
    for name, dimension, H, limit in CLASSES:
        begin = time.perf_counter()
        d = dimension(H)
        seconds = time.perf_counter() - begin
        print(f"{name}: {int(d)} in {seconds:.2f} s, limit {limit:g} s")


if __name__ == "__main__":
    main()
