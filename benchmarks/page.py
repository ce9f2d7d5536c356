"""Write the measured tables of docs/benchmarks.md and docs/deployment.md from one run: `make bench-page`.

    python -m benchmarks --page            # measure what the pages show, then write them
    python -m benchmarks.page [bench.json] # write them again from figures that were measured before

What is between two markers of a page is replaced, and nothing else. Figures of a quick run are refused: they are of
smaller sizes than the text says.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from pathlib import Path
from typing import Any

from .clock import ROOT
from .figure import amount

MEASURED = ROOT / "benchmarks" / "out" / "bench.json"
# The groups that a page shows, and what its reader calls them.
SECTIONS = {
    "public-calls": "Public calls",
    "start-up": "Start-up",
    "rounds": "Experts: the loops themselves",
    "one-round": "Experts, one round at a time",
    "late": "Late feedback",
    "keyed": "Many keys",
    "memory": "Long files in little memory",
    "live-learners": "Examples: the loops themselves, and one round at a time",
    "text-files": "Whole files",
    "kernels": "Kernels",
    "memory-learners": "Regimes that come back",
    "bandits": "Bandits",
    "matrices": "Matrices",
    "falsifier": "The falsifier",
    "hindsight": "The best sequence in hindsight",
}
FIRST = "first-results"
PAGES = {
    ROOT / "docs" / "benchmarks.md": tuple(SECTIONS),
    ROOT / "docs" / "deployment.md": (FIRST,),
}
GROUPS = (*SECTIONS, FIRST)
# What a reader should know of a group.
TOLD = {
    "public-calls": "What a user gets: the public call with its defaults, beside the peer's public call with its "
    "defaults. `certify=False` where the peer certifies nothing. By name a learner is the textbook's rule: nothing is "
    "scaled. A certificate's comparators are searched for when it is read.",
    "start-up": "A second process, which finds what the first one compiled.",
    "rounds": "Over prepared arrays, one call for all rounds, everything checked, without a certificate unless a row "
    "says so.",
    FIRST: "CPU seconds of a new process to the result and the certificate of 200 rounds: from the wheel, with a home "
    "that is not there, and without its code, with an empty folder for what is compiled. Beside both, in the same run, "
    "Numba compiles the loop of Hedge as a textbook has it.",
}
MARKER = "<!-- Written by `make bench-page`: {} -->"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.page",
        description="Write the measured tables of the pages from the figures of one run.",
    )
    parser.add_argument("figures", nargs="?", type=Path, default=MEASURED)
    found = json.loads(parser.parse_args(argv).figures.read_text("utf-8"))
    try:
        write_pages(found)
    except ValueError as problem:
        print(f"benchmarks.page: {problem}", file=sys.stderr)
        return 1
    return 0


def write_pages(found: dict[str, Any]) -> None:
    """Replace the tables of the pages whose figures were measured in this run."""
    if found["quick"]:
        raise ValueError("the figures are of a quick run; the pages show those of a whole one")
    for page, groups in PAGES.items():
        there = [g for g in groups if any(f["group"] == g for f in found["figures"])]
        if not there:
            print(f"{page.relative_to(ROOT)}: none of its figures was measured; left as it is")
            continue
        page.write_text(replaced(page.read_text("utf-8"), tables(found, groups)), "utf-8")
        lacking = [g for g in groups if g not in there]
        print(
            f"{page.relative_to(ROOT)}: written" + f", without {', '.join(lacking)}" * bool(lacking)
        )


def replaced(page: str, text: str) -> str:
    """The page with this text between its markers."""
    begin, end = MARKER.format("begin"), MARKER.format("end")
    if page.count(begin) != 1 or page.count(end) != 1:
        raise ValueError(f"a page needs {begin} and {end}, once each")
    before, rest = page.split(begin)
    return f"{before}{begin}\n\n{text.strip()}\n\n{end}{rest.split(end)[1]}"


def tables(found: dict[str, Any], groups: tuple[str, ...]) -> str:
    """Where and when it was measured, and a table for each group."""
    parts = [where(found, groups)]
    for group in groups:
        figures = [f for f in found["figures"] if f["group"] == group]
        if not figures:
            continue
        seconds = found["groups"].get(group)
        took = f" It took {seconds:.0f} s." if seconds else ""
        parts.append(f"## {SECTIONS[group]}" if group in SECTIONS else "")
        parts.append(f"{TOLD.get(group, '')} `python -m benchmarks {group}`.{took}".strip())
        parts.append("| what | measured | beside | |\n| --- | ---: | --- | --- |\n" + rows(figures))
    return "\n\n".join(filter(None, parts))


def where(found: dict[str, Any], groups: tuple[str, ...]) -> str:
    """The version, the day and the machine, and how busy it was."""
    m = found["machine"]
    load = "" if m["load"] is None else f" Load when it began: {m['load'][0]:.1f}."
    asked = [f for f in found["figures"] if f["ok"] is not None and f["group"] in groups]
    reached = sum(bool(f["ok"]) for f in asked)
    return (
        f"Version {m['littlestone']}, {found['when'][:10]}, one run of {found['seconds'] / 60:.0f} minutes on "
        f"{m['cores']} cores of {m['cpu']} ({m['system']}); "
        f"Python {m['python']}, NumPy {m['numpy']}, Numba {m['numba']}.{load} "
        f"{reached} of {len(asked)} targets are reached."
    )


def rows(figures: list[dict[str, Any]]) -> str:
    """A line for each figure; one that missed its target says so."""
    return "\n".join(f"| {' | '.join(cells(f))} |" for f in figures)


def cells(figure: dict[str, Any]) -> tuple[str, str, str, str]:
    """What was measured, how much, beside what, and how they compare."""
    peer, limit = figure["peer"], figure["limit"]
    measured = (
        "not known" if figure["measured"] is None else amount(figure["measured"], figure["unit"])
    )
    beside = peer if limit is None else f"{peer}: {amount(limit, figure['unit'])}"
    said = [compared(figure), figure["note"]]
    if figure["ok"] is False and (figure["on"], figure["target"]) != (
        "faster",
        1.0,
    ):  # "slower" says it
        said.append(f"**target {goal(figure)}: not reached**")
    text = "; ".join(filter(None, said))
    return tuple(escaped(v) for v in (figure["figure"], measured, beside, text))  # type: ignore[return-value]


def compared(figure: dict[str, Any]) -> str:
    """The ratio in words; where a peer is faster, that comes first."""
    ratio = figure["ratio"]
    if ratio is None or not math.isfinite(ratio) or ratio <= 0.0:
        return ""
    if figure["on"] == "faster" and ratio < 1.0:
        return f"**slower**: {rounded(1.0 / ratio)} times the time"
    return f"{rounded(ratio)} times" + " as fast" * (figure["on"] == "faster")


def rounded(v: float) -> str:
    """Two digits; a large number whole."""
    return f"{v:,.0f}" if v >= 100.0 else f"{v:.2g}"


def goal(figure: dict[str, Any]) -> str:
    """The target in words."""
    if figure["on"] == "quantity":
        return amount(figure["target"], figure["unit"])
    return f"{figure['target']:g} times" + " as fast" * (figure["on"] == "faster")


def escaped(text: str) -> str:
    """Text in a cell of a table."""
    return re.sub(r"([|<>*_])", r"\\\1", text.replace("**", "\0")).replace("\0", "**")


if __name__ == "__main__":
    sys.exit(main())
