"""Makes a folder tree look the same wherever and whenever it was made."""

from __future__ import annotations

import hashlib
import os
import tarfile
from pathlib import Path

PACKAGE_SUFFIXES = (".deb", ".dmg", ".exe", ".run", ".xz", ".zip")


def settle(root: Path, date: int, executables: frozenset[str] = frozenset()) -> None:
    """Give everything below `root` the same rights and the date `date`.

    `executables` are paths relative to `root`; folders are 0755, other files 0644.
    """
    for path in sorted(root.rglob("*")):
        if not path.is_symlink():
            runs = path.is_dir() or path.relative_to(root).as_posix() in executables
            path.chmod(0o755 if runs else 0o644)
        os.utime(path, (date, date), follow_symlinks=False)
    root.chmod(0o755)
    os.utime(root, (date, date))


def tar(root: Path, name: str, target: Path, date: int) -> None:
    """Write an uncompressed archive of `root` that unpacks to a folder `name`; names sorted, owner root."""

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = "root"
        member.mtime = date
        return member

    with tarfile.open(target, "w", format=tarfile.GNU_FORMAT) as archive:
        archive.add(root, arcname=name, recursive=False, filter=plain)
        for path in sorted(root.rglob("*")):
            archive.add(path, arcname=f"{name}/{path.relative_to(root).as_posix()}", recursive=False, filter=plain)


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_sums(folder: Path) -> Path:
    """SHA256SUMS of the packages in a folder (not of pictures and records beside them), as `sha256sum -c` reads it."""
    sums = folder / "SHA256SUMS"
    packages = sorted(path for path in folder.iterdir() if path.is_file() and path.suffix in PACKAGE_SUFFIXES)
    sums.write_text("".join(f"{sha256(path)}  {path.name}\n" for path in packages), encoding="utf-8")
    return sums


def size(path: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(each.lstat().st_size for each in path.rglob("*") if not each.is_dir())
