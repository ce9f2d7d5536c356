"""Bit digests of every learner in every way of playing it: a net for changes that must change nothing.

    python tools/golden.py --check [--engine plain|compiled] [--only PATTERN]     compare with tests/golden/digests.json
    python tools/golden.py --write [--engine plain|compiled] [--only PATTERN]     write that engine's half of it anew

A case is a learner (its worked row says with which parameters, tests/support/rows) and a way: its worked row, whole, in
chunks, resumed, late, by key, live; or a table of names, text and labels in a way of handing it over: dicts, a frame, a
file, one row at a time. A case has three digests (live/digest.py): of the final state, of predictions, decisions and
losses, and of the certificate's text.

Bits depend on more than our code: versions of Python, NumPy, SciPy and Numba, the processor, the C library. The file
says what it was made with. Elsewhere the check prints "not comparable", and why, and exits with 0.
"""

from __future__ import annotations

import argparse
import csv
import fnmatch
import importlib.metadata
import json
import os
import platform
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "tests" / "golden" / "digests.json"
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from tools import blas_kernel  # noqa: E402

blas_kernel.choose()

import numpy as np  # noqa: E402

import littlestone as ls  # noqa: E402
from littlestone.core.scratch import kept_leaves  # noqa: E402
from littlestone.engine.compile import has_numba  # noqa: E402
from littlestone.engine.target import engine_id  # noqa: E402
from littlestone.games import offers  # noqa: E402
from littlestone.live.digest import bit_digest  # noqa: E402
from littlestone.testing.kinds import Arms, Examples, Losses, interval_for  # noqa: E402
from littlestone.testing.subject import Subject, part, using  # noqa: E402

Digests = list[str]  # of the state, of the rounds, of the certificate
T, HALF, SIZES = 18, 7, (1, 5, 12)  # rounds, and how they are cut
KEYS = np.array([0, 1, 1, 0, 2, 0] * 3)
ENGINES = ("plain", "compiled")


def short(*values: Any) -> str:
    """Twelve digits of a digest: enough to see a change."""
    return bit_digest(*values)[:12]


def listed(v: Any) -> Any:
    """An array as a digest takes it: numbers as bits, labels as text."""
    array = np.asarray(v)
    return array.tolist() if array.dtype.kind in "OU" else array


def of_state(learner: Any) -> str:
    return short(list(kept_leaves(learner.state)))


def of_run(run: Any, names: tuple[str, ...]) -> Digests:
    """The digests of one run."""
    rounds = [listed(getattr(run, name)) for name in names]
    return [of_state(run.learner), short(float(run.loss), rounds), short(str(run.certificate))]


# Ways of playing the rounds of a learner.


def play_row(s: Subject) -> Digests:
    """The worked row itself; what a bandit learns from the arms of its row."""
    row = s.row
    if row.arms is None:
        return of_run(s.play(row.x, row.y, **row.options), s.kind.recorded)
    features = 0 if row.x is None else int(np.size(row.x[0]))
    learner = s.made().start(np.asarray(row.decisions).shape[1], features=features)
    seen = []
    for t, (arm, loss) in enumerate(zip(row.arms, row.y, strict=True)):
        x = None if row.x is None else row.x[t]
        seen.append(listed(learner.propensities(x)))
        learner.update(x, arm, loss)
    return [of_state(learner), short(seen), ""]


def play_whole(s: Subject) -> Digests:
    return of_run(s.play(*s.rounds(T), horizon=T), s.kind.recorded)


def play_chunks(s: Subject) -> Digests:
    return of_run(s.kind.play_in(SIZES, s.made(), *s.rounds(T), horizon=T), s.kind.recorded)


def play_resumed(s: Subject) -> Digests:
    x, y = s.rounds(T)
    known = s.known(y)
    half = s.play(part(x, slice(HALF)), y[:HALF], horizon=T, **known)
    rest = (part(x, slice(HALF, None)), y[HALF:])
    return of_run(s.play(*rest, learner=half.learner, resume=True, **known), s.kind.recorded)


def play_late(s: Subject) -> Digests:
    x, y = s.kind.late(*s.rounds(T, 1))
    one = of_run(s.play(x, y, delay=3, interleave=False), s.kind.recorded)
    turns = s.play(x, y, delay=2, interleave=True)
    shown = listed(getattr(turns, s.kind.recorded[0]))
    return [one[0], short(one[1], shown, float(turns.loss)), short(one[2], str(turns.certificate))]


def play_by_key(s: Subject) -> Digests:
    """Three keys, whose rows are mixed."""
    x, y = s.rounds(T)
    if isinstance(s.kind, Examples):
        x, y = np.asarray(x, float), np.asarray(y)
        stream = s.kind.stream(x, y, labels=s.kind.labels(y))
    else:
        y = np.ascontiguousarray(y)
        given = x
        if isinstance(s.kind, Arms) and x is not None:
            x = offers(len(y), features=np.asarray(x, float).reshape(T, -1))
        shown = y if given is None or s.learner.bandit else x
        names = tuple(f"e{i}" for i in range(shown.shape[1]))
        labels = (0, 1) if s.learner.labels else None
        stream = ls.Stream([ls.Batch(x, y)], names, rounds=len(y), whole=True, labels=labels)
    key = np.array(KEYS.tolist(), object)
    stream = replace(stream, batches=[stream.batches[0]._replace(key=key)])
    options: dict[str, Any] = {"seed": 5, **interval_for(s.learner)}
    if not s.learner.bandit:
        options["losses"] = isinstance(s.kind, Losses)
    runs = ls.play(s.made(), stream, **options)
    each = [of_run(runs[k], s.kind.recorded) for k in sorted(runs)]
    return [short(parts) for parts in zip(*each, strict=True)]


def play_live(s: Subject) -> Digests:
    x, y = s.rounds(T)
    learner, said = s.begun(x, y, T), []
    for t in range(T):
        said.append(listed(s.kind.predict(learner, x, t)))
        s.kind.learn(learner, x, y, t)
    return [of_state(learner), short(said), ""]


WAYS: dict[str, Callable[[Subject], Digests]] = {
    "row": play_row, "whole": play_whole, "chunks": play_chunks, "resumed": play_resumed, "late": play_late,
    "by key": play_by_key, "live": play_live,
}  # fmt: skip

# Tables: names, text, labels, dates, and what is missing.

TABLE_KEYS = ("perceptron", "online-linear", "online-kernel", "logistic")
ROWS = 30
RECORDED = ("predictions", "scores", "losses")


def table() -> list[dict[str, Any]]:
    """Rows by name: numbers, a column of text with few values, one with many, gaps, and a label of two words."""
    rng = np.random.default_rng(7)
    rows = []
    for t in range(ROWS):
        city, size = ("Rome", "Oslo", "Bern")[int(rng.integers(3))], round(float(rng.normal()), 3)
        row = {
            "size": size,
            "city": city,
            "code": f"c{int(rng.integers(40))}",
            "age": int(rng.integers(20, 60)),
        }
        row["label"] = "yes" if (city == "Oslo") != (size > 0.4) else "no"
        rows.append({**row, "city": None} if t % 17 == 5 else row)
    return rows


def features(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: row[name] for name in names or ("size", "city", "code", "age")}


def play_dicts(key: str, folder: Path) -> Digests:
    rows = table()
    x, y = [features(row) for row in rows], [row["label"] for row in rows]
    return of_run(ls.play(key, x, y), RECORDED)


def play_dicts_of_numbers(key: str, folder: Path) -> Digests:
    rows = table()
    x, y = [features(row, "size", "age") for row in rows], [row["label"] for row in rows]
    return of_run(ls.play(key, x, y), RECORDED)


def play_file(key: str, folder: Path) -> Digests:
    path = folder / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(table()[0]))
        writer.writeheader()
        writer.writerows(table())
    return of_run(ls.play(key, str(path), outcome="label"), RECORDED)


def play_few_values(key: str, folder: Path) -> Digests:
    """A frame whose columns of text have few values: dense, with codes."""
    import pandas as pd

    frame = pd.DataFrame([features(row, "size", "city", "age", "label") for row in table()])
    return of_run(ls.play(key, frame, outcome="label"), RECORDED)


def play_json_lines(key: str, folder: Path) -> Digests:
    path = folder / "table.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in table()), encoding="utf-8")
    return of_run(ls.play(key, str(path), outcome="label"), RECORDED)


def play_products(key: str, folder: Path) -> Digests:
    rows = table()
    x, y = [features(row) for row in rows], [row["label"] for row in rows]
    return of_run(ls.play(key, x, y, interactions=["city:size"], bits=12), RECORDED)


def play_libsvm(key: str, folder: Path) -> Digests:
    path = folder / "table.svm"
    lines = [
        f"{+1 if r['label'] == 'yes' else -1} 1:{r['size']} {100 + r['age']}:1 9000:.5\n"
        for r in table()
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return of_run(ls.play(key, str(path)), RECORDED)


def play_table_by_key(key: str, folder: Path) -> Digests:
    import pandas as pd

    frame = pd.DataFrame([features(row, "size", "city", "age", "label") for row in table()])
    frame["shop"] = ["a", "b", "b"] * (ROWS // 3)
    runs = ls.play(key, frame, outcome="label", by="shop")
    each = [of_run(runs[k], RECORDED) for k in sorted(runs)]
    return [short(parts) for parts in zip(*each, strict=True)]


def play_rows_by_name(key: str, folder: Path) -> Digests:
    """One dict at a time, from the first round on."""
    learner, said = ls.learner(key), []
    for row in table():
        x = features(row)
        said.append(learner.predict(x) if said else None)
        learner.update(x, row["label"])
    return [of_state(learner), short(listed(said)), ""]


def play_then_live(key: str, folder: Path) -> Digests:
    """A frame, and then one dict at a time, through a file."""
    import pandas as pd

    rows = [features(row, "size", "city", "age", "label") for row in table()]
    learner = ls.play(key, pd.DataFrame(rows[:20]), outcome="label").learner
    learner.save(folder / "learner.ls")
    learner, said = ls.load(folder / "learner.ls"), []
    for row in rows[20:]:
        x = features(row, "size", "city", "age")
        said.append(learner.predict(x))
        learner.update(x, row["label"])
    return [of_state(learner), short(listed(said)), ""]


TABLES: dict[str, Callable[[str, Path], Digests]] = {
    "dicts": play_dicts, "dicts of numbers": play_dicts_of_numbers, "csv": play_file, "few values": play_few_values,
    "json lines": play_json_lines, "products": play_products, "libsvm": play_libsvm, "table by key": play_table_by_key,
    "rows by name": play_rows_by_name, "frame, then rows": play_then_live,
}  # fmt: skip


# The file.


def cases() -> Iterator[tuple[str, Callable[[], Digests]]]:
    """Every case by name."""
    from support.rows import ALL, made, row

    for key in ALL:
        for way, play in WAYS.items():
            yield f"{key}: {way}", lambda key=key, play=play: play(Subject(made(key), row(key)))
    for key in TABLE_KEYS:
        for way, hand_over in TABLES.items():
            yield f"{key}: table, {way}", lambda key=key, play=hand_over: in_folder(play, key)


def in_folder(play: Callable[[str, Path], Digests], key: str) -> Digests:
    with tempfile.TemporaryDirectory() as folder:
        return play(key, Path(folder))


def digest_case(play: Callable[[], Digests], engine: str) -> Digests:
    """The digests of a case; what a learner refuses is kept as its words."""
    with using(engine), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return play()
        except ls.LittlestoneError as refusal:
            return [f"refused: {type(refusal).__name__}", short(str(refusal)), ""]


def made_with(engine: str) -> dict[str, str]:
    """What decides bits beside our code."""
    libc = " ".join(platform.libc_ver())
    versions = {name: importlib.metadata.version(name) for name in ("numpy", "scipy")}
    return {
        "engine": engine_id(engine).partition(", ")[2],  # without our own version
        "python": platform.python_version(), "machine": platform.machine(), "libc": libc, "processor": processor(),
        "BLAS kernel": blas_kernel.kernel(),
        **versions,
    }  # fmt: skip


def processor() -> str:
    """The features of the processor that NumPy's and BLAS' kernels are chosen by."""
    from numpy._core._multiarray_umath import __cpu_features__ as there

    return short([name for name, has in sorted(there.items()) if has])


def not_comparable(found: dict[str, Any], engine: str) -> str:
    """Why digests of this engine cannot be compared here; "" where they can."""
    if engine not in found:
        return f"there are no digests of the {engine} engine"
    if engine == "compiled" and not has_numba():
        return "numba is not installed"
    then, now = found[engine]["made with"], made_with(engine)
    other = [f"{k} was {then.get(k)}, is {now[k]}" for k in now if then.get(k) != now[k]]
    return "; ".join(other)


def chosen(pattern: str) -> Callable[[str], bool]:
    return lambda name: fnmatch.fnmatchcase(name, pattern)


def differences(
    found: dict[str, Any], engine: str, wanted: Callable[[str], bool]
) -> tuple[int, list[str]]:
    """How many cases were compared, and what differs."""
    kept, said, count = dict(found[engine]["digests"]), list[str](), 0
    for name, play in cases():
        before = kept.pop(name, None)
        if not wanted(name):
            continue
        count += 1
        now = digest_case(play, engine)
        if before is None:
            said.append(f"{name}: new")
        elif now != before:
            parts = ("state", "rounds", "certificate")
            changed = [p for p, a, b in zip(parts, before, now, strict=True) if a != b]
            said.append(f"{name}: {', '.join(changed)}: {before} -> {now}")
    return count, said + [f"{name}: gone" for name in kept if wanted(name)]


def write(engine: str, pattern: str = "*") -> None:
    """Write one engine's half, or some cases of it where they can be compared; all else stays."""
    found = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    kept: dict[str, Digests] = {}
    if pattern != "*":
        if why := not_comparable(found, engine):
            raise SystemExit(f"{engine}: some cases alone cannot be written here: {why}")
        kept = found[engine]["digests"]
    wanted = chosen(pattern)
    digests = {
        name: kept[name] if name in kept and not wanted(name) else digest_case(play, engine)
        for name, play in cases()
    }
    found[engine] = {"made with": made_with(engine), "digests": digests}
    lines = []
    for which in (e for e in ENGINES if e in found):
        half = found[which]
        rows = ",\n".join(
            f"   {json.dumps(k)}: {json.dumps(v)}" for k, v in half["digests"].items()
        )
        made = json.dumps(half["made with"])
        lines.append(f' "{which}": {{\n  "made with": {made},\n  "digests": {{\n{rows}\n  }}\n }}')
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(digests)} cases of the {engine} engine written to {FILE.relative_to(ROOT)}")


def check(engine: str, pattern: str) -> int:
    found = json.loads(FILE.read_text(encoding="utf-8"))
    if why := not_comparable(found, engine):
        print(f"{engine}: not comparable: {why}")
        return 0
    count, said = differences(found, engine, chosen(pattern))
    print(*said, sep="\n", end="\n" if said else "")
    print(f"{engine}: {count} cases, {len(said)} differ")
    return int(bool(said))


def main() -> int:
    parser = argparse.ArgumentParser(description="Bit digests of every learner.")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--write", action="store_true")
    which.add_argument("--check", action="store_true")
    parser.add_argument("--engine", choices=ENGINES, default="plain")
    parser.add_argument("--only", default="*", help="cases, as in 'perceptron: *'")
    given = parser.parse_args()
    if given.write:
        write(given.engine, given.only)
        return 0
    return check(given.engine, given.only)


if __name__ == "__main__":
    raise SystemExit(main())
