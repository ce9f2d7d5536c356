"""Fetch a data file once: from a folder that has it, from the cache, or from its public source."""

from __future__ import annotations

import hashlib
import os
import urllib.error
import urllib.request
from pathlib import Path

from ..core.errors import BadFile, BadInput
from ..core.files import write_whole
from ..core.machine import user_cache
from .catalogue import Dataset, about

FOLDER = (
    "LITTLESTONE_DATA"  # a folder that has the files, by our names or by those of their sources
)
SECONDS = 60.0


def fetch(name: str) -> Path:
    """The file of these data, ready for `ls.play` and the command line.

    The folder that LITTLESTONE_DATA names is searched first, then the cache of this user. What is in neither is
    fetched from its source and kept in the cache. Every file is compared with its SHA-256.

    >>> fetch("iris")
    Traceback (most recent call last):
        ...
    littlestone.core.errors.BadInput: 'iris' is inside: ls.datasets.table('iris') gives it
    """
    found = about(name)
    if not found.address:
        raise BadInput(
            f"{name!r} is inside: ls.datasets.table({name!r}) gives it", field="name", value=name
        )
    for path in places(found):
        if path.is_file():
            return check_content(path, path.read_bytes(), found)
    target = cached(found)
    content = download(found)
    check_content(found.address, content, found)
    target.parent.mkdir(parents=True, exist_ok=True)
    return write_whole(target, content)


def places(dataset: Dataset) -> list[Path]:
    """Where its file may be on this machine."""
    given = os.environ.get(FOLDER, "")
    names = (dataset.file, dataset.address.rpartition("/")[2])
    here = [Path(given) / name for name in names] if given else []
    return [*here, cached(dataset)]


def cached(dataset: Dataset) -> Path:
    """Its place in the cache of this user."""
    folder = user_cache()
    if not folder:
        raise BadInput(
            f"this user has no folder for {dataset.name}: set {FOLDER} to a folder that has {dataset.file}",
            field=FOLDER,
        )
    return Path(folder) / "data" / dataset.file


def download(dataset: Dataset) -> bytes:
    """The bytes of its public source."""
    try:
        with urllib.request.urlopen(dataset.address, timeout=SECONDS) as answer:
            content: bytes = answer.read()
    except (urllib.error.URLError, TimeoutError, OSError) as problem:
        raise BadInput(
            f"{dataset.name} cannot be fetched from {dataset.address}: {problem}; "
            f"put it as {dataset.file} into a folder and set {FOLDER} to that folder",
            field="name",
            value=dataset.name,
        ) from None
    return content


def check_content(path: Path | str, content: bytes, dataset: Dataset) -> Path:
    """The path, if its content is that of the catalogue."""
    if hashlib.sha256(content).hexdigest() != dataset.sha256:
        raise BadFile(
            f"{path} is not {dataset.name}: its SHA-256 is not {dataset.sha256[:16]}…; "
            "remove the file to have it fetched again"
        )
    return Path(path)
