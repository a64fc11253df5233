"""TabPages: a row of tabs over pages that are built when they are first looked at."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol, cast

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QMenu,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

_MORE_WIDTH = 36
_BESIDE = (13, 10, 8, 6)
"""Room at each side of the word on a tab; less of it before tabs go into the menu."""
_LEAST_WIDTH = 240


class Page(Protocol):
    """What a tab page must be able to do, beside being a QWidget.

    A page may have a widget ``corner``, which stands at the end of the row of tabs while it is shown.
    """

    def set_active(self, active: bool) -> None:
        """Whether the page is looked at; a page that is not need not draw."""


class _Tab(QToolButton):
    """A tab: arrow keys go to its neighbours."""

    moved = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step:
            self.moved.emit(step)
        else:
            super().keyPressEvent(event)


class TabPages(QWidget):
    """``add(key, make)`` adds a tab; ``make()`` builds its page when it is first shown.

    Tabs that have no room are in a menu at the end of the row; the one that is shown always has room.
    """

    shown = Signal(str)

    def __init__(self, dress: Callable[[QWidget], None], parent: QWidget | None = None) -> None:
        """``dress`` is called with each page when it is in its place; the row of tabs, ``head``, is not."""
        super().__init__(parent)
        self._dress = dress
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)  # the row of tabs is the same in a lower window
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.head = QWidget()
        head = QVBoxLayout(self.head)
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(0)
        self._row = QHBoxLayout()
        self._row.setSpacing(0)
        self._more = QToolButton()
        self._more.setProperty("role", "tab")
        self._more.setText("…")
        self._more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._more.setFixedWidth(_MORE_WIDTH)
        self._more.clicked.connect(self._open_menu)
        self._more.hide()
        self._row.addWidget(self._more)
        self._row.addStretch(1)
        head.addLayout(self._row)
        rule = QFrame()
        rule.setProperty("role", "rule")
        head.addWidget(rule)
        layout.addWidget(self.head)
        self._stack = QStackedWidget()
        layout.addWidget(self._stack, 1)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._tabs: dict[str, _Tab] = {}
        self._words: dict[str, int] = {}
        """How wide the word on each tab is."""
        self._makers: dict[str, Callable[[], QWidget]] = {}
        self._pages: dict[str, QWidget] = {}
        self._corners: dict[str, QWidget] = {}
        self._tools: list[QWidget] = []
        self._current = ""

    @property
    def current(self) -> str:
        return self._current

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._tabs)

    def add(self, key: str, make: Callable[[], QWidget]) -> None:
        """Add a tab after the others."""
        tab = _Tab()
        tab.setProperty("role", "tab")
        tab.setCheckable(True)
        tab.setObjectName(f"tab-{key}")
        tab.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        tab.clicked.connect(lambda: self.show_page(key))
        tab.moved.connect(lambda step: self._move(key, step))
        self._group.addButton(tab)
        self._row.insertWidget(len(self._tabs), tab)
        self._tabs[key] = tab
        self._makers[key] = make

    def add_tool(self, tool: QWidget) -> None:
        """Put a widget at the end of the row of tabs, whichever is shown."""
        self._tools.append(tool)
        self._row.addWidget(tool)

    def set_caption(self, key: str, caption: str, tip: str = "") -> None:
        """The word on a tab."""
        tab = self._tabs[key]
        tab.setText(caption)
        tab.setToolTip(tip)
        tab.setAccessibleName(caption)
        # The chosen tab is set in a heavier weight; without the room for it the row would move.
        font = tab.font()
        font.setWeight(font.Weight.DemiBold)
        self._words[key] = type(tab.fontMetrics())(font).horizontalAdvance(caption)

    def set_more(self, text: str) -> None:
        """What the menu of the tabs without room is called."""
        self._more.setToolTip(text)
        self._more.setAccessibleName(text)
        self._fit()

    def _fit(self) -> None:
        """Show as many tabs as have room, the chosen one among them."""
        corner = self._corners.get(self._current)
        others = [*self._tools, *([] if corner is None else [corner])]
        room = self.width() - sum(widget.sizeHint().width() for widget in others)
        whole = sum(self._words.values())
        beside = next((each for each in _BESIDE if whole + 2 * each * len(self._tabs) <= room), _BESIDE[-1])
        widths = {key: self._words.get(key, 0) + 2 * beside for key in self._tabs}
        for key, tab in self._tabs.items():
            if tab.minimumWidth() != widths[key] or tab.maximumWidth() != widths[key]:
                tab.setFixedWidth(widths[key])
        shown = list(widths)
        if sum(widths.values()) > room:
            room -= _MORE_WIDTH
            while len(shown) > 1 and sum(widths[key] for key in shown) > room:
                last = shown[-1] if shown[-1] != self._current else shown[-2]
                shown.remove(last)
        for key, tab in self._tabs.items():
            if tab.isHidden() is (key in shown):
                tab.setVisible(key in shown)
        self._more.setVisible(len(shown) < len(widths))

    def _open_menu(self) -> None:
        menu = QMenu(self.head)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for key, tab in self._tabs.items():
            if tab.isHidden():
                menu.addAction(tab.text(), partial(self.show_page, key))
        menu.popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))

    def minimumSizeHint(self) -> QSize:
        # Tabs give way to the menu: they must not keep the window from becoming narrow.
        return QSize(_LEAST_WIDTH, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def page(self, key: str) -> QWidget:
        """The page of a tab, built if it was not yet."""
        page = self._pages.get(key)
        if page is None:
            page = self._pages[key] = self._makers[key]()
            self._stack.addWidget(page)
            self._dress(page)
            corner = getattr(page, "corner", None)
            if corner is not None:
                self._corners[key] = corner
                self._row.insertWidget(self._row.count() - len(self._tools), corner)
        return page

    def show_page(self, key: str) -> None:
        """Bring a page to the front."""
        page = self.page(key)
        if key == self._current:
            return
        before = self._pages.get(self._current)
        self._current = key
        self._tabs[key].setChecked(True)
        if before is not None:
            cast(Page, before).set_active(False)
        cast(Page, page).set_active(True)
        self._stack.setCurrentWidget(page)
        for other, widget in self._corners.items():
            widget.setVisible(other == key)
        self._fit()
        self.shown.emit(key)

    def _move(self, key: str, step: int) -> None:
        keys = self.keys
        other = keys[(keys.index(key) + step) % len(keys)]
        self.show_page(other)
        self._tabs[other].setFocus(Qt.FocusReason.TabFocusReason)
