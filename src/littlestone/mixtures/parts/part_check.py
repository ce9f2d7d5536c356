"""What a part of a mixture may be."""

from __future__ import annotations

from typing import Any

from ...core.errors import BadInput
from ...core.learner import Learner


def check_part(owner: str, name: str, part: Any, kind: type[Learner[Any, Any, Any, Any]]) -> None:
    """Refuse a part of another class."""
    if type(part) is not kind:
        raise BadInput(
            f"{owner}: {name} must be a {kind.__name__}, such as {kind.__name__}(), not {part!r:.200}",
            field=name,
            value=part,
        )
