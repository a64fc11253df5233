"""What is dragged over the window is answered: the window says that it can be dropped."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QImage, QRegion
from PySide6.QtWidgets import QApplication, QWidget

from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.widgets.drop_veil import DropVeil

COPY, LEFT, NONE = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def over(window: MainWindow, data: QMimeData) -> DropVeil | None:
    event = QDragEnterEvent(QPoint(300, 300), COPY, data, LEFT, NONE)
    QApplication.sendEvent(window, event)
    return window.findChild(DropVeil)


def test_the_veil_comes_with_what_can_be_dropped_and_goes_with_it(window: MainWindow) -> None:
    picture = QMimeData()
    picture.setData("image/png", b"")
    assert over(window, picture) is None
    text = QMimeData()
    text.setText("good morning")
    for end in (QDragLeaveEvent(), QDropEvent(QPoint(300, 300).toPointF(), COPY, text, LEFT, NONE)):
        veil = over(window, text)
        assert veil is not None
        assert veil.isVisible()
        assert veil.geometry() == window.rect()
        assert not veil.grab().isNull()
        QApplication.sendEvent(window, end)
        assert not veil.isVisible()


def test_nothing_shines_through_behind_the_words(window: MainWindow) -> None:
    text = QMimeData()
    text.setText("good morning")
    veil = over(window, text)
    assert veil is not None
    picture = QImage(veil.size(), QImage.Format.Format_ARGB32)
    picture.fill(Qt.GlobalColor.transparent)
    veil.render(picture, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    middle = veil.rect().center()
    assert picture.pixelColor(middle + QPoint(0, 4)).alpha() == 255
    assert picture.pixelColor(middle + QPoint(0, 120)).alpha() < 255


def test_the_veil_leaves_what_is_dropped_to_the_window(window: MainWindow) -> None:
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile("/nowhere/run.mfu")])
    assert over(window, files) is not None
    under = window.childAt(QPoint(300, 300))
    assert not isinstance(under, DropVeil)
