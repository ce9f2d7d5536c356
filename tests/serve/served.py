"""A server in a process of its own, and requests to it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


class Server:
    """`serve.child` on a folder, until it is killed."""

    def __init__(self, folder: Path, delay: float = 0.0, fault: str = "", **more: str) -> None:
        path = os.pathsep.join([str(HERE.parent), *filter(None, sys.path)])
        self.clients: list[Client] = []
        env = {**os.environ, "PYTHONPATH": path, "LITTLESTONE_ENGINE": "plain", **more}
        self.errors = (folder.parent / f"{folder.name}.stderr").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "serve.child", str(folder), str(delay), fault],
            env=env, stdout=subprocess.PIPE, stderr=self.errors, text=True, encoding="utf-8",
        )  # fmt: skip
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "http://" in line, (folder.parent / f"{folder.name}.stderr").read_text("utf-8")
        self.port = int(line.split("//")[1].split("/")[0].rpartition(":")[2])

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

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

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
