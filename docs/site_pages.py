"""The pages as Zensical reads them: links that stay inside, and its configuration with the navigation."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from docstring_markdown import DOCS
from formulas import mathematics
from learner_pictures import picture
from reference_pages import FOLDER, ROOT, groups, learner_pages, places

# Pages that lie beside docs/, and what they are called on the site.
BESIDE = {
    "README.md": "readme.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
LINK = r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)"
LINK_OR_CODE = re.compile(rf"^```.*?^```|^    [^\n]*$|{LINK}|`[^`\n]*`", re.M | re.S)
FILES = (".png", ".svg", ".css", ".js", ".ipynb")
SHIM = re.compile(
    r'"https://[^"]*iframe-worker[^"]*"'
)  # what the theme would fetch for search in files
# A theorem as the reference quotes it, and as an entry of the ledger ends with it.
STATEMENT = re.compile(
    r"^> (.+)$|^(- As checked in runs of (?:\[[^\]]*\]\([^)]*\)(?:, )?)+: )(.+?)(?= Needs: | Source: |$)",
    re.M,
)
OUTSIDE = re.compile(r'<(?:script|img|link)[^>]* (?:src|href)="https?://[^"]*"')


def write_site(target: Path) -> int:
    """The folder that Zensical builds: its configuration, every page, every picture. Returns how many pages."""
    pages = target / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    built = DOCS / "site"
    files = [f for f in sorted(DOCS.rglob("*")) if f.is_file() and built not in f.parents]
    sources = {p: p.relative_to(DOCS).as_posix() for p in files if p.suffix == ".md"}
    sources |= {ROOT / name: there for name, there in BESIDE.items()}
    keys = {page: key for key, page in learner_pages().items()}
    for source, there in sources.items():
        text = rewritten(source.read_text(encoding="utf-8"), source, pages / there, pages)
        if source in keys:
            text = text.replace("## Parameters\n", f"{picture(keys[source])}\n\n## Parameters\n", 1)
        put(pages / there, text.encode())
    for file in files:
        if file.suffix in FILES:
            put(pages / file.relative_to(DOCS), file.read_bytes())
    put(target / "zensical.toml", configuration().encode())
    return len(sources)


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def rewritten(text: str, source: Path, out: Path, pages: Path) -> str:
    """A page with its links turned, but for those in code, and the statements of its theorems as formulas."""
    if FOLDER in source.parents or source == DOCS / "ledger.md":
        text = STATEMENT.sub(drawn, text)
    return LINK_OR_CODE.sub(lambda m: link(m, source, out, pages) if m[3] else m[0], text)


def drawn(found: re.Match[str]) -> str:
    """A statement with its formulas as MathML, its links as they are."""
    quoted, before, checked = found.groups()
    parts = re.split(r"(\[[^\]]+\]\([^)]+\))", quoted or checked)
    shown = [p if p.startswith("[") else mathematics(re.sub(r"\\(.)", r"\1", p)) for p in parts]
    made = "".join(shown)
    return f"> {made}" if quoted else f'{before}<span class="theorem">{made}</span>'


def link(found: re.Match[str], source: Path, out: Path, pages: Path) -> str:
    """A link between pages as it is; one to a file of the repository becomes its name."""
    mark, label, href = found.groups()
    if re.match(r"[a-z]+:|#", href):
        return found[0]
    path, _, anchor = href.partition("#")
    there = (source.parent / path).resolve()
    beside = there.relative_to(ROOT).as_posix() if ROOT in there.parents else ""
    old = source.name == "CHANGELOG.md"  # it names pages as they were called then
    if beside in BESIDE:
        target = pages / BESIDE[beside]
    elif DOCS in there.parents and there.suffix in (".md", ".png", ".svg", ".ipynb"):
        if old and not there.exists():
            return label
        target = pages / there.relative_to(DOCS)
    else:
        return label if "`" in label else f"`{label}`"
    turned = Path(os.path.relpath(target, out.parent)).as_posix()
    return f"{mark}[{label}]({turned}{'#' + anchor if anchor and not old else ''})"


def configuration() -> str:
    """docs/zensical.toml with the parts of the navigation that follow from the pages."""
    text = (DOCS / "zensical.toml").read_text(encoding="utf-8")
    lectures = listed("lectures")
    tab = '{ "Lectures" = [' + lectures + "] }," if lectures else ""
    for mark, lines in {
        "tutorials": listed("tutorials"),
        "lectures": tab,
        "examples": listed("trees") + listed("refitted") + listed("mixtures"),
        "production": listed("service"),
        "reference": reference(),
    }.items():
        text = re.sub(rf"^ *# {mark}$", lambda _, lines=lines: lines, text, flags=re.M)
    return text


def listed(folder: str) -> str:
    """The pages of a folder, its index first."""
    files = sorted((DOCS / folder).glob("*.md"), key=lambda p: (p.stem != "index", p.stem))
    single = [DOCS / f"{folder}.md"] if (DOCS / f"{folder}.md").exists() else []
    return "".join(f'"{p.relative_to(DOCS).as_posix()}", ' for p in [*single, *files])


def reference() -> str:
    """A section a group of public names."""
    lines = ['    "reference.md",']
    for group, names in groups().items():
        inside = [places()[group, name].relative_to(DOCS).as_posix() for name in names]
        pages = [(FOLDER / group / "index.md").relative_to(DOCS).as_posix(), *inside]
        quoted = ", ".join(f'"{page}"' for page in pages)
        lines.append(f'    {{ "{group}" = [{quoted}] }},')
    return "\n".join(lines)


def finish_site(built: Path, out: Path) -> int:
    """Put the built site in its place, with nothing left in it that a page would fetch. Returns how many pages."""
    pages = sorted(built.rglob("*.html"))
    for page in pages:
        top = Path(os.path.relpath(built, page.parent)).as_posix()
        text = SHIM.sub(f'"{top}/scripts/frame_worker.js"', page.read_text(encoding="utf-8"))
        if found := OUTSIDE.search(text):
            raise SystemExit(f"docs/build.py: {page} fetches {found[0]}")
        page.write_text(text, encoding="utf-8")
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(built, out)
    return len(pages)
