"""Write the pages that follow from the code, and the whole documentation as HTML.

    python docs/build.py            reference.md, the generated lines of ledger.md, and docs/site/
    python docs/build.py --check    write nothing; exit 1 if a page in the repository is out of date

reference.md comes from the registry. In ledger.md every entry ends with what the Guarantee objects say of its id and
with the files that name it. The page about guarantees of prediction sets has what the campaign of the falsifier found:
build the pages after `make falsify`. docs/site/ holds every page as HTML, and is not kept in the repository.
"""

from __future__ import annotations

import argparse
import inspect
import itertools
import os
import re
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any, get_args

from falsifier_findings import findings

from littlestone import games
from littlestone.core import losses
from littlestone.core.errors import BadInput
from littlestone.core.guarantee import MEANING, Guarantee
from littlestone.core.learner import Learner, defaults, hints
from littlestone.core.parameters import split
from littlestone.core.registry import learners
from littlestone.learner_packages import LEARNER_PACKAGES

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
SETS = DOCS / "conformal" / "which-guarantees-are-true.md"
# Two letters at least after the dash: T-1 is a number of rounds, and [A-Z0-9] a class of characters.
ID = re.compile(r"(?<![\w-])(?!A-Z)(?:[ATEX]|ADV)-[A-Z][A-Z0-9]+(?:-[A-Z0-9]+)*")
ENTRY = re.compile(r"^#### (\S+)\n(.*?)(?=^##|\Z)", re.M | re.S)
Class = type[Learner[Any, Any, Any, Any]]


def keys_of_sets() -> set[str]:
    """The learners of prediction sets."""
    return {key for key, cls in ours().items() if ".conformal." in cls.__module__}


def ours() -> dict[str, Class]:
    """The learners of the package; a process may have defined others."""
    return {k: c for k, c in learners().items() if c.__module__.startswith("littlestone.")}


def theorems() -> dict[str, tuple[Guarantee, list[str]]]:
    """Each Guarantee of the registry by its id, and the learners that carry it."""
    found: dict[str, tuple[Guarantee, list[str]]] = {}
    for key, cls in ours().items():
        for g in cls.guarantees:
            found.setdefault(g.id, (g, []))[1].append(key)
    return found


def prose(text: str) -> str:
    """Plain text as Markdown: nothing in it is emphasis or a tag."""
    text = re.sub(r"([*`])|(<)(?=[A-Za-z/])", r"\\\1\2", text)
    return ID.sub(lambda m: linked(m[0]), text)


def linked(name: str) -> str:
    return f"[{name}](ledger.md#{name.lower()})"


def sentence(text: str) -> str:
    return text if text.endswith(".") else text + "."


# The reference.


def reference() -> str:
    every = ours()
    parts = [
        "# Reference\n",
        "<!-- Written by docs/build.py from the registry: edit the learners, then `make docs`. -->\n",
        "Every learner: what it does, its parameters, the games it plays, and the theorems that each run is checked "
        "against. `littlestone show KEY` prints the same. Which one to take: [over experts](experts/overview.md), "
        "[over examples](linear/overview.md).\n",
        "| learner | purpose | theorems |\n| --- | --- | --- |",
        *(row(key, cls) for key, cls in every.items()),
        "",
        *(section(key, cls) for key, cls in every.items()),
        "## Games\n",
        "How a decision becomes a prediction, and what the learner is shown: [games](experts/games.md).\n",
        *map(described, get_args(games.Game)),
        "\n## Symbols\n",
        "What the bounds are made of, beside the parameters and what a learner notes down itself:\n",
        *(f"- `{name}`: {meaning}" for name, meaning in MEANING.items()),
        "",
    ]
    return "\n".join(parts)


def row(key: str, cls: Class) -> str:
    ids = ", ".join(linked(g.id) for g in cls.guarantees)
    return f"| [{key}](#{key}) | {prose(document(cls)[0])} | {ids} |"


def section(key: str, cls: Class) -> str:
    module = cls.__module__.replace(".", "/")
    lines = [f"## {key}\n", *(f"{part}\n" for part in document(cls))]
    lines += [f"`littlestone.{cls.__name__}`, in [{module}.py](../src/{module}.py).", guide(key)]
    lines += ["**Parameters**\n", *parameters(cls), "", "**Games**\n", *played(cls), ""]
    return "\n".join([*lines, "**Theorems**\n", *map(theorem, cls.guarantees), ""])


def document(cls: Class) -> list[str]:
    """The paragraphs of the docstring, without its examples: those are run where they stand."""
    found = inspect.cleandoc(cls.__doc__ or "").split("\n\n")
    return [p if p.startswith("    ") else prose(p) for p in found if not p.startswith(">>>")]


def guide(key: str) -> str:
    """A link to the page that explains the learner."""
    for folder in LEARNER_PACKAGES:
        for page in sorted((DOCS / folder).glob("*.md")):
            if f"\n## {key}\n" in page.read_text(encoding="utf-8"):
                return f"Explained in [{page.stem}]({folder}/{page.name}#{key}).\n"
    return ""


def parameters(cls: Class) -> Iterator[str]:
    if not defaults(cls):
        yield "none"
    for name, default in defaults(cls).items():
        kind, declared, optional = split(hints(cls)[name])
        if name == "loss":
            text = "one of " + ", ".join(f"`{word}`" for word in words(cls)) + ", or a loss object"
        elif declared is not None:
            text = str(declared)
        else:
            text = {bool: "yes or no", tuple[float, ...]: "numbers"}.get(kind, str(kind))
        shown = "unset" if default is None else repr(default)
        yield f"- `{name}` = `{shown}`: {text}" + ("; may be left unset" if optional else "")


def words(cls: Class) -> tuple[str, ...]:
    """The losses that the learner could be given, by name."""
    return tuple(losses.NAMES | losses.SCORES if cls.examples else losses.NAMES)


def played(cls: Class) -> Iterator[str]:
    """The games that the learner plays, the one of its defaults first."""
    for allocation, what in ((False, "examples and outcomes"), (True, "losses alone")):
        first, *others = [g.__name__ for g in dict.fromkeys(variants(cls, allocation))] or ["none"]
        more = f" (other parameters: {', '.join(others)})" if others else ""
        yield f"- {what}: {first}{more}"


def variants(cls: Class, allocation: bool) -> Iterator[type]:
    """The games of the defaults, and of every choice of switches and losses."""
    choices: dict[str, tuple[Any, ...]] = {
        name: (False, True) for name, hint in hints(cls).items() if split(hint)[0] is bool
    }
    if "loss" in hints(cls):
        choices["loss"] = words(cls)
    for values in [(), *itertools.product(*choices.values())]:
        try:
            yield type(cls(**dict(zip(choices, values, strict=False))).game(allocation))
        except BadInput:
            continue


def described(game: type) -> str:
    return f"- {game.__name__}: {prose(inspect.cleandoc(game.__doc__ or '').splitlines()[0])}"


COVERS = {
    "expert": "every expert",
    "sequence": "every sequence of experts, for every number of shifts",
    "mean": "the mean of all experts",
    "modes": "every choice of few experts in each round of several tasks, for every number of switches",
    "linear": "every linear predictor",
    "convex": "every point of the set",
    "kernel": "every function in the space of the kernel",
    "disjunction": "every consistent disjunction",
    "noisy disjunction": "every disjunction",
    "conjunction": "every consistent conjunction",
    "dnf": "every consistent DNF",
    "separator": "every separator",
}
# Theorems with a comparator of their own ("own"), or with none ("none"): what each is against.
MISSES = "no comparator: it bounds the learner's own misses"
COMPARED = {
    "A-GAMMA-GUESS": "a direction that never errs",
    "T-AMF": "every pruning of the trees as they are in the end",
    "T-AMF-REGRESSION": "every pruning of the trees as they are in the end",
    "T-ACI": MISSES,
    "T-ACI-BELOW": MISSES,
    "T-CONFORMAL-PID": MISSES,
    "T-COVER": MISSES,
    "T-COVER-BELOW": MISSES,
    "T-DECAYING-TRACKER": MISSES,
    "T-DISJ-HALVING": "a disjunction that never errs",
    "T-DTACI": "each of its eight rates",
    "T-EXP3-LEMMA": "every arm, in estimated losses",
    "T-EXP4": "every adviser, in estimated losses",
    "T-EXP4-LEMMA": "every adviser, in estimated losses",
    "T-GRAPH-PERCEPTRON": "every function on the vertices: smooth ones found in the rounds",
    "T-GROUP-TRACKER": MISSES,
    "T-HALVING-COVER": "a direction that never errs",
    "T-HALVING-SETS": "a set that never misses",
    "T-KT-BETTING": MISSES,
    "T-MEG": "every simple enough matrix: constant ones, majorities and blocks found in the rounds",
    "T-ONLINE-KERNEL": "each of its experts",
    "T-ONLINE-KERNEL-BEST": "every linear predictor with an intercept: those that were searched for",
    "T-ONLINE-KERNEL-REGRESSION": "each of its experts",
    "T-ONLINE-LINEAR": "each of its experts",
    "T-ONLINE-LINEAR-BEST": "every linear predictor with an intercept: those that were searched for",
    "T-ONLINE-LINEAR-REGRESSION": "each of its experts",
    "T-ONLINE-LINEAR-REGRESSION-BEST": "every linear predictor with an intercept: those that were searched for",
    "T-QUANTILE-TRACKER": MISSES,
    "T-SAOCP": "every fixed threshold",
    "T-SEMINORM": "every function with the labels seen, and every cover: those that were searched for",
    "T-SF-OGD": MISSES,
    "T-SOA": "a hypothesis that never errs",
    "T-SPINE": "the labels along the spine",
    "T-TREES": "every labelling: two for each tree, found in the rounds",
}


def against(g: Guarantee) -> str:
    """What a theorem is against, in words."""
    if g.against not in ("own", "none"):
        return f"against {COVERS[g.against]}"
    if g.id not in COMPARED:
        raise SystemExit(f"docs/build.py: COMPARED does not say what {g.id} is against")
    return MISSES if COMPARED[g.id] == MISSES else f"against {COMPARED[g.id]}"


def theorem(g: Guarantee) -> str:
    lines = [f"- {linked(g.id)}, {prose(g.name)}. {sentence(prose(g.statement))}"]
    lines.append(f"  - {against(g)}; measured: {g.measures}; {g.mode}")
    if g.assumptions:
        lines.append(f"  - needs: {prose('; '.join(map(str, g.assumptions)))}")
    if g.when is not None:
        lines.append("  - listed in a certificate only where the parameters make it apply")
    if g.late:
        lines.append("  - holds for a single copy of the learner when feedback comes late, too")
    return "\n".join([*lines, f"  - source: {prose(g.source)}"])


# The ledger.


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
    by = ", ".join(f"[{k}](reference.md#{k})" for k in keys)
    needs = f" Needs: {prose('; '.join(map(str, g.assumptions)))}." if g.assumptions else ""
    source = prose(g.source)
    return f"- As checked in runs of {by}: {sentence(prose(g.statement))}{needs} Source: {sentence(source)}"


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


# The site.

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title} – Littlestone</title><style>
:root {{ color-scheme: light dark; --line: light-dark(#d8d8d4, #44443f); --soft: light-dark(#f4f4f0, #23231f) }}
body {{ font: 16px/1.55 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem;
        color: light-dark(#1c1c1a, #e6e6e0); background: light-dark(#fff, #181816) }}
a {{ color: light-dark(#0b57a4, #8ab8ee) }}
pre, code {{ font: 0.875em/1.5 ui-monospace, monospace; background: var(--soft) }}
pre {{ padding: 0.75rem 1rem; overflow-x: auto }}
table {{ border-collapse: collapse; display: block; overflow-x: auto }}
th, td {{ border-bottom: 1px solid var(--line); padding: 0.3rem 0.75rem 0.3rem 0; text-align: left;
          vertical-align: top }}
h1, h2, h3, h4 {{ line-height: 1.25; margin: 1.6em 0 0.5em }}
img {{ max-width: 100% }}
nav {{ border-bottom: 1px solid var(--line); padding-bottom: 0.5rem }}
</style></head><body><nav>{nav}</nav>
{body}</body></html>
"""
TOP = {
    "index.md": "index",
    "experts/overview.md": "experts",
    "linear/overview.md": "examples",
    "reference.md": "reference",
    "ledger.md": "ledger",
    "design.md": "design",
}


def site(target: Path) -> int:
    """Every page of docs/ as HTML, linked among themselves; anything else is linked where it lies."""
    from markdown_it import MarkdownIt  # it comes with rich

    markdown = MarkdownIt("commonmark").enable("table")
    pages = [p for p in sorted(DOCS.rglob("*.md")) if target not in p.parents]
    for page in pages:
        out = placed(page, target)
        tokens = markdown.parse(page.read_text(encoding="utf-8"))
        for t, token in enumerate(tokens):
            if token.type == "heading_open":
                token.attrs["id"] = slug(tokens[t + 1].content)
            if token.type == "fence":
                token.content = token.content.strip() + "\n"
            for part in token.children or ():
                for name in ("href", "src"):
                    if name in part.attrs:
                        part.attrs[name] = link(str(part.attrs[name]), page, out, target)
        nav = " · ".join(
            f'<a href="{link(os.path.relpath(DOCS / p, page.parent), page, out, target)}">{name}</a>'
            for p, name in TOP.items()
        )
        body = markdown.renderer.render(tokens, markdown.options, {})
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(PAGE.format(title=escape(title(page)), nav=nav, body=body), encoding="utf-8")
    return len(pages)


def placed(page: Path, target: Path) -> Path:
    return target / page.relative_to(DOCS).with_suffix(".html")


def link(href: str, page: Path, out: Path, target: Path) -> str:
    if re.match(r"[a-z]+:|#", href):
        return href
    path, _, anchor = href.partition("#")
    there = (page.parent / path).resolve()
    if there.suffix == ".md" and DOCS in there.parents:
        there = placed(there, target)
    return Path(os.path.relpath(there, out.parent)).as_posix() + (f"#{anchor}" if anchor else "")


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def title(page: Path) -> str:
    found = re.search(r"^# (.*)$", page.read_text(encoding="utf-8"), re.M)
    return found[1] if found else page.stem


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing, exit 1 if a page is stale"
    )
    check = parser.parse_args().check
    stale = []
    pages = {
        DOCS / "reference.md": reference(),
        DOCS / "ledger.md": ledger((DOCS / "ledger.md").read_text(encoding="utf-8")),
        SETS: findings(SETS.read_text(encoding="utf-8"), DOCS / "falsify", keys_of_sets()),
    }
    for path, text in pages.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.relative_to(ROOT).as_posix())
            if not check:
                path.write_text(text, encoding="utf-8")
    if check:
        if stale:
            print(f"out of date: {', '.join(stale)}; run `make docs`", file=sys.stderr)
        return 1 if stale else 0
    for name in stale:
        print(f"wrote {name}")
    print(f"wrote {site(DOCS / 'site')} pages to docs/site/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
