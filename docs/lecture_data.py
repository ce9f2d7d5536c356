"""What littlestone_lectures takes along from the documentation, and what docs/lectures/ takes from it.

ledger.json     entries of ledger.md without their generated lines, which numbers of the notes they name, and what the
                last campaign of the falsifier found
docs/lectures/  the pages of the lectures, with ids linked to the ledger
"""

from __future__ import annotations

import json
import re
from pathlib import Path

ENTRY = re.compile(r"^#### (\S+)\n(.*?)(?=^##|\Z)", re.M | re.S)
NUMBER = re.compile(r"(?<![\w.-])([ATEWX]\d\.\d+[a-z]?|[EWX]\d+)(?![\w.-])")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def ledger_data(docs: Path) -> str:
    """The text of ledger.json."""
    entries, numbers = {}, {}
    for found in ENTRY.finditer((docs / "ledger.md").read_text(encoding="utf-8")):
        lines = found[2].strip().splitlines()
        kept = [s for s in lines if not s.startswith(("- As checked ", "- Where: "))]
        entries[found[1]] = LINK.sub(r"\1", "\n".join(kept)).strip()
        for number in dict.fromkeys(NUMBER.findall("\n".join(kept))):
            numbers.setdefault(number.upper(), []).append(found[1])
    data = {"entries": entries, "numbers": numbers, "found": campaign(docs) | gallery(docs)}
    return json.dumps(data, ensure_ascii=False, indent=0, sort_keys=True) + "\n"


def campaign(docs: Path) -> dict[str, list[str]]:
    """What campaign.md has of each id: a sentence a row."""
    found: dict[str, list[str]] = {}
    for text in (docs / "falsify" / "campaign.md").read_text(encoding="utf-8").splitlines():
        if not text.startswith("| ["):
            continue
        cells = [c.replace("\\|", "|").strip() for c in re.split(r"(?<!\\)\|", text)[1:-1]]
        id = cells[0].partition("]")[0][1:]
        who = cells.pop(1).strip("`") if len(cells) == 7 else ""
        how, runs, ratio, at = cells[2:]
        what = f"{runs} runs of {who}" if who else f"{runs} instances ({how})"
        came = f"largest ratio {ratio}" if ratio else ""
        found.setdefault(id, []).append("; ".join(part for part in (what, came, at) if part))
    return found


def gallery(docs: Path) -> dict[str, list[str]]:
    """What the gallery of errata has of each id."""
    found: dict[str, list[str]] = {}
    text = (docs / "falsify" / "errata.md").read_text(encoding="utf-8")
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        id = part.partition("\n")[0].strip()
        said = re.search(r"^\*Smallest counterexample\* (.*)$", part, re.M)
        if said:
            found.setdefault(id, []).append(f"smallest counterexample {said[1]}")
    return found


def lecture_pages(source: Path, ids: re.Pattern[str], link: str = "../ledger.md") -> dict[str, str]:
    """Each page of the lectures by its file name, as docs/lectures/ has it: ids outside code are links."""
    made = {}
    for page in sorted(source.glob("*.md")):
        lines, code = [], False
        for line in page.read_text(encoding="utf-8").splitlines():
            code ^= line.startswith("```")
            if code or line.startswith(("#", "```")):
                lines.append(line)
                continue
            parts = re.split(r"(`[^`]*`)", line)
            parts[::2] = [
                ids.sub(lambda m: f"[{m[0]}]({link}#{m[0].lower()})", p) for p in parts[::2]
            ]
            lines.append("".join(parts))
        note = f"<!-- Written by docs/build.py from lectures/src/littlestone_lectures/pages/{page.name}. -->"
        made[page.name] = "\n".join([lines[0], "", note, *lines[1:]]) + "\n"
    return made
