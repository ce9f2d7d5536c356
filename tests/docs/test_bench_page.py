"""The pages' measured tables: written from the figures of one run, between two markers, and never from a quick run."""

import json

import pytest

from benchmarks import page
from benchmarks.figure import Figure

MACHINE = {
    "cpu": "a processor", "cores": 2, "load": [0.25, 0.1, 0.0], "system": "Linux x86_64", "python": "3.11.7",
    "littlestone": "9.8.7", "numpy": "2.4.6", "numba": "0.68.1", "pyarrow": "1", "scipy": "1",
}  # fmt: skip
FIGURES = (
    Figure("fast", 1e-7, "s", "a peer", 5e-7, 4.0, "faster", group="public-calls"),
    Figure("slow | one", 1e-6, "s", "a peer", 5e-7, 3.0, "faster", group="public-calls"),
    Figure("known", 2e-3, "s", "", float("nan"), note="kept", group="rounds"),
    Figure("big", 3e6, "B", "all rounds", 6e6, 1e6, group="rounds"),
    Figure("hedge", 0.4, "s", "a textbook", 1.0, 1.2, group="first-results"),
)


def found(quick=False):
    return {
        "machine": MACHINE,
        "when": "2031-02-03T04:05:06+0000",
        "quick": quick,
        "seconds": 600.0,
        "groups": {"public-calls": 99.6, "rounds": 12.0},
        "figures": [json.loads(json.dumps(f.record())) for f in FIGURES],
        "missing": {},
    }


@pytest.fixture
def pages(tmp_path, monkeypatch):
    """Two pages that have markers, and text around them."""
    begin, end = page.MARKER.format("begin"), page.MARKER.format("end")
    text = f"# Above\n\n{begin}\n\nold\n\n{end}\n\n## Below\n"
    made = {tmp_path / f"{i}.md": groups for i, groups in enumerate(page.PAGES.values())}
    for file in made:
        file.write_text(text, "utf-8")
    monkeypatch.setattr(page, "PAGES", made)
    monkeypatch.setattr(page, "ROOT", tmp_path)
    return list(made)


def test_the_tables_are_written_between_the_markers(pages, capsys):
    page.write_pages(found())
    text = pages[0].read_text("utf-8")
    assert text.startswith("# Above\n\n")
    assert text.endswith("\n\n## Below\n")
    assert "old" not in text
    assert "Version 9.8.7, 2031-02-03, one run of 10 minutes on 2 cores of a processor" in text
    assert "Load when it began: 0.2." in text
    assert "1 of 3 targets are reached" in text
    assert "| fast | 100 ns | a peer: 500 ns | 5 times as fast |" in text
    assert (
        r"| slow \| one | 1 us | a peer: 500 ns | **slower**: 2 times the time; "
        "**target 3 times as fast: not reached** |" in text
    )
    assert "| known | 2 ms |  | kept |" in text
    assert "| big | 3 MB | all rounds: 6 MB | 0.5 times; **target 1 MB: not reached** |" in text
    assert "`python -m benchmarks public-calls`. It took 100 s." in text
    assert "hedge" not in text
    assert "| hedge | 400 ms | a textbook: 1 s | 0.4 times |" in pages[1].read_text("utf-8")
    assert "without start-up, one-round" in capsys.readouterr().out


def test_written_twice_a_page_is_the_same(pages):
    page.write_pages(found())
    once = pages[0].read_text("utf-8")
    page.write_pages(found())
    assert pages[0].read_text("utf-8") == once


def test_a_quick_run_is_refused(pages):
    with pytest.raises(ValueError, match="quick run"):
        page.write_pages(found(quick=True))
    assert "old" in pages[0].read_text("utf-8")


def test_a_page_without_its_figures_stays(pages, capsys):
    some = found()
    some["figures"] = [f for f in some["figures"] if f["group"] == "rounds"]
    page.write_pages(some)
    assert "old" in pages[1].read_text("utf-8")
    assert "none of its figures was measured" in capsys.readouterr().out


def test_the_pages_have_their_markers():
    for file in page.PAGES:
        text = file.read_text("utf-8")
        assert len(page.replaced(text, "")) < len(text)


def test_every_group_of_the_pages_is_one_that_is_measured():
    import benchmarks.__main__ as command

    assert set(page.GROUPS) <= set(command.GROUPS)
