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
from littlestone.core.engine import has_numba

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
from littlestone.core import engine
run = ls.play(ls.Hedge(eta=1.0), [[0.0, 1.0], [0.5, 0.25], [1.0, 0.5]], certify=False)
told = {"weights": run.learner.weights.tolist(), "engine": run.facts["engine"], "file": ls.__file__}
if run.facts["engine"] == "compiled":
    loop = engine.ready(engine.rounds, run._s.params, run._s.game, "compiled")
    hits, misses = loop.stats.cache_hits, loop.stats.cache_misses
    told |= {"name": loop.py_func.__name__, "hits": sum(hits.values()), "misses": sum(misses.values())}
print(json.dumps(told | {"numba": "numba" in sys.modules}))
"""
WEIGHTS = [0.5621765008857981, 0.4378234991142019]  # exp(-1.5) and exp(-1.75), normalised


def python(code, *, path=HOME.parent, strict=True, **environment):
    """What a fresh interpreter prints, as JSON; the package is taken from `path`."""
    given = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "PYTHONPATH": str(path),
    }
    flags = ["-W", "error"] if strict else []
    done = subprocess.run(
        [sys.executable, *flags, "-c", code],
        env=given | {k: str(v) for k, v in environment.items()},
        capture_output=True,
        text=True,
        timeout=300,
        cwd=path,
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
    path = folder / "littlestone" / file
    text = path.read_text()
    assert text.count(old) >= 1, f"{old!r} is not in {file}"
    path.write_text(text.replace(old, new))


@compiled
def test_a_second_process_finds_what_the_first_compiled(tmp_path):
    first, second = (python(PLAY, NUMBA_CACHE_DIR=tmp_path / "cache") for _ in range(2))
    assert first["engine"] == second["engine"] == "compiled"
    assert (first["hits"], first["misses"]) == (0, 1)
    assert (second["hits"], second["misses"]) == (1, 0)
    assert first["name"] == second["name"]
    assert first["weights"] == second["weights"] == pytest.approx(WEIGHTS, abs=1e-12)


EDITS = {
    # a comment is enough: what is hashed is the source
    "rule": (
        "experts/exponential_weights.py",
        "state.L[i] += f.ell[i]",
        "state.L[i] += 2.0 * f.ell[i]",
        True,
    ),
    "helper": ("core/numeric.py", '"""p / sum p, in place', '"""p over sum p, in place', False),
    "twin": (
        "core/twins.py",
        "v = decay(-eta * (L[i] - m))",
        "v = decay(eta * (m - L[i]) * 2.0)",
        True,
    ),
    "game": (
        "core/games.py",
        "return Losses(y, inner(d, y))",
        "return Losses(y, inner(d, y) + 0.0)",
        False,
    ),
}


@compiled
def test_a_change_recompiles_whatever_imports_it(package, tmp_path):
    """A rule, a helper, a twin, a game: another name for the loop, and another result where there should be."""
    cache = tmp_path / "cache"
    seen = [python(PLAY, path=package, NUMBA_CACHE_DIR=cache)]
    assert seen[0]["file"].startswith(str(package))
    assert seen[0]["weights"] == pytest.approx(WEIGHTS, abs=1e-12)
    for what, (file, old, new, matters) in EDITS.items():
        before = (package / "littlestone" / file).read_text()
        edit(package, file, old, new)
        told = python(PLAY, path=package, NUMBA_CACHE_DIR=cache)
        assert told["hits"] == 0, what
        assert told["name"] not in {other["name"] for other in seen}, what
        doubled = [w**2 / sum(v**2 for v in WEIGHTS) for w in WEIGHTS]
        assert told["weights"] == pytest.approx(doubled if matters else WEIGHTS, abs=1e-12), what
        seen.append(told)
        (package / "littlestone" / file).write_text(before)
    # and as it was before, it is found again
    again = python(PLAY, path=package, NUMBA_CACHE_DIR=cache)
    assert again["name"] == seen[0]["name"]
    assert again["hits"] == 1
    assert again["weights"] == seen[0]["weights"]


@compiled
def test_what_others_change_does_not_recompile(package, tmp_path):
    """The report, the command line and other learners are not in the hash."""
    first = python(PLAY, path=package, NUMBA_CACHE_DIR=tmp_path / "cache")
    edit(package, "experts/tracker.py", '"""Tracker: ', '"""The tracker: ')
    edit(package, "report/page.py", '"""', '"""A page. ')
    second = python(PLAY, path=package, NUMBA_CACHE_DIR=tmp_path / "cache")
    assert second["name"] == first["name"]
    assert second["hits"] == 1


@compiled
def test_a_cache_that_cannot_be_written_is_no_error(package, tmp_path):
    """Neither beside the source, nor where the environment says, nor at home: compiled for this process alone."""
    (tmp_path / "file").write_text("no folder")
    nowhere = tmp_path / "file" / "below"
    told = python(PLAY, NUMBA_CACHE_DIR=nowhere, HOME=nowhere, XDG_CACHE_HOME=nowhere)
    assert told["engine"] == "compiled"
    assert told["weights"] == pytest.approx(WEIGHTS, abs=1e-12)
    # nor beside the source, where a file stands in the place of __pycache__
    for folder in ("experts", "core"):
        (package / "littlestone" / folder / "__pycache__").write_text("no folder")
    told = python(
        PLAY, path=package, HOME=nowhere, XDG_CACHE_HOME=nowhere, PYTHONDONTWRITEBYTECODE=1
    )
    assert told["file"].startswith(str(package))
    assert told["weights"] == pytest.approx(WEIGHTS, abs=1e-12)


def test_plain_never_imports_numba():
    told = python(PLAY, LITTLESTONE_ENGINE="plain")
    assert told["engine"] == "plain"
    assert told["numba"] is False
    assert told["weights"] == pytest.approx(WEIGHTS, abs=1e-12)


MISSING = """
import importlib.abc, sys
class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "llvmlite"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
"""
CERTIFY = """
x = [[0.0, 1.0], [0.5, 0.25], [1.0, 0.5]]
runs = [ls.play("hedge", x), ls.play("fixed-share", x, [0.0, 0.5, None], interval=(0, 1))]
runs.append(ls.play("tracker", x, [0.0, 0.5, 1.0], delay=1))
learner = ls.Hedge().update([0.0, 1.0])
print(json.dumps({"verdicts": [run.certificate.verdict for run in runs], "one": learner.predict().tolist(),
                  "told": told, "numba": "numba" in sys.modules}))
"""


def test_where_numba_is_missing_plain_works():
    """Rounds, comparators, certificates, one at a time."""
    told = python(MISSING + PLAY + CERTIFY)
    assert told["told"]["engine"] == "plain"
    assert told["numba"] is False
    assert told["told"]["weights"] == pytest.approx(WEIGHTS, abs=1e-12)
    assert told["verdicts"] == ["kept"] * 3
    assert told["one"][0] > 0.5


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
                  "modules": [m for m in sys.modules if m.startswith("littlestone.") and "." in m[12:]] if after else [],
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
