"""The lines of the ledger that follow from the code: what each theorem says, and which files name each id."""

from __future__ import annotations

import re

from docstring_markdown import DOCS, ID, prose, sentence
from reference_pages import ROOT, learner_pages, theorems

from littlestone.core.guarantee import Guarantee

PAGE = DOCS / "ledger.md"
ENTRY = re.compile(r"^#### (\S+)\n(.*?)(?=^##|\Z)", re.M | re.S)


def ledger(text: str) -> str:
    """The ledger with the generated lines of each entry written anew."""
    known, places = theorems(), named([found[1] for found in ENTRY.finditer(text)])

    def entry(found: re.Match[str]) -> str:
        name, body = found[1], found[2]
        kept = [s for s in body.splitlines() if not s.startswith(("- As checked ", "- Where: "))]
        lines = []
        if name in known:
            lines.append(checked(*known[name]))
        if name in places:
            lines.append(f"- Where: {places[name]}.")
        return (
            f"#### {name}\n\n" + "\n".join(["\n".join(kept).strip(), "", *lines]).strip() + "\n\n"
        )

    return ENTRY.sub(entry, text).rstrip() + "\n"


def checked(g: Guarantee, keys: list[str]) -> str:
    by = ", ".join(f"[{k}]({learner_pages()[k].relative_to(DOCS).as_posix()})" for k in keys)
    needs = f" Needs: {prose('; '.join(map(str, g.assumptions)), PAGE)}." if g.assumptions else ""
    said, source = sentence(prose(g.statement, PAGE)), sentence(prose(g.source, PAGE))
    return f"- As checked in runs of {by}: {said}{needs} Source: {source}"


def named(ids: list[str]) -> dict[str, str]:
    """For each id the files that name it, in their text or as test_x_sim_… names X-SIM."""
    spelled = {i.lower().replace("-", "_"): i for i in sorted(ids, key=len, reverse=True)}
    in_names = re.compile(rf"(?<=_)(?:{'|'.join(spelled)})(?=[_(])")
    found: dict[str, dict[str, None]] = {}
    for folder in ("src", "lectures", "tests", "examples", "benchmarks"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            text, path = file.read_text(encoding="utf-8"), file.relative_to(ROOT).as_posix()
            tests = " ".join(re.findall(r"def (test_.*\()", text))
            for name in [*ID.findall(text), *(spelled[m] for m in in_names.findall(tests))]:
                place = f"[{path.removeprefix('src/littlestone/').removeprefix('lectures/src/')}](../{path})"
                found.setdefault(name, {})[place] = None
    return {name: ", ".join(places) for name, places in found.items()}
