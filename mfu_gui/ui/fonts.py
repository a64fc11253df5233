"""Which fonts the window uses, and how figures are set.

Sizes are pixels of the tokens in ``theme``; Qt scales them with the screen.
"""

from __future__ import annotations

import sys

from PySide6.QtGui import QFont, QFontDatabase, QFontMetrics
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QTextEdit,
)

from mfu_gui.resources import resource_path
from mfu_gui.ui.theme import TEXT

# The simplified Chinese cut comes first, or Japanese forms of the characters would be picked.
_LINUX = ("Noto Sans CJK SC", "Source Han Sans SC", "Noto Sans SC", "Noto Sans", "DejaVu Sans")
_WINDOWS = ("Segoe UI", "Microsoft YaHei UI", "Microsoft YaHei")
_MACOS = (".AppleSystemUIFont", "PingFang SC")

_FIGURES, _PROPORTIONAL = QFont.Tag("tnum"), QFont.Tag("pwid")
_TIGHT = QFont.Tag("palt")
"""Of Chinese fonts, where there are no forms of other width: "·" without the empty halves around it."""
_WITH_SENTENCES = (QAbstractButton, QAbstractItemView, QComboBox, QLabel, QLineEdit, QMenu, QMenuBar, QPlainTextEdit,
                   QTextEdit)
"""What shows words of its own; each widget costs time, and what only holds others needs no other font."""


def families() -> tuple[str, ...]:
    """Families in the order in which they are tried, for Latin and Chinese."""
    if sys.platform == "win32":
        return _WINDOWS
    return _MACOS if sys.platform == "darwin" else _LINUX


def write_chinese() -> bool:
    """Whether there is a font with Chinese characters; all Chinese text is empty boxes otherwise."""
    if sys.platform in ("win32", "darwin"):
        return True  # every edition brings one
    # The font of the window is open already; asking for all of them would make the start a tenth longer.
    if QFontMetrics(font()).inFontUcs4(ord("简")):
        return True
    return bool(QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese))


def load_bundled() -> None:
    """Make the fonts known that a bundle carries for systems without Chinese ones (others have more characters)."""
    folder = resource_path("fonts")
    if folder.is_dir() and not QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese):
        for path in sorted(folder.iterdir()):
            if path.suffix in (".otf", ".ttf", ".ttc"):
                QFontDatabase.addApplicationFont(str(path))


def font(size: int = TEXT, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The font of the window at ``size`` pixels, with figures of equal width."""
    result = QFont(list(families()))
    result.setPixelSize(size)
    result.setWeight(weight)
    result.setFeature(_FIGURES, 1)
    if isinstance(QApplication.instance(), QApplication):
        return _with(result, _proportional(QApplication.font()))
    return result


def bold(size: int = TEXT) -> QFont:
    """Semibold, the one heavier weight the window uses."""
    return font(size, QFont.Weight.DemiBold)


def install(app: QApplication) -> None:
    """Make it the font of the application."""
    load_bundled()
    app.setFont(font())


def speak(code: str) -> None:
    """Set quotation marks, brackets and … as the language is written: Chinese fonts make them as wide as a character.

    The font of the application says which of the two it is; what is on the screen follows.
    """
    wanted = 0 if code == "zh" else 1
    if not isinstance(QApplication.instance(), QApplication) or _proportional(QApplication.font()) == wanted:
        return
    QApplication.setFont(_with(QApplication.font(), wanted))
    # Qt hands a change of features alone on to no widget.
    for widget in QApplication.allWidgets():
        if isinstance(widget, _WITH_SENTENCES) and _proportional(widget.font()) != wanted:
            widget.setFont(_with(widget.font(), wanted))


def _proportional(given: QFont) -> int:
    return given.featureValue(_PROPORTIONAL) if given.isFeatureSet(_PROPORTIONAL) else 0


def _with(given: QFont, wanted: int) -> QFont:
    result = QFont(given)
    for feature in (_PROPORTIONAL, _TIGHT):
        result.setFeature(feature, wanted)
    return result
