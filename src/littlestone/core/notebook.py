"""Notebooks: how things are shown in them, and whether this is one."""

from __future__ import annotations

import sys

from .hooks import hook


class InNotebook:
    """Notebooks show it as HTML; `report/notebook.py` says how, for each kind of thing."""

    def _repr_html_(self) -> str:
        return str(hook("as_html")(self))


def in_notebook() -> bool:
    """Does this code run in the kernel of a notebook? Nothing is imported to find out."""
    shells, ipython = sys.modules.get("ipykernel.zmqshell"), sys.modules.get("IPython")
    if shells is None or ipython is None:
        return False
    return isinstance(ipython.get_ipython(), shells.ZMQInteractiveShell)
