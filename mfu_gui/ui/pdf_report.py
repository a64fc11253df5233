"""A report on pages: as a PDF file, or on a printer.  Vector graphics, fonts embedded.

Works without a window: a ``QGuiApplication`` on any platform, ``offscreen`` included, is enough.
"""

from __future__ import annotations

import re
from typing import Literal

from PySide6.QtCore import QBuffer, QHashSeed, QIODevice, QMarginsF, QUuid
from PySide6.QtGui import (
    QFontDatabase,
    QGuiApplication,
    QPagedPaintDevice,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
)

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.reports.document import Report
from mfu_gui.texts import Translator
from mfu_gui.ui import fonts
from mfu_gui.ui.pdf_text import with_characters_meant
from mfu_gui.ui.report_pages import Pages

Paper = Literal["a4", "letter"]
PAPERS: dict[Paper, QPageSize.PageSizeId] = {"a4": QPageSize.PageSizeId.A4, "letter": QPageSize.PageSizeId.Letter}
RESOLUTION = 1200
_NAMESPACE = QUuid("{6f2c2f0c-51ce-4d7e-9c3f-3f4b5b7c1b1e}")
_CHINESE = re.compile("[⺀-鿿豈-﫿︰-﹏\U00020000-\U0003ffff]")
_DATES = re.compile(rb"(?<=Date \(D:)\d{14}|(?<=Date=\")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


def start_without_window() -> QGuiApplication:
    """The Qt application that fonts and painting need; no window, no screen."""
    import sys

    present = QGuiApplication.instance()
    if isinstance(present, QGuiApplication):
        return present
    platform = ["-platform", "offscreen"] if sys.platform.startswith("linux") else []
    # Fonts stand in the file in the order of a hash table: without chance in it, equal reports are equal files.
    QHashSeed.setDeterministicGlobalSeed()
    app = QGuiApplication([sys.argv[0] if sys.argv else "mfu-gui", *platform])
    fonts.load_bundled()
    return app


def pdf(report: Report, tr: Translator, paper: Paper = "a4") -> bytes:
    """The bytes of the PDF; InputError ``no_chinese_font`` where its text could not be shown."""
    check_fonts(report)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(RESOLUTION)
    writer.setPageSize(QPageSize(PAPERS[paper]))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setTitle(report.title)
    writer.setCreator(report.stamp)
    writer.setDocumentId(QUuid.createUuidV5(_NAMESPACE, f"{report.title}\n{report.stamp}".encode()))
    pages = paint(report, tr, writer)
    text = repr(report) + "".join(sorted(pages.characters))
    return with_characters_meant(_dated(bytes(buffer.data().data()), report.date), text)


def paint(report: Report, tr: Translator, device: QPagedPaintDevice) -> Pages:
    """Paint all pages; InputError ``not_printed`` where the device refuses."""
    layout: QPageLayout = device.pageLayout()
    size = layout.fullRect(QPageLayout.Unit.Point).size()
    pages = Pages(size.width(), size.height(), device.logicalDpiX() / 72, tr)
    pages.add(report)
    painter = QPainter(device)
    if not painter.isActive():
        raise InputError("not_printed", "")
    # A printer has margins of its own; the pages have theirs from the edge of the paper.
    left_top = layout.paintRect(QPageLayout.Unit.Point).topLeft()
    scale = device.logicalDpiX() / 72
    for number in range(pages.count):
        if number:
            device.newPage()
        painter.save()
        painter.translate(-left_top.x() * scale, -left_top.y() * scale)
        pages.paint(painter, number)
        painter.restore()
    painter.end()
    return pages


def check_fonts(report: Report) -> None:
    """InputError ``no_chinese_font`` when there is Chinese text and nothing to write it with."""
    if _CHINESE.search(repr(report)) is None:
        return
    if not QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese):
        raise InputError("no_chinese_font", "")


def _dated(data: bytes, date: str) -> bytes:
    """The document with the report's date as that of its making, so that equal reports are equal files."""
    digits = date.replace("-", "").encode()

    def replaced(match: re.Match[bytes]) -> bytes:
        return digits + b"000000" if match[0].isdigit() else f"{date}T00:00:00".encode()

    return _DATES.sub(replaced, data)

