"""The real command line, in a process of its own, with its memory capped."""

import os
import resource
import subprocess
import sys

MEMORY = 3 << 30  # bytes of addresses


def start(*words, cwd, engine="plain", memory=MEMORY, environment=None):
    """A process that runs the command line."""

    def cap():
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    environment = os.environ | {"LITTLESTONE_ENGINE": engine} | (environment or {})
    environment |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    if engine == "compiled":
        del environment["LITTLESTONE_ENGINE"]
    return subprocess.Popen(
        [sys.executable, "-m", "littlestone", *map(str, words)],
        cwd=cwd,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        preexec_fn=cap,
    )


def littlestone(*words, cwd, code=0, stdin=None, **more):
    """Run a command to its end: what it printed, to standard output and to standard error."""
    process = start(*words, cwd=cwd, **more)
    out, err = process.communicate(stdin, timeout=60)
    assert process.returncode == code, err or out
    return out, err
