"""A server for tests: slow commits, few learners in memory, frequent snapshots, and faults that are planted.

python -m serve.child FOLDER [DELAY [FAULT]]
"""

import sys
from pathlib import Path

from serve.faults import FAULTS

from littlestone.serve import run
from littlestone.serve.service import Limits


def main() -> None:
    folder, delay, fault = [*sys.argv[1:], "", ""][:3]
    if fault:
        FAULTS[fault]()
    limits = Limits(in_memory=3, snapshot_every=200)
    run.serve(Path(folder), port=0, limits=limits, delay=float(delay or 0))


if __name__ == "__main__":
    main()
