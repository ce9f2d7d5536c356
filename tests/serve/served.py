"""A server in a process of its own, and requests to it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


class Server:
    """`serve.child` on a folder or a database, until it is killed."""

    def __init__(
        self, log: Path | str, delay: float = 0.0, fault: str = "", lease: float = 1.0, **more: str
    ) -> None:
        path = os.pathsep.join([str(HERE.parent), *filter(None, sys.path)])
        self.clients: list[Client] = []
        env = {**os.environ, "PYTHONPATH": path, "LITTLESTONE_ENGINE": "plain", **more}
        self.errors = tempfile.TemporaryFile("w+b")  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-m", "serve.child", str(log), str(delay), fault, str(lease)],
            env=env, stdout=subprocess.PIPE, stderr=self.errors, text=True, encoding="utf-8",
        )  # fmt: skip
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "http://" in line, self.said()
        self.port = int(line.split("//")[1].split("/")[0].rpartition(":")[2])

    def said(self) -> str:
        """What it has printed of its errors."""
        self.errors.seek(0)
        return self.errors.read().decode()

    def client(self) -> Client:
        self.clients.append(Client(self.port))
        return self.clients[-1]

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.end()

    def stop(self) -> int:
        """Ask it to end; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.end()

    def end(self) -> int:
        code = self.process.wait(30)
        for client in self.clients:
            client.close()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.errors.close()
        return code

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.end()


class Client:
    """One connection that stays open."""

    def __init__(self, port: int, timeout: float = 30.0) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        raw = None if body is None else json.dumps(body)
        sent = {"content-type": "application/json", **headers}
        self.connection.request(method, path, raw, sent)
        response = self.connection.getresponse()
        text = response.read().decode()
        kind = response.getheader("content-type", "")
        return response.status, json.loads(
            text
        ) if "json" in kind and "ndjson" not in kind else text

    def close(self) -> None:
        self.connection.close()
