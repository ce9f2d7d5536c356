"""The files of the page, as they are: no build step, nothing from another host."""

from __future__ import annotations

import functools
from importlib.resources import files

PACKAGE = __name__.rpartition(".")[0]
REPORT = PACKAGE.rpartition(".")[0] + ".report"
SOURCES = {
    "index.html": (PACKAGE, "dashboard.html", "text/html"),
    "dashboard.css": (PACKAGE, "dashboard.css", "text/css"),
    "dashboard.js": (PACKAGE, "dashboard.js", "text/javascript"),
    "uPlot.js": (REPORT, "vendor/uPlot.iife.min.js", "text/javascript"),
    "uPlot.css": (REPORT, "vendor/uPlot.min.css", "text/css"),
}


@functools.cache
def page(name: str) -> tuple[bytes, str]:
    """A file of the page, and its media type.

    >>> page("index.html")[1]
    'text/html'
    """
    package, path, kind = SOURCES[name]
    return files(package).joinpath(path).read_bytes(), kind
