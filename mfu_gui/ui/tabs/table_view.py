"""TableView: the view that all tables of the tabs use."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetrics,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QMenu, QToolTip, QTreeView, QWidget

from mfu_gui.ui import fonts
from mfu_gui.ui.copying import copy_rows
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.table_model import Cells, TableModel

SWATCH = 10
_PADDING = 14


class TableView(QTreeView):
    """Rows that can be read by eye and by a screen reader, and copied as a table."""

    def __init__(self, services: Services, model: TableModel, optional: tuple[int, ...] = (),
                 parent: QWidget | None = None) -> None:
        """``optional``: columns that may be missing in a narrow window."""
        super().__init__(parent)
        self.services = services
        self.table = model
        self.optional = optional
        self._metrics = {False: QFontMetrics(fonts.font()), True: QFontMetrics(fonts.bold())}
        self.setModel(model)
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setIconSize(QSize(SWATCH, SWATCH))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setFrameShape(self.Shape.NoFrame)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionsMovable(False)
        header.setHighlightSections(False)
        header.setMinimumSectionSize(30)
        services.theme.changed.connect(self.restyle)
        self.restyle()

    def restyle(self) -> None:
        """Take the colours in force."""
        self.table.set_look(self.services.theme.color("muted"), fonts.bold())

    def show_rows(self, rows: list[Cells]) -> None:
        """Show other rows, with columns that fit them."""
        self.table.show_rows(rows)
        self.fit_columns()

    def fit_columns(self) -> None:
        """Columns as wide as their content.  Optional ones go, the last named first, where there is no room;
        the first column takes what is left."""
        header = self.header()
        widths = self._widths()
        if not widths:
            return
        room = self.viewport().width()
        hidden: set[int] = set()
        for column in reversed(self.optional):
            if sum(width for c, width in enumerate(widths) if c not in hidden) <= room:
                break
            hidden.add(column)
        shown = [c for c in range(len(widths)) if c not in hidden]
        widths[0] = max(widths[0], room - sum(widths[c] for c in shown[1:]))
        for column, width in enumerate(widths):
            if header.isSectionHidden(column) is not (column in hidden):
                header.setSectionHidden(column, column in hidden)
            if column not in hidden and header.sectionSize(column) != width:
                header.resizeSection(column, width)

    def _widths(self) -> list[int]:
        """What each column needs, measured here: asking the view for it lays out every cell."""
        widths = [self._metrics[False].horizontalAdvance(head) for head in self.table.heads]
        for row in self.table.rows:
            advance = self._metrics[row.bold].horizontalAdvance
            extra = SWATCH + 6 if row.swatch is not None else 0
            for column, text in enumerate(row.texts):
                width = advance(text) + (extra if column == 0 else 0)
                if width > widths[column]:
                    widths[column] = width
        return [width + _PADDING for width in widths]

    def needed_width(self) -> int:
        """Width at which all columns have room."""
        return sum(self._widths()) + 14

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self.indexAt(event.pos())
            tip = self.table.rows[index.row()].tip if index.isValid() else None
            QToolTip.showText(event.globalPos(), "" if tip is None else tip(), self)
            return True
        return super().viewportEvent(event)

    def rows_for_copying(self) -> list[list[str]]:
        """Heads and rows with all digits."""
        return [list(self.table.heads), *(self._exact(row) for row in self.table.rows)]

    def _exact(self, row: Cells) -> list[str]:
        exact = self.services.language.numbers.exact
        return [value if isinstance(value, str) else exact(value) for value in row.values]

    def copy_table(self) -> None:
        """The whole table with all digits, as text and as HTML."""
        copy_rows(self.rows_for_copying())
        self.services.announcer.say(self.services.language.tr("Copied the table"))

    def copy_selected(self) -> None:
        """The selected row; without one, the whole table."""
        index = self.currentIndex()
        if not index.isValid() or not self.selectionModel().hasSelection():
            self.copy_table()
            return
        cells = self._exact(self.table.rows[index.row()])
        QGuiApplication.clipboard().setText("\t".join(cells))
        self.services.announcer.say(self.services.language.tr("Copied {text}", text=cells[0]))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_selected()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        tr = self.services.language.tr
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Copy row"), self.copy_selected)
        menu.addAction(tr("Copy table"), self.copy_table)
        menu.popup(event.globalPos())
