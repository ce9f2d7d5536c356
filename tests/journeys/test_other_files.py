"""Other files: a sensor's Parquet with gaps, a spreadsheet from another country, events as JSON lines, a pipe."""

import csv
import io
import json
import random

import numpy as np
import pandas as pd
import pytest
from journeys.command import littlestone

QUIET = ["--report", ""]


def test_a_sensor_with_gaps_and_late_outcomes(tmp_path):
    rng, n = np.random.default_rng(1), 200
    y = 20 + 5 * np.sin(np.arange(n) / 24 * 2 * np.pi) + rng.normal(0, 0.5, n)
    frame = pd.DataFrame(
        {
            "time": pd.date_range("2025-03-29 22:00", periods=n, freq="h", tz="Europe/Berlin"),
            "temp": y,
            "physics": y + rng.normal(0, 1, n),
            "model": y + rng.normal(0.2, 0.7, n),
            "site": pd.Categorical(rng.choice(["roof", "yard"], n)),
        }
    )
    frame.loc[50:60, "model"] = np.nan
    frame.loc[100:105, "temp"] = np.nan
    frame.drop(range(150, 170)).to_parquet(tmp_path / "sensor.parquet")
    words = ["run", "sensor.parquet", "--outcome", "temp", *QUIET, "--delay", 6, "--save", "s.ls"]
    out, _ = littlestone(*words, "--id", "time", "--predictions", "p.csv", cwd=tmp_path)
    assert "6 rounds without an outcome: predicted, not counted" in out
    assert "kept" in out
    with (tmp_path / "p.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 180
    assert rows[3]["time"].startswith("2025-03-30 01:00:00")
    assert rows[100]["loss"] == ""
    out, _ = littlestone(*words, "--load", "s.ls", cwd=tmp_path)
    assert "180 rounds" in out


def test_a_spreadsheet_from_another_country(tmp_path):
    rng, draw = np.random.default_rng(1), random.Random(1)
    lines = ["Mieten in München", "", "Straße;Fläche;Lage;Miete"]
    for i in range(120):
        area, where = rng.uniform(20, 120), draw.choice(["Süd", "Nord"])
        rent = 8 * area + 200 * (where == "Süd")
        lines.append(f"Weg {i % 40};{area:.1f};{where};{rent:.2f}".replace(".", ","))
    (tmp_path / "m.csv").write_bytes("\r\n".join(lines).encode("cp1252"))
    words = ["run", "m.csv", "--outcome", "Miete", "--task", "regression", "-b", 8, *QUIET]
    _, err = littlestone(*words, cwd=tmp_path, code=2)
    assert "--encoding cp1252 for Windows" in err
    words += ["--encoding", "cp1252", "--ignore", "Straße", "--no-certify"]
    out, _ = littlestone(*words, "--readable-model", "w.csv", "--save", "m.ls", cwd=tmp_path)
    assert "note: above the names of the columns is a title: 'Mieten in München'" in out
    weights = {
        r[0]: float(r[1])
        for r in list(csv.reader(io.StringIO((tmp_path / "w.csv").read_text(encoding="utf-8"))))[1:]
    }
    assert weights["Lage=Süd"] > weights["Lage=Nord"]
    new = "Fläche;Lage\n100,0;Süd\n20,5;Nord\n"
    out, _ = littlestone("predict", "m.ls", "-", cwd=tmp_path, stdin=new)
    large, small = (float(r["prediction"]) for r in csv.DictReader(io.StringIO(out)))
    assert large > small


@pytest.mark.parametrize("piped", [False, True])
def test_events_as_json_lines(tmp_path, piped):
    draw, lines = random.Random(1), []
    for i in range(150):
        kind = draw.choice(["buy", "view", "leave"])
        event = {"id": f"e{i}", "page": kind[:2], "user": {"age": 30}, "tags": ["x"], "label": kind}
        lines.append(json.dumps(event | ({"score": i} if i % 3 else {})))
    text = "\n".join(lines) + "\n"
    (tmp_path / "e.jsonl").write_text(text, encoding="utf-8")
    words = ["run", *([] if piped else ["e.jsonl"]), "--outcome", "label", "-b", 8, "--no-certify"]
    words += ["--id", "id", "--probabilities", "--predictions", "-"]
    out, err = littlestone(*words, cwd=tmp_path, stdin=text if piped else None)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [rows[0]["id"], rows[149]["id"]] == ["e0", "e149"]
    total = sum(float(rows[149][f"p({k})"]) for k in ("buy", "view", "leave"))
    assert total == pytest.approx(1 - 1 / 150**2)  # the rest is kept for a class not seen before
    assert "left out: 'tags' (list)" in err
    assert "150 rounds" in err
