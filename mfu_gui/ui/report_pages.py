"""Lays a report out on pages: texts, tables and charts from the top down, in points of 1/72 inch."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QTextLayout, QTextOption

from mfu_gui.formats.reports import colors as c
from mfu_gui.formats.reports.chart_drawing import drawn
from mfu_gui.formats.reports.document import (
    BarChart,
    Block,
    Headline,
    HyperbolaChart,
    Paragraph,
    Report,
    Section,
    Style,
    Table,
    written,
)
from mfu_gui.formats.reports.drawing import Drawing
from mfu_gui.texts import Translator
from mfu_gui.ui import fonts
from mfu_gui.ui.report_drawing import paint_drawing
from mfu_gui.ui.report_table import FIRST_ROWS, TableLayout

MARGIN = 46.0
FOOT = 34.0
HEADING_ROOM = 34.0
LEAST_GAP = 10.0
"""Between the numbers beside the one that matters."""
TEXT, SMALL, TITLE, HEADING, MAIN, METRIC = 9.0, 8.0, 20.0, 12.0, 34.0, 13.0
BACKGROUNDS: dict[Style, tuple[str, str] | None] = {
    "plain": None, "muted": None, "formula": (c.SOFT, c.TEXT), "remark": (c.WARNING_SOFT, c.WARNING),
    "serious": (c.ERROR_SOFT, c.ERROR),
}
LATIN = ("Noto Sans", "Open Sans", "Source Sans 3", "Segoe UI", "Helvetica Neue", "Arial", "Liberation Sans")
Paint = Callable[[QPainter], None]


class Piece(NamedTuple):
    """A text that has been broken into lines: how high it is, and what paints it at a place in points."""

    height: float
    width: float
    paint: Callable[[QPainter, float, float], None]


class Pages:
    """The pages of one document.  ``scale`` is device units per point."""

    def __init__(self, width: float, height: float, scale: float, tr: Translator) -> None:
        self.width, self.height, self.scale = width, height, scale
        self.left = MARGIN
        self.tr = tr
        # Chinese fonts set quotation marks and × as wide as a character, which English is not written with.
        self._families = fonts.families() if tr.language == "zh" else (*LATIN, *fonts.families())
        self._stamp = self._title = ""
        self._pages: list[list[Paint]] = [[]]
        self.y = MARGIN
        self.characters: set[str] = set()
        """All that texts were laid out of; those of drawings stand in the report."""

    @property
    def count(self) -> int:
        return len(self._pages)

    @property
    def room(self) -> float:
        """Width between the margins."""
        return self.width - 2 * MARGIN

    # Building

    def add(self, report: Report) -> None:
        """Lay the whole report out."""
        self._stamp, self._title = report.stamp, report.title
        self._text(report.kind, SMALL + 1, c.ACCENT, bold=True)
        self._text(report.title, TITLE, c.TEXT, bold=True)
        self.y += 10
        for section in report.sections:
            self._section(section)

    def _section(self, section: Section) -> None:
        if section.title:
            self.y += 14
            self.need(HEADING_ROOM + self._least(section.blocks[0]))
            self._text(section.title, HEADING, c.TEXT, bold=True)
            y = self.y + 1
            self.draw(lambda painter: self.line(painter, MARGIN, y, self.width - MARGIN, y, c.LINE, 0.8))
            self.y += 7
        for block in section.blocks:
            self._block(block)

    def _least(self, block: Block) -> float:
        """Room that a heading must have below itself, so that it does not stand alone."""
        if isinstance(block, HyperbolaChart | BarChart):
            drawing = drawn(block)
            return drawing.height * self.room / drawing.width
        return FIRST_ROWS + 30.0 if isinstance(block, Table) else FIRST_ROWS

    def _block(self, block: Block) -> None:
        if isinstance(block, Paragraph):
            self._paragraph(block)
        elif isinstance(block, Headline):
            self._headline(block)
        elif isinstance(block, Table):
            TableLayout(self, block).add()
            self.y += 6
        else:
            self._chart(drawn(block))

    def _paragraph(self, block: Paragraph) -> None:
        ground = BACKGROUNDS[block.style]
        color = c.MUTED if block.style == "muted" else c.TEXT if ground is None else ground[1]
        inset = 0.0 if ground is None else 8.0
        piece = self.piece(block.text, TEXT, color, self.room - 2 * inset)
        padding = 0.0 if ground is None else 5.0
        self.need(piece.height + 2 * padding)
        y = self.y
        if ground is not None:
            box = (MARGIN, y, self.room, piece.height + 2 * padding)
            self.draw(lambda painter: self.box(painter, *box, ground[0], 3.0))
        self.draw(lambda painter: piece.paint(painter, MARGIN + inset, y + padding))
        self.y += piece.height + 2 * padding + 5

    def _text(self, text: str, size: float, color: str, *, bold: bool = False) -> None:
        piece = self.piece(text, size, color, self.room, bold=bold)
        self.need(piece.height)
        y = self.y
        self.draw(lambda painter: piece.paint(painter, MARGIN, y))
        self.y += piece.height

    def _headline(self, block: Headline) -> None:
        main = self._metric(block.main.caption, written(block.main.cell, self.tr), MAIN, c.ACCENT)
        others = [self._metric(metric.caption, written(metric.cell, self.tr), METRIC, c.TEXT)
                  for metric in block.others]
        height = main[0].height + main[1].height
        y, x = self.y, MARGIN
        self._paint_metric(main, x, y + height)
        left = MARGIN + max(piece.width for piece in main) + 22
        gaps = max(len(others) - 1, 1)
        used = sum(max(piece.width for piece in pair) for pair in others)
        gap = (self.width - MARGIN - left - used) / gaps
        if gap < LEAST_GAP:  # a wide font, long numbers: below, where there is the whole width
            left = MARGIN
            gap = max((self.room - used) / gaps, LEAST_GAP)
            height += max((caption.height + value.height for caption, value in others), default=0.0) + 6
        x = left
        for pair in others:
            self._paint_metric(pair, x, y + height - 5)
            x += max(piece.width for piece in pair) + min(gap, 26.0)
        self.y += height + 4
        if block.sentence:
            self._text(block.sentence, TEXT + 1.5, c.TEXT)
        self.y += 4

    def _metric(self, caption: str, value: str, size: float, color: str) -> tuple[Piece, Piece]:
        return (self.piece(caption, SMALL, c.MUTED, self.room),
                self.piece(value, size, color, self.room, bold=True))

    def _paint_metric(self, pair: tuple[Piece, Piece], x: float, bottom: float) -> None:
        caption, value = pair

        def paint(painter: QPainter) -> None:
            value.paint(painter, x, bottom - value.height)
            caption.paint(painter, x, bottom - value.height - caption.height)

        self.draw(paint)

    def _chart(self, drawing: Drawing) -> None:
        ratio = self.room / drawing.width
        self.need(drawing.height * ratio)
        y = self.y
        self.draw(lambda painter: paint_drawing(painter, drawing, MARGIN * self.scale, y * self.scale,
                                                ratio * self.scale, self.font))
        self.y += drawing.height * ratio + 8

    def need(self, height: float) -> bool:
        """Go to the next page unless there is that much room; whether it was turned."""
        if self.y + height <= self.height - MARGIN - FOOT / 2 or self.y <= MARGIN:
            return False
        self._pages.append([])
        self.y = MARGIN
        return True

    def draw(self, paint: Paint) -> None:
        """Put something on the present page."""
        self._pages[-1].append(paint)

    def font(self, size: float, *, bold: bool = False) -> QFont:
        """The font of the report at a size in points of the page."""
        # Without features, such as figures of equal width (which these fonts have anyway): a PDF could not
        # say which character a glyph stands for that only a feature leads to.  Noto Sans CJK has other digits
        # beside Latin letters ("locl").
        font = QFont(list(self._families))
        font.setPixelSize(max(round(size * self.scale), 1))
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        font.setFeature(QFont.Tag("locl"), 0)
        return font

    def piece(self, text: str, size: float, color: str, width: float, *, bold: bool = False, right: bool = False,
              ) -> Piece:
        """``text`` broken into lines of at most ``width`` points."""
        self.characters.update(text)
        layout = QTextLayout(text.replace("\n", "\u2028"), self.font(size, bold=bold))
        option = QTextOption(Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        y = widest = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width * self.scale)
            line.setPosition(QPointF(0, y))
            y += line.height()
            widest = max(widest, line.naturalTextWidth())
        layout.endLayout()

        def paint(painter: QPainter, x: float, top: float) -> None:
            painter.setPen(QColor(color))
            layout.draw(painter, QPointF(x * self.scale, top * self.scale))

        return Piece(y / self.scale, widest / self.scale, paint)

    def box(self, painter: QPainter, x: float, y: float, width: float, height: float, color: str,
            radius: float = 0.0) -> None:
        """A filled rectangle."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(color))
        k = self.scale
        painter.drawRoundedRect(QRectF(x * k, y * k, width * k, height * k), radius * k, radius * k)

    def line(self, painter: QPainter, x1: float, y1: float, x2: float, y2: float, color: str, width: float) -> None:
        """A straight line."""
        k = self.scale
        pen = painter.pen()
        pen.setStyle(Qt.PenStyle.SolidLine)
        pen.setColor(QColor(color))
        pen.setWidthF(width * k)
        painter.setPen(pen)
        painter.drawLine(QPointF(x1 * k, y1 * k), QPointF(x2 * k, y2 * k))

    # Painting

    def paint(self, painter: QPainter, number: int) -> None:
        """Paint page ``number``, from 0."""
        for paint in self._pages[number]:
            paint(painter)
        place = self.tr("Page {n:integer} of {count:integer}", n=number + 1, count=self.count)
        y = self.height - FOOT
        self.line(painter, MARGIN, y - 5, self.width - MARGIN, y - 5, c.LINE, 0.6)
        self.piece(self._stamp, SMALL, c.MUTED, self.room).paint(painter, MARGIN, y)
        page = self.piece(place, SMALL, c.MUTED, self.room, right=True)
        page.paint(painter, MARGIN, y)
