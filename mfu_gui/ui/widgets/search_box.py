"""SearchBox: a preset is chosen by typing a part of its name, vendor, id or alias."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCompleter,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionFrame,
    QStyleOptionViewItem,
    QWidget,
)

from mfu_gui.ui import fonts, tips
from mfu_gui.ui.theme import SMALL, Theme
from mfu_gui.ui.widgets.choice_box import paint_chevron

Index = QModelIndex | QPersistentModelIndex
ROW_HEIGHT = 26
MOST_ROWS = 12
LEAST_WIDTH, MOST_WIDTH = 420, 620
_AROUND = 16 + 12 + 12 + 16
"""Beside the texts of a row: its margins, what is between them, the scroll bar, and the frame."""
_ARROW_SPACE = 24


class Item(NamedTuple):
    """What can be chosen: its id, its name, and a remark that tells it from its neighbours."""

    id: str
    name: str
    note: str = ""


class _Items(QAbstractListModel):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.items: Sequence[Item] = ()

    def show(self, items: Sequence[Item]) -> None:
        self.beginResetModel()
        self.items = items
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt declares it
        return 0 if parent.isValid() else len(self.items)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        item = self.items[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return item.name
        if role == Qt.ItemDataRole.UserRole:
            return item
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{item.name}, {item.note}" if item.note else item.name
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) if self.items[index.row()].id else Qt.ItemFlag.NoItemFlags


class _Rows(QStyledItemDelegate):
    """Name at the left, remark at the right."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._small = fonts.font(SMALL)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        item: Item = index.data(Qt.ItemDataRole.UserRole)
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, self._theme.color("accent_soft"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, self._theme.color("hover"))
        inner = rect.adjusted(8, 0, -8, 0)
        painter.setPen(self._theme.color("text" if item.id else "muted"))
        painter.setFont(fonts.font())
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, item.name)
        left = QFontMetrics(fonts.font()).horizontalAdvance(item.name) + 12
        painter.setFont(self._small)
        painter.setPen(self._theme.color("muted"))
        note = QFontMetrics(self._small).elidedText(item.note, Qt.TextElideMode.ElideRight, inner.width() - left)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, note)


class SearchBox(QLineEdit):
    """Shows the chosen item's name; typing looks for others through ``find``.

    ``chosen(id)`` is emitted when the user picks one.  Leaving without a choice shows the old name again.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, find: Callable[[str], Sequence[Item]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._find = find
        self._shown = ""
        self.nothing = ""
        """What the list says when nothing fits; without it there is no list then."""
        self._items = _Items(self)
        self._list: QListView | None = None
        self._completer: QCompleter | None = None
        self.setTextMargins(0, 0, 18, 0)
        self.textEdited.connect(self.open_list)
        theme.changed.connect(self.update)

    def _build(self) -> tuple[QCompleter, QListView]:
        """The list and what puts it under the box, built when it is first opened."""
        if self._completer is None or self._list is None:
            self._completer = completer = QCompleter(self)
            completer.setModel(self._items)
            completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
            completer.setMaxVisibleItems(MOST_ROWS)
            completer.setWidget(self)
            self._list = QListView()
            self._list.setProperty("role", "popup")
            self._list.setUniformItemSizes(True)
            completer.setPopup(self._list)
            self._theme.dress(self._list)
            completer.activated[QModelIndex].connect(self._picked)  # type: ignore[index]
            self._list.setItemDelegate(_Rows(self._theme, self))  # setPopup sets one of its own
        return self._completer, self._list

    @property
    def is_open(self) -> bool:
        """Whether the list is shown."""
        return self._list is not None and self._list.isVisible()

    def _hide_list(self) -> None:
        if self._list is not None:
            self._list.hide()

    @property
    def items(self) -> Sequence[Item]:
        """What the list offers at this moment."""
        return [item for item in self._items.items if item.id]

    def look_for(self, text: str) -> Sequence[Item]:
        """What would be offered for a text, best first."""
        return self._find(text)

    def show_name(self, name: str) -> None:
        """Show what is chosen, unless somebody is typing."""
        self._shown = name
        if name != self.text() and not (self.hasFocus() and self.isModified()):
            self.setText(name)
            self.setCursorPosition(0)

    def open_list(self, text: str = "") -> None:
        """Offer what fits ``text``, everything for no text."""
        nothing = [Item("", self.nothing)] if self.nothing else []
        self._items.show(list(self._find(text)) or nothing)
        completer, popup = self._build()
        if not self._items.items:
            popup.hide()
            return
        rect = QRect(self.rect())
        rect.setWidth(max(self.width(), self._list_width()))
        completer.complete(rect)
        self._give_room(popup)
        present = next((row for row, item in enumerate(self._items.items) if not text and item.name == self._shown), 0)
        popup.setCurrentIndex(self._items.index(present))

    def _list_width(self) -> int:
        """Room for the longest name beside its remark, within bounds."""
        name, note = QFontMetrics(fonts.font()), QFontMetrics(fonts.font(SMALL))
        longest = max(name.horizontalAdvance(item.name) + note.horizontalAdvance(item.note)
                      for item in self._items.items)
        return min(max(longest + _AROUND, LEAST_WIDTH), MOST_WIDTH)

    def _give_room(self, popup: QListView) -> None:
        """All rows in sight where there are few: the completer does not know of the list's own margins."""
        rows = min(len(self._items.items), MOST_ROWS)
        missing = rows * ROW_HEIGHT - popup.viewport().height()
        if 0 < missing < ROW_HEIGHT:
            place = popup.geometry()
            above = place.top() < self.mapToGlobal(self.rect().topLeft()).y()
            popup.setGeometry(place.adjusted(0, -missing, 0, 0) if above else place.adjusted(0, 0, 0, missing))

    def take_first(self) -> None:
        """Choose the best match of what was typed."""
        index = self._list.currentIndex() if self._list is not None and self.is_open else QModelIndex()
        if not index.isValid() and self.isModified():
            self._items.show(self._find(self.text()))
            index = self._items.index(0)
        if index.isValid() and index.row() < len(self._items.items):
            self._picked(index)

    def _picked(self, index: QModelIndex) -> None:
        item = self._items.items[index.row()] if index.row() < len(self._items.items) else None
        self._hide_list()
        if item is not None and item.id:
            self._shown = item.name
            # The completer writes the name after this signal; a text that counts as typed would look for it.
            QTimer.singleShot(0, self, self._settle)
            self._settle()
            self.chosen.emit(item.id)

    def _settle(self) -> None:
        self.setText(self._shown)
        self.setModified(False)
        self.setCursorPosition(0)
        if self.hasFocus():
            self.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.take_first()
        elif key == Qt.Key.Key_Escape and (self.is_open or self.isModified()):
            self._hide_list()
            self._settle()
        elif key == Qt.Key.Key_Down and not self.is_open:
            self.open_list(self.text() if self.isModified() else "")
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.is_open:
            self.selectAll()
            self.open_list(self.text() if self.isModified() else "")

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason and not self.is_open:
            self._settle()

    @property
    def is_elided(self) -> bool:
        """Whether the name does not fit; it is then the first line of the tooltip."""
        return self.fontMetrics().horizontalAdvance(self.text()) > self._text_rect().width()

    def _text_rect(self) -> QRect:
        return self.rect().adjusted(10, 0, -_ARROW_SPACE, 0)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and self.is_elided:
            tips.show(self.mapToGlobal(self.rect().bottomLeft()), f"{self.text()}\n{self.toolTip()}", self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.hasFocus() or not self.is_elided:
            super().paintEvent(event)
            painter = QPainter(self)
        else:
            painter = QPainter(self)
            option = QStyleOptionFrame()
            self.initStyleOption(option)
            self.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, option, painter, self)
            painter.setPen(self._theme.color("text"))
            rect = self._text_rect()
            text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, rect.width())
            painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, text)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_chevron(painter, self._theme, self.width() - 13, self.height() / 2)
