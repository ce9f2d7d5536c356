"""Run the measurements, print a table, write JSON; with --page, the tables of the documentation, too."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from . import page
from .figure import Figure
from .machine import facts

GROUPS = (
    "start-up",
    "first-results",
    "public-calls",
    "rounds",
    "late",
    "keyed",
    "scale",
    "one-round",
    "live-learners",
    "memory",
    "prices",
    "hindsight",
    "report",
    "examples",
    "kernels",
    "memory-learners",
    "missing-values",
    "matrices",
    "graphs",
    "graphs-batch",
    "intervals",
    "fresh-intervals",
    "text-files",
    "bandits",
    "accuracy",
    "falsifier",
    "supervised",
)
VERDICT = {True: "[green]yes[/]", False: "[bold red]NO[/]", None: ""}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"which to run, of {', '.join(GROUPS)}; all")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, within a minute")
    parser.add_argument("--json", type=Path, default=page.MEASURED)
    parser.add_argument(
        "--page",
        action="store_true",
        help="measure what docs/benchmarks.md and docs/deployment.md show, and write their tables",
    )
    asked = parser.parse_args(argv)
    if unknown := [name for name in asked.names if name not in GROUPS]:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(GROUPS)}")
    if asked.page and asked.quick:
        parser.error("--page is about whole sizes; leave out --quick")

    machine, figures, missing, began = facts(), [], {}, time.perf_counter()
    progress = Console(stderr=True)
    chosen = asked.names or (page.GROUPS if asked.page else GROUPS)
    spent: dict[str, float] = {}
    for group in [g for g in GROUPS if g in chosen]:
        start = time.perf_counter()
        with progress.status(f"measuring {group} …"):
            more, problem = measured(group, asked.quick)
        figures += more
        if problem:
            missing[group] = problem
        spent[group] = round(time.perf_counter() - start, 1)
        progress.print(f"measured {group} in {spent[group]:.1f} s", style="dim")
        found = collected(machine, figures, missing, asked.quick, spent, began)
        write(asked.json, found)  # after each group: a run that is cut off has what it measured
    wide = None if sys.stdout.isatty() else 132
    show(Console(width=wide), machine, figures, missing)
    if asked.page:
        try:
            page.write_pages(found)
        except ValueError as problem:
            parser.error(str(problem))
    return 1 if any(not why.startswith("skipped") for why in missing.values()) else 0


def measured(group: str, quick: bool) -> tuple[list[Figure], str]:
    """The figures of a group, and why there are no more of them."""
    found: list[Figure] = []
    try:
        module = importlib.import_module(f"benchmarks.{group.replace('-', '_')}")
        for figure in module.measure(quick):
            figure.group = group
            found.append(figure)
    except FileNotFoundError as problem:
        return found, f"skipped: {problem}"
    except Exception as problem:  # the other groups still count
        return found, f"failed: {type(problem).__name__}: {problem}"
    return found, ""


def show(
    console: Console, machine: dict[str, Any], figures: list[Figure], missing: dict[str, str]
) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("figure", "measured", "peer or limit", "ratio", "target", "ok"):
        table.add_column(
            name,
            justify="left" if name in ("figure", "peer or limit") else "right",
            no_wrap=name in ("measured", "ok"),
        )
    for i, figure in enumerate(figures):
        last = i + 1 == len(figures) or figures[i + 1].group != figure.group
        table.add_row(*figure.row(), VERDICT[figure.ok], end_section=last)
    console.print(table)
    for note in dict.fromkeys(f"{f.name}: {f.note}" for f in figures if f.note):
        console.print(note, style="dim", highlight=False)
    for group, why in missing.items():
        console.print(f"{group} {why}", style="bold red", highlight=False, markup=False)
    asked = [f for f in figures if f.ok is not None]
    console.print(
        f"{sum(bool(f.ok) for f in asked)} of {len(asked)} targets reached on {machine['cores']} "
        f"cores of {machine['cpu']}; Python {machine['python']}, NumPy {machine['numpy']}, "
        f"Numba {machine['numba']}",
        highlight=False,
    )


def collected(
    machine: dict[str, Any],
    figures: list[Figure],
    missing: dict[str, str],
    quick: bool,
    spent: dict[str, float],
    began: float,
) -> dict[str, Any]:
    """What was measured so far, as JSON has it."""
    return {
        "machine": machine,
        "when": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "quick": quick,
        "seconds": round(time.perf_counter() - began, 1),
        "groups": spent,
        "figures": [figure.record() for figure in figures],
        "missing": missing,
    }


def write(path: Path, found: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1, allow_nan=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
