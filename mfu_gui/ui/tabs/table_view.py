"""TableView: the tree view that all tables of the tabs use."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from mfu_gui.ui import fonts
from mfu_gui.ui.copying import copy_rows
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.table_model import TableModel

_SWATCH = 10


class _Delegate(QStyledItemDelegate):
    """Shows the colour of a row as a small square."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        if isinstance(index.data(Qt.ItemDataRole.DecorationRole), QColor):
            option.decorationSize = QSize(_SWATCH, _SWATCH)


class TableView(QTreeView):
    """Rows that can be sorted out by eye, read by a screen reader and copied as a table."""

    def __init__(self, services: Services, model: TableModel, optional: tuple[int, ...] = (),
                 parent: QWidget | None = None) -> None:
        """``optional``: columns that may be missing in a narrow window."""
        super().__init__(parent)
        self.optional = optional
        self.services = services
        self.table = model
        self.setModel(model)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setItemDelegate(_Delegate(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setFrameShape(self.Shape.NoFrame)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
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
        self.viewport().update()

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
        header = self.header()
        return [max(self.sizeHintForColumn(c), header.sectionSizeFromContents(c).width()) + 2
                for c in range(self.table.columnCount())]

    def needed_width(self) -> int:
        """Width at which all columns have room."""
        return sum(self._widths()) + 14

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()

    def copy_table(self) -> None:
        """The whole table with all digits, as text and as HTML."""
        copy_rows(self.table.table())
        self.services.announcer.say(self.services.language.tr("Copied the table"))

    def copy_selected(self) -> None:
        """The selected row; without one, the whole table."""
        index = self.currentIndex()
        if not index.isValid() or not self.selectionModel().hasSelection():
            self.copy_table()
            return
        cells = self.table.rows[index.row()].exact
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
