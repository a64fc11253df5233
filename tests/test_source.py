"""How the source is laid out: a file that grows beyond what is read in one go is two ideas."""

from __future__ import annotations

from pathlib import Path

import mfu_gui

MOST_LINES = 400


def test_no_file_is_longer_than_is_read_in_one_go() -> None:
    folder = Path(mfu_gui.__file__).parent
    lines = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8").count("\n")
             for path in folder.rglob("*.py")}
    assert len(lines) > 400
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_layouts_are_emptied_in_one_way() -> None:
    """Nobody deletes an item that ``takeAt`` hands to Python: emptied.py knows a way that leaves nothing."""
    folder = Path(mfu_gui.__file__).parent
    assert [path.name for path in folder.rglob("*.py") if ".takeAt(" in path.read_text(encoding="utf-8")] == []
