"""A fuzzer of readers: files with random mistakes in them. Only LittlestoneErrors may leave, soon, in little memory.

python tests/streams/fuzz_readers.py 1000000        # what `make fuzz-readers` does
python tests/streams/fuzz_readers.py 20000 7 csv    # how many, the seed, and which readers
"""

import contextlib
import random
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path

from fuzz_files import CASES
from support.reading import open_stream

from littlestone.core.errors import LittlestoneError
from littlestone.encode.stream import Stream
from littlestone.graphs.algorithms.graph_files import read_graph
from littlestone.live.store import load

SLOW = 5.0  # seconds of CPU that a file of a few kB may take
ROOM = 1 << 30  # bytes of addresses, above what the process has, for a file of a few kB
TEXT = ("vw", "libsvm")  # formats that hold examples, and have no columns
GRAPHS = ("edges", "graphml", "gml", "mtx", "npz")


class TooSlow(Exception):
    """A file took more seconds of CPU than it may."""


def too_slow(*_):
    raise TooSlow


def read(rng, kind, path):
    """Read a file in one of the ways in which its kind can be read, to its end."""
    if kind in GRAPHS:
        return read_graph(
            path, rng.choice(("union", "refuse", "mutual")), rng.choice(("refuse", "drop"))
        )
    if kind == "ls":
        return load(path)
    options = {"on_bad_line": rng.choice(("error", "skip")), "batch_rows": rng.choice((None, 1, 3))}
    if kind in TEXT or rng.random() < 0.6:
        options |= {
            "examples": True,
            "labels": rng.choice((None, "auto", "classes")),
            "bits": rng.choice((None, 8)),
        }
        if rng.random() < 0.3:
            options["interactions"] = rng.choice((("a:b",), "ab", ("b:b",)))
    if kind not in TEXT and rng.random() < 0.5:
        options["outcome"] = "y"
    if rng.random() < 0.1:
        options["optional"] = True
    stream = open_stream(path, **options)
    assert isinstance(stream, Stream)
    return sum(1 for _ in stream.batches)


def attempt(rng, kind, folder):
    """Write one file and read it; what left that should not, or None; and whether it could be read."""
    ending, content = CASES[kind](rng)
    path = Path(folder) / f"a{ending}"
    path.write_bytes(content)
    try:
        read(rng, kind, str(path))
    except LittlestoneError as refusal:
        return (None if "\n" not in str(refusal) else refusal), False
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as problem:
        return problem, False
    return None, True


@contextlib.contextmanager
def bounded(patience):
    """Few seconds a file, and no more memory than a small file may need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    old = signal.signal(signal.SIGVTALRM, too_slow)
    if sys.platform == "linux":
        now = (
            int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
            * resource.getpagesize()
        )
        resource.setrlimit(resource.RLIMIT_AS, (now + ROOM, hard))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", UserWarning)
            yield lambda on: signal.setitimer(signal.ITIMER_VIRTUAL, patience if on else 0.0)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, old)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def fuzz(cases, seed=0, kinds=tuple(CASES), patience=SLOW, told=None):
    """The cases that went wrong: (kind, number, problem, content); each can be made again from its seed and number."""
    wrong, counts = [], Counter()
    with tempfile.TemporaryDirectory() as folder, bounded(patience) as clock:
        for number in range(cases):
            kind = kinds[number % len(kinds)]
            rng = random.Random(f"{seed} {number} {kind}")
            clock(True)
            try:
                problem, fine = attempt(rng, kind, folder)
            except TooSlow as slow:
                problem, fine = slow, False
            finally:
                clock(False)
            counts[kind, fine] += 1
            if problem is not None:
                wrong.append((kind, number, problem))
                if told is not None:
                    told(kind, number, problem)
    return wrong, counts


def main():
    cases, seed = (int(w) for w in (*sys.argv[1:3], *("1000000", "0")[len(sys.argv[1:3]) :]))
    kinds = tuple(sys.argv[3:]) or tuple(CASES)
    seen = Counter()

    def told(kind, number, problem):
        place = traceback.extract_tb(problem.__traceback__)[-1]
        where = kind, type(problem).__name__, Path(place.filename).name, place.lineno
        seen[where] += 1
        if seen[where] == 1:
            print(f"{kind}, case {number}: {type(problem).__name__}: {problem}", flush=True)
            traceback.print_exception(problem, limit=-6)

    wrong, counts = fuzz(cases, seed, kinds, told=told)
    for kind in kinds:
        print(f"{kind}: {counts[kind, True]} read, {counts[kind, False]} refused")
    for where, many in seen.most_common():
        print(many, *where)
    print(f"{cases} files, {len(wrong)} went wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
