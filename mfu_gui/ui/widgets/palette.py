"""Palette: a line to type in, and under it what fits; lies over the window until something is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from mfu_gui.ui import fonts
from mfu_gui.ui.finding import Entry
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import SMALL
from mfu_gui.ui.widgets.card import plain_label

Index = QModelIndex | QPersistentModelIndex
ROW_HEIGHT = 28
WIDTH, MOST_ROWS = 640, 14
_TOP, _KIND = 56, 84


class _Entries(QAbstractListModel):
    def __init__(self, services: Services, parent: QWidget) -> None:
        super().__init__(parent)
        self._services = services
        self.entries: Sequence[Entry] = ()

    def show(self, entries: Sequence[Entry]) -> None:
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt declares it
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.UserRole:
            return entry
        if role == Qt.ItemDataRole.AccessibleTextRole:
            kind = self._services.language.tr(entry.kind)
            return ", ".join(part for part in (entry.title, kind, entry.note) if part)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        enabled = index.row() < len(self.entries) and self.entries[index.row()].enabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable if enabled else Qt.ItemFlag.ItemIsSelectable


class _Rows(QStyledItemDelegate):
    """Kind, title, and at the right the keys or a remark."""

    def __init__(self, services: Services, parent: QWidget) -> None:
        super().__init__(parent)
        self._services = services
        self._small = fonts.font(SMALL)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry: Entry = index.data(Qt.ItemDataRole.UserRole)
        color, rect = self._services.theme.color, QRect(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, color("accent_soft"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, color("hover"))
        inner = rect.adjusted(12, 0, -12, 0)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(self._small)
        painter.setPen(color("muted"))
        small = QFontMetrics(self._small)
        kind = small.elidedText(self._services.language.tr(entry.kind), Qt.TextElideMode.ElideRight, _KIND - 8)
        painter.drawText(inner, middle, kind)
        body = inner.adjusted(_KIND, 0, 0, 0)
        metrics = QFontMetrics(fonts.font())
        title = metrics.elidedText(entry.title, Qt.TextElideMode.ElideRight, body.width())
        room = body.width() - metrics.horizontalAdvance(title) - 16
        note = small.elidedText(entry.note, Qt.TextElideMode.ElideRight, max(room, 0))
        painter.drawText(body, middle | Qt.AlignmentFlag.AlignRight, note)
        painter.setFont(fonts.font())
        painter.setPen(color("text" if entry.enabled else "muted"))
        painter.drawText(body, middle, title)


class Palette(QFrame):
    """A child that lies over its window: popups of their own kind take input methods away from the line."""

    def __init__(self, services: Services, window: QWidget) -> None:
        super().__init__(window)
        self._services = services
        self._search: Callable[[str], Sequence[Entry]] = lambda text: ()
        self._before: QWidget | None = None
        self.setObjectName("palette")
        self.setProperty("role", "palette")
        self.edit = QLineEdit()
        self.edit.setObjectName("palette.edit")
        self.edit.textChanged.connect(self._look)
        self.edit.installEventFilter(self)
        self._entries = _Entries(services, self)
        self.list = QListView()
        self.list.setObjectName("palette.list")
        self.list.setModel(self._entries)
        self.list.setUniformItemSizes(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setMouseTracking(True)
        self.list.setItemDelegate(_Rows(services, self))
        self.list.clicked.connect(self._take)
        self._window = window
        self._layout = layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(6)
        layout.addWidget(self.edit)
        layout.addWidget(self.list)
        self.nothing = plain_label(tone="muted")
        self.nothing.setObjectName("palette.nothing")
        self.nothing.setContentsMargins(8, 2, 8, 4)
        layout.addWidget(self.nothing)
        window.installEventFilter(self)
        self.hide()
        services.theme.dress(self)

    @property
    def entries(self) -> Sequence[Entry]:
        """What is offered at this moment, best first."""
        return self._entries.entries

    def open(self, name: str, search: Callable[[str], Sequence[Entry]], text: str = "") -> None:
        """Ask for one of what ``search(text)`` finds; ``name`` says what can be found."""
        if not self.isVisible():
            self._before = QApplication.focusWidget()
        self._search = search
        self.edit.setPlaceholderText(name)
        self.edit.setAccessibleName(name)
        self.list.setAccessibleName(name)
        self.edit.setText(text)
        self._look(text)
        self.show()
        self.raise_()
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def close_list(self) -> None:
        """Go away, and give the keyboard back to whom it was taken from."""
        had = self.edit.hasFocus()
        self.hide()
        if had and self._before is not None and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)
        self._before = None

    def _look(self, text: str) -> None:
        entries = list(self._search(text))
        self._entries.show(entries)
        self.nothing.setText(self._services.language.tr("Nothing fits this text."))
        self.nothing.setVisible(not entries)
        self.list.setVisible(bool(entries))
        self.list.setCurrentIndex(self._entries.index(0) if entries else QModelIndex())
        self._place()

    def _place(self) -> None:
        window = self._window
        width = min(WIDTH, window.width() - 48)
        rows = min(max(len(self.entries), 1), MOST_ROWS, (window.height() - 2 * _TOP - 60) // ROW_HEIGHT)
        self.list.setFixedHeight(rows * ROW_HEIGHT)
        height = self._layout.totalSizeHint().height()
        self.setGeometry((window.width() - width) // 2, _TOP, width, height)

    def _take(self, index: QModelIndex) -> None:
        if not index.isValid() or not self.entries[index.row()].enabled:
            return
        entry = self.entries[index.row()]
        self.close_list()
        entry.run()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self.edit and isinstance(event, QKeyEvent) and kind == QEvent.Type.KeyPress:
            return self._key(event)
        if watched is self.edit and kind == QEvent.Type.FocusOut and self.isVisible():
            # Another window in front, or a menu of the line itself, is no wish to leave.
            if QApplication.activePopupWidget() is None and QApplication.activeWindow() is self.window():
                self.hide()
        elif watched is self._window and kind == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        key, row = event.key(), self.list.currentIndex().row()
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: MOST_ROWS, Qt.Key.Key_PageUp: -MOST_ROWS}
        step = steps.get(Qt.Key(key))
        if step is not None and self.entries:
            last = len(self.entries) - 1
            row = (row + step) % (last + 1) if abs(step) == 1 else min(max(row + step, 0), last)
            self.list.setCurrentIndex(self._entries.index(row))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take(self.list.currentIndex())
        elif key == Qt.Key.Key_Escape:
            self.close_list()
        else:
            return False
        return True
