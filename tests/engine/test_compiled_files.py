"""Files of machine code are read only as they were written, and where nobody else could have written them."""

import os

import pytest

from littlestone.engine import compiled_files as files

ME = files.owners()
posix = pytest.mark.skipif(os.name != "posix", reason="Windows has no bits for owners and groups")


@pytest.fixture
def folder(tmp_path):
    files.write_code(str(tmp_path / "below"), "hedge", b"code")
    return tmp_path / "below"


def test_what_was_written_is_read(folder):
    assert files.read_code(str(folder), "hedge", ME) == b"code"
    assert files.read_code(str(folder), "tracker", ME) is None
    assert [f.name for f in folder.iterdir()] == ["hedge.code"]  # no half of a file is left


@pytest.mark.parametrize("place", [0, 5, len(files.HEAD), len(files.HEAD) + 32, -1])
def test_a_changed_byte_is_seen(folder, place):
    file = folder / "hedge.code"
    content = bytearray(file.read_bytes())
    content[place] ^= 1
    file.write_bytes(content)
    assert files.read_code(str(folder), "hedge", ME) is None


def test_a_file_that_was_cut_off_is_seen_wherever(folder):
    file = folder / "hedge.code"
    content = file.read_bytes()
    for length in range(len(content)):
        file.write_bytes(content[:length])
        assert files.read_code(str(folder), "hedge", ME) is None
    file.write_bytes(content)
    assert files.read_code(str(folder), "hedge", ME) == b"code"


def test_code_under_another_name_is_none(folder):
    (folder / "hedge.code").rename(folder / "tracker.code")
    assert files.read_code(str(folder), "tracker", ME) is None


@posix
def test_what_others_may_write_is_not_read(folder):
    file = folder / "hedge.code"
    assert file.stat().st_mode & 0o777 & ~0o644 == 0
    file.chmod(0o646)
    assert files.read_code(str(folder), "hedge", ME) is None
    file.chmod(0o644)
    assert files.read_code(str(folder), "hedge", ME - {file.stat().st_uid}) is None
    assert files.read_code(str(folder), "hedge", ME) == b"code"


@posix
@pytest.mark.parametrize(("sources", "read"), [(0o644, False), (0o664, True)])
def test_a_group_may_write_code_where_it_may_write_the_sources(
    folder, tmp_path, monkeypatch, sources, read
):
    source = tmp_path / "source.py"
    source.touch()
    source.chmod(sources)
    monkeypatch.setattr(files, "__file__", str(source))
    (folder / "hedge.code").chmod(0o664)
    assert (files.read_code(str(folder), "hedge", ME) is not None) is read


def test_a_file_that_cannot_be_written_leaves_nothing(folder, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files.os, "replace", refuse)
    with pytest.raises(PermissionError):
        files.write_code(str(folder), "tracker", b"code")
    assert [f.name for f in folder.iterdir()] == ["hedge.code"]
