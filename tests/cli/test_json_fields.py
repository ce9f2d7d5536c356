"""The fields of `--json`, which programs read: none of them goes, and none changes its kind, unseen."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from littlestone.cli.main import main

NUMBER, TEXT, LIST, FIELDS = (int, float, type(None)), (str, type(None)), list, dict
EVERY = {
    "learner": TEXT, "label": TEXT, "delay": NUMBER, "rounds": NUMBER, "answered": NUMBER, "loss": NUMBER,
    "mean_loss": NUMBER, "loss_name": TEXT, "comparator": TEXT, "comparator_loss": NUMBER, "regret": NUMBER,
    "bound": NUMBER, "theorem": TEXT, "seconds": NUMBER, "compiling": NUMBER, "verdict": TEXT, "sentence": TEXT,
    "engine_id": TEXT, "certificate": TEXT, "theorems": LIST, "references": FIELDS, "parameters": FIELDS, "task": TEXT,
    "source": TEXT, "notes": (list, tuple),
}  # fmt: skip
THEOREM = {"id": TEXT, "name": TEXT, "statement": TEXT, "source": TEXT, "verdict": TEXT}


@pytest.fixture
def rows(tmp_path, monkeypatch, plain):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = rng.normal(size=40).round(2)
    forecasts = "\n".join(f"{v + 0.5:.2f},{v - 1:.2f},{v}" for v in y)
    tmp_path.joinpath("experts.csv").write_text(f"a,b,y\n{forecasts}\n", "utf-8")
    examples = "\n".join(f"{v},{v * v:.2f},{'up' if v > 0 else 'down'}" for v in y)
    tmp_path.joinpath("examples.csv").write_text(f"a,b,y\n{examples}\n", "utf-8")

    def asked(*words):
        done = CliRunner().invoke(main, [*words, "--json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    return asked


@pytest.mark.parametrize("command", ["run", "compare"])
@pytest.mark.parametrize("name", ["experts", "examples"])
def test_each_field_is_there_and_of_its_kind(command, name, rows):
    learner = "hedge" if name == "experts" else "perceptron"
    found = rows(command, f"{name}.csv", "--outcome", "y", "--learner", learner)
    assert found
    for row in found:
        assert [k for k in EVERY if k not in row] == []
        assert [k for k, kind in EVERY.items() if not isinstance(row[k], kind)] == []
        assert row["theorems"]
        for theorem in row["theorems"]:
            assert [
                k for k, kind in THEOREM.items() if not isinstance(theorem.get(k, 0), kind)
            ] == []
