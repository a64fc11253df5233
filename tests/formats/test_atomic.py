"""A file is written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from mfu_gui.engine.errors import InputError
from mfu_gui.formats import atomic

POSIX = pytest.mark.skipif(os.name == "nt", reason="modes and links of POSIX")


def code_of(path: Path, data: bytes = b"new") -> str:
    with pytest.raises(InputError) as caught:
        atomic.write_bytes(path, data)
    assert caught.value.field == str(path)
    return caught.value.code


def test_writes_and_replaces(tmp_path: Path) -> None:
    file = tmp_path / "a.mfu"
    atomic.write_bytes(file, b"first")
    atomic.write_bytes(file, b"second, and longer")
    assert file.read_bytes() == b"second, and longer"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.mfu"]


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
@pytest.mark.parametrize("there", [True, False])
def test_a_failure_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, there: bool
) -> None:
    """Whatever fails between the first byte and the new name, the folder is as it was."""
    file = tmp_path / "a.mfu"
    if there:
        file.write_bytes(b"old")

    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if call == "write":
        real = os.fdopen

        monkeypatch.setattr(os, "fdopen", lambda *arguments: _FullDisk(real(*arguments), fail))
    else:
        monkeypatch.setattr(os, call, fail)
    with pytest.raises(InputError) as caught:
        atomic.write_bytes(file, b"new")
    assert caught.value.code == "not_writable"
    assert caught.value.values["reason"] == os.strerror(errno.ENOSPC)
    monkeypatch.undo()
    assert [entry.name for entry in tmp_path.iterdir()] == (["a.mfu"] if there else [])
    assert not there or file.read_bytes() == b"old"


@pytest.mark.parametrize("number", [5, 32, 33])
def test_windows_says_that_another_program_has_the_file_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                             number: int) -> None:
    file = tmp_path / "a.xlsx"
    file.write_bytes(b"old")

    def refuse(*_: Any) -> None:
        error = PermissionError(errno.EACCES, "in use")
        error.winerror = number
        raise error

    monkeypatch.setattr(os, "replace", refuse)
    assert code_of(file) == "file_in_use"
    assert [(entry.name, entry.read_bytes()) for entry in tmp_path.iterdir()] == [("a.xlsx", b"old")]


class _FullDisk:
    """A file that cannot be written any more."""

    def __init__(self, file: Any, fail: Any) -> None:
        self.file = file
        self.write = fail

    def __enter__(self) -> _FullDisk:
        return self

    def __exit__(self, *_: Any) -> None:
        self.file.close()


def test_an_interruption_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        atomic.write_bytes(tmp_path / "a.mfu", b"new")
    assert list(tmp_path.iterdir()) == []


def test_names_what_stands_in_the_way(tmp_path: Path) -> None:
    assert code_of(tmp_path / "missing" / "a.mfu") == "folder_missing"
    assert code_of(tmp_path) == "is_folder"
    assert code_of(tmp_path / ("x" * 300)) == "not_writable"
    assert code_of(Path(str(tmp_path / "nul\0byte"))) == "not_writable"
    (tmp_path / "file").write_bytes(b"")
    assert code_of(tmp_path / "file" / "a.mfu") == "folder_missing"


@POSIX
def test_does_not_replace_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="special_file"):
        atomic.write_bytes(tmp_path / "pipe", b"new")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@POSIX
def test_keeps_the_mode_of_the_old_file_and_the_mask_for_a_new_one(tmp_path: Path) -> None:
    old = tmp_path / "old.mfu"
    old.write_bytes(b"old")
    old.chmod(0o640)
    atomic.write_bytes(old, b"new")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    mask = os.umask(0o027)
    try:
        atomic.write_bytes(tmp_path / "new.mfu", b"new")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new.mfu").stat().st_mode) == 0o640


@POSIX
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real.mfu"
    real.write_bytes(b"old")
    link = tmp_path / "link.mfu"
    link.symlink_to(real)
    atomic.write_bytes(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


@POSIX
def test_a_file_made_read_only_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.mfu"
    file.write_bytes(b"old")
    # Root may write anything, so the answer of the system is given here.
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert code_of(file) == "not_writable"
    assert file.read_bytes() == b"old"


def test_a_long_name_leaves_room_for_the_temporary_one(tmp_path: Path) -> None:
    for file in (tmp_path / ("n" * 250 + ".mfu"), tmp_path / ("方" * 83 + ".mfu")):
        atomic.write_bytes(file, b"new")
        assert file.read_bytes() == b"new"
