"""What comes and goes with each edit leaves nothing behind."""

from __future__ import annotations

import sys

from PySide6.QtCore import QEvent
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.emptied import delete_all, emptied
from mfu_gui.ui.widgets.link import Link


def nested(host: QWidget) -> tuple[QVBoxLayout, list[QLabel]]:
    """A label, a row of two, and another label."""
    labels = [QLabel(str(number)) for number in range(4)]
    outer, row = QVBoxLayout(host), QHBoxLayout()
    outer.addWidget(labels[0])
    row.addWidget(labels[1])
    row.addWidget(labels[2])
    row.addStretch(1)
    outer.addLayout(row)
    outer.addWidget(labels[3])
    return outer, labels


def test_widgets_come_out_in_their_order_and_rows_are_gone(qtbot: QtBot) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    outer, labels = nested(host)
    assert emptied(outer) == labels
    assert outer.count() == 0
    assert all(label.parent() is host for label in labels)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert host.findChildren(QHBoxLayout) == []


def test_what_is_deleted_is_out_of_sight_at_once(qtbot: QtBot) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    outer, labels = nested(host)
    host.show()
    assert labels[2].isVisible()
    delete_all(outer)
    assert not any(label.isVisible() for label in labels)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert host.findChildren(QLabel) == []


def test_link_that_is_gone_leaves_nothing_in_python(services: Services, qtbot: QtBot) -> None:
    host = QWidget()
    qtbot.addWidget(host)

    def hundred() -> int:
        for _ in range(100):
            Link(services.theme, "a link", lambda: None, parent=host).deleteLater()
            QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        return sys.getallocatedblocks()

    hundred()
    before = hundred()
    assert hundred() - before < 50, "one block or more for each"


class Watched(Link):
    """A link that remembers in which colour it was painted."""

    painted: tuple[str, ...] = ()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.painted = (*self.painted, self._theme.color("accent").name())


def test_link_takes_the_colours_of_another_theme(services: Services, qtbot: QtBot) -> None:
    part = QWidget()
    qtbot.addWidget(part)
    services.theme.dress(part)
    link = Watched(services.theme, "a link", lambda: None, parent=part)
    with qtbot.waitExposed(part):
        part.show()
    QApplication.processEvents()
    for mode in ("dark", "light"):
        link.painted = ()
        services.theme.set_mode(mode)
        QApplication.processEvents()
        assert link.painted[-1:] == (services.theme.color("accent").name(),)
