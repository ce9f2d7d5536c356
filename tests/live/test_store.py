"""Files of learners: whole or refused, written at once or not at all, and never code."""

import errno
import hashlib
import math
import os
import pickle

import msgspec
import numpy as np
import pytest
from support.rounds import played, same, started
from support.rows import EXPERT_KEYS as KEYS
from support.rows import made

import littlestone as ls
from littlestone.core.errors import BadFile
from littlestone.live import store
from littlestone.live.store import MAGIC, VERSION

pytestmark = pytest.mark.usefixtures("plain")


def trained():
    """A learner that has seen five rounds."""
    learner = ls.FixedShare(alpha=0.1).start(3, interval=(0, 1), allocation=False)
    for t in range(5):
        learner.update([0.1 * t, 0.5, 1.0], 0.5)
    return learner


@pytest.fixture
def path(tmp_path):
    return trained().save(tmp_path / "model.ls")


def sealed(body, version=VERSION, **more):
    """A file with a body of our own, its checksum right."""
    raw = msgspec.msgpack.encode(body)
    envelope = {"version": version, "checksum": hashlib.sha256(raw).digest(), "body": raw, **more}
    return MAGIC + msgspec.msgpack.encode(envelope)


def opened(path):
    """The body of a file."""
    return msgspec.msgpack.decode(msgspec.msgpack.decode(path.read_bytes()[len(MAGIC) :])["body"])


# What another version saved.


@pytest.mark.parametrize("more", [True, False])
def test_a_state_with_other_parts_is_told(path, more):
    body = opened(path)
    values = body["live"]["state"]["values"]
    body["live"]["state"]["values"] = [*values, 1.0] if more else values[:-1]
    path.write_bytes(sealed(body))
    with pytest.raises(
        BadFile, match=r"its \w+ has \d parts and here it has \d: another version saved it"
    ):
        ls.load(path)


# What was saved comes back.


def test_parameters_state_and_round(path):
    loaded, learner = ls.load(path), trained()
    assert same(loaded.state, learner.state)
    assert loaded.live.t == 5
    assert loaded.parameters["alpha"] == 0.1
    assert loaded.predict([0.0, 0.5, 1.0]) == learner.predict([0.0, 0.5, 1.0])


def test_save_says_where(tmp_path):
    path = trained().save(str(tmp_path / "model.ls"))
    assert path == tmp_path / "model.ls"
    assert path.read_bytes().startswith(b"LITTLESTONE\n")
    assert os.listdir(tmp_path) == ["model.ls"]


def test_labels_of_any_kind(tmp_path):
    for labels in ((0, 1), (-1, 1), ("no", "yes"), (False, True), (1, 2.5, "three")):
        learner = ls.WeightedMajority().start(2, labels=labels, allocation=False)
        learner.update([labels[0], labels[1]], labels[1])
        loaded = ls.load(learner.save(tmp_path / "model.ls"))
        assert loaded.live.labels == labels
        assert [type(v) for v in loaded.live.labels] == [type(v) for v in labels]
        assert loaded.predict([labels[0], labels[1]]) == labels[1]


def test_the_seed_and_the_next_draw(tmp_path):
    learner = ls.RandomizedWeightedMajority().start(2, seed=9, allocation=False)
    learner.update([0, 1], 1)
    loaded = ls.load(learner.save(tmp_path / "model.ls"))
    for _ in range(20):
        assert loaded.predict([0, 1]) == learner.predict([0, 1])
        loaded.update([0, 1], 0)
        learner.update([0, 1], 0)


def test_a_prior_a_quantile_an_interval(tmp_path):
    for learner in (
        ls.WeightedAverage(prior=(0.5, 0.25, 0.25), loss=ls.Square(-3, 7)),
        ls.ExponentialWeights(loss="pinball:0.9"),
        ls.Halving(always=False, tie=0),
    ):
        loaded = ls.load(learner.save(tmp_path / "model.ls"))
        assert type(loaded) is type(learner)
        assert repr(loaded.parameters) == repr(learner.parameters)


def test_extreme_numbers(tmp_path):
    learner = ls.WeightedAverage(loss="log").start(2, allocation=False)
    learner.update([0.0, 0.5], 1.0)  # expert 1 has infinite loss: out for ever
    loaded = ls.load(learner.save(tmp_path / "model.ls"))
    assert loaded.state.L[0] == math.inf
    assert same(loaded.state, learner.state)


def test_a_file_is_replaced(path):
    learner = trained()
    learner.update([0.0, 0.5, 1.0], 0.0)
    learner.save(path)
    assert ls.load(path).live.t == 6
    assert os.listdir(path.parent) == ["model.ls"]


def test_loading_shares_nothing(path):
    first, second = ls.load(path), ls.load(path)
    before = first.state.p.copy()
    second.update([0.0, 0.5, 1.0], 0.0)
    assert np.array_equal(first.state.p, before)


# Tickets.


def test_tickets_are_saved_and_told_later(tmp_path):
    learner, other = trained(), trained()
    ticket, same_ticket = learner.ask([0.0, np.nan, 1.0]), other.ask([0.0, np.nan, 1.0])
    store.save_ticket(ticket, tmp_path / "t.ls")
    learner.save(tmp_path / "model.ls")
    loaded, told = ls.load(tmp_path / "model.ls"), ls.load(tmp_path / "t.ls")
    assert told.round == 5
    assert told.prediction == ticket.prediction
    assert np.array_equal(told.x, ticket.x, equal_nan=True)
    assert np.array_equal(told.decision, ticket.decision)
    loaded.tell(told, 1.0)
    other.tell(same_ticket, 1.0)
    assert same(loaded.state, other.state)


@pytest.mark.parametrize("key", KEYS)
def test_a_ticket_of_every_learner(key, tmp_path):
    x, y = played(key, 6)
    learner = started(key, (y if x is None else x).shape[1], 6)
    for t in range(4):
        learner.update(*((y[t],) if x is None else (x[t], y[t])))
    ticket = learner.ask(*([] if x is None else [x[4]]))
    kept = ls.load(store.save_ticket(ticket, tmp_path / "t.ls"))
    twin = ls.load(learner.save(tmp_path / "model.ls"))
    twin.tell(kept, y[4])
    learner.tell(ticket, y[4])
    assert same(twin.state, learner.state)


# What is no such file.


def test_cut_off_anywhere(path):
    whole = path.read_bytes()
    for size in [*range(0, len(whole), 7), len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(BadFile, match=r"model\.ls (is cut off|is not a Littlestone file)"):
            ls.load(path)
    path.write_bytes(whole)
    ls.load(path)


def test_longer_than_it_was(path):
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(BadFile, match=r"model\.ls"):
        ls.load(path)


def test_altered_anywhere(path):
    """Any byte that is not what was written is noticed."""
    whole = path.read_bytes()
    for at in range(0, len(whole), 3):
        for flip in (0x01, 0xFF):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1 :])
            with pytest.raises(BadFile, match=r"model\.ls (is|was) "):
                ls.load(path)


def test_foreign_files(path, tmp_path):
    for content in (b"", b"a,b\n1,2\n", b"PK\x03\x04", b"LITTLESTON", MAGIC[:5], os.urandom(200)):
        path.write_bytes(content)
        with pytest.raises(BadFile, match=r"model\.ls is (not a Littlestone file|cut off)"):
            ls.load(path)
    with pytest.raises(BadFile, match="cannot be read: Is a directory"):
        ls.load(tmp_path)


def test_wrong_version(path):
    body = opened(path)
    for version in (VERSION + 1, 0, "2", None):
        path.write_bytes(sealed(body, version))
        with pytest.raises(BadFile, match=rf"format {version}; this version reads {VERSION}"):
            ls.load(path)


def test_a_file_of_an_older_format_is_made_new_step_by_step(path, monkeypatch):
    body = opened(path)
    older = {("was " + name): part for name, part in body.items()}
    path.write_bytes(sealed(older, VERSION))
    steps = []

    def renamed(found):
        steps.append("renamed")
        return {name.removeprefix("was "): part for name, part in found.items()}

    def unchanged(found):
        steps.append("unchanged")
        return found

    monkeypatch.setattr(store, "VERSION", VERSION + 2)
    monkeypatch.setitem(store.MIGRATIONS, VERSION + 1, unchanged)
    with pytest.raises(BadFile, match=rf"format {VERSION}; this version reads {VERSION + 2}"):
        ls.load(path)
    monkeypatch.setitem(store.MIGRATIONS, VERSION, renamed)
    assert ls.load(path).digest() == trained().digest()
    assert steps == ["renamed", "unchanged"]


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(BadFile, match=r"nothing\.ls cannot be read: No such file or directory"):
        ls.load(tmp_path / "nothing.ls")
    with pytest.raises(BadFile, match=r"nowhere/model\.ls cannot be written: No such file"):
        trained().save(tmp_path / "nowhere" / "model.ls")
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    with pytest.raises(BadFile, match="cannot be written: Not a directory"):
        trained().save(tmp_path / "file" / "model.ls")


def changed(body, *path, to):
    """The body with one entry replaced."""
    *way, last = path
    part = body
    for step in way:
        part = part[step]
    part[last] = to
    return body


CHANGES = [
    (("kind",), "recipe"),
    (("learner", "key"), "no-such-learner"),
    (("learner", "@"), "shell"),
    (("learner", "parameters", "alpha"), 7.0),
    (("learner", "parameters", "alpha"), "0.1"),
    (("learner", "parameters"), {"gain": 1.0}),
    (("live", "state", "name"), "Popen"),
    (("live", "state", "values"), []),
    (("live", "state", "values", 0, "shape"), [400]),
    (("live", "state", "values", 0, "dtype"), "|O"),
    (("live", "state", "values", 0, "dtype"), "nonsense"),
    (("live", "state", "values", 0, "bytes"), b"123"),
    (("live", "game", "name"), "Roulette"),
    (("live", "shape"), None),
    (("live", "t"), None),
    (("live",), 3),
]


@pytest.mark.parametrize(
    ("where", "value"), CHANGES, ids=[".".join(map(str, w)) for w, _ in CHANGES]
)
def test_a_sealed_file_with_nonsense_in_it(path, where, value):
    """One whose checksum is right: written by something else, or on purpose."""
    path.write_bytes(sealed(changed(opened(path), *where, to=value)))
    with pytest.raises(BadFile, match=r"model\.ls"):
        ls.load(path)


@pytest.mark.parametrize("body", [None, 7, [], {}, {"kind": "learner"}, {"kind": "ticket"}])
def test_a_sealed_file_that_holds_nothing(path, body):
    path.write_bytes(sealed(body))
    with pytest.raises(BadFile, match=r"model\.ls"):
        ls.load(path)


def test_what_cannot_be_saved(tmp_path):
    with pytest.raises(BadFile, match="a set cannot be saved"):
        store.write(tmp_path / "model.ls", {"kind": "learner", "learner": store.pack({1, 2})})
    assert os.listdir(tmp_path) == []


# Atomic, and never pickle.


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file(path, step, monkeypatch):
    before = path.read_bytes()
    learner = trained()
    learner.update([0.0, 0.5, 1.0], 0.0)

    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(BadFile, match=r"model\.ls cannot be written: No space left on device"):
        learner.save(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["model.ls"]
    assert ls.load(path).live.t == 5


def test_an_interrupt_leaves_no_litter(path, monkeypatch):
    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        trained().save(path)
    assert os.listdir(path.parent) == ["model.ls"]


def test_no_pickle(path, monkeypatch):
    """Neither in the file nor on the way in or out."""
    assert pickle.PROTO not in path.read_bytes()[:20]

    def refuse(*arguments, **more):
        raise AssertionError("pickle was used")

    for name in ("dump", "dumps", "load", "loads", "Pickler", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    for key in KEYS:
        ls.load(made(key).save(path))
    ls.load(trained().save(path))
    assert "pickle" not in vars(store)
    # a pickle is a foreign file
    monkeypatch.undo()
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(BadFile, match="not a Littlestone file"):
        ls.load(path)


def test_plain_files_stay_plain(path, monkeypatch):
    monkeypatch.delenv("LITTLESTONE_ENGINE")
    assert ls.load(path).live.engine == "plain"
