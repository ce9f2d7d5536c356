"""What a process pays before it has its first result."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

from .clock import child
from .figure import Figure

IMPORT = 0.1  # seconds
FIRST = 1.6  # times `import numba`

CPU = "import json, sys, time; {}; print(json.dumps([time.process_time(), sorted(sys.modules)]))"
WALL = "import time; {}; print(time.monotonic(), time.process_time())"
PLAY = (
    'import littlestone as ls; ls.play("{}", [[0.0, 1.0], [0.5, 0.0], [1.0, 1.0]], [0.0, 1.0, 1.0])'
)
UNWANTED = {"numba", "sklearn", "pyarrow", "matplotlib", "scipy", "pandas", "polars"}


def measure(quick: bool) -> Iterator[Figure]:
    turns = 2 if quick else 7
    statements = {
        "numpy": "import numpy",
        "littlestone": "import numpy, littlestone",
        "names": "import numpy, littlestone as ls; ls.play; ls.Learner; ls.Hedge; ls.Tracker",
    }
    cpu = dict.fromkeys(statements, float("inf"))
    loaded: set[str] = set()
    for _ in range(turns):
        for name, statement in statements.items():
            seconds, modules = json.loads(child(CPU.format(statement)))
            cpu[name] = min(cpu[name], seconds)
            loaded |= UNWANTED.intersection(modules)
    note = f"loads {', '.join(sorted(loaded))}" if loaded else ""
    for name, what in (("littlestone", "import littlestone"), ("names", "… and name learners")):
        more = max(0.0, cpu[name] - cpu["numpy"])
        target = IMPORT if name == "littlestone" else None
        yield Figure(
            f"{what}: CPU over numpy's", more, "s", "import numpy", cpu["numpy"], target, note=note
        )

    starts = {"nothing": "pass", "numba": "import numba"}
    starts |= {key: PLAY.format(key) for key in ("hedge", "tracker")}
    wall = dict.fromkeys(starts, float("inf"))
    work = dict(wall)
    for key in ("hedge", "tracker"):
        child(WALL.format(starts[key]))  # compiles, and fills the cache
    for _ in range(turns):
        for name, statement in starts.items():
            began = time.monotonic()  # one clock for all processes
            end, used = map(float, child(WALL.format(statement)).split())
            wall[name], work[name] = min(wall[name], end - began), min(work[name], used)
    for key in ("hedge", "tracker"):
        yield Figure(
            f"{key}: a second process's first result",
            wall[key],
            "s",
            "import numba",
            wall["numba"],
            FIRST,
            "ratio",
            note=f"wall time; {wall['nothing']:.3f} s of it are the interpreter's start; "
            f"CPU time {work[key]:.3f} s",
        )
