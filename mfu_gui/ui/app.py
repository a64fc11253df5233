"""The entry of the window: ``run`` starts Qt, opens what was asked for, and returns the exit status."""

from __future__ import annotations

import sys

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from mfu_gui import APP_ID
from mfu_gui.formats.presets import PresetStore
from mfu_gui.resources import resource_path
from mfu_gui.texts import system_language
from mfu_gui.ui import ahead, crash, fonts, interrupt, on_disk, qt_texts
from mfu_gui.ui.chooser import Chooser
from mfu_gui.ui.example import example_scenario
from mfu_gui.ui.first_start import ask_language, follow_language
from mfu_gui.ui.instances import Inbox, show_up, wants_own_window
from mfu_gui.ui.language import Language
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.open_events import OpenEvents
from mfu_gui.ui.origins import Origins
from mfu_gui.ui.services import Announcer, Services
from mfu_gui.ui.session import Session
from mfu_gui.ui.settings import Settings
from mfu_gui.ui.status_line import set_language
from mfu_gui.ui.theme import MODES, Mode, Theme
from mfu_gui.ui.workspace import Document, Workspace

EFFECTS = (Qt.UIEffect.UI_AnimateMenu, Qt.UIEffect.UI_FadeMenu, Qt.UIEffect.UI_AnimateCombo,
           Qt.UIEffect.UI_AnimateTooltip, Qt.UIEffect.UI_FadeTooltip, Qt.UIEffect.UI_AnimateToolBox)


def run(paths: list[str]) -> int:
    """Open the window with these files and stay until it is closed; the exit status."""
    settings = Settings()
    inbox = Inbox(settings.folder)
    if not wants_own_window() and not inbox.take() and inbox.hand_over(paths):
        return 0
    ahead.without_blas_threads()
    app = start_qt()
    services = make_services(settings)
    crash.start_log(services.settings.folder)
    services.theme.apply()
    ask_language(services)
    session = Session(services, services.settings.folder)
    fill(services, session)
    with ahead.nothing_is_garbage():
        window = MainWindow(services)
    if services.language.code != "zh" == (settings.stored.language or system_language()):
        set_language(services, "zh")  # says what is missing
    window.loaded.connect(ahead.stay)
    window.restore_geometry()
    handler = crash.CrashHandler(services, window, window.files.save_as, session.write)
    handler.install()
    interrupt.listen(app)
    if sys.platform == "darwin":
        OpenEvents(app, window.open_paths)
    window.show()
    window.focus_first()
    if paths:
        window.open_paths(paths)
    session.keep()

    def opened(more: list[str]) -> None:
        window.open_paths(more)
        show_up(window)

    inbox.listen(opened)
    app.applicationStateChanged.connect(lambda _state: look_for_presets(services))
    app.applicationStateChanged.connect(lambda _state: inbox.take_if_free())
    app.applicationStateChanged.connect(lambda _state: on_disk.look(services))
    status = app.exec()
    handler.uninstall()
    if status == 0:
        session.end()
    inbox.release()
    return status


def start_qt() -> QApplication:
    """The one QApplication, in the look the window is made for."""
    present = QCoreApplication.instance()
    app = present if isinstance(present, QApplication) else QApplication(sys.argv[:1])
    app.setApplicationName("mfu-gui")
    app.setApplicationDisplayName("")
    # The name of the menu entry: desktops find the icon of the window by it.
    app.setDesktopFileName(APP_ID)
    app.setWindowIcon(QIcon(str(resource_path("icons", "app.svg"))))
    app.setStyle("Fusion")
    for effect in EFFECTS:
        app.setEffectEnabled(effect, False)  # nothing moves that nobody moved
    fonts.install(app)
    return app


def make_services(settings: Settings | None = None) -> Services:
    """What the parts of a window share, set as the user left it."""
    settings = settings or Settings()
    stored = settings.stored
    mode: Mode = next((mode for mode in MODES if mode == stored.theme), "system")
    code = stored.language or system_language()
    presets, language = PresetStore(), Language("en" if code == "zh" and not fonts.write_chinese() else code)
    fonts.speak(language.code)
    qt_texts.speak(language.code)
    # The first to be told: the others measure what they write.
    language.changed.connect(lambda: fonts.speak(language.code))
    language.changed.connect(lambda: qt_texts.speak(language.code))
    return Services(Workspace(), Theme(mode), language, presets, Origins(presets), settings, Announcer())


def fill(services: Services, session: Session | None) -> None:
    """Open the documents of last time, or the example on the first start."""
    if session is None or not session.restore():
        services.workspace.add(Document(example_scenario(services), example=True))
    services.language.changed.connect(lambda: follow_language(services))


def look_for_presets(services: Services) -> None:
    """Another program, or another copy of this one, may have changed the user's presets meanwhile."""
    if services.presets.refresh():
        services.origins.forget()


def make_window(services: Services, chooser: Chooser | None = None) -> MainWindow:
    """A window for tests and pictures, with the example in it unless there is a document."""
    services.theme.apply()
    if services.workspace.is_empty:
        fill(services, None)
    return MainWindow(services, chooser)
