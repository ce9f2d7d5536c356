"""The engine across processes: compiled code is found again, is never stale, and is never needed.

Each test starts fresh interpreters; what they compile is Hedge on a few rounds.
"""

import dis
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import CodeType, FunctionType

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
from littlestone.engine.loops import play_rounds
run = ls.play(ls.Hedge(eta=1.0), [[0.0, 1.0], [0.5, 0.25], [1.0, 0.5]], certify=False)
told = {"weights": run.learner.weights.tolist(), "engine": run.facts["engine"], "file": ls.__file__}
if run.facts["engine"] == "compiled":
    loop = engine.ready(play_rounds, run.learner.params, run.learner.game(True), "compiled")
    hits, misses = loop.stats.cache_hits, loop.stats.cache_misses
    told |= {"name": loop.py_func.__name__, "hits": sum(hits.values()), "misses": sum(misses.values())}
print(json.dumps(told | {name: name in sys.modules for name in ("numba", "scipy.linalg", "numba.np.arrayobj")}))
"""
WEIGHTS = [0.5621765008857981, 0.4378234991142019]  # exp(-1.5) and exp(-1.75), normalised


def environment(path, more):
    """The variables of a fresh interpreter, which takes the package from `path`."""
    given = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "PYTHONPATH": str(path),
    }
    return given | {k: str(v) for k, v in more.items()}


def python(code, *, path=HOME.parent, **more):
    """What a fresh interpreter prints, as JSON; the package is taken from `path`."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=environment(path, more),
        capture_output=True,
        text=True,
        encoding="utf-8",
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
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{old!r} is not in {file}"
    path.write_text(text.replace(old, new), encoding="utf-8")
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
    # Numba imports it when it gets ready to compile; to load takes a third of the time
    for name in ("scipy.linalg", "numba.np.arrayobj"):
        assert first[name]
        assert not second[name]

    names = {first["name"]}
    for what, (file, old, new) in EDITS.items():
        before = edit(package, file, old, new)
        now = told()
        assert now["hits"] == 0, what
        assert now["name"] not in names, what
        expected = WEIGHTS if what == "helper" else DOUBLED
        assert now["weights"] == pytest.approx(expected, abs=1e-12), what
        names.add(now["name"])
        (package / "littlestone" / file).write_text(before, encoding="utf-8")

    # as it was at first, it is found again
    again = told()
    assert (again["hits"], again["name"], again["weights"]) == (1, first["name"], first["weights"])


# Names the compiled loop of Hedge that draws an expert, and the file of one signature, and compiles nothing.
NAME = """
import dis
import json
import numba, numpy as np
import littlestone as ls
from littlestone.core.losses import Square
from littlestone.engine.compile import compiled
from littlestone.engine.loops import Out, play_rounds
from littlestone.engine.memory import classes_of
from littlestone.games import Draw, Room
learner = ls.Hedge(eta=1.0).start(2)
classes = classes_of(learner.params, Draw(Square()))
loop = compiled(play_rounds, classes)
arrays = [c(*[np.zeros(1)] * len(c._fields)) for c in (Out, Room)]
signature = tuple(map(numba.typeof, (learner.params, learner.state, *arrays)))
codegen = loop.targetctx.codegen()
file = loop._cache.name_of(signature, codegen)
print(json.dumps({"name": loop.py_func.__name__, "file": file}))
"""
# Does so each time that a line comes, in a child that has NumPy and Numba, and imports the package as it is now.
NAMES = f"""
import os, sys
import numba, numpy
for _ in sys.stdin:
    child = os.fork()
    if not child:
        exec({NAME!r})
        sys.stdout.flush()
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit(1)
"""
# What compiled code reaches: file, old, new.
REACHED = {
    "a rule": EDITS["rule"],
    "a helper": EDITS["helper"],
    "a twin": EDITS["twin"],
    "a constant of a twin": ("core/vectors.py", "BLOCK = 256", "BLOCK = 128"),
    "a default": ("experts/exponential_weights.py", "state: State) -> float:", "state: State, k=1) -> float:"),
    "a method of a loss": ("core/losses.py", "return (p - y) * (p - y)", "return (p - y) ** 2.0"),
    "a method of a game": ("games/experts.py", "for i in range(x.shape[0]):", "for i in range(0, x.shape[0]):"),
    "how it is compiled": ("engine/twins.py", 'FAST = {"reassoc", ', "FAST = {"),
    "how it is put together": ("engine/compile.py", 'inline="always"', 'inline="never"'),
    "the loop": ("engine/loops.py", "for t in range(T):", "for t in range(0, T):"),
}  # fmt: skip
# The order of the fields of what compiled code is given, or makes: file, two fields.
FIELDS = {
    "a state": ("experts/exponential_weights.py", "    L: Array", "    p: Array"),
    "scratch space": ("games/room.py", "    ell: ", "    d: "),
    "what a loop writes": ("engine/loops.py", "    actions: ", "    costs: "),
    "what a game shows": ("games/experts.py", "    ell: ", "    own: "),
}


@pytest.fixture
def named(package, tmp_path):
    """Names what is compiled, of the copy of the package as it is at each call.

    Python takes a file of the same second and size for unchanged, so it may keep no bytecode here.
    """
    more = {"NUMBA_CACHE_DIR": tmp_path / "cache", "PYTHONDONTWRITEBYTECODE": 1}
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", NAMES],
        env=environment(package, more),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:

        def told():
            process.stdin.write("\n")
            process.stdin.flush()
            line = process.stdout.readline()
            assert line, process.stderr.read()[-3000:]
            return json.loads(line)

        yield told
        process.stdin.close()


@compiled
def test_words_recompile_nothing(package, tmp_path, named):
    """Every message, docstring and comment of the package is another, and compiled code is still the same."""
    first = named()
    assert first["file"].startswith("exponential_weights.Hedge")
    assert named() == first
    reworded = 0
    for path in (package / "littlestone").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        lines = re.sub(r'^( *)"""(?=\w)', r'\1"""In other words: ', text, flags=re.MULTILINE)
        new = re.sub(r'BadInput\((\s*f?["\'])', r'BadInput("No: " + \1', lines) + "\n# A comment.\n"
        reworded += new.count("No: ")
        path.write_text("# Another first line.\n" + new, encoding="utf-8")
    assert reworded > 300
    assert named() == first


@compiled
def test_what_is_reached_recompiles(package, named):
    first = named()
    names, files = {first["name"]}, {first["file"]}
    for what, (file, old, new) in REACHED.items():
        before = edit(package, file, old, new)
        now = named()
        assert now["name"] not in names, what
        names.add(now["name"])
        (package / "littlestone" / file).write_text(before, encoding="utf-8")
    for what, (file, one, other) in FIELDS.items():
        path = package / "littlestone" / file
        before = path.read_text(encoding="utf-8")
        head, _, rest = before.partition(one)
        between, found, tail = rest.partition(other)
        assert found, what
        path.write_text(head + other + between + one + tail, encoding="utf-8")
        now = named()
        assert now["file"] not in files, what
        files.add(now["file"])
        path.write_text(before, encoding="utf-8")
    before = edit(package, "engine/numba_internals.py", "LARGE = 350", "LARGE = 100")
    assert named()["file"] not in files, "how it is linked"
    internals = package / "littlestone" / "engine" / "numba_internals.py"
    internals.write_text(before, encoding="utf-8")
    assert named() == first


def test_the_form_of_a_rule_for_sparse_examples_is_reached():
    from littlestone.engine import reach
    from littlestone.linear.parts import unit_steps

    assert unit_steps.take_sparse_step in reach.piece(unit_steps.take_step).uses


def test_an_object_of_an_unknown_kind_stands_for_all_that_its_user_imports(tmp_path, monkeypatch):
    """A learner of a user whose helper is no plain function: every change of its file counts."""
    from littlestone.engine import reach

    (tmp_path / "unknown_kind.py").write_text(
        "import functools\n"
        "half = functools.partial(pow, 0.5)\n"
        "def used(): return half(2)\n"
        "def plain(): return 1\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    import unknown_kind

    uses = reach.piece(unknown_kind.used).uses
    assert uses == (reach.Unknown("unknown_kind"),)
    assert reach.piece(unknown_kind.plain).uses == ()
    before = reach.piece.__wrapped__(uses[0]).digest
    monkeypatch.setattr(reach, "source_bytes", lambda module: b"another text")
    assert reach.piece.__wrapped__(uses[0]).digest != before


@compiled
def test_a_cache_that_cannot_be_written_is_no_error(package, tmp_path):
    """Neither where the environment says, nor beside the source, nor at home: it is compiled for this process alone."""
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    nowhere = tmp_path / "file" / "below"
    for folder in ("experts", "core"):
        (package / "littlestone" / folder / "__pycache__").write_text("no folder", encoding="utf-8")
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


@compiled
def test_compiled_code_that_was_cut_off_is_compiled_again(package, tmp_path):
    """A disk that is full may leave half of a file."""
    cache = tmp_path / "cache"

    def told():
        return python(PLAY, path=package, NUMBA_CACHE_DIR=cache, NUMBA_OPT=1)

    told()
    files = sorted(cache.rglob("*.code"))
    assert {f.name.startswith("counting") for f in files} == {True, False}
    for file in files:
        file.write_bytes(file.read_bytes()[:100])
    again = told()
    assert (again["hits"], again["misses"]) == (0, 1)
    assert again["weights"] == pytest.approx(WEIGHTS, abs=1e-12)
    after = told()
    assert (after["hits"], after["misses"]) == (1, 0)
    assert after["weights"] == again["weights"]


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
        "raise ImportError('Numba needs NumPy 1.9 or less')", encoding="utf-8"
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


@compiled
def test_globals_are_those_that_dis_finds():
    """Of every function of the engine, and of one that names more globals than a byte counts."""
    from littlestone.engine import loops, reach, twins

    many = {f"f{i}": i for i in range(300)}
    exec(f"def long(): return {' + '.join(many)}", many)
    modules = [vars(m).values() for m in (loops, reach, twins, dis)]
    functions = [f for values in modules for f in values if isinstance(f, FunctionType)]
    for f in [*functions, many["long"]]:
        codes = [f.__code__]
        for code in codes:
            codes += [c for c in code.co_consts if isinstance(c, CodeType)]
        steps = [i for code in codes for i in dis.get_instructions(code)]
        named = {i.argval for i in steps if i.opname == "LOAD_GLOBAL"}
        assert reach.globals_in(f.__code__) == tuple(sorted(named)), f
    assert len(reach.globals_in(many["long"].__code__)) == 300


def test_import_loads_nothing_heavy():
    """Nor does naming a learner: play is looked up when it is asked for, numba when something is compiled."""
    told = python(f"HEAVY = {HEAVY!r}" + IMPORTED)
    assert told["import"] == []
    assert told["lazy"] == []
    assert {"play", "load", "experts", "linear"} <= set(told["names"])
    assert not {"numba", "sklearn", "pyarrow", "matplotlib", "pandas", "polars"} & set(told["play"])


NAMED = """
import json, sys
import numpy
before = set(sys.modules)
import littlestone as ls
ls.play, ls.Learner, ls.Hedge, ls.Tracker
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def test_naming_learners_loads_what_defines_them():
    """Not what plays them, and of the standard library nothing that only a call or an error needs."""
    told = set(python(NAMED))
    assert {"littlestone.play.play", "littlestone.experts.tracker"} <= told
    assert not told & {"difflib", "hashlib", "pathlib", "secrets", "decimal", "urllib.parse"}
    assert not told & {"littlestone.play.session", "littlestone.streams.open"}
    assert "littlestone.engine.reach" not in told


def test_import_walks_no_folder():
    told = python(
        "import json, sys, littlestone\n"
        "print(json.dumps([m for m in sys.modules if m.startswith('littlestone')]))"
    )
    assert sorted(told) == ["littlestone", "littlestone.core", "littlestone.core.hooks"]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'littlestone' has no attribute 'Roulette'"):
        littlestone.Roulette  # noqa: B018


def test_every_signature_has_a_name_of_its_own():
    """Processes that save two signatures under one name may each load the other's code."""
    from littlestone.core.losses import Absolute, Square
    from littlestone.engine.compile import compiled
    from littlestone.engine.loops import play_rounds
    from littlestone.engine.memory import classes_of
    from littlestone.games import Advice, Allocation, Sleeping

    params = littlestone.Hedge().params
    games = (Allocation(), Advice(Square()), Advice(Absolute()), Sleeping(Advice(Square())))
    names = {compiled(play_rounds, classes_of(params, game)).py_func.__name__ for game in games}
    assert len(names) == len(games)
