"""Data: what the catalogue says is what comes, and what is not right is refused with the next step."""

import hashlib
import io

import pyarrow.csv
import pytest

import littlestone as ls
from littlestone.core.errors import BadFile, BadInput
from littlestone.datasets import catalogue, download

CONTENT = b"a,b\n1,2\n"


@pytest.fixture
def source(tmp_path, monkeypatch):
    """One stream whose public source is a file here, and a user with an empty cache."""
    (tmp_path / "source").mkdir()
    file = tmp_path / "source" / "public.csv"
    file.write_bytes(CONTENT)
    made = catalogue.DATASETS["prices"]._replace(
        name="made",
        file="made.csv",
        address=file.as_uri(),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
    )
    monkeypatch.setitem(catalogue.DATASETS, "made", made)

    monkeypatch.setattr(download, "user_cache", lambda: str(tmp_path / "cache"))
    monkeypatch.delenv("LITTLESTONE_DATA", raising=False)
    return file


@pytest.mark.parametrize("dataset", catalogue.INSIDE, ids=lambda d: d.name)
def test_a_table_inside_is_what_the_catalogue_says(dataset):
    table = ls.datasets.table(dataset.name)
    assert table.num_rows == dataset.rows
    assert table.column_names[-1] == dataset.outcome
    assert not dataset.address


def test_every_stream_that_is_fetched_has_a_source_a_licence_and_a_checksum():
    for dataset in catalogue.FETCHED:
        assert dataset.address.startswith("https://")
        assert len(bytes.fromhex(dataset.sha256)) == 32
        assert dataset.licence
        assert dataset.source


def test_a_stream_is_fetched_once(source):
    path = ls.datasets.fetch("made")
    assert path.read_bytes() == CONTENT
    source.unlink()
    assert ls.datasets.fetch("made") == path


def test_a_source_that_changed_is_refused_and_not_kept(source, tmp_path):
    source.write_bytes(b"something else")
    with pytest.raises(BadFile, match=r"public\.csv is not made: its SHA-256 is not"):
        ls.datasets.fetch("made")
    assert not (tmp_path / "cache" / "data" / "made.csv").exists()


def test_a_folder_that_has_the_file_comes_first(source, tmp_path, monkeypatch):
    monkeypatch.setenv("LITTLESTONE_DATA", str(tmp_path))
    (tmp_path / "made.csv").write_bytes(CONTENT)
    source.unlink()
    assert ls.datasets.fetch("made") == tmp_path / "made.csv"
    (tmp_path / "made.csv").write_bytes(b"damaged")
    with pytest.raises(BadFile, match=r"made\.csv is not made"):
        ls.datasets.fetch("made")


def test_without_the_source_the_message_says_what_to_do(source):
    source.unlink()
    with pytest.raises(
        BadInput, match=r"put it as made\.csv into a folder and set LITTLESTONE_DATA"
    ):
        ls.datasets.fetch("made")


def test_names_that_are_not_there_are_answered_with_those_that_are():
    with pytest.raises(BadInput, match=r"no data 'titanic'; there are breast-cancer, diabetes"):
        ls.datasets.table("titanic")
    with pytest.raises(BadInput, match=r"ls\.datasets\.fetch\('prices'\)"):
        ls.datasets.table("prices")


def test_a_table_is_played_as_it_comes():
    run = ls.play("online-linear", ls.datasets.table("iris"), outcome="species")
    assert run.rounds == 150
    assert run.accuracy > 0.8


def test_the_command_line_writes_what_python_reads(cli):
    done = cli("data", "iris")
    assert done.exit_code == 0
    table = pyarrow.csv.read_csv(io.BytesIO(done.stdout_bytes))
    assert table.equals(ls.datasets.table("iris"))
    assert "breast-cancer  (inside, 569 rows, --outcome 'diagnosis')" in cli("data").stdout
    assert cli("data", "titanic").exit_code == 2


@pytest.fixture
def cli():
    from click.testing import CliRunner

    from littlestone.cli.main import main

    return lambda *args: CliRunner().invoke(main, list(args))
