"""Build a wheel with the machine code of the learners that are met first: `make wheel`.

A copy of the sources compiles them, in every way that they are played: at once, late, by key, one round at a time,
sparse. What was compiled before, of the same sources, is taken from .cache/wheel. The files are looked at one by one.
Each must call nothing but Python, Numba and what every C library has, so that the wheel's tag is true; and none may
hold a path of this machine, but for that of the copy. Then the wheel is built with them inside, by
`tools/machine_code.py`.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import pickle
import platform
import re
import shutil
import struct
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib.metadata import version
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
MOST = 40e6  # bytes of a wheel
# What machine code may call. Python and Numba bring theirs; the others are in every C library since C99.
PROVIDED = re.compile(
    r"(_?Py|PyExc_|NRT_|numba_|_numba_|_ZN08NumbaEnv|\.numba)"
    r"|(mem(cpy|move|set|cmp)|(exp|log|pow|sin|cos|tan|tanh|atan|atan2|sqrt|floor|ceil|fmod|expm1|log1p|log2|log10|exp2"
    r"|ldexp|lgamma|tgamma|erf|erfc|hypot|cbrt|rint|trunc|round|sinh|cosh|asin|acos|asinh|acosh|atanh|copysign"
    r"|nearbyint)f?)$"
)
UNDEFINED, NAMED = 0, {1, 2}  # the section of a symbol that is elsewhere; global and weak ones

# Plays one learner in every way; prints what it compiles for, and the names of the code that it found or made.
CHILD = """
import json, sys
from littlestone.engine import numba_internals as internals, packaged_code
from littlestone.play.warm import warm
names, read, write = set(), internals.read_code, internals.write_code
def reading(folder, name, owners):
    code = read(folder, name, owners)
    if code is not None:
        names.add(name)
    return code
def writing(folder, name, code):
    names.add(name)
    write(folder, name, code)
internals.read_code, internals.write_code = reading, writing
print(json.dumps({"ways": warm(sys.argv[1]), "facts": packaged_code.made_here(), "names": sorted(names)}))
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tools/wheel.py", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="the folder of the wheel")
    parser.add_argument("--learners", nargs="+", help="whose code is in it")
    parser.add_argument("--jobs", type=int, help="so many processes that compile")
    parser.add_argument("--work", type=Path, help="where to compile; .cache/wheel, if not given")
    asked = parser.parse_args()
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return say(
            "machine code is put into wheels for Linux on x86-64 alone; elsewhere: hatchling build"
        )
    if problem := other_than_pinned():
        return say(problem)
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    work = (asked.work or ROOT / ".cache" / "wheel").resolve() / python
    sources = staged(work / "sources")
    sys.path.insert(0, str(sources / "src"))  # whatever happens to the others meanwhile
    learners = asked.learners or usual()
    names, facts = compile_learners(sources, work / "compiled", learners, asked.jobs)
    collected(work, names, facts | {"learners": ", ".join(learners)})
    wheel = built(sources, work / "machine_code", asked.out.resolve())
    size = wheel.stat().st_size
    print(f"{wheel}: {size / 1e6:.1f} MB, with the code of {len(names)} functions")
    return 0 if size <= MOST else say(f"a wheel may have {MOST / 1e6:.0f} MB")


def usual() -> tuple[str, ...]:
    """The learners that are met first."""
    from littlestone.play.warm import USUAL

    return USUAL


def say(problem: str) -> int:
    print(f"wheel: {problem}", file=sys.stderr)
    return 1


def other_than_pinned() -> str:
    """Is this the Numba and the NumPy that `littlestone[compiled]` asks for?"""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for pin in map(Requirement, project["optional-dependencies"]["compiled"]):
        if (pin.marker is None or pin.marker.evaluate()) and version(pin.name) not in pin.specifier:
            return f"pyproject.toml pins {pin}, and {version(pin.name)} is installed here"
    return ""


# What a wheel is built of.
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "tools", "src/littlestone")


def staged(folder: Path) -> Path:
    """A copy of the sources, so that what is compiled is what is packed."""
    shutil.rmtree(folder, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__", "machine_code")
    for name in SOURCES:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=ignore)
        else:
            shutil.copyfile(source, target)
    return folder


def environment(package: Path, cache: Path) -> dict[str, str]:
    """Variables of a process of the staged package, with none that would change what is compiled."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("LITTLESTONE_", "NUMBA_"))}
    return kept | {
        "PYTHONPATH": str(package),
        "NUMBA_CACHE_DIR": str(cache),
        "LITTLESTONE_TARGET": "x86-64-v3",
    }


def compile_learners(
    sources: Path, cache: Path, learners: Sequence[str], jobs: int | None
) -> tuple[list[str], dict[str, str]]:
    """Compile these learners in all their ways, where that was not done before; the names of the code, and for what."""
    names: set[str] = set()
    facts: dict[str, str] = {}
    with ThreadPoolExecutor(jobs or len(os.sched_getaffinity(0))) as pool:
        waiting = {pool.submit(child, sources, cache, key): key for key in learners}
        for one in as_completed(waiting):
            said = one.result()
            names |= set(said["names"])
            facts = said["facts"]
            print(
                f"{waiting[one]}: {', '.join(said['ways'])}: {len(said['names'])} functions",
                flush=True,
            )
    return sorted(names), facts


def child(sources: Path, cache: Path, key: str) -> dict[str, Any]:
    """What a process says that compiles one learner."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, key],
        env=environment(sources / "src", cache),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise SystemExit(f"wheel: {key} was not compiled:\n{done.stderr[-2000:]}")
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def collected(work: Path, names: list[str], facts: dict[str, str]) -> None:
    """Put the files of these names into one folder, each of them looked at."""
    folder = work / "machine_code"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    folder.joinpath("made-for.json").write_text(json.dumps(facts, indent=1) + "\n", "utf-8")
    for name in names:
        (file,) = work.joinpath("compiled").glob(f"*/{glob.escape(name)}.code")
        content = file.read_bytes()
        # Errors that compiled code raises name the copy of the sources that it was made of.
        elsewhere = content.replace(str(work / "sources").encode(), b"")
        for path in (str(ROOT), str(Path.home()), sys.prefix):
            if path.encode() in elsewhere:
                raise SystemExit(f"wheel: {file.name} holds the path {path}")
        foreign = sorted({s for s in symbols(machine_code(content)) if not PROVIDED.match(s)})
        if foreign:
            raise SystemExit(f"wheel: {file.name} calls {', '.join(foreign)}")
        shutil.copyfile(file, folder / file.name)


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


def built(sources: Path, code: Path, out: Path) -> Path:
    """The wheel of these sources, with this folder in it."""
    run = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    env = os.environ | {"LITTLESTONE_MACHINE_CODE": str(code)}
    done = subprocess.run(
        run, env=env, cwd=sources, check=True, capture_output=True, text=True, encoding="utf-8"
    )
    name = (done.stderr + done.stdout).strip().splitlines()[-1]
    return out / Path(name).name


if __name__ == "__main__":
    sys.exit(main())
