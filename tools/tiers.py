"""Rewrite the measured part of tests/slow.txt: which tests `make quick` leaves out.

    python tools/tiers.py times.json [times.json ...]

The files come from tools/measure_tests.py. A function is slow whose tests together take more than SLOW seconds of the
processor; a file of nothing else is slow as a whole. What stands above the line MEASURED in slow.txt is kept.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

SLOW = 0.15
MEASURED = "# Measured (tools/tiers.py):"
LIST = Path(__file__).resolve().parent.parent / "tests" / "slow.txt"


def main(files: list[str]) -> None:
    text = LIST.read_text(encoding="utf-8")
    head = text.partition(MEASURED)[0]
    known = [line.partition("#")[0].strip() for line in head.splitlines()]
    folders = tuple(line for line in known if line and "::" not in line)
    by_case = {line.partition("[")[0] for line in known if "[" in line}  # listed case by case
    seconds: dict[str, float] = defaultdict(float)
    for file in files:
        for name, (taken, starts) in json.loads(Path(file).read_text(encoding="utf-8")).items():
            if not starts:  # a test that starts a process is left out anyway
                seconds[name.partition("[")[0]] += taken
    slow: list[str] = []
    by_file: dict[str, list[str]] = defaultdict(list)
    for name in seconds:
        by_file[name.partition("::")[0]].append(name)
    for file, names in sorted(by_file.items()):
        if file.startswith(folders):
            continue
        found = [n for n in names if seconds[n] > SLOW and n not in by_case]
        slow += [file] if len(found) == len(names) else found
    LIST.write_text("\n".join([head.rstrip(), "", MEASURED, *slow, ""]), encoding="utf-8")
    kept = sum(t for n, t in seconds.items() if n not in slow and n.partition("::")[0] not in slow)
    print(f"{len(slow)} lines; what is left takes {kept:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
