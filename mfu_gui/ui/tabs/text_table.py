"""TextTable: what the tables of the tabs have in common, whether their rows can be opened or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetrics,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTreeView, QWidget

from mfu_gui.ui import fonts, tips
from mfu_gui.ui.copying import copy_rows
from mfu_gui.ui.services import Services

SWATCH = 10
_MOST_ADVANCES = 2000
Index = QModelIndex | QPersistentModelIndex


class TextTable(QTreeView):
    """Rows of texts in columns that fit them, with tips, that are copied with all digits."""

    def __init__(self, services: Services, optional: tuple[int, ...] = (), parent: QWidget | None = None, *,
                 least: int = 0) -> None:
        """``optional``: columns that may be missing in a narrow window; ``least``: width to which the first column
        may shrink before the table is scrolled sideways, 0 for what it needs."""
        super().__init__(parent)
        self.services = services
        self.optional = optional
        self._least = least
        self._take_fonts()
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setIconSize(QSize(SWATCH, SWATCH))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setFrameShape(self.Shape.NoFrame)
        # It paints its ground itself: without this, Qt paints that of the seven widgets beneath it for each new number.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionsMovable(False)
        header.setHighlightSections(False)
        header.setMinimumSectionSize(30)
        services.language.changed.connect(self._take_fonts)

    def _take_fonts(self) -> None:
        self._metrics = {False: QFontMetrics(fonts.font()), True: QFontMetrics(fonts.bold())}
        self._advances: dict[tuple[bool, str], int] = {}

    def _advance(self, bold: bool, text: str) -> int:
        """Width of a text, measured once: most cells are the same after a key press."""
        known = self._advances.get((bold, text))
        if known is None:
            if len(self._advances) > _MOST_ADVANCES:
                self._advances.clear()
            known = self._advances[(bold, text)] = self._metrics[bold].horizontalAdvance(text)
        return known

    # What each kind of table says itself

    def _widths(self) -> list[int]:
        """What each column needs, in pixels."""
        raise NotImplementedError

    def tip_at(self, index: Index) -> str:
        """What to tell about a cell."""
        raise NotImplementedError

    def rows_for_copying(self) -> list[list[str]]:
        """Heads and rows with all digits."""
        raise NotImplementedError

    def copy_selected(self) -> None:
        """Copy what is selected; the whole table where nothing is."""
        raise NotImplementedError

    # Columns

    def fit_columns(self) -> None:
        """Columns as wide as their content.  Optional ones go, the last named first, where there is no room;
        the first column takes what is left."""
        header = self.header()
        widths = self._widths()
        if not widths:
            return
        room = self.viewport().width()
        hidden: set[int] = set()
        first = min(widths[0], self._least) if self._least else widths[0]
        for column in reversed(self.optional):
            if first + sum(width for c, width in enumerate(widths) if c and c not in hidden) <= room:
                break
            hidden.add(column)
        widths[0] = max(first, room - sum(width for c, width in enumerate(widths) if c and c not in hidden))
        changed = False
        # Told by the header, the view would paint all of itself once more after it was painted.
        header.blockSignals(True)
        for column, width in enumerate(widths):
            if header.isSectionHidden(column) is not (column in hidden):
                header.setSectionHidden(column, column in hidden)
                changed = True
            if column not in hidden and header.sectionSize(column) != width:
                header.resizeSection(column, width)
                changed = True
        header.blockSignals(False)
        if changed:
            self.updateGeometries()
            self.viewport().update()
        # Rows that Qt lays out only when they are painted ask to be painted a second time.
        self.executeDelayedItemsLayout()

    def needed_width(self) -> int:
        """Width at which all columns have room."""
        return sum(self._widths()) + 14

    def paintEvent(self, event: QPaintEvent) -> None:
        ground = QPainter(self.viewport())
        ground.fillRect(event.rect(), self.services.theme.color("surface"))
        ground.end()
        current, chosen = self.currentIndex(), self.selectionModel()
        if not self.hasFocus() or not current.isValid():
            super().paintEvent(event)
            self._cover_cut_row()
            return
        # The style would lay a shaded veil over the row and its words; without a current row it leaves it flat.
        chosen.blockSignals(True)
        chosen.clearCurrentIndex()
        super().paintEvent(event)
        chosen.setCurrentIndex(current, QItemSelectionModel.SelectionFlag.NoUpdate)
        chosen.blockSignals(False)
        self._ring_row(current)
        self._cover_cut_row()

    def cut_row(self) -> QRect:
        """Where the row is that the lower edge cuts; empty where none is, or where hardly any other would be left."""
        height = self.viewport().height()
        index = self.indexAt(QPoint(1, height - 1))
        place = self.visualRect(index) if index.isValid() else QRect()
        return place if place.bottom() > height + 1 and place.top() > 2 * place.height() else QRect()

    def _cover_cut_row(self) -> None:
        """Half a line of words is no use: the bar tells that there is more."""
        place = self.cut_row()
        if not place.isEmpty():
            painter = QPainter(self.viewport())
            painter.fillRect(0, place.top(), self.viewport().width(), place.height(),
                             self.services.theme.color("surface"))

    def _ring_row(self, current: Index) -> None:
        """Frame the row that the keys act on."""
        row = self.visualRect(current)
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.services.theme.color("accent"), 1.5))
        painter.drawRoundedRect(QRectF(0.75, row.top() + 0.75, self.viewport().width() - 1.5, row.height() - 2.5), 3, 3)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()

    # Looking and copying

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            tips.show(event.globalPos(), self.tip_at(self.indexAt(event.pos())), self)
            return True
        return super().viewportEvent(event)

    def _exact(self, values: Sequence[Any]) -> list[str]:
        """Words as they are, numbers with all digits."""
        exact = self.services.language.numbers.exact
        return [value if isinstance(value, str) else exact(value) for value in values]

    def copy_table(self) -> None:
        """The whole table with all digits, as text and as HTML."""
        copy_rows(self.rows_for_copying())
        self.services.announcer.say(self.services.language.tr("Copied the table"))

    def copy_cells(self, rows: Sequence[Sequence[str]]) -> None:
        """These rows as text; there is at least one."""
        QGuiApplication.clipboard().setText("\n".join("\t".join(row) for row in rows))
        self.services.announcer.say(self.services.language.tr("Copied {text}", text=rows[0][0]))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_selected()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._fill_menu(menu)
        menu.popup(event.globalPos())

    def _fill_menu(self, menu: QMenu) -> None:
        tr = self.services.language.tr
        menu.addAction(tr("Copy row"), self.copy_selected)
        menu.addAction(tr("Copy table"), self.copy_table)
