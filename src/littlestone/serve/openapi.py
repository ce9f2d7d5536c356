"""OpenAPI 3.1, made of the same declarations that requests are checked with."""

from __future__ import annotations

import functools
from typing import Any

import msgspec

from .. import __version__
from ..core.registry import learners
from ..live.schema import schema
from .requests import Fork, Nothing, Operations, Outcome, Question, Removal, Round, Spec

LEARNER = "/v1/learners/{name}"
ROUTES: tuple[tuple[str, str, str, type | None], ...] = (
    ("put", LEARNER, "Make a learner; the same spec again is no error", Spec),
    ("get", LEARNER, "What is known of a learner", None),
    ("get", "/v1/learners", "All learners, by name", None),
    (
        "put",
        LEARNER + "/decisions/{id}",
        "Ask for a decision; the same id has the same answer",
        Question,
    ),
    ("get", LEARNER + "/decisions/{id}", "A decision, and its outcome", None),
    ("put", LEARNER + "/decisions/{id}/outcome", "Tell what became of a decision, once", Outcome),
    (
        "put",
        LEARNER + "/decisions/{id}/activate",
        "A decision that was deferred has been shown",
        Nothing,
    ),
    ("get", LEARNER + "/decisions", "Open decisions", None),
    ("post", LEARNER + "/rounds", "A decision and its outcome at once", Round),
    ("post", LEARNER + "/batch", "Many operations in one commit", Operations),
    (
        "get",
        LEARNER + "/certificate",
        "Theorems, or estimates where regret cannot be observed; `at`: as of that event; `curve`: round by round",
        None,
    ),
    ("get", LEARNER + "/history", "The mean as outcomes came", None),
    ("get", LEARNER + "/log.ndjson", "Every event, one a line", None),
    ("get", LEARNER + "/log.parquet", "Decisions whose outcome is known, as a table", None),
    (
        "post",
        LEARNER + "/fork",
        "A new learner that begins as this one was after event `seq`",
        Fork,
    ),
    ("post", LEARNER + "/resume", "Let a learner decide again that a guard has sent back", Nothing),
    ("post", LEARNER + "/remove", "Remove the decisions of one person", Removal),
    ("get", "/v1/kinds", "The learners that there are", None),
    ("get", "/v1/kinds/{key}", "JSON Schema of a kind", None),
    ("get", "/v1/events", "Server-sent events, once a second", None),
    ("get", "/v1/audit", "What administrators did, the newest first", None),
    ("get", "/metrics", "Numbers for Prometheus", None),
    ("get", "/healthz", "Is the process there?", None),
    ("get", "/readyz", "Does it answer requests?", None),
)


@functools.cache
def kinds() -> tuple[dict[str, str], ...]:
    """Every learner: its key, what it is, and what it is given."""
    found = []
    for key, cls in learners().items():
        given = "arms" if cls.bandit else "examples" if cls.examples else "experts"
        text = (cls.__doc__ or "").strip().partition("\n")[0]
        found.append({"key": key, "given": given, "description": text})
    return tuple(found)


@functools.cache
def openapi() -> dict[str, Any]:
    """The document.

    >>> openapi()["paths"]["/v1/learners/{name}/decisions/{id}"]["put"]["summary"]
    'Ask for a decision; the same id has the same answer'
    """
    bodies = [kind for *_, kind in ROUTES if kind is not None]
    _, components = msgspec.json.schema_components(
        bodies, ref_template="#/components/schemas/{name}"
    )
    problem = {"type": "object", "properties": {
        "title": {"type": "string"}, "status": {"type": "integer"}, "detail": {"type": "string"},
        "field": {"type": "string"}, "value": {}, "row": {"type": "integer"}, "column": {"type": "string"},
    }}  # fmt: skip
    paths: dict[str, Any] = {}
    for method, path, summary, kind in ROUTES:
        paths.setdefault(path, {})[method] = operation(path, summary, kind)
    each = {f"kind.{key}": schema(key) for key in learners()}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Littlestone", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": {**components, **each, "Problem": problem},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"key": []}],
    }


def operation(path: str, summary: str, kind: type | None) -> dict[str, Any]:
    """One operation."""
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    word = {"type": "string"}
    refusal = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    found: dict[str, Any] = {
        "summary": summary,
        "parameters": [{"name": n, "in": "path", "required": True, "schema": word} for n in names],
        "responses": {
            "200": {"description": "as before, or as asked for"},
            "default": {"description": "refused", "content": refusal},
        },
    }
    if kind is not None:
        reference = {"$ref": f"#/components/schemas/{kind.__name__}"}
        found["requestBody"] = {"content": {"application/json": {"schema": reference}}}
        found["responses"]["201"] = {"description": "made"}
    return found
