"""A forecaster: a spreadsheet with prices as people write them, a saved learner, tomorrow."""

import os
import subprocess
import sys

import numpy as np
import pytest
from journeys.command import littlestone


@pytest.fixture
def sheet(tmp_path):
    rng = np.random.default_rng(0)
    truth = 1000 + np.cumsum(rng.normal(0, 5, 300))
    lines = ["day;price;model;analyst"]
    for t, p in enumerate(truth):
        cells = [p, p + rng.normal(0, 3), p + rng.normal(5, 3)]
        marked = [f"{v:,.2f}".replace(",", " ").replace(".", ",").replace(" ", ".") for v in cells]
        lines.append(f"{t};" + ";".join(marked))
    (tmp_path / "prices.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_from_a_spreadsheet_to_tomorrow(sheet):
    words = ["run", "prices.csv", "--outcome", "price", "--experts", "!day", "--report", ""]
    out, _ = littlestone(*words, "--save", "m.ls", cwd=sheet)
    assert out.startswith("task: forecasting 'price' with 2 experts")
    assert "best fixed mixture" in out
    assert "kept" in out
    tomorrow = "analyst,desk,model\n1010.5,ann,1002.5\n1010.5,bob,\n"
    out, _ = littlestone("predict", "m.ls", "-", "--id", "desk", cwd=sheet, stdin=tomorrow)
    header, first, second = out.replace('"', "").splitlines()
    assert header == "row,desk,prediction"
    assert first.startswith("1,ann,100")  # nearer to the model, which is better
    assert second == "2,bob,1010.5"  # only the analyst speaks
    _, err = littlestone("predict", "m.ls", "-", cwd=sheet, stdin="analyst\n1\n")
    assert "not here: 'model', which tracker was trained on; it sleeps" in err
    (sheet / "june.csv").write_text("price,analyst,model\n1000,1005,1001\n", encoding="utf-8")
    out, _ = littlestone(
        "run", "june.csv", "--outcome", "price", "--experts", "model", "--experts", "analyst",
        "--load", "m.ls", "--save", "m.ls", "--report", "", cwd=sheet,
    )  # fmt: skip
    assert "1 round" in out


def test_a_slip_in_the_sheet_is_named_with_its_line(sheet):
    path = sheet / "prices.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[200] = "199;oops;1,0;1,0"
    path.write_text("\n".join(lines), encoding="utf-8")
    _, err = littlestone("run", "prices.csv", "--outcome", "price", cwd=sheet, code=2)
    assert "'price' holds numbers, but row 200 is 'oops' (line 201: '199;oops;1,0;1,0')" in err
    out, _ = littlestone(
        "run",
        "prices.csv",
        "--outcome",
        "price",
        "--on-bad-line",
        "skip",
        "--report",
        "",
        cwd=sheet,
    )
    assert "299 rounds" in out


FULL = """
import littlestone.report.payload as payload
def full(*_, **__):
    raise OSError(28, "No space left on device")
payload.report = full
from littlestone.cli.main import main
main(["run", "prices.csv", "--outcome", "price", "--experts", "!day", "--save", "m.ls"])
"""


def test_a_report_that_cannot_be_written_does_not_lose_the_rest(sheet):
    found = subprocess.run(
        [sys.executable, "-c", FULL], cwd=sheet, capture_output=True, text=True, encoding="utf-8", timeout=60,
        env=os.environ | {"LITTLESTONE_ENGINE": "plain"},
    )  # fmt: skip
    assert found.returncode == 1
    assert "best fixed mixture" in found.stdout
    assert (
        "littlestone: --report littlestone-report.html cannot be written: No space" in found.stderr
    )
    assert (sheet / "m.ls").exists()
