"""The texts of Qt itself: menus of what is typed into, buttons of its dialogs, names of keys."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

_NAME = "texts-of-qt"


def speak(code: str) -> None:
    """Let Qt speak a language too; where Qt has no texts of it, these stay English."""
    app = QCoreApplication.instance()
    if app is None:
        return
    for old in app.findChildren(QTranslator, _NAME):
        app.removeTranslator(old)
        old.setParent(None)
    if code == "en":
        return
    texts = QTranslator(app)
    texts.setObjectName(_NAME)
    if texts.load(QLocale(code), "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(texts)
