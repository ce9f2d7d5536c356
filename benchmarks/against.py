"""The same benchmarks for an earlier checkout and for this tree, in one run and in turns: is anything slower now?

    python -m benchmarks.against [OLD] [--group NAME]… [--turns 3] [--quick] [--limit 1.1] [--json PATH]

OLD is a folder that holds a checkout, or a tag or commit, which is then checked out under .cache/against; without it,
the last tag. Each tree runs its own `benchmarks` on its own `src` (PYTHONPATH) and keeps its compiled code by itself
(NUMBA_CACHE_DIR), one group at a time: old, new, new, old, … A row is the least of all turns. The table shows:

    old, new   what was measured
    ratio      new / old; below 1 is better
    peer       the same ratio of the peer or limit that the row is set beside, whose code did not change: where that is
               far from 1, the machine was busy with other things, and the ratio says little
    spread     the largest / the least of the turns, of the tree in which they differ more

Exit code 1 where a row is slower than `limit` times what it was.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from .__main__ import GROUPS
from .clock import ROOT, environment
from .figure import amount

CACHE = ROOT / ".cache" / "against"
LIMIT = 1.1
Name = tuple[str, str, str]  # group, figure, unit


@dataclass
class Tree:
    """A checkout, and what was measured in it."""

    word: str  # "old" or "new"
    path: Path
    numba: Path  # where its compiled code is kept
    measured: dict[Name, list[float]] = field(default_factory=dict)  # one entry a turn
    peers: dict[Name, list[float]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)  # group -> why it has no figures

    def environment(self) -> dict[str, str]:
        return environment(PYTHONPATH=str(self.path / "src"), NUMBA_CACHE_DIR=str(self.numba))

    def python(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run Python in this tree."""
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.path,
            env=self.environment(),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    def check(self) -> None:
        """Stop unless Python finds the package in this tree, and not where it is installed."""
        done = self.python("-c", "import littlestone; print(littlestone.__file__)")
        if done.returncode or not Path(done.stdout.strip()).is_relative_to(self.path / "src"):
            raise SystemExit(
                f"{self.path} holds no littlestone that can be imported: {done.stderr[-500:]}"
            )

    def run(self, group: str, quick: bool) -> None:
        """Measure a group once more."""
        with tempfile.TemporaryDirectory(prefix="littlestone-") as folder:
            out = Path(folder) / "bench.json"
            words = ["-m", "benchmarks", group, "--json", str(out), *(["--quick"] if quick else [])]
            done = self.python(*words)
            if not out.exists():
                last = (done.stderr.strip().splitlines() or ["no output"])[-1]
                self.missing[group] = last
                return
            found = json.loads(out.read_text(encoding="utf-8"))
        self.missing.update(found["missing"])
        for row in found["figures"]:
            name = (row["group"], row["figure"], row["unit"])
            for kept, value in ((self.measured, row["measured"]), (self.peers, row["limit"])):
                if value is not None:
                    kept.setdefault(name, []).append(value)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.against", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("old", nargs="?", help="a folder, a tag or a commit; the last tag")
    parser.add_argument(
        "--group", action="append", choices=GROUPS, help="which to run; may be repeated; all"
    )
    parser.add_argument("--turns", type=int, default=3, help="how often each tree is measured")
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    parser.add_argument("--limit", type=float, default=LIMIT, help="a larger ratio is a failure")
    parser.add_argument("--json", type=Path, default=ROOT / "benchmarks" / "out" / "against.json")
    options = parser.parse_args(argv)

    old = Tree("old", *checkout(options.old))
    new = Tree("new", ROOT, CACHE / "numba-new")
    progress = Console(stderr=True)
    for tree in (old, new):
        tree.check()
    for group in options.group or GROUPS:
        for turn in range(options.turns):
            for tree in (old, new) if turn % 2 == 0 else (new, old):
                with progress.status(f"{group}, turn {turn + 1} of {options.turns}: {tree.word} …"):
                    tree.run(group, options.quick)
        progress.print(f"measured {group}", style="dim")
    rows = compared(old, new)
    show(Console(width=None if sys.stdout.isatty() else 132), old, new, rows, options.limit)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 1 if any(row["ratio"] > options.limit for row in rows) else 0


def checkout(old: str | None) -> tuple[Path, Path]:
    """The folder of the earlier tree, and the folder of its compiled code."""
    if old is not None and Path(old).is_dir():
        path = Path(old).resolve()
        return path, CACHE / f"numba-{path.name}"
    commit = git("rev-parse", "--verify", f"{old or last_tag()}^{{commit}}")
    home = CACHE / commit[:12]
    tree = home / "tree"
    if not tree.exists():
        git("worktree", "prune")
        git("worktree", "add", "--detach", str(tree), commit)
    shared = (
        ROOT.parent / "shared"
    )  # real data lie beside the project: let the old tree find them, too
    if shared.exists() and not (home / "shared").exists():
        (home / "shared").symlink_to(shared)
    return tree, home / "numba"


def last_tag() -> str:
    try:
        return git("describe", "--tags", "--abbrev=0")
    except SystemExit:
        raise SystemExit("there is no tag: name a folder, a tag or a commit") from None


def git(*words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise SystemExit(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.strip()


def compared(old: Tree, new: Tree) -> list[dict[str, Any]]:
    """The rows that both trees have, in the order of the new one."""
    rows = []
    for name in new.measured:
        if name not in old.measured:
            continue
        before, now = min(old.measured[name]), min(new.measured[name])
        peer = None
        if name in old.peers and name in new.peers and min(old.peers[name]) > 0.0:
            peer = min(new.peers[name]) / min(old.peers[name])
        spread = max(
            max(v) / min(v) if min(v) > 0.0 else 1.0
            for v in (old.measured[name], new.measured[name])
        )
        rows.append(
            {
                "group": name[0], "figure": name[1], "unit": name[2], "old": before, "new": now,
                "ratio": now / before if before else (1.0 if now == before else math.inf),
                "peer": peer, "spread": spread,
            }
        )  # fmt: skip
    return rows


def show(console: Console, old: Tree, new: Tree, rows: list[dict[str, Any]], limit: float) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("figure", "old", "new", "ratio", "peer", "spread", ""):
        table.add_column(
            name, justify="left" if name in ("figure", "") else "right", no_wrap=name != "figure"
        )
    for i, row in enumerate(rows):
        word = "[bold red]SLOWER[/]" if row["ratio"] > limit else ""
        table.add_row(
            row["figure"], amount(row["old"], row["unit"]), amount(row["new"], row["unit"]),
            f"{row['ratio']:.3f}", "" if row["peer"] is None else f"{row['peer']:.2f}",
            f"{row['spread']:.2f}", word,
            end_section=i + 1 == len(rows) or rows[i + 1]["group"] != row["group"],
        )  # fmt: skip
    console.print(table)
    for tree, other in ((old, new), (new, old)):
        for group, why in tree.missing.items():
            console.print(f"{tree.word}: {group}: {why}", highlight=False, markup=False)
        for name in tree.measured:
            if name not in other.measured and name[0] not in other.missing:
                console.print(f"only {tree.word}: {name[1]}", style="dim", highlight=False)
    slower = [row for row in rows if row["ratio"] > limit]
    console.print(
        f"{len(rows)} rows, {len(slower)} of them above {limit:g} times what they were in {old.path}",
        highlight=False,
    )


if __name__ == "__main__":
    sys.exit(main())
