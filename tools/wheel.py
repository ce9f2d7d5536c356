"""Build a wheel with the machine code of the learners that are met first: `make wheel`.

A copy of the sources compiles them in a folder of its own, in every way that they are played: at once, late, by key, one
round at a time, sparse. The files are looked at one by one. Each must call nothing but Python, Numba and what every
C library has, so that the wheel's tag is true; and none may hold a path of this machine. Then the wheel is built with
them inside (`tools/machine_code.py`).
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEARNERS = (
    "tracker", "hedge", "online-linear", "online-kernel", "cover", "aci", "tsallis-inf", "perceptron", "logistic",
)  # fmt: skip
MOST = 40e6  # bytes of a wheel
# What machine code may call. Python and Numba bring theirs; the others are in every C library since C99.
PROVIDED = re.compile(
    r"(_?Py|PyExc_|NRT_|numba_|_numba_|_ZN08NumbaEnv|\.numba)"
    r"|(mem(cpy|move|set|cmp)|(exp|log|pow|sin|cos|tan|tanh|atan|atan2|sqrt|floor|ceil|fmod|expm1|log1p|log2|log10|exp2"
    r"|ldexp|lgamma|tgamma|erf|erfc|hypot|cbrt|rint|trunc|round|sinh|cosh|asin|acos|copysign|nearbyint)f?)$"
)
UNDEFINED, NAMED = 0, {1, 2}  # the section of a symbol that is elsewhere; global and weak ones

# What a process of the staged package says of what it compiles for.
FACTS = "import json; from littlestone.engine import packaged_code; print(json.dumps(packaged_code.made_here()))"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tools/wheel.py", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="the folder of the wheel")
    parser.add_argument("--learners", nargs="+", default=LEARNERS, help="whose code is in it")
    parser.add_argument("--jobs", type=int, help="so many processes that compile")
    asked = parser.parse_args()
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return say("machine code is put into wheels for Linux on x86-64 alone; elsewhere: hatchling build")
    if problem := other_than_pinned():
        return say(problem)
    with tempfile.TemporaryDirectory(prefix="littlestone-wheel-") as name:
        work = Path(name)
        package, cache = staged(work / "sources"), work / "compiled"
        compile_learners(package, cache, asked.learners, asked.jobs)
        files = collected(cache, work / "machine_code", package)
        wheel = built(work / "machine_code", asked.out)
    size = wheel.stat().st_size
    print(f"{wheel}: {size / 1e6:.1f} MB, with the code of {files} functions")
    return 0 if size <= MOST else say(f"a wheel may have {MOST / 1e6:.0f} MB")


def say(problem: str) -> int:
    print(f"wheel: {problem}", file=sys.stderr)
    return 1


def other_than_pinned() -> str:
    """Is this the Numba and the NumPy that `littlestone[compiled]` asks for?"""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for pin in project["optional-dependencies"]["compiled"]:
        name, _, wanted = pin.partition("==")
        have = version(name)
        if have != wanted and not have.startswith(wanted.removesuffix("*")):
            return f"pyproject.toml pins {pin}, and {have} is installed here"
    return ""


def staged(folder: Path) -> Path:
    """A copy of the sources; its path is in no file that it compiles."""
    ignore = shutil.ignore_patterns("__pycache__", "machine_code")
    shutil.copytree(ROOT / "src" / "littlestone", folder / "littlestone", ignore=ignore)
    return folder


def environment(package: Path, cache: Path) -> dict[str, str]:
    """Variables of a process of the staged package, with none that would change what is compiled."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("LITTLESTONE_", "NUMBA_"))}
    return kept | {
        "PYTHONPATH": str(package),
        "NUMBA_CACHE_DIR": str(cache),
        "LITTLESTONE_TARGET": "x86-64-v3",
    }


def compile_learners(package: Path, cache: Path, learners: list[str], jobs: int | None) -> None:
    """Compile all ways of these learners into a folder."""
    words = [*(["--jobs", str(jobs)] if jobs else []), *learners]
    run = [sys.executable, "-m", "littlestone", "warm", *words]
    subprocess.run(run, env=environment(package, cache), check=True)
    said = subprocess.run(
        [sys.executable, "-c", FACTS],
        env=environment(package, cache),
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
    ).stdout
    (cache / "made-for.json").write_text(json.dumps(json.loads(said), indent=1) + "\n", "utf-8")


def collected(cache: Path, folder: Path, package: Path) -> int:
    """Put all files of a cache into one folder, each of them looked at; how many there are."""
    folder.mkdir()
    shutil.copy(cache / "made-for.json", folder)
    files = sorted(cache.rglob("*.code"))
    for file in files:
        content = file.read_bytes()
        for path in (str(ROOT), str(package), str(Path.home()), sys.prefix):
            if path.encode() in content:
                raise SystemExit(f"wheel: {file.name} holds the path {path}")
        foreign = sorted({s for s in symbols(machine_code(content)) if not PROVIDED.match(s)})
        if foreign:
            raise SystemExit(f"wheel: {file.name} calls {', '.join(foreign)}")
        if (folder / file.name).exists():
            raise SystemExit(f"wheel: two files are called {file.name}")
        shutil.copyfile(file, folder / file.name)
    return len(files)


def machine_code(content: bytes) -> bytes:
    """The object file in a file of machine code, which this process has just had compiled."""
    from littlestone.engine.compiled_files import HEAD

    made = pickle.loads(content[len(HEAD) + 32 :])
    library = made if isinstance(made[1], str) else made[0]
    code: bytes = library[2][0]
    return code


def symbols(elf: bytes) -> Iterator[str]:
    """What a 64-bit ELF object calls and does not define."""
    (offset,) = struct.unpack_from("<Q", elf, 0x28)
    size, count = struct.unpack_from("<HH", elf, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, offset + size * i) for i in range(count)]
    for _, kind, _, _, start, length, link, _, _, entry in sections:
        if kind != 2:  # a table of symbols
            continue
        names = sections[link][4]
        for at in range(start, start + length, entry):
            name, info, _, section = struct.unpack_from("<IBBH", elf, at)
            if name and section == UNDEFINED and info >> 4 in NAMED:
                end = elf.index(b"\0", names + name)
                yield elf[names + name : end].decode()


def built(code: Path, out: Path) -> Path:
    """The wheel with this folder in it."""
    run = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    env = os.environ | {"LITTLESTONE_MACHINE_CODE": str(code)}
    done = subprocess.run(
        run, env=env, cwd=ROOT, check=True, capture_output=True, text=True, encoding="utf-8"
    )
    name = (done.stderr + done.stdout).strip().splitlines()[-1]
    return out / Path(name).name


if __name__ == "__main__":
    sys.exit(main())
