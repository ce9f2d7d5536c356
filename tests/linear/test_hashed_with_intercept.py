"""Hashed sparse examples and a constant: the room of the state, and rows that are moved up by one."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.rows import capacity
from littlestone.engine.compile import numba_imports

BITS = 4
FORESEEING = ("normalized-adaptive", "perceptron", "logistic")
compiled_only = pytest.mark.skipif(not numba_imports(), reason="Numba is missing")


def write(path, rows=400, seed=3):
    """Names of digits are hashed to themselves: each of the 16 places occurs, the last one too."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=1 << BITS)
    with path.open("w", encoding="utf-8") as out:
        for r in range(rows):
            found = rng.permutation(1 << BITS)[: rng.integers(0, 7)].tolist()
            y = 1 if w[found].sum() + 0.5 * rng.normal() > 0 else -1
            out.write(
                f"{y} | " + " ".join(f"{i}:{0.5 + (i + r) % 3 + i / 97:.6f}" for i in found) + "\n"
            )
    return path


@pytest.mark.parametrize(
    ("width", "intercept", "sparse", "room"),
    [
        (16, True, True, 17),
        (16, False, True, 16),
        (17, True, True, 32),
        (31, True, True, 32),
        (32, True, True, 33),
        (8, True, True, 16),
        (0, True, True, 16),
        (0, False, True, 16),
        (5, True, False, 6),
    ],
)
def test_a_constant_does_not_double_the_room(width, intercept, sparse, room):
    assert capacity(width, intercept, sparse) == room


@compiled_only
@pytest.mark.parametrize("key", FORESEEING)
def test_what_is_foreseen_changes_no_number(tmp_path, key):
    """In one call, row by row, and by the plain rules, which foresee nothing."""
    path = write(tmp_path / "train.vw")
    learner = ls.learner(key, intercept=True)
    options = {"bits": BITS, "certify": False}
    whole = ls.play(learner, path, **options)
    plain = ls.play(learner, path, engine="plain", **options)
    assert whole.loss == pytest.approx(plain.loss, rel=1e-9)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    again, live = [], None
    for i, rows in enumerate((lines[:1], lines[1:150], lines[150:])):
        part = tmp_path / f"part{i}.vw"
        part.write_text("".join(rows), encoding="utf-8")
        run = ls.play(live or learner, part, labels=[-1, 1], resume=live is not None, **options)
        again.append(run.actions)
        live = run.learner
    assert np.concatenate(again).tolist() == whole.actions.tolist()


def test_without_a_certificate_there_are_no_notes(tmp_path):
    path = write(tmp_path / "train.vw")
    for certify in (True, False):
        run = ls.play("normalized-adaptive", path, bits=BITS, certify=certify, engine="plain")
        (copy,) = run.transcript.copies
        assert np.isfinite(copy.notes).all() == certify
        assert np.isnan(copy.notes).all() != certify
