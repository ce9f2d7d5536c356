"""The pages of the lectures: Markdown whose examples are doctests."""

from __future__ import annotations

import difflib
from importlib.resources import files

from littlestone.core.errors import BadInput

# In the order of the courses.
LECTURES = (
    "postech", "cmu", "mit-9", "lecture-10",
    "ucl-1", "ucl-2", "ucl-3", "ucl-4", "ucl-5", "ucl-6", "ucl-7", "ucl-8", "ucl-9",
)  # fmt: skip


def page(name: str) -> str:
    """Read the Markdown of a lecture.

    >>> page("ucl-6").splitlines()[0]
    '# UCL 6: graphs in machine learning'
    """
    if name not in LECTURES:
        near = difflib.get_close_matches(name.lower(), LECTURES, n=2, cutoff=0.5)
        more = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(LECTURES)}"
        raise BadInput(f"there is no lecture {name!r}; {more}")
    return (files(__package__) / f"{name}.md").read_text(encoding="utf-8")


def contents() -> list[dict[str, str]]:
    """List the lectures with their titles.

    >>> contents()[0]
    {'lecture': 'postech', 'title': 'POSTECH: online learning'}
    """
    return [
        {"lecture": name, "title": page(name).partition("\n")[0].removeprefix("# ")}
        for name in LECTURES
    ]
