"""A server for tests: slow commits, few learners in memory, frequent snapshots, and faults that are planted.

python -m serve.child FOLDER-OR-URL [DELAY [FAULT [SECONDS OF THE LEASE]]]
"""

import sys
from pathlib import Path

from serve.faults import FAULTS

from littlestone.serve import run
from littlestone.serve.service import Limits


def main() -> None:
    log, delay, fault, lease = [*sys.argv[1:], "", "", ""][:4]
    if fault:
        FAULTS[fault]()
    limits = Limits(in_memory=3, snapshot_every=200)
    postgres = log if log.startswith("postgresql:") else None
    run.serve(
        Path(log), port=0, limits=limits, delay=float(delay or 0), postgres=postgres, lease=float(lease or 1.0),
    )  # fmt: skip


if __name__ == "__main__":
    main()
