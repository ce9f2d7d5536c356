"""`connect(url)`: the verbs of a live learner, over HTTP; what fails on the way is sent again with the same id."""

from __future__ import annotations

import http.client
import time
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import msgspec
import numpy as np

from ..core.errors import BadInput
from ..core.files import write_whole
from .problems import Problem

AGAIN = (429, 503)


class Client:
    """A connection to a service. One thread at a time uses it."""

    def __init__(self, url: str, key: str = "", retries: int = 12, timeout: float = 30.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadInput(
                f"url must be like http://127.0.0.1:8080, not {url!r:.80}", field="url", value=url
            )
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self.connection = kind(parts.hostname, parts.port, timeout=timeout)
        self.key, self.retries = key, retries

    def learner(self, name: str, learner: str | None = None, /, **spec: Any) -> RemoteLearner:
        """The learner of this name; with a spec it is made where it is not there yet."""
        found = RemoteLearner(self, name)
        if learner is not None:
            self.send("PUT", found.path, {"learner": learner, **spec})
        return found

    def learners(self) -> list[str]:
        """The names of all learners."""
        names: list[str] = []
        after: str | None = ""
        while after is not None:
            found = self.send("GET", f"/v1/learners?limit=1000&after={quote(after)}")
            names += [row["name"] for row in found["learners"]]
            after = found["after"]
        return names

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """An answer; a connection that breaks and a service that is busy are tried again, the rest is a Problem."""
        raw = None if body is None else msgspec.json.encode(body, enc_hook=as_plain)
        headers = {"content-type": "application/json"}
        if self.key:
            headers["authorization"] = f"Bearer {self.key}"
        for attempt in range(self.retries + 1):
            last = attempt == self.retries
            try:
                self.connection.request(method, path, raw, headers)
                response = self.connection.getresponse()
                text = response.read()
            except (OSError, http.client.HTTPException):
                self.connection.close()
                if last:
                    raise
            else:
                if response.status < 400:
                    plain = "json" in response.headers.get("content-type", "json")
                    return (msgspec.json.decode(text) if text else None) if plain else text
                if last or response.status not in AGAIN:
                    raise problem_of(response.status, text)
            time.sleep(min(3.0, 0.1 * 2.0**attempt))
        raise AssertionError("unreachable")

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()


class RemoteLearner:
    """A learner in a service: `ask`, `tell`, and what is known of it."""

    def __init__(self, client: Client, name: str) -> None:
        self.client, self.name = client, name
        self.path = f"/v1/learners/{quote(name, safe='')}"

    def ask(self, x: Any = None, *, id: str | None = None, **more: Any) -> dict[str, Any]:
        """A decision, with its `id`; the same id asked again has the same answer."""
        id_ = uuid.uuid4().hex if id is None else id
        given = {"x": x, **more}
        body = {k: v for k, v in given.items() if v is not None}
        found: dict[str, Any] = self.client.send(
            "PUT", f"{self.path}/decisions/{quote(id_, safe='')}", body
        )
        return found

    def tell(self, decision: str | dict[str, Any], y: Any = None, **outcome: Any) -> None:
        """The outcome of a decision: y, reward=, loss= or never=True; told twice it is learned once."""
        id_ = decision if isinstance(decision, str) else str(decision["id"])
        body = outcome if y is None else {"y": y, **outcome}
        self.client.send("PUT", f"{self.path}/decisions/{quote(id_, safe='')}/outcome", body)

    def activate(self, decision: str | dict[str, Any]) -> None:
        """A decision that was asked with `deferred=True` has been shown: it waits for its outcome."""
        id_ = decision if isinstance(decision, str) else str(decision["id"])
        self.client.send("PUT", f"{self.path}/decisions/{quote(id_, safe='')}/activate", {})

    def batch(self, operations: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Many operations in one commit, each `{"id": …, "decide": {…}, "tell": {…}}`; the answer of each."""
        found = self.client.send("POST", f"{self.path}/batch", {"operations": operations})
        results: list[dict[str, Any]] = found["results"]
        return results

    def certificate(self, at: int | None = None) -> dict[str, Any]:
        """What can be claimed of it now, or could be after event `at`."""
        query = "" if at is None else f"?at={at}"
        found: dict[str, Any] = self.client.send("GET", f"{self.path}/certificate{query}")
        return found

    def log(self, path: str | Path, after: int = 0) -> Path:
        """Write the decisions whose outcome is known to a Parquet file, which `ls.play` and `offpolicy` read."""
        raw = self.client.send("GET", f"{self.path}/log.parquet?after={after}")
        return write_whole(Path(path), raw)

    def remove(self, ids: list[str] | None = None, prefix: str | None = None) -> int:
        """Remove the decisions of one person from the log, and what was learned from them; how many."""
        body = {k: v for k, v in {"ids": ids, "prefix": prefix}.items() if v is not None}
        return int(self.client.send("POST", f"{self.path}/remove", body)["removed"])

    def resume(self) -> None:
        """Let it decide again after a guard has sent it back to its baseline."""
        self.client.send("POST", f"{self.path}/resume", {})

    def describe(self) -> dict[str, Any]:
        """Rounds, open decisions, the mean."""
        found: dict[str, Any] = self.client.send("GET", self.path)
        return found

    def fork(self, name: str, seq: int | None = None) -> RemoteLearner:
        """A new learner that begins as this one was after event `seq`."""
        query = "" if seq is None else f"?seq={seq}"
        self.client.send("POST", f"{self.path}/fork{query}", {"name": name})
        return RemoteLearner(self.client, name)


def connect(url: str, key: str = "") -> Client:
    """A client of the service at this address.

    >>> connect("ftp://somewhere")
    Traceback (most recent call last):
    ...
    littlestone.core.errors.BadInput: url must be like http://127.0.0.1:8080, not 'ftp://somewhere'
    """
    return Client(url, key)


def as_plain(v: Any) -> Any:
    """Arrays and numbers of NumPy as JSON."""
    if isinstance(v, np.ndarray):
        return v.tolist()
    if isinstance(v, np.generic):
        return v.item()
    raise NotImplementedError(f"{type(v).__name__} is nothing that JSON can hold")


def problem_of(status: int, text: bytes) -> Problem:
    """The problem that a service answered with."""
    try:
        found: dict[str, Any] = msgspec.json.decode(text)
    except msgspec.DecodeError:
        found = {
            "title": "no answer of this service",
            "detail": text[:200].decode(errors="replace"),
        }
    title, detail = str(found.pop("title", "")), str(found.pop("detail", ""))
    return Problem(
        status, title, detail, **{k: v for k, v in found.items() if k not in ("type", "status")}
    )
