"""Write the stubs of the public names, __init__.pyi, from the list in littlestone/__init__.py and group_names.py.

    python tools/stubs.py

Type checkers and editors read them; tests/docs/test_typing.py compares them with the list.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import littlestone as ls
from littlestone.group_names import names_of

SOURCE = Path(ls.__file__).parent
TEXT = '''"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""
'''


def stubs() -> dict[Path, str]:
    """The text of each stub."""
    groups = {g: m for g, m in ls._GROUPS.items() if m == g}
    modules = {g: m for g, m in ls._GROUPS.items() if m != g}
    top = [f"from . import {g} as {g}" for g in groups]
    top += [f"from .{m.rpartition('.')[0]} import {g} as {g}" for g, m in modules.items()]
    found = {SOURCE / "__init__.pyi": lines(ls._WHERE, ".", top) + "\n__version__: str\n"}
    for group in groups:
        found[SOURCE / group / "__init__.pyi"] = lines(names_of(group), group)
    return found


def lines(names: dict[str, str], group: str, more: list[str] | None = None) -> str:
    """One import a name, as the package of a group writes it."""
    made = list(more or [])
    for name, module in names.items():
        first, _, rest = module.partition(".")
        target = f".{module}" if group == "." else f".{rest}" if first == group else f"..{module}"
        made.append(f"from {target} import {name} as {name}")
    return TEXT + "\n" + "\n".join(sorted(made)) + "\n"


def main() -> None:
    made = stubs()
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
    files = list(map(str, made))
    subprocess.run(["ruff", "check", "--select", "I", "--fix", "--quiet", *files], check=True)
    subprocess.run(["ruff", "format", "--quiet", *files], check=True)


if __name__ == "__main__":
    main()
