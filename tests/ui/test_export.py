"""Reports and plots from the window: files, printing, the clipboard, and what is said when something fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from openpyxl import load_workbook
from PySide6.QtCore import QThread
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from mfu_gui.formats.reports import files as report_files
from mfu_gui.formats.scenario_file import load_scenario
from mfu_gui.texts import translator
from mfu_gui.ui import export as ui_export
from mfu_gui.ui.main_window import MainWindow

from .conftest import Answers

Type = Callable[..., QLineEdit]


def export(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_table["export_report"].trigger()
    qtbot.waitUntil(lambda: not window.export.jobs, timeout=20_000)


@pytest.mark.parametrize(("ending", "beginning"), [
    (".pdf", b"%PDF-"), (".xlsx", b"PK"), (".html", b"<!DOCTYPE html>"), (".md", b"# "), (".csv", b"\xef\xbb\xbf")])
def test_each_kind_is_written_beside_the_window(ending: str, beginning: bytes, window: MainWindow, answers: Answers,
                                                qtbot: QtBot, tmp_path: Path) -> None:
    said: list[str] = []
    window.services.announcer.said.connect(said.append)
    answers.report_to = tmp_path / f"it's 一份 report{ending}"
    export(window, qtbot)
    assert answers.report_to.read_bytes().startswith(beginning)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [answers.report_to.name]
    assert said[-1] == f"Saved it's 一份 report{ending}"
    assert answers.told == []


def test_the_name_of_the_scenario_is_suggested(window: MainWindow, answers: Answers) -> None:
    window.actions_table["export_report"].trigger()
    assert answers.suggested == Path("Example- Llama 3.1 8B on 128 H100.pdf")
    window.services.workspace.active.path = Path("/folder/run 1.mfu")
    window.actions_table["export_plot"].trigger()
    assert answers.suggested == Path("/folder/run 1.png")


def test_work_is_done_in_another_thread_and_told_in_this_one(window: MainWindow, answers: Answers, qtbot: QtBot,
                                                            tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[QThread] = []
    real = report_files.write

    def write(path: Path, data: bytes) -> None:
        threads.append(QThread.currentThread())
        real(path, data)

    monkeypatch.setattr(report_files, "write", write)
    told = []
    window.services.announcer.said.connect(lambda _text: told.append(QThread.currentThread()))
    answers.report_to = tmp_path / "a.md"
    export(window, qtbot)
    assert threads[0] != QThread.currentThread()
    assert set(told) == {QThread.currentThread()}


def test_what_fails_is_told_and_leaves_nothing(window: MainWindow, answers: Answers, qtbot: QtBot,
                                               tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    answers.report_to = folder / "missing" / "a.pdf"
    export(window, qtbot)
    answers.report_to = folder / "a.docx"
    export(window, qtbot)
    assert [text.rpartition(": ")[2] for text in answers.told] == [
        "The folder does not exist.",
        "“.docx” is no kind of report; the name of the file must end in one of .pdf, .xlsx, .html, .md, .csv."]
    assert list(folder.iterdir()) == []


def test_a_report_that_another_program_shows_is_not_replaced(window: MainWindow, answers: Answers, qtbot: QtBot,
                                                             tmp_path: Path) -> None:
    answers.report_to = tmp_path / "a.xlsx"
    answers.report_to.write_bytes(b"old")
    lock = tmp_path / "~$a.xlsx"
    lock.touch()
    export(window, qtbot)
    assert "~$a.xlsx" in answers.told[0]
    assert answers.report_to.read_bytes() == b"old"
    lock.unlink()
    export(window, qtbot)
    assert answers.report_to.read_bytes().startswith(b"PK")


def test_an_input_that_cannot_be_used_is_corrected_first(window: MainWindow, answers: Answers, type_into: Type) -> None:
    type_into("run.devices", "many")
    for key in ("export_report", "print", "copy_markdown"):
        window.actions_table[key].trigger()
    assert answers.told == ["The scenario has an input that cannot be used; correct it first."] * 3
    assert answers.suggested is None


def test_the_report_is_that_of_the_screen_in_its_language(window: MainWindow, answers: Answers, qtbot: QtBot,
                                                          type_into: Type, tmp_path: Path) -> None:
    type_into("run.devices", "256")
    window.services.language.set_code("zh")
    answers.report_to = tmp_path / "a.xlsx"
    export(window, qtbot)
    book = load_workbook(answers.report_to, data_only=True)
    tr = translator("zh")
    assert book.sheetnames[:2] == [tr("Inputs"), tr("Results")]
    rows = {row[0].value: row[1].value for row in book[tr("Inputs")].iter_rows() if row[0].value}
    assert rows[tr("Devices")] == 256


def test_the_plot_as_png_and_svg(window: MainWindow, answers: Answers, tmp_path: Path) -> None:
    answers.plot_to = tmp_path / "plot.png"
    window.actions_table["export_plot"].trigger()
    image = QImage(str(answers.plot_to))
    assert window.plot.view is not None
    assert image.size() == window.plot.view.size() * 2
    answers.plot_to = tmp_path / "plot.svg"
    window.actions_table["export_plot"].trigger()
    root = ElementTree.fromstring(answers.plot_to.read_bytes())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    answers.plot_to = tmp_path / "plot.gif"
    window.actions_table["export_plot"].trigger()
    assert answers.told[0].endswith("“.gif” is not one of the choices: .png, .svg.")
    assert not answers.plot_to.exists()


def test_printing_makes_the_pages_of_the_pdf(window: MainWindow, tmp_path: Path) -> None:
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "printed.pdf"))
    printer.setFullPage(True)
    window.export.print_on(printer)
    assert (tmp_path / "printed.pdf").read_bytes().startswith(b"%PDF-")


@pytest.mark.qt_log_ignore("QPainter::begin", extend=True)
def test_a_printer_that_refuses_is_told(window: MainWindow, answers: Answers, tmp_path: Path) -> None:
    printer = QPrinter()
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "missing" / "printed.pdf"))
    window.export.print_on(printer)
    assert answers.told == ["The printer does not accept the report. Check that it is connected and ready."]


def test_print_asks_for_a_printer(window: MainWindow) -> None:
    window.actions_table["print"].trigger()
    dialog = window.findChild(QPrintDialog)
    assert dialog is not None
    assert dialog.isVisible()
    dialog.reject()
    QApplication.processEvents()


def test_copied_markdown_and_scenario(window: MainWindow) -> None:
    clipboard = QGuiApplication.clipboard()
    window.actions_table["copy_markdown"].trigger()
    text = clipboard.text()
    assert text.startswith("# Example: Llama 3.1 8B on 128 H100\n")
    assert bytes(clipboard.mimeData().data("text/markdown").data()).decode() == text
    window.actions_table["copy_scenario"].trigger()
    copied = clipboard.text()
    assert json.loads(copied)["kind"] == "mfu-scenario"
    scenario = load_scenario(copied.encode(), window.services.presets).scenario
    assert scenario == window.services.workspace.active.scenario
    before = len(window.services.workspace.documents)
    window.actions_table["paste"].trigger()
    assert len(window.services.workspace.documents) == before + 1


def test_paper_follows_the_country(monkeypatch: pytest.MonkeyPatch) -> None:
    from PySide6.QtCore import QLocale

    for name, paper in (("en_US", "letter"), ("de_DE", "a4"), ("zh_CN", "a4")):
        monkeypatch.setattr(ui_export.QLocale, "system", lambda name=name: QLocale(name))
        assert ui_export.default_paper() == paper
