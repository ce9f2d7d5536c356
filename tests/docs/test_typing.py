"""What type checkers and editors know of the public names: as much as Python does."""

import ast
import functools
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import littlestone as ls
from littlestone.core.errors import BadFile
from littlestone.core.guarantee import Certificate, Verdict
from littlestone.core.options import GROUPS, declarations
from littlestone.live.tickets import Ticket
from littlestone.play.options import PlayOptions
from littlestone.play.signature import stub_of_play
from littlestone.run.run import Run, Runs
from littlestone.run.seeds import SeedRuns
from littlestone.streams.options import ReadOptions
from tools.stubs import stubs

ROOT = Path(__file__).parents[2]

# Each line with a comment: the type that must be revealed (T) or the error that must be found (E).
USER = """
import littlestone as ls
from littlestone.live.tickets import Ticket

run = ls.play("tracker", [[0.0, 1.0]], [1.0], delay=1, record="all")
reveal_type(run)  # T: Run
reveal_type(run.regret)  # T: float
reveal_type(run.predictions)  # T: ndarray[tuple[Any, ...], dtype[Any]]
reveal_type(run.weights)  # T: ndarray[tuple[Any, ...], dtype[float64]]
reveal_type(run.losses)  # T: ndarray[tuple[Any, ...], dtype[float64]]
reveal_type(run.scores)  # T: ndarray[tuple[Any, ...], dtype[float64]]
reveal_type(run.best)  # T: Best | None
reveal_type(run.times)  # T: ndarray[tuple[Any, ...], dtype[datetime64[date | int | None]]] | None
reveal_type(run.trace["loss"])  # T: ndarray[tuple[Any, ...], dtype[float64]]
reveal_type(run.certificate)  # T: Certificate
reveal_type(run.certificate.headline)  # T: Verdict | None
reveal_type([v.bound for v in run.certificate])  # T: list[float]
reveal_type(run.bound)  # T: float
reveal_type(ls.play("tracker", "x.csv", outcome="y", by="product"))  # T: Runs
reveal_type(ls.play(ls.EXP3(), ls.Arms([0.1, 0.2]), rounds=10, seeds=20))  # T: SeedRuns
seeds = ls.play(ls.EXP3(), ls.Arms([0.1, 0.2]), rounds=10, seeds=20)
reveal_type(seeds.regrets)  # T: ndarray[tuple[Any, ...], dtype[float64]]
reveal_type(seeds.mean_limits.low)  # T: float
reveal_type(ls.Tracker())  # T: Tracker
reveal_type(ls.load("a.ls"))  # T: Learner[Any, Any, Any, Any]
reveal_type(ls.load("a.ls", ls.Tracker))  # T: Tracker
reveal_type(ls.load("a.ticket", Ticket).round)  # T: int
reveal_type(ls.learner("hedge", eta=0.5))  # T: Learner[Any, Any, Any, Any]
reveal_type(ls.UCB1().start(3).predict())  # T: int
reveal_type(ls.Hedge().start(3).predict())  # T: ndarray[tuple[Any, ...], dtype[float64]]
reveal_type(ls.Hedge().start(3).weights)  # T: ndarray[tuple[Any, ...], dtype[float64]]
reveal_type(ls.OnlineLinear().classes)  # T: list[bool | int | float | str]
reveal_type(ls.Tracker().ask([0.0, 1.0]).id)  # T: str
reveal_type(ls.Tracker().digest())  # T: str
ls.Hedge(eta=1, draw=True)
ls.Tracker(loss="absolute")
ls.OnlineLinear().start(3).predict([1, 2, 3])
ls.Hedge(etta=1)  # E: call-arg
ls.Hedge(eta="1")  # E: arg-type
ls.Hegde()  # E: attr-defined
ls.play("tracker", [[0.0]], otcome="y")  # E: call-overload
ls.play("tracker", [[0.0]], record="some")  # E: call-overload
ls.play(ls.Hedge, [[0.0]])  # E: call-overload
run.regrets  # E: attr-defined
"""


def test_a_users_file_is_checked_against_real_types(tmp_path):
    pytest.importorskip("mypy")
    file = tmp_path / "user.py"
    file.write_text(USER, encoding="utf-8")
    # with the project's own settings and cache, which `make lint` fills
    asked = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--no-pretty", str(file)]  # fmt: skip
    found = subprocess.run(
        asked,
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={"MYPYPATH": "src", "PATH": ""},
    )
    assert not found.stderr, found.stderr
    # what mypy finds in the package itself is for `make lint`
    lines = found.stdout.splitlines()
    matched = (re.match(r".*user\.py:(\d+): (error|note): (.*)", line) for line in lines)
    said = [(int(m[1]), m[2], m[3]) for m in matched if m]
    errors = {at: text.rpartition("[")[2].rstrip("]") for at, kind, text in said if kind == "error"}
    types = {
        at: re.sub(r"\w+\.", "", text.partition('"')[2].rstrip('"'))
        for at, _, text in said
        if text.startswith("Revealed type is")
    }
    user = enumerate(USER.splitlines(), 1)
    marked = [(i, *line.partition("  # ")[2].split(": ", 1)) for i, line in user if "  # " in line]
    assert errors == {i: what for i, kind, what in marked if kind == "E"}
    assert types == {i: what for i, kind, what in marked if kind == "T"}


# What only other libraries can say: figures of matplotlib, frames and indices of pandas; and what a report explains.
UNTYPED = {"Run.explain", "Run.to_frame", "Run.plot", "Run.index", "Run.of_rounds", "SeedRuns.plot"}


@pytest.mark.parametrize("owner", [Run, Runs, SeedRuns, Certificate, Verdict], ids=str)
def test_what_an_editor_completes_is_not_any(owner):
    untyped = set()
    for name, v in vars(owner).items():
        if isinstance(v, functools.cached_property):
            v = v.func
        v = v.fget if isinstance(v, property) else v
        if inspect.isfunction(v) and not name.startswith("_"):
            said = v.__annotations__.get("return", "Any")
            untyped |= {f"{owner.__name__}.{name}"} if said == "Any" else set()
    assert untyped == {name for name in UNTYPED if name.startswith(f"{owner.__name__}.")}


def imports(text: str) -> dict[str, str]:
    """What a stub imports: name -> module, with its leading dots."""
    nodes = [node for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)]
    return {a.asname: "." * n.level + (n.module or "") for n in nodes for a in n.names}


@pytest.mark.parametrize("path", stubs(), ids=lambda path: path.parent.name)
def test_a_stub_has_every_public_name_where_it_is(path):
    wanted = imports(stubs()[path])
    missing = [name for name in wanted if name not in imports(path.read_text(encoding="utf-8"))]
    assert not missing, f"run tools/stubs.py: {path} has no {missing}"
    assert imports(path.read_text(encoding="utf-8")) == wanted


def test_every_public_name_is_listed():
    assert set(ls.__all__) == {*ls._WHERE, *ls._GROUPS, "__version__"}


def test_the_stub_and_docstring_of_play_are_those_of_its_declarations():
    """To make the stub anew: python -m littlestone.play.signature > src/littlestone/play/play.pyi"""
    stub = ROOT / "src" / "littlestone" / "play" / "play.pyi"
    assert stub.read_text(encoding="utf-8") == stub_of_play()
    signature = inspect.signature(ls.play).parameters
    declared = {
        name: (rule, default)
        for owner in (ReadOptions, PlayOptions)
        for name, rule, default in declarations(owner)
        if rule.public
    }
    assert set(signature) == {"learner", "data", "outcomes", *declared}
    for name, (rule, default) in declared.items():
        assert signature[name].default == default, name
        assert rule.group in GROUPS, name
        assert re.search(rf"\n        {name}: \S", ls.play.__doc__), f"{name} is not described"


def test_a_file_of_another_kind_is_refused(tmp_path, plain):
    learner = ls.Hedge().start(2)
    learner.save(tmp_path / "h.ls")
    learner.ask().save(tmp_path / "t.ls")
    assert type(ls.load(tmp_path / "h.ls", ls.Hedge)) is ls.Hedge
    assert ls.load(tmp_path / "t.ls", Ticket).round == 0
    with pytest.raises(BadFile, match=r"h\.ls holds a Hedge, not a Tracker"):
        ls.load(tmp_path / "h.ls", ls.Tracker)


def test_a_misspelt_name_is_answered_with_the_nearest():
    for wrong, right in (("Hegde", "Hedge"), ("FixedShares", "FixedShare"), ("paly", "play")):
        with pytest.raises(
            AttributeError, match=rf"no attribute '{wrong}'; did you mean {right}\?"
        ):
            getattr(ls, wrong)
    with pytest.raises(AttributeError, match=r"no attribute 'xyzzy'$"):
        ls.xyzzy  # noqa: B018
    assert not hasattr(ls, "__path_hooks__")
