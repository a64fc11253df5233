"""The workbook: numbers as numbers, live formulas, and the same results after a change as the engine's."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace as replaced
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace
from openpyxl import Workbook, load_workbook

from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.run import Measured
from mfu_gui.engine.scenario import ConventionChoice, Scenario
from mfu_gui.formats.reports.build import build
from mfu_gui.formats.reports.swept import Asked
from mfu_gui.formats.reports.xlsx import xlsx
from mfu_gui.planning.sweep_axes import axis_of_key
from mfu_gui.texts import translator

from .conftest import Give

EN = translator("en")
Llama = Callable[..., Scenario]
SHEETS = ["Inputs", "Results", "Breakdown", "Conventions", "Memory", "Plan", "Sweep"]
MEASURED = {"step_time_s": 8.0, "tokens_per_s": 140_000.0, "tokens_per_s_per_device": 2000.0,
            "tflops_per_device": 150.0, "mfu": 0.4}


class Books(NamedTuple):
    """One workbook, with its formulas and with their values as they were written."""

    formulas: Workbook
    values: Workbook

    def value(self, name: str) -> Any:
        """The value of a named cell."""
        return place(self.values, name).value


def opened(data: bytes) -> Books:
    return Books(load_workbook(io.BytesIO(data)), load_workbook(io.BytesIO(data), data_only=True))


def place(book: Workbook, name: str) -> Any:
    """The cell with a defined name."""
    ((sheet, address),) = book.defined_names[name].destinations
    return book[sheet][address.replace("$", "")]


@pytest.fixture(scope="module")
def deepseek_book(give: Give, deepseek: Scenario) -> Books:
    return opened(xlsx(build(give(deepseek)), EN))


def test_the_sheets(deepseek_book: Books) -> None:
    assert deepseek_book.formulas.sheetnames == SHEETS
    assert deepseek_book.formulas.active.title == "Results"
    for sheet in deepseek_book.values.worksheets:
        assert sheet["A1"].value == "DeepSeek-V3, 2048 H800"
        assert sheet["A2"].value.endswith("2026-11-30")


def test_the_headline_is_a_formula_with_its_value(deepseek_book: Books) -> None:
    assert place(deepseek_book.formulas, "mfu").value == "=flops_per_step/(peak_tflops*1E12*devices*step_time_s)"
    assert round(deepseek_book.value("mfu"), 4) == 0.4373
    assert place(deepseek_book.values, "mfu").number_format == "0.00%"
    assert deepseek_book.value("devices") == 2048
    assert deepseek_book.value("global_batch") == 15360
    assert deepseek_book.value("peak_tflops") == 989
    assert place(deepseek_book.values, "peak_tflops").number_format == 'General" TFLOP/s"'
    assert deepseek_book.value("step_time_s_measured") == 19.926


def test_every_name_in_a_formula_is_defined(give: Give, llama: Llama) -> None:
    for measured, value in MEASURED.items():
        book = opened(xlsx(build(give(llama(**{measured: value}))), EN)).formulas
        names = set(book.defined_names)
        for sheet in book.worksheets:
            for cell in (cell for row in sheet.iter_rows() for cell in row if cell.data_type == "f"):
                used = set(re.findall(r"[a-z][a-z0-9_]{2,}", cell.value))
                assert used <= names, (measured, cell.coordinate, cell.value)


@pytest.mark.parametrize("measured", MEASURED)
def test_values_are_the_result(give: Give, llama: Llama, measured: str) -> None:
    given = give(llama(**{measured: MEASURED[measured]}))
    book = opened(xlsx(build(given), EN))
    result = given.result
    assert book.value("mfu") == result.mfu
    assert book.value("hfu") == result.hfu
    assert book.value("tflops_per_device") == result.throughput.tflops_per_device
    assert book.value("tokens_per_s") == result.throughput.tokens_per_s
    assert book.value("step_time_s") == result.throughput.step_time_s


def test_only_what_can_be_changed_is_blue(deepseek_book: Books) -> None:
    blue = {cell.coordinate for row in deepseek_book.formulas["Inputs"].iter_rows() for cell in row
            if cell.value is not None and cell.font.color is not None and cell.font.color.rgb == "FF0000FF"}
    inputs = ("devices", "global_batch", "peak_tflops", "step_time_s_measured")
    assert blue == {place(deepseek_book.formulas, name).coordinate for name in inputs}


def test_texts_stay_texts(give: Give, llama: Llama) -> None:
    name = "=cmd|' /C calc'!A0"
    scenario = llama(name, step_time_s=8.0)
    scenario = replace(scenario, notes="=1+1", model=replace(scenario.model, name="+SUM(A1)"))
    book = opened(xlsx(build(give(scenario)), EN)).formulas
    cells = [cell for sheet in book.worksheets for row in sheet.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells if cell.value in (name, "=1+1", "+SUM(A1)")} == {"s"}
    assert not [cell for cell in cells if cell.hyperlink is not None]


def test_every_scenario_has_sheets_without_holes(give: Give, llama: Llama) -> None:
    scenarios = [llama(), llama(step_time_s=0.5), llama(devices=None, global_batch=None, tokens_per_s_per_device=9e3),
                 replace(llama(step_time_s=8.0), convention=ConventionChoice(id="megatron-2021"))]
    for scenario in scenarios:
        book = opened(xlsx(build(give(scenario)), EN))
        for sheet in book.formulas.worksheets:
            values = book.values[sheet.title]
            for cell in (cell for row in sheet.iter_rows() for cell in row if cell.data_type == "f"):
                assert isinstance(values[cell.coordinate].value, int | float), (sheet.title, cell.coordinate)


def test_charts_are_the_spreadsheet_s_own(deepseek_book: Books) -> None:
    assert [len(deepseek_book.formulas[name]._charts) for name in ("Breakdown", "Sweep")] == [1, 1]


def test_a_sweep_stands_on_its_sheet_as_numbers(give: Give, deepseek: Scenario) -> None:
    asked = Asked((axis_of_key("run.devices", [1024, 2048, 4096]),), ("mfu", "step_time_s"))
    page = opened(xlsx(build(replaced(give(deepseek), sweep=asked)), EN)).values["Sweep"]
    rows = [[cell.value for cell in row[:3]] for row in page.iter_rows()]
    first = rows.index(["Devices", "MFU", "Step time"]) + 1
    assert [row[0] for row in rows[first:first + 3]] == [1024, 2048, 4096]
    assert rows[first + 1][1:] == [pytest.approx(0.4373, abs=5e-5), pytest.approx(19.926)]


def test_sheets_in_chinese(give: Give, deepseek: Scenario) -> None:
    zh = translator("zh")
    book = load_workbook(io.BytesIO(xlsx(build(give(deepseek, "zh")), zh)))
    assert book.sheetnames == [zh(name) for name in SHEETS]
    assert place(book, "mfu").value.startswith("=")


needs_libreoffice = pytest.mark.skipif(shutil.which("soffice") is None,
                                       reason="LibreOffice recalculates the workbook as a second program")


def changed(give: Give, llama: Llama, measured: str) -> tuple[Workbook, dict[str, float | None]]:
    """A workbook with other inputs, saved without values, and what the engine computes for those."""
    scenario, value = llama(**{measured: MEASURED[measured]}), MEASURED[measured] * 0.75
    book = opened(xlsx(build(give(scenario)), EN)).formulas
    for name, number in (("devices", 96), ("global_batch", 192), ("peak_tflops", 700), (f"{measured}_measured", value)):
        place(book, name).value = number
    run = replace(scenario.run, devices=96, global_batch=192, measured=Measured(**{measured: value}))
    result = evaluate(replace(scenario, run=run, peak=replace(scenario.peak, tflops=700.0)))
    rates = result.throughput
    return book, {"mfu": result.mfu, "hfu": result.hfu, "tflops_per_device": rates.tflops_per_device,
                  "tokens_per_s": rates.tokens_per_s, "tokens_per_s_per_device": rates.tokens_per_s_per_device,
                  "step_time_s": rates.step_time_s}


@pytest.mark.parametrize("measured", MEASURED)
def test_changed_inputs_give_what_the_engine_computes(give: Give, llama: Llama, measured: str) -> None:
    """The formulas are arithmetic on names, which Python reads as well."""
    book, expected = changed(give, llama, measured)

    def value(name: str) -> float:
        found = place(book, name).value
        if not isinstance(found, str):
            return float(found)
        names = {used: value(used) for used in re.findall(r"[a-z][a-z0-9_]+", found)}
        assert re.fullmatch(r"=[a-zA-Z0-9_*/()+-]+", found)
        return float(eval(found[1:], {"__builtins__": {}}, names))

    assert {name: value(name) for name in expected} == pytest.approx(expected, rel=1e-12)


@needs_libreoffice
def test_libreoffice_recalculates_what_the_engine_computes(give: Give, llama: Llama, tmp_path: Path) -> None:
    """No values stand beside the formulas: all results must come from LibreOffice."""
    book, expected = changed(give, llama, "step_time_s")
    book.save(tmp_path / "a.xlsx")
    done = recalculated(tmp_path / "a.xlsx", tmp_path / "out")
    assert {name: place(done, name).value for name in expected} == pytest.approx(expected, rel=1e-12)
    cells = [cell for sheet in done.worksheets for row in sheet.iter_rows() for cell in row]
    assert [cell.coordinate for cell in cells if cell.data_type == "e"] == []
    shares = [row[1].value for row in done["Sweep"].iter_rows(min_row=6) if isinstance(row[1].value, float)]
    assert expected["mfu"] in [pytest.approx(share, rel=1e-12) for share in shares]


def recalculated(file: Path, folder: Path) -> Workbook:
    """The workbook as LibreOffice computes and saves it."""
    profile = folder / "profile"
    command = ["soffice", "--headless", "--norestore", f"-env:UserInstallation={profile.as_uri()}", "--convert-to",
               "xlsx:Calc MS Excel 2007 XML", "--outdir", str(folder), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, env={**os.environ, "LANG": "C.UTF-8"})
    assert (folder / file.name).is_file(), done.stderr
    return load_workbook(folder / file.name, data_only=True)
