"""Measurements, never tests: `make bench`, or `python -m benchmarks [names…] [--quick] [--json PATH]`.

Every figure is set beside a peer, or a limit of the machine, that was measured in the same run.
`python -m benchmarks.against TAG` measures an earlier checkout and this tree in turns, and prints old, new and ratio.
"""

import os

# One thread of BLAS, for ours and for peers: others spin while they wait, and their time would count. The processes
# that a measurement starts have as many as users have (clock.py).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
