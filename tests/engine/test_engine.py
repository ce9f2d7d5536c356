"""The engine across processes: compiled code is found again, is never stale, and is never needed.

Each test starts fresh interpreters; what they compile is Hedge on a few rounds.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import littlestone
from littlestone.engine.compile import has_numba

HOME = Path(littlestone.__file__).parent
HEAVY = (
    "numba",
    "llvmlite",
    "sklearn",
    "pyarrow",
    "matplotlib",
    "pandas",
    "polars",
    "scipy",
    "rich",
)
compiled = pytest.mark.skipif(
    not has_numba(), reason="numba is not installed: compiled rules not tested"
)

# Plays Hedge in the allocation game, and tells of the compiled loop.
PLAY = """
import json, sys, warnings
import littlestone as ls
from littlestone.engine import compile as engine
from littlestone.engine.loops import rounds
run = ls.play(ls.Hedge(eta=1.0), [[0.0, 1.0], [0.5, 0.25], [1.0, 0.5]], certify=False)
told = {"weights": run.learner.weights.tolist(), "engine": run.facts["engine"], "file": ls.__file__}
if run.facts["engine"] == "compiled":
    loop = engine.ready(rounds, run._s.params, run._s.game, "compiled")
    hits, misses = loop.stats.cache_hits, loop.stats.cache_misses
    told |= {"name": loop.py_func.__name__, "hits": sum(hits.values()), "misses": sum(misses.values())}
print(json.dumps(told | {"numba": "numba" in sys.modules}))
"""
WEIGHTS = [0.5621765008857981, 0.4378234991142019]  # exp(-1.5) and exp(-1.75), normalised


def python(code, *, path=HOME.parent, **environment):
    """What a fresh interpreter prints, as JSON; the package is taken from `path`."""
    given = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "PYTHONPATH": str(path),
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=given | {k: str(v) for k, v in environment.items()},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def package(tmp_path):
    """A copy of the package, to be changed."""
    folder = tmp_path / "copy"
    shutil.copytree(HOME, folder / "littlestone", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def edit(folder, file, old, new):
    """Change a file of the copy; what it held before."""
    path = folder / "littlestone" / file
    text = path.read_text()
    assert old in text, f"{old!r} is not in {file}"
    path.write_text(text.replace(old, new))
    return text


EDITS = {
    "rule": (
        "experts/exponential_weights.py",
        "state.L[i] += f.ell[i]",
        "state.L[i] += 2.0 * f.ell[i]",
    ),
    "helper": (
        "core/numeric.py",
        "def draw(p: Any, u: float) -> int:\n",
        "def draw(p: Any, u: float) -> int:\n    u = u * 1.0\n",
    ),
    "twin": (
        "engine/twins.py",
        "v = decay(-eta * (L[i] - m))",
        "v = decay(eta * (m - L[i]) * 2.0)",
    ),
}
DOUBLED = [w**2 / sum(v**2 for v in WEIGHTS) for w in WEIGHTS]


@compiled
def test_compiled_code_is_found_again_and_never_stale(package, tmp_path):
    """By the next process; not after a rule, a helper or a twin has changed; but after anything else has."""

    def told():
        return python(PLAY, path=package, NUMBA_CACHE_DIR=tmp_path / "cache", NUMBA_OPT=1)

    first = told()
    assert first["file"].startswith(str(package))
    assert first["engine"] == "compiled"
    assert (first["hits"], first["misses"]) == (0, 1)
    assert first["weights"] == pytest.approx(WEIGHTS, abs=1e-12)

    # another learner and the report are none of its business
    edit(package, "experts/tracker.py", '"""Tracker: ', '"""The tracker: ')
    edit(package, "report/page.py", '"""', '"""A page. ')
    second = told()
    assert (second["hits"], second["misses"]) == (1, 0)
    assert second["name"] == first["name"]
    assert second["weights"] == first["weights"]

    names = {first["name"]}
    for what, (file, old, new) in EDITS.items():
        before = edit(package, file, old, new)
        now = told()
        assert now["hits"] == 0, what
        assert now["name"] not in names, what
        expected = WEIGHTS if what == "helper" else DOUBLED
        assert now["weights"] == pytest.approx(expected, abs=1e-12), what
        names.add(now["name"])
        (package / "littlestone" / file).write_text(before)

    # as it was at first, it is found again
    again = told()
    assert (again["hits"], again["name"], again["weights"]) == (1, first["name"], first["weights"])


@compiled
def test_a_cache_that_cannot_be_written_is_no_error(package, tmp_path):
    """Neither where the environment says, nor beside the source, nor at home: it is compiled for this process alone."""
    (tmp_path / "file").write_text("no folder")
    nowhere = tmp_path / "file" / "below"
    for folder in ("experts", "core"):
        (package / "littlestone" / folder / "__pycache__").write_text("no folder")
    told = python(
        PLAY,
        path=package,
        NUMBA_CACHE_DIR=nowhere,
        HOME=nowhere,
        XDG_CACHE_HOME=nowhere,
        PYTHONDONTWRITEBYTECODE=1,
        NUMBA_OPT=1,
    )
    assert told["file"].startswith(str(package))
    assert told["engine"] == "compiled"
    assert told["hits"] == 0
    assert told["weights"] == pytest.approx(WEIGHTS, abs=1e-12)


# More of the library: comparators, certificates, sleepers, late feedback, one at a time.
MORE = """
x = [[0.0, 1.0], [0.5, 0.25], [1.0, 0.5]]
runs = [ls.play("hedge", x), ls.play("fixed-share", x, [0.0, 0.5, None], interval=(0, 1))]
runs.append(ls.play("tracker", [[0.0, 1.0], [0.5, None], [1.0, 0.5]], [0.0, 0.5, 1.0], delay=1))
learner = ls.Tracker().update([0.0, 1.0], 0.0)
one = learner.predict([0.0, 1.0])
told["verdicts"] = [run.certificate.verdict for run in runs]
print(json.dumps(told | {"one": one, "numba": "numba" in sys.modules}))
"""

MISSING = """
from importlib.machinery import PathFinder
GONE, find = ("numba", "llvmlite"), PathFinder.find_spec
PathFinder.find_spec = lambda name, *more: None if name.partition(".")[0] in GONE else find(name, *more)
"""


def check_plain(told):
    assert told["engine"] == "plain"
    assert told["numba"] is False
    assert told["weights"] == pytest.approx(WEIGHTS, abs=1e-12)
    assert told["verdicts"] == ["kept"] * 3
    assert told["one"] < 0.5


def test_plain_never_imports_numba():
    check_plain(python(PLAY + MORE, LITTLESTONE_ENGINE="plain"))


def test_where_numba_is_missing_plain_works():
    check_plain(python(MISSING + PLAY + MORE))


def test_where_numba_does_not_support_this_python_plain_works(tmp_path):
    """It says so when it is imported, as it does of a NumPy that is too new."""
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").write_text(
        "raise ImportError('Numba needs NumPy 1.9 or less')"
    )
    check_plain(python(PLAY + MORE, path=f"{tmp_path}{os.pathsep}{HOME.parent}"))


IMPORTED = """
import json, sys
import littlestone as ls
after = {name: name in sys.modules for name in HEAVY}
lazy = [name for name in ("play", "Hedge", "load") if name in vars(ls)]
names = dir(ls)
ls.play
ls.Hedge(eta=0.5)
ls.learner("hedge")
print(json.dumps({"import": [k for k, v in after.items() if v], "lazy": lazy, "names": names,
                  "play": [name for name in HEAVY if name in sys.modules]}))
"""


def test_import_loads_nothing_heavy():
    """Nor does naming a learner: play is looked up when it is asked for, numba when something is compiled."""
    told = python(f"HEAVY = {HEAVY!r}" + IMPORTED)
    assert told["import"] == []
    assert told["lazy"] == []
    assert {"play", "load", "Hedge", "Tracker"} <= set(told["names"])
    assert not {"numba", "sklearn", "pyarrow", "matplotlib", "pandas", "polars"} & set(told["play"])


def test_import_walks_no_folder():
    told = python(
        "import json, sys, littlestone\n"
        "print(json.dumps([m for m in sys.modules if m.startswith('littlestone')]))"
    )
    assert told == ["littlestone"]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'littlestone' has no attribute 'Roulette'"):
        littlestone.Roulette  # noqa: B018


def test_every_signature_has_a_name_of_its_own():
    """Processes that save two signatures under one name may each load the other's code."""
    from littlestone.core.losses import Absolute, Square
    from littlestone.engine.compile import compiled
    from littlestone.engine.loops import rounds
    from littlestone.engine.memory import tree
    from littlestone.games import Advice, Allocation, Sleeping

    params = littlestone.Hedge().params
    games = (Allocation(), Advice(Square()), Advice(Absolute()), Sleeping(Advice(Square())))
    names = {
        compiled(rounds, tuple(dict.fromkeys([*tree(params), *tree(game)]))).py_func.__name__
        for game in games
    }
    assert len(names) == len(games)
