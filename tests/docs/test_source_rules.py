"""Rules about the sources that import-linter cannot see, read from the syntax trees of src/littlestone.

Each rule has a list of the places that break it today, counted by file. A count that grows fails, and so does one that
has become smaller than the list says: the list must shrink with the code. To print the lists as they are now:

    python tests/docs/test_source_rules.py
"""

from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "littlestone"
LEARNERS = (
    "experts", "linear", "kernels", "convex", "bandits", "memory", "matrices", "graphs", "conformal", "trees",
    "refitted", "mixtures",
)  # fmt: skip

# What every NamedTuple offers to everyone, in spite of the underscore.
NAMED_TUPLE = {"_fields", "_replace", "_asdict", "_make", "_field_defaults"}

# Who may import modules by a name that is computed: the lazy public names, optional libraries, the walk over the
# learners, and saved files, which name the modules of the NamedTuples that they hold (live/store.py has the list).
IMPORTERS = {
    "__init__.py", "core/extras.py", "core/registry.py", "live/store.py", "learner_packages.py",
    "group_names.py",
}  # fmt: skip

# Capabilities beside those that `Learner` and the games' traits declare: reading one of them with a default is asking
# "are you one of those?", which a declared field answers.
CAPABILITIES = {
    "bits", "blind", "classifies", "coefficients", "examine", "family", "game", "grow", "grows",
    "intercept", "limits", "loss", "opaque", "set", "signed", "tasks", "traits",
}  # fmt: skip

# file: how often it breaks the rule today
UNDERSCORES: dict[str, int] = {}
GAMES: dict[str, int] = {}
IMPORTS: dict[str, int] = {
    "engine/compiled_python_call.py": 1,  # the module that compiled code calls, by CPython's own interface
    "refitted/estimator.py": 1,  # scikit-learn's module of the class of an estimator, which a file names
    "cli/own_learner.py": 1,  # a file of the user's own, named at the command line
}
GETATTRS: dict[str, int] = {
    "engine/compile.py": 1,  # parameters may be of any class, of other libraries too: only ours declare `opaque`
}
# package: how often it asks any object for an attribute that may be missing, with `hasattr` or a default of `getattr`,
# and of whom. Classes of ours declare what they have; classes of other libraries that are not imported here do not.
ATTRIBUTES: dict[str, tuple[int, str]] = {
    "batch": (3, "rows as the user passes them: arrays, frames, lists"),
    "cli": (
        2,
        "the iterator of a stream may have something to close; an error of the system its text",
    ),
    "conformal": (
        6,
        "models of scikit-learn and River, and functions; tickets as the user hands them in",
    ),
    "core": (
        5,
        "the predicates themselves: sparse matrices, NamedTuples; the name of a declared type",
    ),
    "encode": (9, "frames, columns and rows of pandas, Polars and PyArrow"),
    "engine": (
        41,
        "Numba's own classes, functions and modules of Python, and NamedTuples on the road of each round",
    ),
    "falsify": (1, "the mark that a function has a compiled form"),
    "graphs": (6, "graphs of networkx, and frames"),
    "interop": (40, "estimators of scikit-learn and River"),
    "kernels": (4, "examples as the user passes them: arrays, frames, lists, strings"),
    "live": (1, "a class that a file names, in a module that may not have it"),
    "offpolicy": (4, "policies of the user's own"),
    "refitted": (2, "estimators of scikit-learn"),
    "report": (2, "numbers of NumPy, which is not imported for that"),
    "settings": (1, "outcomes as the user passes them: an array is no label"),
    "streams": (13, "frames of pandas, Polars and PyArrow, and files that give what has arrived"),
    "supervised": (11, "estimators of scikit-learn, and frames"),
}
KNOWN = {
    "underscores": UNDERSCORES,
    "games": GAMES,
    "imports": IMPORTS,
    "getattrs": GETATTRS,
}


@functools.cache
def sources() -> dict[str, ast.Module]:
    """The syntax tree of each file, by its path under src/littlestone."""
    return {
        path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
    }


def package(file: str) -> str:
    """The package that a file belongs to; files beside the packages are one of their own."""
    return file.partition("/")[0] if "/" in file else ""


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in NAMED_TUPLE | {"_"}


def called(node: ast.Call) -> str:
    """The name of the function that is called: f(…), or module.f(…)."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def names_in(node: ast.AST) -> set[str]:
    """Every name that an expression mentions, with or without its module in front."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} | {
        n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)
    }


def owners(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    """For each name with an underscore, the packages that define it, as attribute, function, class or variable."""
    found: dict[str, set[str]] = {}

    def add(name: str, file: str) -> None:
        if private(name):
            found.setdefault(name, set()).add(package(file))

    for file, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                add(node.name, file)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                add(node.id, file)
            elif (
                isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Store)
                and isinstance(node.value, ast.Name)
                and node.value.id in ("self", "cls")
            ):
                add(node.attr, file)
    return found


def underscores(trees: dict[str, ast.Module]) -> Iterator[tuple[str, int, str]]:
    """Attributes with an underscore that only another package defines, and imports of such names."""
    found = owners(trees)

    def foreign(name: str, file: str) -> bool:
        return private(name) and bool(found.get(name)) and package(file) not in found[name]

    for file, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and foreign(node.attr, file):
                if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
                    yield file, node.lineno, ast.unparse(node)
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if foreign(alias.name, file):
                        yield file, node.lineno, f"import of {alias.name}"


def game_classes(trees: dict[str, ast.Module]) -> set[str]:
    """The classes of games/ that act, and the groups of them that are defined anywhere (DRAWN, …)."""
    classes = {
        node.name
        for file, tree in trees.items()
        if package(file) == "games"
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(isinstance(part, ast.FunctionDef) and part.name == "act" for part in node.body)
    }
    groups = {
        target.id
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.Assign) and names_in(node.value) & classes
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.isupper()
    }
    return classes | groups


def games(trees: dict[str, ast.Module]) -> Iterator[tuple[str, int, str]]:
    """Questions which game this is, outside games/ and outside the file of the learner that plays it."""
    classes = game_classes(trees)
    for file, tree in trees.items():
        if package(file) == "games":
            continue
        played = {called(n) for n in ast.walk(tree) if isinstance(n, ast.Call)}
        own = played & classes if package(file) in LEARNERS else set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and called(node) in ("isinstance", "issubclass"):
                asked = names_in(node.args[1]) & classes - own
            elif isinstance(node, ast.MatchClass):
                asked = names_in(node.cls) & classes - own
            else:
                continue
            if asked:
                yield file, getattr(node, "lineno", 0), ast.unparse(node)


def imports(trees: dict[str, ast.Module]) -> Iterator[tuple[str, int, str]]:
    """Imports by a name that is, or may be, the name of a module of this package."""
    for file, tree in trees.items():
        if file in IMPORTERS:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and called(node) in ("import_module", "__import__"):
                name = node.args[0] if node.args else None
                word = name.value if isinstance(name, ast.Constant) else "."
                if str(word).startswith((".", "littlestone")):
                    yield file, node.lineno, ast.unparse(node)


def capabilities(trees: dict[str, ast.Module]) -> set[str]:
    """What `Learner` declares as ClassVar, the fields of the games' traits, and the list above."""
    declared = {
        node.target.id
        for node in ast.walk(trees["core/learner.py"])
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and "ClassVar" in names_in(node.annotation)
    }
    traits = {
        part.target.id
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name == "Traits"
        for part in node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    }
    return declared | traits | CAPABILITIES


def getattrs(trees: dict[str, ast.Module]) -> Iterator[tuple[str, int, str]]:
    """Capabilities that are asked for by name: getattr(x, "name", default), hasattr(x, "name")."""
    known = capabilities(trees)
    for file, tree in trees.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or len(node.args) < 2:
                continue
            asks = called(node) == "hasattr" or (called(node) == "getattr" and len(node.args) == 3)
            name = node.args[1]
            if asks and isinstance(name, ast.Constant) and name.value in known:
                yield file, node.lineno, ast.unparse(node)


RULES = {"underscores": underscores, "games": games, "imports": imports, "getattrs": getattrs}
SAYS = {
    "underscores": "a package reads no name with an underscore that another package defines",
    "games": "outside games/ only the file of the learner that plays a game names its class in isinstance",
    "imports": "modules of the package are imported by statement, not by name",
    "getattrs": "a capability is a declared field, not an attribute that may be missing",
}


@pytest.mark.parametrize("rule", RULES)
def test_no_more_and_no_fewer_than_listed(rule):
    found = list(RULES[rule](sources()))
    counts = Counter(file for file, _, _ in found)
    for file in sorted(counts.keys() | KNOWN[rule].keys()):
        now, listed = counts[file], KNOWN[rule].get(file, 0)
        places = "\n".join(f"  {file}:{line}: {text}" for f, line, text in found if f == file)
        assert now <= listed, (
            f"{SAYS[rule]}; {file} does so {now} times, {listed} were known:\n{places}"
        )
        assert now == listed, (
            f"{file} now breaks the rule {now} times, not {listed}: let the list in {Path(__file__).name} shrink "
            f"(run that file to print the lists)"
        )


def missing_attributes(trees: dict[str, ast.Module]) -> Iterator[tuple[str, int, str]]:
    """hasattr(x, …) and getattr(x, …, default), of whatever."""
    for file, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (called(node), len(node.args)) in (
                ("hasattr", 2),
                ("getattr", 3),
            ):
                yield file, node.lineno, ast.unparse(node)


def test_attributes_that_may_be_missing_become_no_more():
    found = list(missing_attributes(sources()))
    counts = Counter(package(file) for file, _, _ in found)
    for name in sorted(counts.keys() | ATTRIBUTES.keys()):
        now, (listed, whose) = counts[name], ATTRIBUTES.get(name, (0, "nobody"))
        places = "\n".join(f"  {f}:{line}: {text}" for f, line, text in found if package(f) == name)
        assert now == listed, (
            f"{name}: {now} times, {listed} were known ({whose}). Where there are more: declare a field in the class, "
            f"or use the predicate that there is (is_sparse, is_named_tuple, index_of); where fewer, let the list "
            f"shrink:\n{places}"
        )


BROKEN = {
    "games/one.py": "class Vote:\n    def act(self): ...\n\n_kept = 1\nBOTH = (Vote, Vote)",
    "core/learner.py": "class Learner:\n    sparse: ClassVar[bool] = True\n    _live: Any = None",
    "run/a.py": "learner._live\nx._replace()\nself._live\nx._of_another_library\nfrom ..games.one import _kept",
    "live/b.py": "self._own = 1\nother._own\nisinstance(g, games.Vote)\nisinstance(g, BOTH)\nisinstance(g, int)",
    "live/c.py": "getattr(x, 'sparse', False)\ngetattr(x, 'sparse')\nhasattr(x, 'limits')\ngetattr(x, 'other', 1)",
    "core/game.py": "class Traits(NamedTuple):\n    drawn: bool = False",
    "live/c2.py": "getattr(game, 'drawn', False)",
    "live/d.py": "importlib.import_module('numba')\nimport_module('littlestone.core')\nimport_module(name)",
    "linear/e.py": "game = Vote()\nisinstance(g, Vote)",
    "core/registry.py": "import_module(f'littlestone.{name}')",
}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("underscores", [("run/a.py", 1), ("run/a.py", 5)]),
        ("games", [("live/b.py", 3), ("live/b.py", 4)]),
        ("imports", [("live/d.py", 2), ("live/d.py", 3)]),
        ("getattrs", [("live/c.py", 1), ("live/c.py", 3), ("live/c2.py", 1)]),
    ],
)
def test_a_broken_rule_is_seen(rule, expected):
    trees = {file: ast.parse(text) for file, text in BROKEN.items()}
    assert sorted((file, line) for file, line, _ in RULES[rule](trees)) == expected


def test_every_way_to_ask_for_a_missing_attribute_is_seen():
    trees = {"a.py": ast.parse("hasattr(x, n)\ngetattr(x, n)\ngetattr(x, 'n', None)\nx.n")}
    assert [line for _, line, _ in missing_attributes(trees)] == [1, 3]


if __name__ == "__main__":
    every = sources()
    for title, rule in RULES.items():
        counted = Counter(file for file, _, _ in rule(every))
        print(f"{title.upper()}: dict[str, int] = {{  # {sum(counted.values())} in all")
        for name in sorted(counted):
            print(f'    "{name}": {counted[name]},')
        print("}")
