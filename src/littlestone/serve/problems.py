"""What is refused, as problem+json (RFC 9457)."""

from __future__ import annotations

from ..core.errors import BadInput, LittlestoneError


class Problem(LittlestoneError):
    """A request that is refused: its status, a title, and what else the answer holds."""

    def __init__(self, status: int, title: str, detail: str = "", **more: object) -> None:
        super().__init__(f"{status} {title}: {detail}")
        self.status, self.title, self.detail, self.more = status, title, detail, more

    def body(self) -> dict[str, object]:
        """The answer.

        >>> Problem(404, "unknown learner", "there is no learner 'a'").body()
        {'type': 'about:blank', 'title': 'unknown learner', 'status': 404, 'detail': "there is no learner 'a'"}
        """
        known = {"type": "about:blank", "title": self.title, "status": self.status}
        return {**known, **({"detail": self.detail} if self.detail else {}), **self.more}


def retry_after(status: int) -> dict[str, str]:
    """The header that says when to try again, where trying again may help.

    >>> retry_after(503), retry_after(404)
    ({'retry-after': '1'}, {})
    """
    return {"retry-after": "1"} if status in (429, 503) else {}


def refused_by_learner(problem: Exception) -> Problem:
    """The problem that a learner has with a request: the message, and the field, value, row and column it is about."""
    if not isinstance(problem, BadInput):
        return Problem(422, type(problem).__name__, str(problem))
    found = problem.as_dict()
    return Problem(422, "refused by the learner", str(found.pop("message")), **found)
