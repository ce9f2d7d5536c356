"""Live learners of one type share their machine code: a learner costs its state, and little else."""

import gc
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import littlestone as ls
from littlestone.engine.compile import has_numba
from littlestone.engine.memory import layout, rebuilt
from littlestone.engine.packed import Packed, entry_points

pytestmark = pytest.mark.skipif(
    not has_numba(), reason="numba is not installed: live learners are plain Python"
)
D, KILOBYTES = 100, 55  # features; what a learner may take (52 were measured)
RNG = np.random.default_rng(5)
X = RNG.normal(size=(400, D))
Y = np.where(X @ RNG.normal(size=D) > 0, "up", "down").tolist()
MEMORY = Path("/proc/self/statm")


@pytest.fixture
def loads(monkeypatch):
    """Every time that Numba compiles a function for new types, or loads it from disk, its name."""
    from numba.core.dispatcher import Dispatcher

    found, before = [], Dispatcher.compile

    def counted(self, sig):
        found.append(self.py_func.__name__)
        return before(self, sig)

    monkeypatch.setattr(Dispatcher, "compile", counted)
    return found


def begun(key="online-linear", i=0):
    return ls.learner(key).update(X[i], Y[i]).update(X[i + 1], Y[i + 1])


def alternated(learner, rounds):
    """Rounds that are asked and told later, and predictions in between; what was predicted."""
    said = []
    for i in rounds:
        ticket = learner.ask(X[i])
        said.append(ticket.prediction)
        said.append(learner.predict(X[i]))
        learner.tell(ticket, Y[i])
        learner.update(X[i], Y[i])
        said.append(learner.predict(X[i]))
    return said


def test_two_hundred_learners_load_machine_code_once(loads):
    first = begun()
    first.predict(X[0])
    assert first.state.t == 2  # reads the state back, as a new class does
    del loads[:]
    sizes = []
    for _ in range(2):  # a table of the interpreter's may grow in one of the two
        gc.collect()
        tracemalloc.start()
        try:
            kept = []
            for i in range(200):
                kept.append(begun(i=i))
                kept[-1].predict(X[i])
            gc.collect()  # what is kept counts, and not what waits to be collected
            sizes.append(tracemalloc.get_traced_memory()[0])
        finally:
            tracemalloc.stop()
    assert loads == []
    assert min(sizes) / len(kept) < KILOBYTES * 1000
    entries = {id(one.live.row.packed.entry) for one in [first, *kept]}
    assert len(entries) == 1


@pytest.mark.skipif(not MEMORY.exists(), reason="memory of a process is read on Linux alone")
def test_asking_telling_and_predicting_in_turn_loads_nothing_new(loads):
    """It took 0.2 to 0.6 MB of new machine code a round."""

    def resident():
        return int(MEMORY.read_text(encoding="utf-8").split()[1]) * 4096

    learner = begun()
    alternated(learner, range(2, 6))  # the first time, each of them is loaded
    del loads[:]
    before = resident()
    alternated(learner, range(6, 56))
    assert loads == []
    assert resident() - before < 5e6


def test_learners_that_share_their_code_do_not_share_their_state():
    """Two that learn in turn are, bit for bit, what each is alone."""
    one, other = begun(i=0), begun(i=50)
    for i in range(100):
        one.update(X[i], Y[i])
        other.update(X[-i - 1], Y[-i - 1])
    alone, apart = begun(i=0), begun(i=50)
    for i in range(100):
        alone.update(X[i], Y[i])
    for i in range(100):
        apart.update(X[-i - 1], Y[-i - 1])
    for learner, same in ((one, alone), (other, apart)):
        for a, b in zip(flat(learner.state), flat(same.state), strict=True):
            assert np.array_equal(a, b)
    assert not np.array_equal(one.state.posterior, other.state.posterior)


def flat(v):
    if hasattr(v, "_fields"):
        return [number for part in v for number in flat(part)]
    return [np.asarray(v)]


def test_entry_points_are_made_when_they_are_first_used():
    learner = ls.learner("perceptron").update(X[0], Y[0]).update(X[1], Y[1])
    packed = learner.live.row.packed
    fresh = type(packed.entry)(packed.values, packed.state)
    made = ("pack", "predict", "update", "unpack")
    assert not set(made) & set(vars(fresh))
    fresh.unpack  # noqa: B018
    assert set(made) & set(vars(fresh)) == {"unpack"}
    assert entry_points(packed.values, packed.state) is packed.entry


def test_what_has_another_type_has_other_entry_points():
    """A vector of another length does not; other features, parameters or games do."""
    state = begun().state
    values = begun().live.row.packed.values
    dense, seed = values[2], values[3]
    assert layout(values) == layout((*values[:2], np.zeros(7), seed, values[4]))
    for other in (
        dense.astype(np.float32), np.zeros((2, 3))[:, 0], np.zeros((1, 3)), read_only(dense),
    ):  # fmt: skip
        assert layout(values) != layout((*values[:2], other, seed, values[4]))
    assert layout(values) != layout((*values[:3], 2**63, values[4]))
    assert layout(state) != layout(state._replace(t=1.0))
    assert rebuilt(state) is rebuilt(state)
    assert Packed(values, state).entry is begun().live.row.packed.entry


def read_only(v):
    v = v.view()
    v.flags.writeable = False
    return v
