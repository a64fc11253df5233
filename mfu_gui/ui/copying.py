"""Tables on the clipboard: as tab-separated text for spreadsheets and as HTML for documents."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication

_NOT_IN_A_CELL = str.maketrans({"\t": " ", "\n": " ", "\r": " "})


def rows_as_text(rows: Sequence[Sequence[str]]) -> str:
    """Rows of tab-separated cells."""
    return "\n".join("\t".join(cell.translate(_NOT_IN_A_CELL) for cell in row) for row in rows) + "\n"


def rows_as_html(rows: Sequence[Sequence[str]]) -> str:
    """A table whose first row is its head.  Cells are escaped: a name may hold what looks like HTML."""
    head, *rest = rows
    lines = ["<table>", "<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rest]
    return "\n".join([*lines, "</table>"])


def copy_rows(rows: Sequence[Sequence[str]]) -> None:
    """Put a table on the clipboard."""
    data = QMimeData()
    data.setText(rows_as_text(rows))
    data.setHtml(rows_as_html(rows))
    QGuiApplication.clipboard().setMimeData(data)
