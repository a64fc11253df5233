"""MainWindow: puts the parts together; what they show comes from the workspace."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QMainWindow, QVBoxLayout, QWidget

from mfu_gui.engine.scenario import Result
from mfu_gui.ui.access import FocusRings
from mfu_gui.ui.actions import Actions
from mfu_gui.ui.ahead import LoadInPauses, nothing_is_garbage
from mfu_gui.ui.charts.mfu_plot import MfuPlot
from mfu_gui.ui.chooser import Chooser, DialogChooser
from mfu_gui.ui.export import ExportController
from mfu_gui.ui.files import FileController
from mfu_gui.ui.filled_menus import FilledMenus
from mfu_gui.ui.finder import Finder
from mfu_gui.ui.headline import Headline
from mfu_gui.ui.helping import Helping
from mfu_gui.ui.panels.column import PanelColumn
from mfu_gui.ui.pasting import PasteController
from mfu_gui.ui.scenarios import Scenarios
from mfu_gui.ui.services import Services
from mfu_gui.ui.status_line import StatusLine
from mfu_gui.ui.tab_room import TabRoom
from mfu_gui.ui.tabs.breakdown import BreakdownPage
from mfu_gui.ui.tabs.pages import PAGES
from mfu_gui.ui.toolbar import ToolBar
from mfu_gui.ui.widgets.arranging import HeldLayouts
from mfu_gui.ui.widgets.card import Surface
from mfu_gui.ui.widgets.drop_veil import hide_veil, show_veil
from mfu_gui.ui.widgets.plain_splitter import PlainSplitter
from mfu_gui.ui.widgets.tab_pages import TabPages
from mfu_gui.ui.workspace import Document

MINIMUM_WIDTH, MINIMUM_HEIGHT = 1000, 660
LEVELS = 8
"""How deep layouts are nested."""
WIDE = 1700
"""From this width of the right side on, plot and tabs stand beside each other."""


class MainWindow(QMainWindow):
    """The window of one workspace.  ``complete`` builds what the first paint can do without."""

    loaded = Signal()
    """All modules of the window are there."""

    def __init__(self, services: Services, chooser: Chooser | None = None) -> None:
        super().__init__()
        self.services = services
        self._completed = False
        self.files = FileController(services, chooser or DialogChooser(self, services.language, services.theme), self)
        self.pasting = PasteController(services, self.files, self, self.explain)
        self.export = ExportController(services, self.files.chooser, self)
        self.finder = Finder(self)
        self.helping = Helping(self)
        self.scenarios = Scenarios(self)
        self.actions_table = Actions(services, self)
        self.setMinimumSize(MINIMUM_WIDTH, MINIMUM_HEIGHT)
        self.resize(1280, 800)
        self.setAcceptDrops(True)
        self._build()
        self._connect()
        services.workspace.changed.connect(self._changed)
        services.language.changed.connect(self._retranslate)
        self._retranslate()

    # Building

    def _build(self) -> None:
        services = self.services
        self._layouts = HeldLayouts()
        services.workspace.changed.connect(self._layouts.hold)  # before anything else hears of a change
        self.actions_table.fill(self.menuBar())
        self.toolbar = ToolBar(services, self.actions_table)
        self.column = PanelColumn(services, self.files.load_config, self.explain)
        self.headline = Headline(services, self.show_field)
        self.plot = MfuPlot(services)
        self.tabs = TabPages(services.theme.dress)
        for page in PAGES:
            self.tabs.add(page.key, partial(self._make_page, page.make))
        tab_card = Surface(services.theme)
        inside = QVBoxLayout(tab_card)
        inside.setContentsMargins(12, 4, 12, 8)
        inside.addWidget(self.tabs)
        tab_card.setMinimumHeight(112)
        self.split = PlainSplitter(Qt.Orientation.Vertical)
        self.split.setHandleWidth(12)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.plot)
        self.split.addWidget(tab_card)
        self.split.setStretchFactor(0, 1)
        self.split.setStretchFactor(1, 1)
        self.split.setSizes([220, 240])
        right = QWidget()
        stack = QVBoxLayout(right)
        stack.setContentsMargins(12, 12, 12, 12)
        stack.setSpacing(12)
        stack.addWidget(self.headline)
        stack.addWidget(self.split, 1)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.column)
        middle.addWidget(right, 1)
        self.status = StatusLine(services)
        central = QWidget()
        outer = QVBoxLayout(central)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.toolbar)
        outer.addLayout(middle, 1)
        outer.addWidget(self.status)
        self.setCentralWidget(central)
        self._right = right
        self._layouts.parts = (*self.column.parts(), right, self.headline, self.headline.remarks)
        self.room = TabRoom(self)
        for part in (self.menuBar(), self.toolbar, self.column, self.headline, self.plot, self.tabs.head,
                     self.status):
            services.theme.dress(part)
        self.rings = FocusRings(services.theme, self)

    def _make_page(self, make: Callable[[Services], QWidget]) -> QWidget:
        """A page of a tab.  It hears of a change before the window does, which lays out what the change did to it."""
        made, changed = make(self.services), self.services.workspace.changed
        changed.disconnect(self._changed)
        changed.connect(self._changed)
        return made

    def _connect(self) -> None:
        files = self.files
        self.actions_table.connect_all({
            "new": files.new, "new_window": files.new_window,
            "duplicate": files.duplicate, "open": files.open, "load_config": files.load_config,
            "open_log": files.open_log,
            "save": files.save, "save_as": files.save_as, "rename": self.rename, "close": files.close,
            "quit": self.close, "undo": self.undo, "redo": self.services.workspace.redo,
            "copy_mfu": self.headline.mfu.copy,
            "copy_table": self._copy_table, "copy_plot": self.plot.copy_picture, "paste": self.pasting.paste,
            "export_report": self.export.export_report, "print": self.export.print_report,
            "export_plot": lambda: self.export.export_plot(self.plot),
            "copy_markdown": self.export.copy_markdown, "copy_scenario": self.export.copy_scenario,
            "next": lambda: self._step_document(1), "previous": lambda: self._step_document(-1),
            "plot_table": self._toggle_plot_table, "target": self.plot.toggle_target,
            "plot_axis": self.plot.next_axis, "plot_log": self.plot.toggle_log, "zoom_in": partial(self.plot.zoom, 0.8),
            "zoom_out": partial(self.plot.zoom, 1.25), "zoom_all": partial(self.plot.zoom, 0.0),
            "published": self.plot.toggle_published,
            "overlay": self.plot.toggle_overlay,
            "structure": lambda: self._breakdown("structure"), "parameters": lambda: self._breakdown("parameters"),
            "copy_formula": self._copy_formula,
            "cluster": self.column.hardware.open_cluster,
            "find_model": lambda: self._go(self.column.model.search),
            "find_hardware": lambda: self._go(self.column.hardware.search),
            "find_convention": lambda: self._go(self.toolbar.search),
            "find_measured": self._go_measured, "explain": self.explain,
            **self.helping.handlers(), **self.scenarios.handlers(), **self.finder.handlers(), **self.room.handlers(),
            **{f"page_{page.key}": partial(self.tabs.show_page, page.key) for page in PAGES},
            "log": self._show_log_folder,
        })
        files.logs_given.connect(self._show_logs)
        FilledMenus(self)

    def complete(self) -> None:
        """Build the plot and the tab: after the first paint, so that the numbers are there at once."""
        if self._completed:
            return
        self._completed = True
        stored = self.services.settings.stored.tab
        with nothing_is_garbage():
            self.plot.complete()
            self.tabs.show_page(stored if stored in self.tabs.keys else self.tabs.keys[0])
        LoadInPauses((f"mfu_gui.ui.tabs.{page.key}" for page in PAGES), self).finished.connect(self.loaded)
        self.actions_table["target"].setChecked(self.plot.target is not None)
        self.actions_table["plot_log"].setChecked(self.services.settings.stored.log_axes)
        self.actions_table["overlay"].setChecked(self.services.settings.stored.overlay)
        self.actions_table["published"].setChecked(self.services.settings.stored.published)

    # Drawing

    def _changed(self, document: Document, aspects: frozenset[str], result: Result | None) -> None:
        if aspects & {"name", "file", "active", "documents"}:
            self._show_title()
        self._show_history()
        self._layouts.arrange()
        # All layouts at once: left to the event loop, each level of them would be painted on its way up.
        for _ in range(LEVELS):
            QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        # What has just been shown asks to be painted by an event of its own: after the others it is a painting more.
        QApplication.sendPostedEvents(None, QEvent.Type.UpdateLater.value)

    def _show_title(self) -> None:
        workspace, tr = self.services.workspace, self.services.language.tr
        if workspace.is_empty:
            return
        document = workspace.active
        name = document.scenario.name or tr("Untitled")
        # Qt takes a single [*] for the place of the mark of a change.
        self.setWindowTitle(f"{name.replace('[*]', '[*][*]')}[*] — {tr('MFU Calculator')}")
        self.setWindowModified(document.dirty)
        self.setWindowFilePath("")

    def _show_history(self) -> None:
        if self.services.workspace.is_empty:
            return
        document, tr = self.services.workspace.active, self.services.language.tr
        history = document.history
        for key, can, text in (("undo", history.can_undo() or bool(document.invalid), history.undo_label()),
                               ("redo", history.can_redo(), history.redo_label())):
            action = self.actions_table[key]
            action.setEnabled(can)
            verb = tr("&Undo") if key == "undo" else tr("&Redo")
            words = f"{verb}: {tr(text)}" if text else verb
            if words != action.text():
                action.setText(words)

    def _retranslate(self) -> None:
        self._show_title()
        for page in PAGES:
            self.tabs.set_caption(page.key, self.services.language.tr(page.title))
        self.tabs.set_more(self.services.language.tr("More tabs"))
        self._show_history()

    # What actions do

    def undo(self) -> None:
        """Take back the last edit; a text that could not be used counts as the last one."""
        workspace = self.services.workspace
        document = workspace.active
        if document.invalid:
            for key in list(document.invalid):
                workspace.set_invalid(document, key, None)
            return
        workspace.undo()

    def show_field(self, key: str) -> None:
        """Bring the editor of a field into sight and give it the focus."""
        widget = self.column.editor(key) or self.findChild(QWidget, key)
        if widget is None and key.startswith("run.measured"):
            self._go_measured()
            return
        if widget is None or widget.isHidden():
            return
        self._go(widget)

    def rename(self) -> None:
        """Ask for name and notes of the scenario."""
        from mfu_gui.ui.dialogs.rename import RenameDialog

        RenameDialog(self.services, self).open()

    def explain(self) -> None:
        """Ask for a reported number and say what it may mean; the dialog stays beside the window."""
        from mfu_gui.ui.dialogs.explain import ExplainDialog

        dialog = self.findChild(ExplainDialog)
        if dialog is None:
            dialog = ExplainDialog(self.services, self.show_field, self)
            dialog.show()
        dialog.raise_()
        dialog.activateWindow()
        dialog.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _go(self, widget: QWidget) -> None:
        if self.column.isAncestorOf(widget):
            self.column.reveal(widget)
        widget.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if isinstance(widget, QLineEdit):
            widget.selectAll()

    def _go_measured(self) -> None:
        for binding in self.column.measured.form.bindings:
            if binding.is_shown:
                self._go(binding.editor)

    def _show_logs(self, paths: list[Path]) -> None:
        """Read training logs, and show them."""
        self.complete()
        self.tabs.show_page("log")
        self.tabs.page("log").open(paths)  # type: ignore[attr-defined]

    def _copy_table(self) -> None:
        page = self.tabs.page(self.tabs.current or self.tabs.keys[0])
        view = getattr(page, "view", None)
        if view is not None:
            view.copy_table()

    def _breakdown(self, what: str) -> None:
        """Show the breakdown, and in it what its action says."""
        on = self.actions_table[what].isChecked()
        self.tabs.show_page("breakdown")
        page = self.tabs.page("breakdown")
        if isinstance(page, BreakdownPage):
            if what == "structure":
                page.group_by(on)
            else:
                page.share_of(on)

    def _copy_formula(self) -> None:
        page = self.tabs.page("breakdown")
        if isinstance(page, BreakdownPage):
            page.view.copy_formula()

    def _toggle_plot_table(self) -> None:
        self.plot.show_as("table" if self.actions_table["plot_table"].isChecked() else "curve")

    def _step_document(self, step: int) -> None:
        workspace = self.services.workspace
        number = workspace.documents.index(workspace.active)
        workspace.activate(workspace.documents[(number + step) % len(workspace.documents)])

    def _show_log_folder(self) -> None:
        from PySide6.QtCore import QUrl
        from PySide6.QtGui import QDesktopServices

        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.services.settings.folder)))

    # Events of the window

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() - self.column.width() >= WIDE
        orientation = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if orientation != self.split.orientation():
            self.split.setOrientation(orientation)
        self.headline.remarks.set_room(self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._completed:
            QTimer.singleShot(0, self, self.complete)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.files.can_drop(event.mimeData()) or event.mimeData().hasText():
            _accept_copy(event)
            show_veil(self.services, self)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        hide_veil(self)

    def dropEvent(self, event: QDropEvent) -> None:
        hide_veil(self)
        if self.files.drop(event.mimeData()) or self.pasting.take(event.mimeData().text()):
            _accept_copy(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.files.may_quit():
            event.ignore()
            return
        stored = self.services.settings.stored
        stored.geometry = bytes(self.saveGeometry().toBase64().data()).decode("ascii")
        stored.split = self.room.sizes() or stored.split
        if self.tabs.current:
            stored.tab = self.tabs.current
        self.services.settings.save()
        event.accept()

    def restore_geometry(self) -> None:
        """Take the size and place the window had when it was last closed."""
        stored = self.services.settings.stored
        if stored.geometry:
            self.restoreGeometry(QByteArray.fromBase64(stored.geometry.encode("ascii", "ignore")))
        if len(stored.split) == self.split.count():
            self.split.setSizes(stored.split)

    def focus_first(self) -> None:
        """Put the keyboard where the first number is likely to be typed: on the measured value."""
        self._go_measured()

    def open_paths(self, paths: list[str]) -> None:
        """Open what was given on the command line."""
        self.files.open_paths([Path(path) for path in paths])


def active_window() -> MainWindow | None:
    """The main window of this process, if there is one."""
    return next((w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)), None)


def _accept_copy(event: QDropEvent) -> None:
    """Take a copy, whatever is proposed: after a move the program it came from would remove the original."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
