"""What a short run has to import. Few rows with few columns do without SciPy, whose parts take as long as the run."""

import os
import subprocess
import sys

import numpy as np
import pytest

HEAVY = (
    "scipy.linalg",
    "scipy.optimize",
    "scipy.sparse",
    "scipy.special",
    "sklearn",
    "matplotlib",
    "pandas",
    "polars",
)
CHILD = """
import sys
from littlestone.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print("imported:", *sorted(set({heavy}) & set(sys.modules)), file=sys.stderr)
"""  # fmt: skip


def imported_by(*arguments, cwd):
    """Which of the heavy modules a command has imported, when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD.format(heavy=HEAVY), *map(str, arguments)],
        env=os.environ | {"LITTLESTONE_ENGINE": "plain"},
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    (line,) = [s for s in done.stderr.splitlines() if s.startswith("imported:")]
    return line.split()[1:]


@pytest.fixture
def tables(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5)).round(3)
    y = X @ np.arange(1.0, 6.0)
    kinds = {"classes": np.where(y > 0, "yes", "no"), "numbers": y.round(3) * 100}
    names = ",".join(f"x{i}" for i in range(5))
    for name, column in kinds.items():
        rows = (",".join(map(str, [*x, v])) for x, v in zip(X, column, strict=True))
        tmp_path.joinpath(f"{name}.csv").write_text("\n".join([f"{names},y", *rows]), "utf-8")
    forecasts = "\n".join(f"{v},{v + 1},{v + 0.3}" for v in range(60))
    tmp_path.joinpath("experts.csv").write_text(f"a,b,y\n{forecasts}\n", "utf-8")
    return tmp_path


@pytest.mark.parametrize("name", ["classes", "numbers", "experts"])
def test_a_short_run_with_its_certificate_does_without_scipy(name, tables):
    assert imported_by("run", f"{name}.csv", "--outcome", "y", cwd=tables) == []


@pytest.mark.parametrize("arguments", [["--help"], ["list"], ["show", "perceptron"]])
def test_what_only_tells_imports_nothing_heavy(arguments, tmp_path):
    assert imported_by(*arguments, cwd=tmp_path) == []
