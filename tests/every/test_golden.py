"""Bits that must not change: a sample of the digests of `make golden`, in plain Python."""

import json

import pytest

from tools import golden

FOUND = json.loads(golden.FILE.read_text(encoding="utf-8"))
SAMPLE = ("*: whole", "*: live", "perceptron: table, *")


@pytest.mark.parametrize("pattern", SAMPLE)
def test_bits_are_those_of_the_file(pattern):
    """Where they changed on purpose: `python tools/golden.py --write`, for both engines, and say why."""
    if why := golden.not_comparable(FOUND, "plain"):
        pytest.skip(f"digests not comparable here: {why}")
    count, said = golden.differences(FOUND, "plain", golden.chosen(pattern))
    assert count > 5
    assert not said, said[:20]


def test_a_changed_rule_is_seen(monkeypatch):
    """The net holds: a perceptron that learns a little more from each mistake has other digests."""
    from littlestone.linear import perceptron

    before = golden.digest_case(dict(golden.cases())["perceptron: whole"], "plain")
    learned = perceptron.Perceptron.Params.learn

    def more(self, state, x, score, y):
        return learned(self, state, x, score, y._replace(h=y.h * (1 + 1e-15)))

    monkeypatch.setattr(perceptron.Perceptron.Params, "learn", more)
    after = golden.digest_case(dict(golden.cases())["perceptron: whole"], "plain")
    assert after[0] != before[0]


def test_other_versions_are_not_comparable(monkeypatch):
    monkeypatch.setattr(golden.platform, "python_version", lambda: "2.7")
    assert "python was" in golden.not_comparable(FOUND, "plain")
    assert golden.not_comparable({}, "compiled") == "there are no digests of the compiled engine"


def test_every_learner_has_its_digests():
    for engine in FOUND:
        assert set(FOUND[engine]["digests"]) == {name for name, _ in golden.cases()}, engine
    assert "plain" in FOUND
