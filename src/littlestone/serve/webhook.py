"""A webhook: what changed is sent to one address, which the operator gave at the command line.

No request can choose the address. A message is sent after the commit that holds what it tells, at most once each
process: what could not be sent after a few tries is dropped, and the log has it all the same.
"""

from __future__ import annotations

import http.client
import queue
import sys
import threading
import time
from urllib.parse import urlsplit

from ..core.errors import BadInput
from .requests import encode

WAITING = 1000  # messages
TRIES, TIMEOUT = 4, 5.0  # of a message; seconds of a try


class Webhook:
    """Sends messages, one after the other, in a thread."""

    def __init__(self, url: str, pause: float = 1.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadInput(
                f"--webhook must be like https://example.org/hook, not {url!r:.80}", field="webhook", value=url
            )  # fmt: skip
        self.parts, self.pause = (
            parts,
            pause,
        )  # seconds before the second try; each pause is twice the one before
        self.messages: queue.Queue[dict[str, object] | None] = queue.Queue(WAITING)
        self.sent = self.dropped = 0
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.run, name="webhook", daemon=True)
        self.thread.start()

    def send(self, message: dict[str, object]) -> None:
        """Send a message when those before it are sent; nobody waits for it."""
        try:
            self.messages.put_nowait(message)
        except queue.Full:
            self.dropped += 1

    def run(self) -> None:
        """Work off the messages until `close`."""
        while (message := self.messages.get()) is not None:
            if self.deliver(encode(message)):
                self.sent += 1
            else:
                self.dropped += 1
                print(f"webhook: {self.parts.hostname} did not take a message", file=sys.stderr)
            self.messages.task_done()

    def deliver(self, raw: bytes) -> bool:
        """Try to send one message, a few times; was it taken?"""
        for attempt in range(TRIES):
            if attempt and self.ending.wait(self.pause * 2.0 ** (attempt - 1)):
                return False
            try:
                if self.post(raw) < 300:  # an address that sends elsewhere is not followed
                    return True
            except (OSError, http.client.HTTPException):
                continue
        return False

    def post(self, raw: bytes) -> int:
        """Send it once; the status of the answer."""
        secure = self.parts.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = kind(str(self.parts.hostname), self.parts.port, timeout=TIMEOUT)
        try:
            path = (self.parts.path or "/") + (f"?{self.parts.query}" if self.parts.query else "")
            connection.request("POST", path, raw, {"content-type": "application/json"})
            return connection.getresponse().status
        finally:
            connection.close()

    def close(self, seconds: float = 5.0) -> None:
        """Send what waits, for at most so many seconds."""
        until = time.monotonic() + seconds
        while self.messages.unfinished_tasks and time.monotonic() < until:
            time.sleep(0.01)
        self.ending.set()
        try:
            self.messages.put_nowait(None)
        except queue.Full:
            return
        self.thread.join(max(0.0, until - time.monotonic()))
