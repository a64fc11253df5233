"""One lock for Linux, macOS and Windows: two set-ups or two text merges at once wait for each other."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path
from typing import IO, Iterator

# Windows locks bytes, and locked bytes cannot be read by others: lock one far beyond the end.
_FAR_AWAY = 1 << 40


@contextlib.contextmanager
def locked(path: Path) -> Iterator[IO[bytes]]:
    """Open an existing file for reading and writing and hold an exclusive lock on it.

    The file is the lock, so that no lock file is left behind; it must be rewritten in place.
    """
    with path.open("r+b") as file:
        _acquire(file)
        try:
            yield file
        finally:
            file.flush()
            _release(file)


if sys.platform == "win32":
    import msvcrt

    def _acquire(file: IO[bytes]) -> None:
        while True:
            file.seek(_FAR_AWAY)
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            except OSError:
                time.sleep(0.1)
            else:
                file.seek(0)
                return

    def _release(file: IO[bytes]) -> None:
        file.seek(_FAR_AWAY)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _acquire(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)

    def _release(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
