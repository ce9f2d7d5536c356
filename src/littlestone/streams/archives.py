"""The one table that a zip archive holds."""

from __future__ import annotations

import zipfile
from pathlib import Path, PurePosixPath
from typing import IO

from littlestone.core.errors import BadFile

ZIP = b"PK\x03\x04"
EXCEL = "[Content_Types].xml"  # every Excel, Word and PowerPoint file holds it


def member(path: Path, name: str) -> tuple[PurePosixPath, IO[bytes]]:
    """The only file in an archive: what it is called, and its bytes."""
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as problem:
        raise BadFile(
            f"{name} is cut off or damaged: it begins as a zip or Excel file ({problem})"
        ) from None
    inside = [one for one in archive.infolist() if not one.is_dir()]
    if any(one.filename == EXCEL for one in inside):
        archive.close()
        raise BadFile(f"{name} is an Excel file; save the table as CSV or Parquet")
    shown = [one for one in inside if not one.filename.startswith("__MACOSX/")]
    if len(shown) != 1:
        archive.close()
        names = ", ".join(repr(one.filename) for one in shown[:5]) + (
            " and more" if len(shown) > 5 else ""
        )
        raise BadFile(
            f"{name} is a zip file that holds {len(shown)} files: {names or 'none'}; take one out, "
            f"or send it through a pipe: unzip -p {name} NAME | littlestone run -"
        )
    if shown[0].flag_bits & 1:
        archive.close()
        raise BadFile(f"{name} is a zip file with a password; unpack it first")
    return PurePosixPath(shown[0].filename), archive.open(shown[0])
