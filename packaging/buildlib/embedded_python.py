"""CPython's embeddable edition for Windows, given as a file: nothing is downloaded unasked."""

from __future__ import annotations

import re
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

from buildlib import contents_windows, pe, tree
from buildlib.errors import BuildError


@dataclass(frozen=True)
class EmbeddedPython:
    """Where it was unpacked, and its version, e.g. 3.13.2."""

    folder: Path
    version: str

    @property
    def minor(self) -> str:
        """3.13"""
        return self.version.rsplit(".", 1)[0]

    @property
    def tag(self) -> str:
        """313, as in the names of its files."""
        return self.minor.replace(".", "")

    @property
    def library(self) -> Path:
        return self.folder / f"python{self.tag}.dll"

    @property
    def modules(self) -> Path:
        return self.folder / f"python{self.tag}.zip"


def unpack(archive: Path, sha256: str, folder: Path) -> EmbeddedPython:
    """Unpack the file that python.org calls python-3.x.y-embed-amd64.zip, if it is the one with this checksum."""
    if not archive.is_file():
        raise BuildError(f"There is no file {archive}. It is “Windows embeddable package (64-bit)” of python.org.")
    found = tree.sha256(archive)
    if found != sha256.lower():
        raise BuildError(f"{archive} is not the file that was meant: its SHA-256 is {found}, not {sha256}")
    shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)
    libraries = [path for path in folder.glob("python3*.dll") if re.fullmatch(r"python3\d+", path.stem)]
    if len(libraries) != 1 or not pe.is_64_bit(libraries[0]):
        raise BuildError(f"{archive} is not Python's embeddable package for 64-bit Windows")
    python = EmbeddedPython(folder, _product_version(libraries[0]))
    if not python.modules.is_file() or not (folder / "LICENSE.txt").is_file():
        raise BuildError(f"{archive} lacks Python's own library or its licence")
    return python


def _product_version(library: Path) -> str:
    """The version that the file properties show."""
    key = "ProductVersion\0".encode("utf-16-le")
    data = library.read_bytes()
    at = data.find(key)
    value = data[at + len(key) : at + len(key) + 64].decode("utf-16-le", errors="replace") if at >= 0 else ""
    found = re.match(r"\0*(3\.\d+\.\d+)", value)
    if found is None:
        raise BuildError(f"{library.name} does not say which version it is")
    return found.group(1)


def copy_modules(python: EmbeddedPython, target: Path, date: tuple[int, int, int, int, int, int]) -> None:
    """Python's own library without what stays out; stored, because the installer packs it better as a whole."""
    with zipfile.ZipFile(python.modules) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as packed:
        for name in sorted(source.namelist()):
            if name.endswith(".pyc") and contents_windows.reason_to_drop(name) is None:
                packed.writestr(zipfile.ZipInfo(name, date), source.read(name))
