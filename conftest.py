"""What holds for every test and doctest: shared compiled code, threads, garbage, Hypothesis, a scratch folder."""

import gc
import os
import sys
from pathlib import Path

import hypothesis
import pytest

from tools import blas_kernel

# Before anything imports numba: workers and runs share what was compiled once.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parent / ".cache" / "numba"))

# Before anything imports NumPy: a worker has one core, and threads of linear algebra spin while they wait for another.
# With two of them one test took 13 s of processor time, with one 0.7.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
blas_kernel.choose()
# The same for scikit-learn's, which would also start a process to count cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

pytest_plugins = ["tiers"]  # tests/tiers.py

# While tests are collected nothing becomes garbage: to look for it took two fifths of that time.
gc.disable()

# A first example may compile, so no deadlines; CI plays the same examples every time.
hypothesis.settings.register_profile(
    "littlestone",
    deadline=None,
    derandomize="CI" in os.environ,
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("littlestone")

# Their examples belong to modules that the reader writes; tests in tests/docs do as the pages say.
collect_ignore = ["docs/add-a-game.md", "docs/add-a-learner.md"]

# Examples of the reference that take seconds, and are run where they come from: in the docstrings.
collect_ignore += [
    "docs/reference/supervised/error_distribution.md",
    "docs/reference/linear/online-kernel-regression.md",
]
# Pages of the lectures run where they are written, in lectures/src/littlestone_lectures/pages.
collect_ignore_glob = ["docs/lectures/*"]


def pytest_collection_finish():
    """Let Python look for garbage again, less often, and not among the million objects that were collected."""
    os.environ.pop("PYTHONWARNDEFAULTENCODING", None)  # for us, not for processes that tests start
    gc.freeze()
    gc.set_threshold(2_000, 20, 50)
    gc.enable()


@pytest.fixture
def plain(monkeypatch):
    """Rules run in plain Python: nothing is compiled."""
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


@pytest.fixture(autouse=True)
def fits_are_over():
    """Wait for fits that a test has begun beside its rounds: their memory and time would count in the next one."""
    yield
    fits = sys.modules.get("littlestone.refitted.background_fits")
    if fits is not None and fits.begun.fits:
        fits.begun.thread.submit(int).result()


@pytest.fixture(autouse=True)
def scratch(request, monkeypatch):
    """Run doctests in an empty folder, where they may write files by short names; undo what they set in os.environ."""
    if not isinstance(request.node, pytest.DoctestItem):
        yield
        return
    monkeypatch.chdir(request.getfixturevalue("tmp_path"))
    before = dict(os.environ)
    yield
    os.environ.update(before)
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
