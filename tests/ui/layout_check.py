"""What a strict eye would find: clipped, overlapping or outside.  Run as a script it checks one size and language
in a process of its own, because the scale of the screen is fixed when Qt starts."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtCore import QRect
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QLabel,
    QMainWindow,
    QSplitterHandle,
    QToolButton,
    QWidget,
)

from mfu_gui.ui.widgets.choice_box import ChoiceBox
from mfu_gui.ui.widgets.elided_label import ElidedLabel
from mfu_gui.ui.widgets.field_row import FieldRow
from mfu_gui.ui.widgets.link import Link
from mfu_gui.ui.widgets.number_edit import NumberEdit
from mfu_gui.ui.widgets.search_box import SearchBox
from mfu_gui.ui.widgets.value_label import ValueLabel

SIZES = ((1024, 700), (1280, 800), (2560, 1440))
ROOM_FOR_NAMES = 165
"""A box narrower than this may not elide a name; in wider ones the longest names end in …, the rest a tooltip."""
MAY_ELIDE = {"documents", "compare.reference", "compare.other"}
"""Names given by users have no longest length."""


def problems(window: QMainWindow) -> list[str]:
    """Everything that is wrong with what the window shows."""
    found: list[str] = []
    for widget in [window, *window.findChildren(QWidget)]:
        if not widget.isVisible() or _inside_scrolling(widget) or _foreign(widget):
            continue
        found += _clipped(widget)
        found += _outside(widget)
        found += _overlapping(widget)
    return found


def _foreign(widget: QWidget) -> bool:
    """Parts that Qt or pyqtgraph arranges: viewports, scroll bars, popups, the picture itself."""
    popup = widget.isWindow() and not isinstance(widget, QMainWindow)
    return popup or type(widget).__module__.startswith("pyqtgraph")


def _inside_scrolling(widget: QWidget) -> bool:
    """Content of a table or picture; the column of panels is looked at, as its cards must fit its width."""
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QAbstractScrollArea) and type(parent).__name__ != "_Scroll":
            return True
        parent = parent.parentWidget()
    return False


def _say(widget: QWidget, what: str) -> str:
    text = getattr(widget, "text", "")
    words = text() if callable(text) else text
    return f"{what}: {type(widget).__name__} {widget.objectName()!r} {words!r} {widget.geometry().getRect()}"


def _clipped(widget: QWidget) -> list[str]:
    wrong = False
    if isinstance(widget, ElidedLabel):
        wrong = widget.is_elided and not widget.toolTip()
    elif isinstance(widget, QLabel) and widget.text():
        if widget.wordWrap():
            wrong = widget.heightForWidth(widget.width()) > widget.height()
            words = [word for word in widget.text().split() if word.isascii()]
            wrong = wrong or any(widget.fontMetrics().horizontalAdvance(w) > widget.width() for w in words)
        else:
            wrong = widget.sizeHint().width() > widget.width() or widget.sizeHint().height() > widget.height() + 1
    elif isinstance(widget, FieldRow):  # a unit of which a part is seen is another unit
        unit = widget.extra
        wrong = unit is not None and unit.isVisible() and bool(unit.text().strip()) and unit.is_elided
    elif isinstance(widget, ChoiceBox):
        wrong = widget.is_elided and widget.objectName() not in MAY_ELIDE
    elif isinstance(widget, NumberEdit):
        wrong = widget.fontMetrics().horizontalAdvance(widget.text()) > widget.width() - 16
    elif isinstance(widget, SearchBox):
        wrong = widget.is_elided and widget.width() < ROOM_FOR_NAMES
    elif isinstance(widget, QToolButton):
        wrong = bool(widget.text()) and widget.fontMetrics().horizontalAdvance(widget.text()) + 12 > widget.width()
    elif isinstance(widget, ValueLabel | Link):
        hint = widget.sizeHint()
        wrong = hint.width() > widget.width() or hint.height() > widget.height()
    return [_say(widget, "clipped")] if wrong else []


def _outside(widget: QWidget) -> list[str]:
    parent = widget.parentWidget()
    if parent is None or isinstance(widget, QMainWindow | QSplitterHandle):
        return []
    room = parent.rect()
    if isinstance(parent.parentWidget(), QAbstractScrollArea):  # the content of a scroll area may be higher
        room = QRect(0, -100_000, parent.width(), 200_000)
    return [] if room.contains(widget.geometry()) else [_say(widget, f"outside of {parent.size().toTuple()}")]


def _overlapping(widget: QWidget) -> list[str]:
    children = [c for c in widget.children() if isinstance(c, QWidget) and c.isVisible() and not c.isWindow()
                and not isinstance(c, QSplitterHandle)]
    return [f"{_say(a, 'overlaps')} with {_say(b, '')}" for i, a in enumerate(children) for b in children[i + 1 :]
            if a.geometry().intersects(b.geometry())]


def settle() -> None:
    """Let layouts and timers come to rest."""
    for _ in range(4):
        QApplication.processEvents()


def main(arguments: list[str]) -> int:
    """``language``: check a window of every size in both themes, every tab; the status is the number of problems."""
    from mfu_gui.ui import app as ui_app
    from mfu_gui.ui.settings import Settings

    ui_app.start_qt()
    settings = Settings(Path(os.environ["MFU_GUI_HOME"]))
    settings.stored.language = arguments[0]
    window = ui_app.make_window(ui_app.make_services(settings))
    window.show()
    window.complete()
    window.column.run_panel.training_part.open(True)
    found: list[str] = []
    for theme in ("light", "dark"):
        window.status.set_theme(theme)
        for size in SIZES:
            window.resize(*size)
            for page in window.tabs.keys:
                window.tabs.show_page(page)
                settle()
                found += [f"{theme} {size} {page}: {problem}" for problem in problems(window)]
    print(window.devicePixelRatioF(), *found, sep="\n")
    return len(found)


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 100))
