"""Exports that people put together: files one behind the other, labels typed by hand, records that are not flat."""

import csv
import io
import json
import random

import pytest
from journeys.command import littlestone

import littlestone as ls

QUIET = ("--report", "", "--no-certify", "-b", "8")


def test_exports_put_one_behind_the_other(tmp_path):
    """Every part has its line of names: of columns of text it would be a class of its own."""
    draw = random.Random(0)
    parts = []
    for _ in range(3):
        lines = ["colour\tshape\tlabel"]
        for _ in range(40):
            colour = draw.choice(["red", "blue"])
            lines.append(
                f"{colour}\t{draw.choice(['round', 'square'])}\t{'yes' if colour == 'red' else 'no'}"
            )
        parts.append("\n".join(lines) + "\n")
    (tmp_path / "all.tsv").write_bytes(b"\xef\xbb\xbf".join(part.encode() for part in ["", *parts]))
    _, said = littlestone("run", "all.tsv", "--outcome", "label", *QUIET, cwd=tmp_path, code=2)
    assert "line 42: row 41 repeats the names of the columns" in said
    words = ("run", "all.tsv", "--outcome", "label", "--on-bad-line", "skip", *QUIET)
    out, _ = littlestone(*words, cwd=tmp_path)
    assert "classification of 'label' (2 classes)" in out
    assert "120 rounds" in out
    assert "2 lines skipped" in out or "2 malformed lines skipped: 42, 83" in out


def test_labels_typed_by_hand(tmp_path):
    rows = [f"{t % 7},{('Yes', 'yes', 'NO', 'no ')[t % 4]}" for t in range(60)]
    (tmp_path / "a.csv").write_text("a,answer\n" + "\n".join(rows) + "\n", encoding="utf-8")
    out, _ = littlestone("run", "a.csv", "--outcome", "answer", *QUIET, cwd=tmp_path)
    told = " ".join(out.split())
    assert (
        "differ only in capitals or spaces count as different ones: 'NO' and 'no '; 'Yes' and 'yes'"
        in told
    )


def test_a_fleet_that_reports_nested_records(tmp_path):
    """Keys, outcomes and features of any depth; fields that are missing; a list, which is left out and said to be."""
    draw, lines = random.Random(1), []
    for _ in range(160):
        reading = {"heat": round(draw.gauss(40, 8), 1), "state": draw.choice(["hot", "off"])}
        record = {
            "device": {"id": f"pump-{draw.randrange(2)}", "site": {"name": "Łódź"}},
            "reading": reading if draw.random() < 0.9 else None, "tags": ["a"], "failed": reading["state"] == "hot",
        }  # fmt: skip
        lines.append(json.dumps(record, ensure_ascii=False))
    (tmp_path / "log.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = ("--outcome", "failed", "--by", "device.id", "--learner", "online-linear", *QUIET)
    out, _ = littlestone("run", "log.jsonl", *words, "--save", "m.ls", cwd=tmp_path)
    assert "pump-0" in out
    assert "left out: 'tags' (list)" in out
    tomorrow = [{"device": {"id": "pump-1"}, "reading": {"state": v}} for v in ("off", "hot")]
    (tmp_path / "new.jsonl").write_text(
        "\n".join(map(json.dumps, tomorrow)) + "\n", encoding="utf-8"
    )
    out, _ = littlestone(
        "predict", "m.ls", "new.jsonl", "--by", "device.id", "--probabilities", cwd=tmp_path
    )
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [r["prediction"] for r in rows] == ["false", "true"]
    kept = 1 / (ls.load(tmp_path / "m.ls")["pump-1"].live.t + 1) ** 2  # for a class not seen before
    assert float(rows[1]["p(true)"]) == pytest.approx(1.0 - kept - float(rows[1]["p(false)"]))


def test_a_system_whose_encoding_is_ascii(tmp_path):
    (tmp_path / "a.csv").write_text("β,y\n1.0,0\n0.129,1\n2,0\n", encoding="utf-8")
    words = ("run", "a.csv", "--outcome", "y", *QUIET[:3], "--readable-model", "w.csv")
    ascii = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    littlestone(*words, cwd=tmp_path, environment=ascii)
    assert "\nβ," in (tmp_path / "w.csv").read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "w.csv"]
