"""Writes whole files or nothing: a reader never sees half a file, and a failure leaves the old one."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

from mfu_gui.engine.errors import InputError

_NEW_FILE_MODE = 0o666
_IN_USE = frozenset({5, 32, 33})
"""Errors of Windows: access denied (the folder can be written to, as the temporary file shows), sharing, lock."""


def write_bytes(path: str | Path, data: bytes, *, new: bool = False) -> None:
    """Put ``data`` at ``path``, replacing a file that is there and keeping its mode.

    ``new``: there must be no such file, not even one that another program makes at the same moment;
    FileExistsError otherwise.

    The bytes go to a temporary file in the same folder, to the disk, and only then take the name.  A
    symbolic link stays one: its target is replaced.  InputError, its field the path: ``is_folder``,
    ``folder_missing``, ``special_file``, ``file_in_use``, ``not_writable`` with the system's reason
    (read-only, full).
    """
    target = Path(path)
    try:
        target = Path(os.path.realpath(target))
        mode = _mode_of(target)
        temporary, descriptor = _new_file_beside(target)
    except (OSError, ValueError) as error:
        raise _failure(error, Path(path)) from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(mode)
        if new:
            _take_free_name(temporary, target)
        else:
            _put_in_place(temporary, target)
    except FileExistsError:
        raise
    except OSError as error:
        raise _failure(error, Path(path)) from error
    finally:
        # Gone after a success; after any failure, an interruption included, nothing may stay behind.
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    _sync_folder(target.parent)


def _put_in_place(temporary: Path, target: Path) -> None:
    """Let the new file take the name.  Windows refuses while another program has the old one open."""
    try:
        os.replace(temporary, target)  # noqa: PTH105 - one name for the call that tests make fail
    except PermissionError as error:
        if getattr(error, "winerror", None) in _IN_USE:
            raise InputError("file_in_use", str(target)) from error
        raise


def _take_free_name(temporary: Path, target: Path) -> None:
    """Let the new file take a name that nobody has; the system looks and takes in one step."""
    if os.name == "nt":
        temporary.rename(target)
        return
    try:
        os.link(temporary, target)  # not Path.hardlink_to, for the same reason
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links (FAT, some shares): look, then take.
        if target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        _put_in_place(temporary, target)


def _mode_of(target: Path) -> int | None:
    """Mode of the file that is replaced; None for a new one, which the process's mask decides on."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError
    if not stat.S_ISREG(status.st_mode):
        raise InputError("special_file", str(target))
    if not os.access(target, os.W_OK):
        # Replacing needs only the folder to be writable; a file made read-only was meant to stay.
        raise PermissionError(13, os.strerror(13))
    return stat.S_IMODE(status.st_mode)


def _new_file_beside(target: Path) -> tuple[Path, int]:
    """A new empty file in the same folder, open for writing; same folder, so that replacing is atomic."""
    binary = getattr(os, "O_BINARY", 0)
    temporary = target.with_name(f".{target.name[:50]}.{os.getpid()}-{os.urandom(6).hex()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | binary, _NEW_FILE_MODE)
    return temporary, descriptor


def _sync_folder(folder: Path) -> None:
    """Make the new name itself durable, where the system can (Windows cannot open a folder)."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _failure(error: OSError | ValueError, path: Path) -> InputError:
    if isinstance(error, IsADirectoryError):
        return InputError("is_folder", str(path))
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return InputError("folder_missing", str(path))
    number = error.errno if isinstance(error, OSError) else None
    return InputError("not_writable", str(path), reason=os.strerror(number) if number else None)
