"""Machine code that came with the package: who runs it compiles nothing, and it is left alone where it does not fit."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("numba", reason="numba is not installed")

from engine.test_shared_cache import NOBODY, another_user_can_run

from littlestone.engine import packaged_code
from littlestone.engine.announce import Announcer
from littlestone.engine.compile import has_numba

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import wheel as tool  # noqa: E402

compiles = pytest.mark.skipif(not has_numba(), reason="rules run plain here")
# Plays a learner over advice and over losses, late, and one round at a time.
PLAYS = """
import json, logging
said = []
class Log(logging.Handler):
    def emit(self, record):
        said.append(record.getMessage())
logging.getLogger("littlestone").addHandler(Log())
logging.getLogger("littlestone").setLevel("INFO")
import littlestone as ls
from littlestone.engine.compile_clock import counts
x, y = [[0.0, 1.0], [1.0, 1.0], [0.5, 0.0]], [1.0, 1.0, 0.0]
loss = [ls.play("hedge", x, y).loss, ls.play("hedge", x).loss, ls.play("hedge", x, y, delay=1).loss]
learner = ls.Hedge()
ticket = learner.ask(x[0])
learner.tell(ticket, 1.0)
print(json.dumps(counts() | {"loss": loss, "said": said, "file": ls.__file__}))
"""


@pytest.fixture
def fitted(tmp_path, monkeypatch):
    """A package whose code is for this process, and nothing is remembered of another one."""
    folder = tmp_path / "machine_code"
    folder.mkdir(mode=0o755)
    facts = packaged_code.made_here() | {"learners": "hedge, tracker"}
    folder.joinpath("made-for.json").write_text(json.dumps(facts), "utf-8")
    monkeypatch.setattr(packaged_code, "FOLDER", str(folder))
    yield from forgotten(folder)


def forgotten(folder):
    for f in (packaged_code.made_for, packaged_code.why_not, packaged_code.folder):
        f.cache_clear()
    yield folder
    for f in (packaged_code.made_for, packaged_code.why_not, packaged_code.folder):
        f.cache_clear()


@compiles
def test_code_for_this_process_is_used(fitted):
    assert packaged_code.folder() == str(fitted)
    assert packaged_code.in_words() == "in the package, used: hedge, tracker"


@compiles
@pytest.mark.parametrize("fact", ["Python", "platform", "Numba", "NumPy", "target"])
def test_code_for_something_else_is_not_and_says_why(fitted, fact):
    here = packaged_code.made_here()
    fitted.joinpath("made-for.json").write_text(json.dumps(here | {fact: "other"}), "utf-8")
    assert packaged_code.folder() == ""
    said = f"the machine code of this package is for {fact} other; here is {fact} {here[fact]}"
    assert packaged_code.in_words() == said


@compiles
@pytest.mark.skipif(os.name != "posix", reason="Windows has no bits for others")
def test_a_folder_that_others_can_write_is_not_read(fitted):
    fitted.chmod(0o777)
    assert packaged_code.folder() == ""
    assert "others can write" in packaged_code.in_words()


@compiles
@pytest.mark.parametrize("content", ["", "{", "[1]", "\xff"])
def test_facts_that_cannot_be_read_are_none(fitted, content):
    fitted.joinpath("made-for.json").write_text(content, "latin-1")
    assert packaged_code.folder() == ""
    assert packaged_code.in_words() == "none in the package"


def test_a_terminal_is_told_once_why_it_waits(monkeypatch, capsys):
    monkeypatch.setattr("littlestone.engine.announce.is_watched", lambda: True)
    made = Announcer()
    for name in ("Hedge", "Tracker"):
        made.compiling(name, "the machine code of this package is for Numba 1; here is Numba 2")
    assert capsys.readouterr().err == (
        "littlestone: compiling Hedge; that takes some seconds, once: the result is kept for the next time "
        "(the machine code of this package is for Numba 1; here is Numba 2)\n"
    )


def told(package, folder, another=False):
    """What a process says that plays from an installed package; its HOME cannot be written, nor can anything else."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("LITTLESTONE_", "NUMBA_"))}
    more = {"NUMBA_CACHE_DIR": str(folder)} if folder else {}
    switch = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    done = subprocess.run(
        [*(switch if another else []), sys.executable, "-B", "-c", PLAYS],
        env=kept | {"PYTHONPATH": str(package), "HOME": "/nonexistent"} | more,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd="/",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["file"].startswith(str(package))
    return said


@compiles
@pytest.mark.subprocess
def test_an_installed_wheel_compiles_nothing_for_any_user():
    """A wheel with the code of hedge, built, installed, and played from: by another user where one can be taken."""
    if sys.platform != "linux" or tool.platform.machine() != "x86_64":
        pytest.skip("machine code is put into wheels for Linux on x86-64 alone")
    if problem := tool.other_than_pinned():
        pytest.skip(problem)
    with tempfile.TemporaryDirectory(
        prefix="littlestone-"
    ) as name:  # those of pytest are closed to others
        Path(name).chmod(0o755)
        plays_from_a_wheel(Path(name))


def plays_from_a_wheel(work):
    build = [sys.executable, ROOT / "tools/wheel.py", "--learners", "hedge", "--out", work / "dist"]
    build += ["--work", work / "work"]
    said = subprocess.run(build, capture_output=True, text=True, encoding="utf-8")
    assert said.returncode == 0, said.stderr
    (wheel,) = work.joinpath("dist").iterdir()
    assert wheel.name.endswith("-manylinux_2_17_x86_64.whl")
    package = work / "site-packages"
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--no-index", "--target"]
    subprocess.run([*pip, package, wheel], check=True)

    first = told(package, None, another_user_can_run())
    assert (first["compiled"], first["said"]) == (0, [])
    assert first["found"] == first["found in the package"] >= 6

    # Changed or cut off, no file is loaded: the code is made anew, and says the same.
    folder = package / "littlestone/engine/machine_code"
    for i, file in enumerate(sorted(folder.glob("*.code"))):
        content = file.read_bytes()
        changed = content[:-9] + bytes([content[-9] ^ 1]) + content[-8:]
        file.write_bytes(changed if i % 2 else content[: len(content) // 2])
    cache = work / "cache"
    second = told(package, cache)
    assert second["found in the package"] == 0 < second["compiled"]
    assert second["loss"] == first["loss"]
    assert "compiling Hedge" in second["said"]
    shutil.rmtree(folder)
    third = told(package, cache)  # as from a pure wheel: found where it was kept
    assert (third["compiled"], third["found in the package"]) == (0, 0)
    assert third["loss"] == first["loss"]


def test_the_pinned_versions_are_those_of_the_requirements():
    """Code is compiled by what `make setup` installs, and `littlestone[compiled]` asks for the same."""
    project = tool.tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pins = list(map(tool.Requirement, project["optional-dependencies"]["compiled"]))
    assert {pin.name for pin in pins} == {"numba", "numpy"}
    lock = (ROOT / "requirements.txt").read_text("utf-8")
    lines = re.findall(r"^(?:numba|numpy)==.*?(?= \\$)", lock, re.MULTILINE)
    assert len(lines) == 3
    for line in lines:
        locked = tool.Requirement(line)
        (one,) = locked.specifier
        assert any(
            pin.name == locked.name
            and one.version in pin.specifier
            and marker(pin) == marker(locked)
            for pin in pins
        ), line


def marker(requirement):
    return str(requirement.marker or "")


def test_code_that_calls_something_else_is_refused():
    assert tool.PROVIDED.match("PyErr_SetString")
    assert tool.PROVIDED.match("exp")
    assert not tool.PROVIDED.match("expensive")
    assert not tool.PROVIDED.match("system")
