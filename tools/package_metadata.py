"""What a package index shows: the README with pictures and links that work there, and the addresses of the project.

The address of the repository is not written down anywhere: a release names it (LITTLESTONE_REPOSITORY, which the
release workflow sets to where it runs). A build without it has no addresses, and the README as it is.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

VARIABLE = "LITTLESTONE_REPOSITORY"
LINK = re.compile(r"(!?)\[([^\[\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)")


class PackageMetadata(MetadataHookInterface):
    """Fills in the fields that pyproject.toml declares as dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        home = os.environ.get(VARIABLE, "").rstrip("/")
        version = metadata["version"]
        metadata["urls"] = addresses(home) if home else {}
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute(text, home, f"v{version}") if home else text,
        }


def addresses(home: str) -> dict[str, str]:
    """The links of the project page."""
    return {
        "Homepage": home,
        "Documentation": f"{home}/blob/main/docs/index.md",
        "Source": home,
        "Issues": f"{home}/issues",
        "Changelog": f"{home}/blob/main/CHANGELOG.md",
    }


def absolute(text: str, home: str, tag: str) -> str:
    """The README with links into the repository as it was released."""

    def turned(found: re.Match[str]) -> str:
        mark, label, path = found.groups()
        kind = "raw" if mark else "blob"
        return f"{mark}[{label}]({home}/{kind}/{tag}/{path})"

    return LINK.sub(turned, text)
