"""The progress bar of notebooks: where it appears, what it shows, and that it goes."""

import sys
from types import SimpleNamespace

import pandas as pd
import pytest

import littlestone as ls
from littlestone.core.notebook import in_notebook
from littlestone.play import notebook_bar
from littlestone.play.notebook_bar import NotebookBar

LOSSES = [[0.0, 1.0], [1.0, 0.0]] * 300


class Page:
    """What IPython shows: it stands for the modules that a kernel has loaded."""

    def __init__(self, kernel=True):
        self.pictures = []
        self.shell = Shell() if kernel else None
        self.display = SimpleNamespace(HTML=str, display=self.first)

    def get_ipython(self):
        return self.shell

    def first(self, html, display_id):
        assert display_id
        self.update(html)
        return self

    def update(self, html):
        self.pictures.append(html)


class Shell:
    pass


def put(monkeypatch, page):
    monkeypatch.setitem(sys.modules, "IPython", page)
    monkeypatch.setitem(
        sys.modules, "ipykernel.zmqshell", SimpleNamespace(ZMQInteractiveShell=Shell)
    )
    monkeypatch.setattr(notebook_bar, "PATIENCE", 0.0)
    monkeypatch.setattr(notebook_bar, "TICK", 0.0)
    return page


@pytest.fixture
def page(monkeypatch, plain):
    return put(monkeypatch, Page())


def test_a_run_in_a_notebook_has_a_bar_that_goes(page):
    assert in_notebook()
    run = ls.play("hedge", LOSSES * 4)
    *bars, last = page.pictures
    assert bars[0].startswith('hedge <progress value="')
    assert 'max="2400"></progress>' in bars[0]
    assert last == ""
    assert run.loss == ls.play("hedge", LOSSES * 4, progress=False).loss


def test_no_bar_where_it_is_not_wanted(page):
    ls.play("hedge", LOSSES, progress=False)
    seen = []
    ls.play("hedge", LOSSES, progress=lambda done, loss: seen.append(done))
    assert seen[-1] == len(LOSSES)
    assert page.pictures == []


def test_no_bar_where_a_run_is_short_or_this_is_no_notebook(monkeypatch, plain):
    page = put(monkeypatch, Page(kernel=False))
    assert not in_notebook()
    ls.play("hedge", LOSSES)
    page.shell = Shell()
    monkeypatch.setattr(notebook_bar, "PATIENCE", 60.0)
    ls.play("hedge", LOSSES)
    monkeypatch.delitem(sys.modules, "IPython")
    assert not in_notebook()
    assert page.pictures == []


def test_the_bar_goes_when_a_run_is_refused(page):
    def refused():
        with NotebookBar("hedge", 10) as bar:
            bar(1, 0.0)
            raise ls.BadInput("row 2")

    with pytest.raises(ls.BadInput, match="row 2"):
        refused()
    assert len(page.pictures) == 2
    assert page.pictures[1] == ""


def test_passes_seeds_and_keys_are_counted_together(page):
    ls.play("perceptron", LOSSES, [-1, 1] * 300, passes=2)
    assert 'max="1200"' in page.pictures[0]
    page.pictures.clear()
    ls.play("exp3", ls.Arms([0.2, 0.8]), rounds=50, seeds=4, workers=1)
    assert 'value="50" max="200"' in page.pictures[0]
    page.pictures.clear()
    frame = pd.DataFrame(LOSSES, columns=["a", "y"]).assign(key=["x", "y", "z"] * 200)
    ls.play("tracker", frame, outcome="y", by="key")
    assert 'max="600"' in page.pictures[0]


def test_rounds_of_earlier_keys_are_added(page):
    with NotebookBar("<hedge>", None) as bar:
        for done in (100, 200, 50):
            bar(done, 0.0)
    assert [picture.partition(" rounds")[0] for picture in page.pictures] == [
        "&lt;hedge&gt; <progress></progress> 100",
        "&lt;hedge&gt; <progress></progress> 200",
        "&lt;hedge&gt; <progress></progress> 250",
        "",
    ]
