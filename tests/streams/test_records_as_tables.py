"""Dicts and JSON lines are read by the rules of tables: sentences as words, products served as they were trained."""

import json

import pandas as pd
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput

pytestmark = pytest.mark.usefixtures("plain")

MESSAGES = [
    {"t": f"{'Free win, cash now' if i % 2 else 'see you at home'} {i}", "n": 1.0}
    for i in range(40)
]
LABELS = ["spam" if i % 2 else "ham" for i in range(40)]
VISITS = [{"user": "bob", "hour": 3.0}, {"user": "ann", "hour": 4.0}] * 20


def written(path, records, labels):
    lines = (json.dumps(r | {"label": y}) for r, y in zip(records, labels, strict=True))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("form", ["dicts", "jsonl", "frame", "csv"])
def test_sentences_are_words_in_every_form(tmp_path, form):
    frame = pd.DataFrame(MESSAGES)
    if form == "jsonl":
        data, more = written(tmp_path / "t.jsonl", MESSAGES, LABELS), {"outcome": "label"}
    elif form == "csv":
        data, more = tmp_path / "t.csv", {"outcome": "label"}
        frame.assign(label=LABELS).to_csv(data, index=False)
    else:
        data, more = {"dicts": MESSAGES, "frame": frame}[form], {"outcomes": LABELS}
    run = ls.play("logistic", data, **more, bits=10, certify=False)
    assert run.accuracy > 0.9
    assert "'t' is read as words" in " ".join(run.notes)
    learner = run.learner
    assert learner.live.setting.hashed.words == ("t",)
    assert learner.predict({"t": "WIN the cash", "n": 1.0}) == "spam"
    learner.save(tmp_path / "m.ls")
    again = ls.load(tmp_path / "m.ls")
    assert again.predict({"t": "see you", "n": 1.0}) == "ham"
    category = ls.play("logistic", data, **more, bits=10, certify=False, text=[])
    assert category.accuracy < 0.7
    assert category.learner.live.setting.hashed.words == ()


def test_pairs_of_words_in_dicts():
    one = ls.play("logistic", MESSAGES, LABELS, bits=12, certify=False, text=["t"])
    two = ls.play("logistic", MESSAGES, LABELS, bits=12, certify=False, text=["t"], ngram=2)
    right, wrong = {"t": "win cash"}, {"t": "cash win"}
    assert one.learner.live.decide(right) == one.learner.live.decide(wrong)
    assert two.learner.live.decide(right) > two.learner.live.decide(wrong)
    with pytest.raises(BadInput, match="no column of text is called 'tt'; those of text: "):
        ls.play("logistic", MESSAGES, LABELS, text=["tt"])


def test_products_are_served_as_they_were_trained(tmp_path):
    labels = ["a", "b"] * 20
    path = written(tmp_path / "v.jsonl", VISITS, labels)
    frame, more = pd.DataFrame(VISITS), {"interactions": ["user:hour"], "certify": False}
    learners = [
        ls.play("logistic", VISITS, labels, **more).learner,
        ls.play("logistic", iter(zip(VISITS, labels, strict=True)), **more).learner,
        ls.play("logistic", path, outcome="label", **more).learner,
        ls.play("logistic", frame, labels, **more).learner,
    ]  # fmt: skip
    learners[0].save(tmp_path / "m.ls")
    x = {"user": "bob", "hour": 2.0}
    scores = [one.live.decide(x) for one in [*learners[:4], ls.load(tmp_path / "m.ls")]]
    assert scores == pytest.approx([scores[0]] * 5, rel=1e-12)
    without = ls.play("logistic", VISITS, labels, certify=False).learner.live.decide(x)
    assert scores[0] < without < 0  # the product counts
    (batch,) = ls.play("logistic", frame, labels, **more).stream.batches
    index, value = learners[3].live.setting.find_places(VISITS[0], False)
    there = dict(zip(batch.x.index[:3].tolist(), batch.x.value[:3].tolist(), strict=True))
    assert dict(zip(index.tolist(), value.tolist(), strict=True)) == there


def test_a_learner_of_vw_text_takes_no_dict_with_products(tmp_path):
    (tmp_path / "t.vw").write_text("1 |a x |b y\n-1 |a z |b y\n" * 5, encoding="utf-8")
    learner = ls.play("logistic", tmp_path / "t.vw", interactions=["ab"], certify=False).learner
    with pytest.raises(BadInput, match="give it a line of VW text"):
        learner.predict({"x": 1.0})
    assert learner.predict("|a x |b y") == 1
