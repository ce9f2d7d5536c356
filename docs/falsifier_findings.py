"""What the falsifier found about prediction sets, from the pages that its campaign writes."""

from __future__ import annotations

import re
from pathlib import Path

BEGIN = "<!-- Written by docs/build.py from the pages of the campaign: do not edit. -->"
END = "<!-- Written by docs/build.py up to here. -->"
ROW = re.compile(r"^\| \[(T-[A-Z-]+)\]\(\S+\) \| `([\w-]+)` \| (.*) \|$", re.M)
ERRATUM = re.compile(r"^## (E-[A-Z-]+)\n(.*?)(?=^## |\Z)", re.M | re.S)
# Errata about prediction sets.
SETS = ("E-ACI-CLIP", "E-SF-OGD-CLIP", "E-DTACI", "E-REGRET-COVERAGE", "E-SAOCP")


def findings(page: str, falsify: Path, keys: set[str]) -> str:
    """The page with the part between the two marks written anew; `keys`: the learners of prediction sets."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    campaign, errata = (
        (falsify / "campaign.md").read_text(encoding="utf-8"),
        (falsify / "errata.md").read_text(encoding="utf-8"),
    )
    return (
        before + "\n\n".join([BEGIN, ratios(campaign, keys), counterexamples(errata), END]) + after
    )


def ratios(campaign: str, keys: set[str]) -> str:
    """How close the search came to each bound."""
    lines = [
        "| theorem | learner | attacked in | closest | at |",
        "| --- | --- | ---: | ---: | --- |",
    ]
    for name, key, rest in ROW.findall(campaign):
        if key in keys:
            _mode, _attackers, runs, ratio, at = rest.split(" | ")
            lines.append(
                f"| [{name}](../ledger.md#{name.lower()}) | [{key}](learners.md#{key}) | {runs} runs | {ratio} | {at} |"
            )
    return "\n".join(lines)


def counterexamples(errata: str) -> str:
    """What is false, the smallest example that the search found, and what survived in its place."""
    lines = []
    for name, body in ERRATUM.findall(errata):
        if name not in SETS:
            continue
        printed, small, corrected = (
            part(body, words) for words in ("Printed:", "Smallest counterexample", "Corrected:")
        )
        picture = f"\n  ![{name}](../falsify/{name.lower()}.svg)" if ".svg)" in body else ""
        lines.append(
            f"- [{name}](../falsify/errata.md#{name.lower()}), false: {printed}\n"
            f"  Smallest counterexample {small}\n"
            f"  Corrected: {corrected}{picture}"
        )
    return "\n".join(lines)


def part(body: str, words: str) -> str:
    """What an erratum says behind these words."""
    return body.partition(f"*{words}* ")[2].partition("\n")[0]
