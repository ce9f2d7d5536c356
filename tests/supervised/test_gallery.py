"""The experiments of the gallery run, at small sizes, and show what their page says of them."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "supervised"
DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted((DOCS / "supervised").glob("gallery*.md"))


@pytest.fixture(scope="module")
def gallery():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))  # as `python examples/supervised/gallery.py` has it
        yield runpy.run_path(str(FOLDER / "gallery.py"))


def shown(gallery, name):
    """The rows of a quick run, by label."""
    show = gallery["Show"](quick=True)
    gallery["PARTS"][name](show)
    return {row.label: row for row in show.rows[name]}


# what each experiment is about, at sizes at which it takes a second or less
CLAIMS = {
    "regions": lambda r: r["k = 1, training"].mean == 0 and r["k = 1, test"].mean > r["k = 15, test"].mean,
    "polynomials": lambda r: r["m = 10, degree 9, training"].mean < 1e-6 < 1 < r["m = 10, degree 9, expected"].mean,
    "selection": lambda r: len(r) == 8 and all(row.mean >= 0 for row in r.values()),
    "bias-variance": lambda r: r["degree 0, bias^2"].mean > 10 * r["degree 9, bias^2"].mean
    and all(row.close for row in r.values()),
    "consistency": lambda r: r["constant .9, 1000 rows, 1 neighbour"].mean > 0.15
    > r["constant .9, 1000 rows, sqrt(m) neighbours"].mean,
    "balls": lambda r: all(row.close for row in r.values()) and len(r) == 8,
    "ridge": lambda r: r["largest difference to fitting again"].mean < 1e-8,
    "svm-c": lambda r: r["leave-one-out above support vectors / m"].mean == 0
    and r["C = 100, margin"].mean < r["C = 0.01, margin"].mean,
    "support": lambda r: all(
        r[f"m = {m}, error after {m - 1} rows"].mean < r[f"m = {m}, support vectors / m"].mean for m in (10, 20, 40)
    ),
    "cart": lambda r: r["largest difference to what was noted"].mean <= 1,  # X10: within 1
    "boosting": lambda r: r["exact, 40 rounds, training"].mean <= r["exact, 40 rounds, prod Z"].mean
    and r["exact, 1 rounds, training"].close,
    "forests": lambda r: r["forest, test"].mean < r["bagging, test"].mean + 0.03 < r["tree, test"].mean + 0.03
    and r["21 voters of whom half repeat one"].mean > 0.3,
    "label-noise": lambda r: r["30% flipped, forest"].mean > r["0% flipped, forest"].mean,
    "errors": lambda r: r["6 rows, most"].mean > 2 * r["227 rows, most"].mean,
    "validation": lambda r: r["exact, 50 rows"].mean <= 1 + 1e-9
    and r["best of 1,000 coins: Hoeffding fails"].mean == 1
    and r["the exact limit with delta / 1,000 fails"].mean < 0.2,
    "pac": lambda r: r["80 rows, share beyond the three bounds"].mean == 0
    and r["9 cells of mass 0.1: rows needed of 47"].mean == 43,
    "growth": lambda r: all(row.close for row in r.values()),
    "lunch": lambda r: all(row.close for row in r.values()),
}  # fmt: skip


@pytest.mark.parametrize("name", CLAIMS)
def test_an_experiment_shows_what_it_is_about(gallery, name):
    rows = shown(gallery, name)
    assert CLAIMS[name](rows), {k: (row.mean, row.noted) for k, row in rows.items()}


def test_the_pages_have_every_experiment_and_none_is_off(gallery):
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert list(CLAIMS) == list(gallery["PARTS"])
    for name in gallery["PARTS"]:
        assert f"\n`{name}`: [X-" in text
        assert f"(../images/supervised-{name}.png)" in text
        assert (DOCS / "images" / f"supervised-{name}.png").exists()
    assert "OFF" not in text


def test_a_number_that_is_off_is_seen(gallery):
    row = gallery["Show"]().size  # sizes: full by default
    assert row(10, 1) == 10
    show = gallery["Show"](quick=True)
    show.title("regions", "a number that is off")
    assert not show.row("off", [1.0, 1.1, 0.9], 2.0).close
    assert show.row("close", [1.0, 1.1, 0.9], 1.05).close


def test_unknown_parts_are_refused(gallery, capsys):
    with pytest.raises(SystemExit) as stopped:
        gallery["main"](["no-such-part"])
    assert stopped.value.code == 2
    assert "no part 'no-such-part'; there are regions" in capsys.readouterr().err


def test_a_folder_is_made_and_a_quick_run_is_not_compared(gallery, tmp_path, capsys):
    folder = tmp_path / "pictures" / "new"
    assert gallery["main"](["polynomials", "--quick", "--out", str(folder)]) == 0
    assert (folder / "supervised-polynomials.png").read_bytes().startswith(b"\x89PNG")
    said = capsys.readouterr().out
    assert "degree 9, expected" in said
    assert "noted" not in said
