"""A page of anything that has a title, a summary, a certificate and curves."""

from types import SimpleNamespace

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.guarantee import Certificate
from littlestone.report.result import Result, report_result


def test_boosting_has_a_page(tmp_path):
    X = np.arange(20.0)[:, None]
    y = np.where((X[:, 0] > 6) & (X[:, 0] < 13), 1, -1)
    model = ls.AdaBoost(rounds=12).fit(X, y)
    text = model.report(tmp_path / "boosting.html").read_text(encoding="utf-8")
    for part in ("T-BOOST-TRAINING", "T-BOOST-MARGINS", "training error", "prod Z", "kept"):
        assert part in text


def test_anything_with_the_four_parts_is_taken(tmp_path):
    claim = ls.certify(np.arange(50) % 10 == 0, None, np.zeros(50, bool))
    mine = SimpleNamespace(title="Mine", summary={"rows": 50, "share": 1 / 3, "how": "by hand"},
                           certificate=claim.certificate, curves={"Up": {"a line": np.arange(50)}})  # fmt: skip
    text = report_result(mine, tmp_path / "mine.html").read_text(encoding="utf-8")
    for part in ("<h1>Mine</h1>", "a line", "0.3333", "by hand", "promised", "T-VALIDATION-EXACT"):
        assert part in text


def test_lines_of_unequal_length_are_refused(tmp_path):
    made = Result("Mine", {}, Certificate([]), {"Up": {"a": [1, 2], "b": [1]}})
    with pytest.raises(BadInput, match="the lines of 'Up' must be equally long"):
        report_result(made, tmp_path / "no.html")
    assert not (tmp_path / "no.html").exists()


def test_no_curves_and_no_theorem_are_a_page_too(tmp_path):
    text = report_result(Result("Bare", {}, Certificate([])), tmp_path / "bare.html").read_text(
        encoding="utf-8"
    )
    assert "<h1>Bare</h1>" in text
