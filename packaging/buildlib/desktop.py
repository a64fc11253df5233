"""What a Linux desktop must know of the program: menu entry, file type, description, icons, manual page."""

from __future__ import annotations

import gzip
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from buildlib import icons, notices
from buildlib.notices import Component

NAME = "MFU Calculator"


@dataclass(frozen=True)
class Product:
    """What is packed: the frozen program, the source it was made from, and how they are called."""

    program: Path
    source: Path
    python: Path
    app_id: str
    version: str
    date: int
    components: tuple[Component, ...]

    @property
    def linux(self) -> Path:
        return self.source / "packaging" / "linux"


    def notices(self, *extra: str) -> str:
        """The text of THIRD_PARTY_NOTICES.txt; `extra` are paragraphs about more works of others."""
        return notices.render(self.components, self.source / "packaging" / "licences", NAME, self.version, extra)


def place(product: Product, share: Path, exec_path: str = "mfu-gui") -> None:
    """Put everything under `share` (/usr/share, or the same below a user's own prefix)."""
    app_id, linux = product.app_id, product.linux
    entry = (linux / f"{app_id}.desktop").read_text(encoding="utf-8")
    entry = entry.replace("Exec=mfu-gui", f"Exec={exec_path}")
    write(share / "applications" / f"{app_id}.desktop", entry)
    mime = share / "mime" / "packages"
    mime.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(linux / f"{app_id}.mime.xml", mime / f"{app_id}.xml")
    day = date_text(product.date)
    description = (linux / f"{app_id}.metainfo.xml").read_text(encoding="utf-8")
    description = description.replace("@VERSION@", product.version).replace("@DATE@", day)
    write(share / "metainfo" / f"{app_id}.metainfo.xml", description)
    icons.place(product.python, product.source, share / "icons" / "hicolor", app_id)
    manual = (linux / "mfu-gui.1").read_text(encoding="utf-8")
    manual = manual.replace("@VERSION@", product.version).replace("@DATE@", day)
    pages = share / "man" / "man1"
    pages.mkdir(parents=True, exist_ok=True)
    (pages / "mfu-gui.1.gz").write_bytes(packed(manual))


def date_text(date: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(date))


def packed(text: str) -> bytes:
    """Compressed without the date and the name that gzip would add."""
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
