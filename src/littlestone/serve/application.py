"""The routes: what a request asks for, who may, and how it is answered."""

from __future__ import annotations

import asyncio
import functools
import sys
import traceback
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from ..core.errors import LittlestoneError
from .certificates import certificate_at, certificate_of
from .compile_kind import Compilation
from .deadlines import tell_defaults
from .feed import LISTENERS, Feed
from .folder_lock import Claim
from .keys import Keys
from .log_lines import log_lines, open_decisions
from .log_table import log_table
from .many import do_all, fingerprint, once
from .metrics import metrics
from .openapi import kinds, openapi
from .page import SOURCES, page
from .problems import Problem, refused_by_learner, retry_after
from .removal import remove
from .requests import (
    MOST_BYTES,
    MOST_OPERATIONS,
    Fork,
    Nothing,
    Operations,
    Outcome,
    Question,
    Removal,
    Round,
    Spec,
    checked_name,
    decode,
    encode,
)
from .service import Answer, Entry, Service
from .store import Event, Store, now
from .webhook import Webhook
from .writer import Writer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

B = TypeVar("B", bound=Struct)
Handler = Callable[[Request], Awaitable[Response]]
REPORTED = ("name", "events", "baseline", "alarm")  # of a learner, to a webhook
SHOWN_FIRST = 50  # learners on the page after a start
LOCAL = ("localhost", "127.0.0.1", "[::1]")
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}
POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src data:"


class Application:
    """The service behind its routes."""

    def __init__(
        self,
        service: Service,
        reader: Store,
        writer: Writer,
        open_to_all: bool,
        claim: Claim,
        webhook: Webhook | None = None,
    ) -> None:
        self.service, self.reader, self.writer, self.claim = service, reader, writer, claim
        self.keys = Keys(reader.reader())  # of its own: a thread may be reading from the other one
        self.open_to_all = open_to_all  # on loopback, as long as there is no key
        self.lock = asyncio.Lock()  # one thread at a time reads the log
        self.compilation = Compilation()
        self.feed = Feed(service, writer, reader, self.read, self.compilation)
        self.webhook = webhook  # told what has changed

    def starlette(self) -> Starlette:
        """The ASGI application."""
        learner = "/v1/learners/{name}"
        decision = learner + "/decisions/{id}"
        table: list[tuple[str, str, str, Handler]] = [
            ("PUT", learner, "admin", self.put_learner),
            ("GET", learner, "read", self.get_learner),
            ("GET", "/v1/learners", "read", self.list_learners),
            ("PUT", decision, "decide", self.put_decision),
            ("GET", decision, "read", self.get_decision),
            ("PUT", decision + "/outcome", "decide", self.put_outcome),
            ("PUT", decision + "/activate", "decide", self.put_activation),
            ("GET", learner + "/decisions", "read", self.list_decisions),
            ("POST", learner + "/rounds", "decide", self.post_round),
            ("POST", learner + "/batch", "decide", self.post_batch),
            ("GET", learner + "/certificate", "read", self.get_certificate),
            ("GET", learner + "/history", "read", self.get_history),
            ("GET", learner + "/log.ndjson", "read", self.get_log),
            ("GET", learner + "/log.parquet", "read", self.get_log_table),
            ("POST", learner + "/fork", "admin", self.post_fork),
            ("POST", learner + "/resume", "admin", self.post_resume),
            ("POST", learner + "/remove", "admin", self.post_removal),
            ("GET", "/v1/kinds", "read", self.get_kinds),
            ("GET", "/v1/kinds/{key}", "read", self.get_kind),
            ("GET", "/v1/events", "read", self.get_events),
            ("GET", "/v1/audit", "admin", self.get_audit),
            ("GET", "/metrics", "read", self.get_metrics),
            ("GET", "/openapi.json", "", self.get_openapi),
            ("GET", "/healthz", "", self.get_health),
            ("GET", "/readyz", "", self.get_health),
            ("GET", "/", "", self.get_page),
            ("GET", "/page/{file}", "", self.get_page),
        ]
        routes = [
            Route(path, self.guarded(handler, scope), methods=[method])
            for method, path, scope, handler in table
        ]
        handlers = {404: unknown_route, 405: unknown_route}
        return Starlette(routes=routes, lifespan=self.lifespan, exception_handlers=handlers)

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """Start the writer, and let it finish at the end."""
        self.writer.published = self.published
        self.writer.start()
        names = [row.name for row in self.reader.learners(limit=SHOWN_FIRST)]
        tasks = [tell_defaults(self.writer), self.feed.show_first(names)]
        running = [asyncio.create_task(task) for task in tasks]
        yield
        for task in running:
            task.cancel()
        self.compilation.close()
        self.feed.close()
        if self.webhook is not None:
            await run_in_threadpool(self.webhook.close)
        await self.writer.stop()
        self.close()

    def published(self, entries: list[Entry], events: list[Event]) -> None:
        """After a commit: show what it has changed, and report what the tests have found."""
        self.feed.publish(entries, events)
        for entry in entries:
            for change in entry.changes:
                if self.webhook is not None:
                    about = {k: v for k, v in self.service.describe(entry).items() if k in REPORTED}
                    self.webhook.send({"change": change, "at": now(), **about})
            entry.changes.clear()

    def close(self) -> None:
        """Close the log, and let another process work on it."""
        self.service.store.close()
        self.reader.close()
        self.keys.store.close()
        self.claim.release()

    # Who may, and what goes wrong.

    def guarded(self, handler: Handler, scope: str) -> Handler:
        """The handler behind its key, whose problems are answered as problem+json."""

        @functools.wraps(handler)
        async def answered(request: Request) -> Response:
            try:
                self.check(request, scope)
                response = await handler(request)
            except Problem as problem:
                response = problem_response(problem)
            except LittlestoneError as refusal:
                response = problem_response(refused_by_learner(refusal))
            except Exception as fault:
                traceback.print_exc(file=sys.stderr)
                response = problem_response(Problem(500, "internal error", type(fault).__name__))
            return with_headers(response)

        return answered

    def check(self, request: Request, scope: str) -> None:
        """Refuse a request without a key that may do this."""
        if not scope:
            return
        if self.open_to_all and not self.keys.required():
            host = request.headers.get("host", "")
            if host.rpartition(":")[0] not in LOCAL and host not in LOCAL:
                raise Problem(
                    403, "foreign host", "without keys only this machine is served, by its own name"
                )
            request.state.actor = "loopback"
            return
        header = request.headers.get("authorization", "")
        request.state.actor = self.keys.check(header, scope)

    # Learners.

    async def put_learner(self, request: Request) -> Response:
        name, spec = named(request), await body(request, Spec)
        actor = request.state.actor
        if await self.read(lambda: self.reader.learner(name)) is None:
            self.compilation.require(spec)

        def make(service: Service) -> Answer:
            found = service.make(name, spec)
            if found[0] == 201:
                service.batch.audit.append((now(), actor, "make", name))
            return found

        return answer(await self.writer.do(make, name))

    async def get_learner(self, request: Request) -> Response:
        name, digest = named(request), "digest" in request.query_params
        return answer(await self.writer.do(lambda s: s.read(name, digest), name))

    async def list_learners(self, request: Request) -> Response:
        after, limit = request.query_params.get("after", ""), whole(request, "limit", 100, 1000)
        rows = await self.read(lambda: self.reader.learners(after, limit))
        found = [{"name": r.name, "created": r.created, "forked": r.forked} for r in rows]
        return answer(
            (200, {"learners": found, "after": rows[-1].name if len(rows) == limit else None})
        )

    async def post_fork(self, request: Request) -> Response:
        name, fork = named(request), await body(request, Fork)
        new, seq = checked_name(fork.name, "name"), whole(request, "seq", -1)
        actor = request.state.actor

        def do(service: Service) -> Answer:
            found = service.fork(name, new, None if seq < 0 else seq)
            service.batch.audit.append((now(), actor, "fork", f"{name} -> {new}"))
            return found

        return await self.done(request, do)

    async def post_resume(self, request: Request) -> Response:
        name, actor, _ = named(request), request.state.actor, await body(request, Nothing)

        def do(service: Service) -> Answer:
            found = service.resume(name)
            service.batch.audit.append((now(), actor, "resume", name))
            return found

        return await self.done(request, do)

    async def post_removal(self, request: Request) -> Response:
        name, actor, removal = named(request), request.state.actor, await body(request, Removal)
        found = await self.writer.do(lambda s: remove(s, name, removal, actor), name)
        if found[0] == 200:
            await self.feed.forget(name)
        return answer(found)

    # Rounds.

    async def done(self, request: Request, operation: Callable[[Service], Answer]) -> Response:
        """Do an operation on the learner of a request; under an Idempotency-Key once."""
        name, key = named(request), request.headers.get("idempotency-key", "")
        if key:
            checked_name(key, "Idempotency-Key")
            path, raw = request.url.path, request.state.body
            digest = fingerprint(request.method, f"{path}?{request.url.query}", raw)
            return answer(
                await self.writer.do(lambda s: once(s, name, key, digest, operation), name)
            )
        return answer(await self.writer.do(operation, name))

    async def put_decision(self, request: Request) -> Response:
        name, id_, question = named(request), decision_id(request), await body(request, Question)
        return await self.done(request, lambda s: s.decide(name, id_, question))

    async def put_activation(self, request: Request) -> Response:
        name, id_, _ = named(request), decision_id(request), await body(request, Nothing)
        return await self.done(request, lambda s: s.activate(name, id_))

    async def post_batch(self, request: Request) -> Response:
        name, many = named(request), await body(request, Operations)
        if len(many.operations) > MOST_OPERATIONS:
            raise Problem(
                413, "batch too large", f"at most {MOST_OPERATIONS:,} operations, not {len(many.operations):,}",
                field="operations",
            )  # fmt: skip
        return await self.done(request, lambda s: do_all(s, name, many.operations))

    async def get_decision(self, request: Request) -> Response:
        name, id_ = named(request), decision_id(request)
        return answer(await self.writer.do(lambda s: s.look_up(name, id_), name))

    async def put_outcome(self, request: Request) -> Response:
        name, id_, outcome = named(request), decision_id(request), await body(request, Outcome)
        outcome.check()
        return await self.done(request, lambda s: s.tell(name, id_, outcome))

    async def post_round(self, request: Request) -> Response:
        name, round_ = named(request), await body(request, Round)
        id_ = checked_name(round_.id or request.headers.get("idempotency-key", ""), "id")
        round_.outcome.check()
        question, outcome = round_.question(), round_.outcome
        return await self.done(request, lambda s: s.play_round(name, id_, question, outcome))

    async def list_decisions(self, request: Request) -> Response:
        name = named(request)
        after, limit = whole(request, "after", -1), whole(request, "limit", 100, 1000)
        return answer(await self.read(lambda: open_decisions(self.reader, name, after, limit)))

    # What is known.

    async def get_certificate(self, request: Request) -> Response:
        name, at = named(request), whole(request, "at", -1)
        curve = "curve" in request.query_params
        if at >= 0:
            call = partial(certificate_at, self.service, self.reader, name, at, curve)
            return answer(await self.read(call))
        return answer(await certificate_of(self.writer, self.read, self.reader, name, curve))

    async def get_history(self, request: Request) -> Response:
        from .log_lines import history

        name, points = named(request), whole(request, "points", 200, 2000)
        return answer(await self.read(lambda: history(self.reader, name, points)))

    async def get_log(self, request: Request) -> Response:
        name, after = named(request), whole(request, "after", 0)
        row = await self.read(lambda: self.reader.learner(name))
        if row is None:
            raise Problem(404, "unknown learner", f"there is no learner {name!r}")

        async def lines() -> AsyncIterator[bytes]:
            seq = after
            while True:
                seq, text = await self.read(partial(log_lines, self.reader, row.id, seq))
                if not text:
                    return
                yield text

        return StreamingResponse(lines(), media_type="application/x-ndjson")

    async def get_log_table(self, request: Request) -> Response:
        name, after = named(request), whole(request, "after", 0)
        raw = await self.read(lambda: log_table(self.reader, name, after))
        return Response(raw, media_type="application/vnd.apache.parquet")

    async def get_kinds(self, _: Request) -> Response:
        return answer((200, {"kinds": await run_in_threadpool(kinds)}))

    async def get_kind(self, request: Request) -> Response:
        from ..core.errors import LittlestoneError
        from ..live.schema import schema

        try:
            return answer((200, schema(request.path_params["key"])))
        except LittlestoneError as problem:
            raise Problem(404, "unknown kind", str(problem)) from None

    async def get_openapi(self, _: Request) -> Response:
        return answer((200, await run_in_threadpool(openapi)))

    async def get_events(self, request: Request) -> Response:
        name = request.query_params.get("learner")
        if self.feed.listeners >= LISTENERS:
            raise Problem(429, "too many listeners", f"at most {LISTENERS} pages are served")
        stream: AsyncIterator[bytes] = self.feed.events(name)
        return StreamingResponse(stream, media_type="text/event-stream")

    async def get_audit(self, request: Request) -> Response:
        limit = whole(request, "limit", 100, 1000)
        rows = await self.read(lambda: self.reader.audited(limit))
        found = [{"at": t, "actor": a, "action": b, "target": c} for t, a, b, c in rows]
        return answer((200, {"audit": found}))

    async def get_metrics(self, _: Request) -> Response:
        return Response(
            metrics(self.service, self.writer, self.compilation),
            media_type="text/plain; version=0.0.4",
        )

    async def get_health(self, _: Request) -> Response:
        return answer((200, {"status": "ok"}))

    async def get_page(self, request: Request) -> Response:
        file = request.path_params.get("file", "index.html")
        if file not in SOURCES:
            raise Problem(404, "unknown page", file)
        raw, kind = page(file)
        return Response(raw, media_type=kind, headers={"content-security-policy": POLICY})

    async def read(self, call: Callable[[], T]) -> T:
        """Read the log in a thread."""
        async with self.lock:
            return await run_in_threadpool(call)


T = TypeVar("T")


async def body(request: Request, kind: type[B]) -> B:
    """The body of a request, of at most a megabyte."""
    sort = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    raw = b""
    async for part in request.stream():
        raw += part
        if len(raw) > MOST_BYTES:
            raise Problem(413, "body too large", f"at most {MOST_BYTES:,} bytes")
    if raw and sort != "application/json":
        raise Problem(415, "not JSON", "send Content-Type: application/json")
    request.state.body = raw
    return decode(raw, kind)


def named(request: Request) -> str:
    """The name of the learner that a request is about."""
    return checked_name(request.path_params["name"], "name")


def decision_id(request: Request) -> str:
    """The id of the decision that a request is about."""
    return checked_name(request.path_params["id"], "id")


def whole(request: Request, name: str, default: int, most: int = 1 << 62) -> int:
    """A whole number of the query."""
    text = request.query_params.get(name)
    if text is None:
        return default
    if not text.isdecimal() or len(text) > 18 or int(text) > most:
        raise Problem(
            422,
            f"bad {name}",
            f"{name} must be a whole number, 0 to {most}, not {text!r:.40}",
            field=name,
        )
    return int(text)


def answer(found: tuple[int, dict[str, object]]) -> Response:
    """An answer as JSON; a refusal as problem+json."""
    status, content = found
    kind = "application/json" if status < 400 else "application/problem+json"
    return Response(encode(content), status, retry_after(status), media_type=kind)


def problem_response(problem: Problem) -> Response:
    """A refusal, with when to try again where that may help."""
    return answer((problem.status, problem.body()))


async def unknown_route(request: Request, problem: Exception) -> Response:
    """A path or a method that there is not."""
    status = 405 if "405" in str(problem) else 404
    title = "no such method" if status == 405 else "no such route"
    said = f"{request.method:.10} {request.url.path:.100}: see /openapi.json"
    return with_headers(problem_response(Problem(status, title, said)))


def with_headers(response: Response) -> Response:
    """The answer with the headers that every answer has."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response
