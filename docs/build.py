"""Write the pages that follow from the code, and the documentation as a site.

    python docs/build.py            docs/reference, the generated lines of ledger.md, docs/lectures, docs/notebooks
    python docs/build.py --check    write nothing; exit 1 if a page in the repository is out of date
    python docs/build.py --site     the pages as Zensical reads them, into .cache/docs
    python docs/build.py --finish   what Zensical built, into docs/site; `make docs` does all of it

The reference comes from the public names and the registry. In ledger.md every entry ends with what the Guarantee
objects say of its id and with the files that name it. The page about guarantees of prediction sets has what the
campaign of the falsifier found: build the pages after `make falsify`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from docstring_markdown import DOCS, ID
from falsifier_findings import findings
from lecture_data import lecture_pages, ledger_data
from ledger_lines import ledger
from notebooks import NOTEBOOKS, notebooks
from reference_pages import FOLDER, ROOT, ours, pages
from site_pages import finish_site, write_site

WORK = ROOT / ".cache" / "docs"
LECTURES = ROOT / "lectures" / "src" / "littlestone_lectures"
SETS = DOCS / "conformal" / "which-guarantees-are-true.md"


def keys_of_sets() -> set[str]:
    """The learners of prediction sets."""
    return {key for key, cls in ours().items() if ".conformal." in cls.__module__}


def generated() -> dict[Path, str]:
    """Every page, and every part of a page, that follows from the code."""
    lectures = lecture_pages(LECTURES / "pages", ID)
    return {
        **pages(),
        **{DOCS / "lectures" / name: text for name, text in lectures.items()},
        DOCS / "ledger.md": ledger((DOCS / "ledger.md").read_text(encoding="utf-8")),
        **notebooks(),
        SETS: findings(SETS.read_text(encoding="utf-8"), DOCS / "falsify", keys_of_sets()),
        LECTURES / "data" / "ledger.json": ledger_data(DOCS),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing, exit 1 if a page is stale"
    )
    parser.add_argument(
        "--site", action="store_true", help="the pages of the site, into .cache/docs"
    )
    parser.add_argument("--finish", action="store_true", help="put what was built into docs/site")
    asked = parser.parse_args()
    if asked.finish:
        print(f"wrote {finish_site(WORK / 'site', DOCS / 'site')} pages: docs/site/index.html")
        return 0
    wanted = generated()
    stale = [
        p for p, text in wanted.items() if not p.exists() or p.read_text(encoding="utf-8") != text
    ]
    over = sorted({*FOLDER.rglob("*.md"), *NOTEBOOKS.glob("*.ipynb")} - set(wanted))
    if asked.check:
        names = [path.relative_to(ROOT).as_posix() for path in [*stale, *over]]
        if names:
            print(f"out of date: {', '.join(names[:20])}; run `make docs`", file=sys.stderr)
        return 1 if names else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")
    for path in over:
        path.unlink()
    print(f"wrote {len(stale)} pages, removed {len(over)}")
    if asked.site:
        print(f"wrote {write_site(WORK)} pages for the site")
    return 0


if __name__ == "__main__":
    sys.exit(main())
