"""Work done ahead by another thread: in order, bounded, stopped by who stops; errors come in their turn."""

import threading
import time

import pytest

from littlestone.core.errors import BadFile
from littlestone.streams.text.read_ahead import NAME, read_ahead, share_work


def threads():
    return [t for t in threading.enumerate() if t.name == NAME]


def test_reading_ahead_is_bounded_and_stops():
    made, closed = [], []

    def items():
        try:
            for i in range(1000):
                made.append(i)
                yield i
        finally:
            closed.append(True)

    taken = read_ahead(items(), depth=3)
    for wanted in range(10):
        assert next(taken) == wanted
        assert len(made) <= wanted + 5
    taken.close()
    assert closed
    assert not threads()
    assert len(made) < 20


def test_an_error_ahead_comes_in_its_turn():
    def items():
        yield from range(5)
        raise BadFile("at last")

    taken = read_ahead(items())
    assert [next(taken) for _ in range(5)] == list(range(5))
    with pytest.raises(BadFile, match="at last"):
        next(taken)
    assert not threads()


def numbers(n):
    left = iter(range(n))
    return lambda hand: next(left, None)


@pytest.mark.parametrize("n", [0, 1, 2, 50])
@pytest.mark.parametrize("depth", [1, 3])
def test_work_that_is_shared_comes_in_its_order(n, depth):
    def work(hand, k):
        time.sleep(0.0005 * (k % 3) if hand == "theirs" else 0.0003)
        return k, hand

    found = list(share_work(numbers(n), work, ("theirs", "mine"), depth))
    assert [k for k, _ in found] == list(range(n))
    assert not threads()


def test_who_would_wait_works_instead():
    """The thread is kept busy with the first piece until somebody else has done the second."""
    second = threading.Event()

    def work(hand, k):
        if k == 0:
            assert second.wait(10)
        elif k == 1:
            second.set()
        return hand

    taken = share_work(numbers(2), work, ("theirs", "mine"))
    assert sorted(taken) == ["mine", "theirs"]


def test_shared_work_is_bounded_and_stops():
    made = []

    def work(hand, k):
        made.append(k)
        return k

    taken = share_work(numbers(1000), work, ("theirs", "mine"), 3)
    for wanted in range(10):
        assert next(taken) == wanted
        assert len(made) <= wanted + 5
    taken.close()
    assert not threads()
    assert len(made) < 20


class Alive:
    """Counts those of its kind that somebody holds."""

    now, most = 0, 0
    lock = threading.Lock()

    def __init__(self):
        with Alive.lock:
            Alive.now += 1
            Alive.most = max(Alive.most, Alive.now)

    def __del__(self):
        with Alive.lock:
            Alive.now -= 1


@pytest.mark.parametrize("slow", ["the thread", "who asks", "the use", "nobody"])
@pytest.mark.parametrize("depth", [1, 3])
def test_results_that_are_held_at_once(slow, depth):
    """Those that wait, and one in each hand: depth + 2, whoever is slow."""
    Alive.now = Alive.most = 0

    def work(hand, k):
        found = Alive()
        if slow == hand:
            time.sleep(0.001)
        return found

    for result in share_work(numbers(60), work, ("the thread", "who asks"), depth):
        assert result is not None
        time.sleep(0.001 if slow == "the use" else 0)
    del result
    assert Alive.now == 0
    assert 2 <= Alive.most <= depth + 2


@pytest.mark.parametrize("where", ["take", "work"])
def test_an_error_of_shared_work_comes_in_its_turn(where):
    left = iter(range(10))

    def take(hand):
        k = next(left, None)
        if where == "take" and k == 5:
            raise BadFile("at last")
        return k

    def work(hand, k):
        if where == "work" and k == 5:
            raise BadFile("at last")
        return k

    taken = share_work(take, work, (1, 2))
    assert [next(taken) for _ in range(5)] == list(range(5))
    with pytest.raises(BadFile, match="at last"):
        next(taken)
    assert not threads()
