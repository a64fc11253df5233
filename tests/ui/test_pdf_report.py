"""The report on pages, as other programs read it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from mfu_gui.engine.compare import compare
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.reports import colors
from mfu_gui.formats.reports.build import build
from mfu_gui.formats.reports.colors import component_color
from mfu_gui.formats.reports.document import Report, Table, written
from mfu_gui.formats.reports.given import Given
from mfu_gui.formats.scenario_file import read_scenario
from mfu_gui.texts import translator
from mfu_gui.texts.components import COMPONENTS
from mfu_gui.ui import theme
from mfu_gui.ui.pdf_report import Paper, pdf
from mfu_gui.ui.report_pages import Pages

DEEPSEEK = Path(__file__).resolve().parents[1] / "data" / "scenarios" / "deepseek-v3-2048-h800.mfu"
needs_poppler = pytest.mark.skipif(shutil.which("pdftotext") is None,
                                   reason="pdftotext, pdffonts and pdfinfo (poppler-utils) read the PDF")
Make = Callable[..., Path]


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return read_scenario(DEEPSEEK, PresetStore()).scenario


@pytest.fixture
def report(scenario: Scenario) -> Callable[..., Report]:
    def made(language: str = "en", **changes: object) -> Report:
        changed = replace(scenario, **changes)
        result = evaluate(changed)
        return build(Given(changed, result, compare(changed, result), translator(language), PresetStore(),
                           "2026-11-30"))

    return made


@pytest.fixture
def make(qapp: QApplication, report: Callable[..., Report], tmp_path: Path) -> Make:
    """Writes the PDF of the example; its path."""

    def made(language: str = "en", paper: Paper = "a4", **changes: object) -> Path:
        path = tmp_path / "report.pdf"
        path.write_bytes(pdf(report(language, **changes), translator(language), paper))
        return path

    return made


def read(*command: str | Path) -> str:
    parts = [str(part) for part in command]
    return subprocess.run(parts, capture_output=True, text=True, check=True, timeout=60).stdout


@needs_poppler
def test_the_text_of_the_pages(make: Make) -> None:
    pages = read("pdftotext", "-layout", make(), "-").split("\f")[:-1]
    first = pages[0]
    for text in ("Model FLOPs utilization report", "DeepSeek-V3, 2048 H800", "43.73%", "19.93 s", "280.5 GFLOP",
                 "Of every 100 s, the chips could have done this work in 44 s."):
        assert text in first
    whole = " ".join(" ".join(pages).split())
    for text in ("MFU = model FLOPs per step ÷ (peak × devices × step time)", "Exact, full square (matmul-full)",
                 "typed; the preset has 989.4 TFLOP/s dense", "671,026,404,352", "megatron-lm", "nanogpt"):
        assert text in whole, text
    for number, page in enumerate(pages, 1):
        assert f"Page {number} of {len(pages)}" in page
        assert "2026-11-30" in page


@needs_poppler
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_word_can_be_read_and_copied(make: Make, report: Callable[..., Report], language: str) -> None:
    """No glyph of the page stands for nothing, or for a character that only looks the same."""
    name = "H800 一页报告：512 × 8，12.5 % “用” 2025年3月" if language == "zh" else "H800, “12.5 %” × 8"
    tr = translator(language)
    read_text = "".join(read("pdftotext", "-raw", make(language, name=name), "-").split())
    document = report(language, name=name)
    words = [document.title, document.kind, document.stamp, *(section.title for section in document.sections)]
    tables = [block for section in document.sections for block in section.blocks if isinstance(block, Table)]
    words += [written(cell, tr) for table in tables for row in table.rows for cell in row.cells if cell.form != "text"]
    words += [column.head for table in tables for column in table.columns]
    assert len(words) > 200
    assert [word for word in words if "".join(word.split()) not in read_text] == []


@needs_poppler
@pytest.mark.parametrize("stretch", [85, 100, 115, 130])
def test_no_number_of_the_headline_lies_over_another(make: Make, monkeypatch: pytest.MonkeyPatch, stretch: int) -> None:
    """Whatever font the system has: DejaVu Sans is a sixth wider than Noto Sans."""
    plain = Pages.font

    def wide(self: Pages, size: float, *, bold: bool = False) -> QFont:
        font = plain(self, size, bold=bold)
        font.setStretch(stretch)
        return font

    monkeypatch.setattr(Pages, "font", wide)
    page = read("pdftotext", "-bbox", "-l", "1", make(), "-")
    number = r'"([\d.]+)"'
    found = re.findall(f"<word xMin={number} yMin={number} xMax={number} yMax={number}>", page)
    words = [box for box in (tuple(map(float, each)) for each in found) if box[1] < 250]
    assert len(words) > 15
    for i, (left, top, right, bottom) in enumerate(words):
        for other_left, other_top, other_right, other_bottom in words[:i]:
            beside = min(right, other_right) - max(left, other_left)
            over = min(bottom, other_bottom) - max(top, other_top)
            # Boxes are as high as lines, so lines below one another touch.
            assert beside <= 0 or over <= 0.4 * min(bottom - top, other_bottom - other_top)


@needs_poppler
@pytest.mark.parametrize("language", ["en", "zh"])
def test_all_fonts_are_embedded(make: Make, language: str) -> None:
    lines = read("pdffonts", make(language)).splitlines()[2:]
    assert lines
    for line in lines:
        embedded, _subset, to_unicode = re.findall(r"\b(yes|no)\b", line)
        assert (embedded, to_unicode) == ("yes", "yes"), line


@needs_poppler
def test_chinese_can_be_read_and_copied(make: Make) -> None:
    text = read("pdftotext", make("zh", name="训练报告（一）"), "-")
    for words in ("训练报告（一）", "模型浮点运算利用率（MFU）报告", "各统计口径对照", "计算过程", "43.73%"):
        assert words in text


@needs_poppler
@pytest.mark.parametrize(("paper", "size"), [("a4", "595 x 842 pts (A4)"), ("letter", "612 x 792 pts (letter)")])
def test_the_size_of_the_paper(make: Make, paper: Paper, size: str) -> None:
    info = read("pdfinfo", make(paper=paper))
    assert size in info
    assert re.search(r"Title: +DeepSeek-V3, 2048 H800", info)
    assert re.search(r"Creator: +MFU Calculator [\d.]+ · 2026-11-30", info)


@needs_poppler
def test_plots_are_lines_and_not_pictures(make: Make) -> None:
    assert len(read("pdfimages", "-list", make()).splitlines()) == 2  # the two lines of its head


@needs_poppler
def test_long_texts_stay_on_the_page(make: Make) -> None:
    """No word reaches beyond the margins, whatever a file says."""
    name, notes = "Wide" * 60, "word " * 700 + "x" * 900
    box = re.compile(r'<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">')
    found = box.findall(read("pdftotext", "-bbox", make(name=name, notes=notes), "-"))
    assert len(found) > 1500
    for left, top, right, bottom in (map(float, each) for each in found):
        assert left >= 40
        assert right <= 595 - 40
        assert top >= 30
        assert bottom <= 842 - 10


def test_equal_reports_are_equal_files(make: Make) -> None:
    first = make().read_bytes()
    assert make().read_bytes() == first


def test_reports_have_the_colours_of_the_window() -> None:
    light = theme.LIGHT
    assert (light.text, light.muted, light.line) == (colors.TEXT, colors.MUTED, colors.LINE)
    assert (light.accent, light.band, light.accent_soft) == (colors.ACCENT, colors.BAND, colors.CHOSEN_SOFT)
    assert (light.warning, light.warning_soft) == (colors.WARNING, colors.WARNING_SOFT)
    assert (light.error, light.error_soft) == (colors.ERROR, colors.ERROR_SOFT)
    shown = theme.Theme("light")
    for name in COMPONENTS:
        assert component_color(name) == shown.component(name).name(), name
