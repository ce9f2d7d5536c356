"""Files that are written whole, and what a process may use of the machine; Windows is imitated."""

import ctypes
import errno
import os
import sys

import pytest

from littlestone.core import files, machine
from littlestone.core.errors import BadFile
from littlestone.core.files import write_whole


def busy(times):
    """os.replace as on Windows, where somebody has the file open for the first `times` attempts."""
    left, real = [times], os.replace

    def replace(part, path):
        left[0] -= 1
        if left[0] >= 0:
            raise PermissionError(errno.EACCES, "Access is denied", str(path))
        real(part, path)

    return replace


def test_a_file_that_is_open_is_replaced_once_it_is_closed(tmp_path, monkeypatch):
    path = write_whole(tmp_path / "a", b"old")
    waited = []
    monkeypatch.setattr(files, "WINDOWS", True)
    monkeypatch.setattr(files.time, "sleep", waited.append)
    monkeypatch.setattr(os, "replace", busy(2))
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert waited == list(files.WAITS[:2])


def test_a_file_that_stays_open_is_said_to_be_so(tmp_path, monkeypatch):
    path = write_whole(tmp_path / "a", b"old")
    monkeypatch.setattr(files, "WINDOWS", True)
    monkeypatch.setattr(files.time, "sleep", lambda s: None)
    monkeypatch.setattr(os, "replace", busy(99))
    with pytest.raises(BadFile, match="cannot be written: another program has it open; close it"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_elsewhere_nobody_waits(tmp_path, monkeypatch):
    path = write_whole(tmp_path / "a", b"old")
    monkeypatch.setattr(os, "replace", busy(1))
    with pytest.raises(BadFile, match="cannot be written: Access is denied"):
        write_whole(path, b"new")


def test_memory_as_windows_says(monkeypatch):
    class Kernel:
        def GlobalMemoryStatusEx(self, status):  # noqa: N802
            status._obj.total = 3 * 2**30 if status._obj.length == 64 else 0
            return 1

    monkeypatch.setattr(ctypes, "CDLL", lambda name: Kernel() if name == "kernel32" else None)
    monkeypatch.setattr(sys, "platform", "win32")
    assert machine.memory() == 3 * 2**30


def test_memory_and_cores_of_this_machine():
    assert machine.memory() > 2**20
    assert 1 <= machine.cores() <= os.cpu_count()
