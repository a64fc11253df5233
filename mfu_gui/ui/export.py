"""ExportController: reports and plots as files, on paper, and on the clipboard."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QLocale, QMimeData, QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from mfu_gui.engine.errors import InputError
from mfu_gui.ui.chooser import PLOT_KINDS, Chooser
from mfu_gui.ui.files import file_stem
from mfu_gui.ui.jobs import Job
from mfu_gui.ui.services import Services
from mfu_gui.ui.workspace import Document

if TYPE_CHECKING:
    from mfu_gui.formats.reports.document import Report
    from mfu_gui.formats.reports.given import Given
    from mfu_gui.formats.reports.swept import Asked
    from mfu_gui.ui.charts.mfu_plot import MfuPlot
    from mfu_gui.ui.pdf_report import Paper


class ExportController(QObject):
    """Exports the active document; asks through a chooser."""

    def __init__(self, services: Services, chooser: Chooser, window: QWidget) -> None:
        super().__init__(window)
        self._services, self._chooser, self._window = services, chooser, window
        self.jobs: list[Job] = []
        """Reports that are being written."""

    # Files

    def export_report(self) -> None:
        """Ask for a file and write a report of the kind that its name says."""
        from mfu_gui.formats.reports import files

        given = self._given()
        if given is None:
            return
        path = self._chooser.save_report(self._suggestion(".pdf"))
        if path is None:
            return
        try:
            kind = files.kind_of(path)
        except InputError as error:
            self._tell(error)
            return
        self._start(partial(write_report, given, path, kind, default_paper()), path)

    def export_plot(self, plot: MfuPlot) -> None:
        """Ask for a file and write the plot as it is seen: PNG with two pixels a point, or SVG."""
        from mfu_gui.formats.reports import files

        path = self._chooser.save_plot(self._suggestion(".png"))
        if path is None:
            return
        ending = path.suffix.lower()
        try:
            if ending not in PLOT_KINDS:
                raise InputError("unknown_choice", str(path), value=path.suffix, allowed=", ".join(PLOT_KINDS))
            files.write(path, plot.svg() if ending == ".svg" else _png(plot))
        except InputError as error:
            self._tell(error)
            return
        self._say_saved(path)

    def print_report(self) -> None:
        """Ask for a printer and print the report."""
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter

        given = self._given()
        if given is None:
            return
        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        printer.setFullPage(True)
        printer.setDocName(file_stem(given.scenario.name))
        dialog = QPrintDialog(printer, self._window)
        dialog.setOption(QPrintDialog.PrintDialogOption.PrintPageRange, False)
        dialog.accepted.connect(lambda: self.print_on(printer, given))
        dialog.finished.connect(dialog.deleteLater)
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        dialog.show()

    def print_on(self, printer: object, given: Given | None = None) -> None:
        """Print the report of the active document on a ``QPrinter``."""
        from PySide6.QtPrintSupport import QPrinter

        from mfu_gui.formats.reports.build import build
        from mfu_gui.ui import pdf_report

        given = given or self._given()
        if given is None or not isinstance(printer, QPrinter):
            return
        try:
            report = build(given)
            pdf_report.check_fonts(report)
            pdf_report.paint(report, given.tr, printer)
        except InputError as error:
            self._tell(error)
            return
        self._services.announcer.say(given.tr("Sent to the printer"))

    # The clipboard

    def copy_markdown(self) -> None:
        """Put what matters of the report on the clipboard as Markdown."""
        from mfu_gui.formats.reports.build import summary
        from mfu_gui.formats.reports.markdown import markdown

        given = self._given()
        if given is None:
            return
        text = markdown(summary(given), given.tr)
        data = QMimeData()
        data.setText(text)
        data.setData("text/markdown", QByteArray(text.encode()))
        QGuiApplication.clipboard().setMimeData(data)
        self._services.announcer.say(given.tr("Copied the report as Markdown"))

    def copy_scenario(self) -> None:
        """Put the scenario file on the clipboard: it can be pasted into another window."""
        from mfu_gui.formats.scenario_file import dump_scenario

        QGuiApplication.clipboard().setText(dump_scenario(self._services.workspace.active.scenario).decode())
        self._services.announcer.say(self._services.language.tr("Copied the scenario"))

    # What these share

    def _given(self) -> Given | None:
        """The active document with all that was computed for it; None, and told, while something is wrong in it."""
        from mfu_gui.formats.reports.given import Given

        document: Document = self._services.workspace.active
        tr = self._services.language.tr
        result = document.result
        if result is None or not document.settled:
            self._chooser.tell(tr("The scenario has an input that cannot be used; correct it first."))
            return None
        return Given(document.scenario, result, document.rows(), tr, self._services.presets,
                     datetime.now().astimezone().date().isoformat(), document.notices, self._sweep())

    def _sweep(self) -> Asked | None:
        """The sweep that the window showed last."""
        from mfu_gui.ui.tabs.sweep import SweepPage

        page = self._window.findChild(SweepPage)
        return None if page is None else page.asked()

    def _suggestion(self, ending: str) -> Path:
        document = self._services.workspace.active
        if document.path is not None:
            return document.path.with_suffix(ending)
        return Path(file_stem(document.scenario.name) + ending)

    def _start(self, work: Callable[[], None], path: Path) -> None:
        job = Job(work, self)
        self.jobs.append(job)
        job.done.connect(lambda: self._say_saved(path))
        job.failed.connect(self._tell)
        for end in (job.done, job.failed, job.crashed):
            end.connect(lambda *_: self._forget(job))
        job.crashed.connect(_raise)
        self._services.announcer.say(self._services.language.tr("Writing {file} …", file=path.name))
        job.start()

    def _forget(self, job: Job) -> None:
        if job in self.jobs:
            self.jobs.remove(job)
            job.deleteLater()

    def _say_saved(self, path: Path) -> None:
        self._services.announcer.say(self._services.language.tr("Saved {file}", file=path.name))

    def _tell(self, error: InputError) -> None:
        self._chooser.tell(self._services.language.tr.describe(error))


def write_report(given: Given, path: Path, kind: str, paper: Paper) -> None:
    """Build a report and write it; InputError as ``files.write`` and ``pdf_report.pdf`` raise it."""
    from mfu_gui.formats.reports import files
    from mfu_gui.formats.reports.build import build

    report: Report = build(given)
    if kind == ".pdf":
        from mfu_gui.ui.pdf_report import pdf

        data = pdf(report, given.tr, paper)
    else:
        data = files.rendered(report, kind, given.tr)
    files.write(path, data)


def default_paper() -> Paper:
    """The paper that is usual where the user lives."""
    imperial = QLocale.system().measurementSystem() == QLocale.MeasurementSystem.ImperialUSSystem
    return "letter" if imperial else "a4"


def _png(plot: MfuPlot) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    plot.png().save(buffer, "PNG")  # type: ignore[call-overload]  # bytes, as the stubs say, are refused
    return bytes(buffer.data().data())


def _raise(error: Exception) -> None:
    raise error
