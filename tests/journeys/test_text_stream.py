"""A stream of messages: sentences are words, from the first file to the service."""

import csv
import io
import random

import pytest
from journeys.command import littlestone

import littlestone as ls

SPAM = ["free", "win", "prize", "cash", "call", "now", "claim", "urgent", "txt"]
HAM = ["home", "see", "you", "later", "dinner", "ok", "love", "work", "tomorrow"]


@pytest.fixture(scope="module")
def messages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("messages")
    draw = random.Random(0)
    with (folder / "sms.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["label", "message"])
        for i in range(600):
            spam = draw.random() < 0.3
            words = [draw.choice(SPAM if spam and draw.random() < 0.6 else HAM) for _ in range(8)]
            out.writerow(["spam" if spam else "ham", f"{' '.join(words).title()}, {i}!"])
    return folder


def accuracy(folder, *words):
    import json

    out, _ = littlestone(
        "run", "sms.csv", "--outcome", "label", "--no-certify", "--json", *words, cwd=folder
    )
    return json.loads(out)[0]["accuracy"]


def test_sentences_are_words(messages):
    words = accuracy(messages)
    assert words > 0.93
    assert accuracy(messages, "--text", "") < 0.8  # each message a category of its own
    assert accuracy(messages, "--text", "message", "--ngram", 2) > 0.9


def test_a_saved_learner_reads_words_at_the_service_too(messages):
    out, _ = littlestone(
        "run", "sms.csv", "--outcome", "label", "--save", "m.ls", "--no-certify", cwd=messages
    )
    assert out.startswith("task: classification of 'label' (2 classes), as it holds text")
    assert "'message' is read as words" in out
    assert (
        messages / "m.ls"
    ).stat().st_size < 1 << 20  # it was 42 MB: 2^18 weights, nearly all of them 0
    new = "id,message\na,WIN cash now\nb,see you at home later\n"
    out, _ = littlestone(
        "predict", "m.ls", "-", "--id", "id", "--probabilities", cwd=messages, stdin=new
    )
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(r["row"], r["id"], r["prediction"]) for r in rows] == [
        ("1", "a", "spam"),
        ("2", "b", "ham"),
    ]
    assert float(rows[0]["p(spam)"]) > 0.9
    learner = ls.load(messages / "m.ls")
    assert learner.predict({"message": "Free PRIZE, call now"}) == "spam"
    assert learner.predict({"message": "dinner tomorrow?"}) == "ham"


def test_a_column_of_names_is_not_silently_a_category(messages):
    lines = ["label,user", *(f"{'a' if i % 2 else 'b'},user{i}" for i in range(100))]
    (messages / "users.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    out, _ = littlestone("run", "users.csv", "--outcome", "label", "--no-certify", cwd=messages)
    assert "'user' has 100 different texts in 100 rows, each a category of its own" in " ".join(
        out.split()
    )
