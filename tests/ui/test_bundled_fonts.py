"""A bundle's own Chinese font is for systems that have none."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication

from mfu_gui.ui import fonts


@pytest.mark.parametrize(("installed", "loaded"), [([], ["a.otf", "b.ttf"]), (["Noto Sans CJK SC"], [])])
def test_loaded_only_where_needed(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: list[str], loaded: list[str]
) -> None:
    folder = tmp_path / "fonts"
    folder.mkdir()
    for name in ("b.ttf", "a.otf", "OFL.txt"):
        (folder / name).write_bytes(b"")
    added: list[str] = []
    monkeypatch.setattr(fonts, "resource_path", lambda name: tmp_path / name)
    monkeypatch.setattr(QFontDatabase, "families", lambda *_: installed)
    monkeypatch.setattr(QFontDatabase, "addApplicationFont", lambda path: added.append(Path(path).name))
    fonts.load_bundled()
    assert added == loaded
