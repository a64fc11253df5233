"""Markdown, CSV and HTML: whole, harmless, and the same numbers."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.reports.build import build
from mfu_gui.formats.reports.document import Report
from mfu_gui.formats.reports.files import KINDS, rendered
from mfu_gui.texts import translator

from .conftest import Give

EN = translator("en")
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert(1)</script> =HYPERLINK(\"http://example.com\") | a | [x](javascript:1) `b` \x07 &amp; 'q'"
TEXTS = sorted(KINDS.keys() - {".pdf", ".xlsx"})


@pytest.fixture(scope="module")
def report(give: Give, deepseek: Scenario) -> Report:
    return build(give(deepseek))


@pytest.fixture(scope="module")
def hostile(give: Give, llama: Callable[..., Scenario]) -> Report:
    scenario = llama(HOSTILE, step_time_s=8.0)
    model = replace(scenario.model, name=HOSTILE)
    return build(give(replace(scenario, notes=HOSTILE, model=model,
                              hardware=replace(scenario.hardware, name="=cmd|' /C calc'!A0"))))


def text_of(report: Report, kind: str) -> str:
    return rendered(report, kind, EN).decode("utf-8-sig")


@pytest.mark.parametrize("kind", TEXTS)
def test_the_published_number_is_in_every_kind(report: Report, kind: str) -> None:
    text = text_of(report, kind)
    assert "DeepSeek-V3, 2048 H800" in text
    assert ("0.437279110202398" if kind == ".csv" else "43.73%") in text
    assert "2026-11-30" in text


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {".pdf"}))
def test_equal_reports_are_equal_files(report: Report, kind: str) -> None:
    assert rendered(report, kind, EN) == rendered(report, kind, EN)


@pytest.mark.parametrize("kind", TEXTS)
def test_another_language(give: Give, deepseek: Scenario, kind: str) -> None:
    zh = translator("zh")
    text = rendered(build(give(deepseek, "zh")), kind, zh).decode()
    for english in ("Model FLOPs utilization report", "How it is computed", "All conventions side by side"):
        assert english not in text
        assert zh(english) in text


def cells(line: str) -> list[str]:
    return re.split(r"(?<!\\)\|", line)[1:-1]


@pytest.mark.parametrize("name", ["report", "hostile"])
def test_markdown_tables_are_rectangular(name: str, request: pytest.FixtureRequest) -> None:
    lines = text_of(request.getfixturevalue(name), ".md").splitlines()
    tables = 0
    for place, line in enumerate(lines):
        if re.fullmatch(r"\|( -+:? \|)+", line):
            tables += 1
            width = len(cells(line))
            assert len(cells(lines[place - 1])) == width
            for row in lines[place + 1:]:
                if not row.startswith("|"):
                    break
                assert len(cells(row)) == width, row
    assert tables >= 5


def test_markdown_from_a_file_is_no_markup(hostile: Report) -> None:
    text = text_of(hostile, ".md")
    assert not re.search(r"(?<!\\)<script", text)
    assert not re.search(r"(?<!\\)\[x", text)


@pytest.mark.parametrize("name", ["report", "hostile"])
def test_csv_is_rectangular_and_runs_nothing(name: str, request: pytest.FixtureRequest) -> None:
    data = rendered(request.getfixturevalue(name), ".csv", EN)
    assert data.startswith(b"\xef\xbb\xbf")  # or a spreadsheet takes Chinese for Latin letters
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert len({len(row) for row in rows}) == 1
    for cell in (cell for row in rows for cell in row):
        assert not cell.startswith(("=", "+", "@", "\t")) or re.fullmatch(r"[+]?[\d.e+-]+%?", cell), cell


class Tags(HTMLParser):
    """Collects the elements of a page, and sees that they are closed in order."""

    VOID = frozenset({"meta", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", ["report", "hostile"])
def test_html_is_whole_and_loads_and_runs_nothing(name: str, request: pytest.FixtureRequest) -> None:
    page = text_of(request.getfixturevalue(name), ".html")
    tags = Tags()
    tags.feed(page)
    tags.close()
    assert tags.open == []
    names = {tag for tag, _ in tags.found}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "a", "form", "base", "image", "use"}
    for tag, attributes in tags.found:
        assert not {key for key in attributes if key.startswith("on") or key in ("href", "src", "style")}, tag
    assert "url(" not in page
    assert "@import" not in page
    policy = next(given for tag, given in tags.found if given.get("http-equiv") == "Content-Security-Policy")
    assert policy["content"] == "default-src 'none'; style-src 'unsafe-inline'"
    assert "@media print" in page


def test_html_is_xml_too_and_its_plots_are_drawings(report: Report) -> None:
    root = ElementTree.fromstring(text_of(report, ".html"))
    plots = root.findall(f".//{SVG}svg")
    assert len(plots) == 2
    for plot in plots:
        assert plot.get("role") == "img"
        assert plot.findtext(f"{SVG}title")
        assert plot.findtext(f"{SVG}desc")
    words = {text.text for text in plots[0].iter(f"{SVG}text")}
    assert "19.93 s · 43.73%" in words
    tables = root.findall(".//table")
    assert len(tables) >= 6
    assert any(cell.text == "43.73%" for cell in root.iter("td"))


def test_a_page_of_a_file_says_what_the_file_says(hostile: Report) -> None:
    root = ElementTree.fromstring(text_of(hostile, ".html"))
    heading = root.findtext(".//h1")
    assert heading is not None
    assert heading.startswith("<script>alert(1)</script> =HYPERLINK(")
    assert "\x07" not in heading


@pytest.mark.skipif(shutil.which("xmllint") is None, reason="xmllint (libxml2-utils) is a second reader of the page")
def test_another_reader_takes_the_page(report: Report, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_bytes(rendered(report, ".html", EN))
    done = subprocess.run(["xmllint", "--nonet", "--noout", page], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


BROWSER = next((found for name in ("chromium", "chromium-browser", "google-chrome", "chrome")
                if (found := shutil.which(name))), None)


@pytest.mark.skipif(BROWSER is None, reason="no Chromium here to show the page")
def test_a_browser_shows_the_page(report: Report, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_bytes(rendered(report, ".html", EN))
    assert BROWSER is not None
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile",
               "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "<h1>DeepSeek-V3, 2048 H800</h1>" in done.stdout
