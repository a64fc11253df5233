"""`mfu-gui report`: every kind of file, and one clear line when it cannot be written."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from mfu_gui.formats.reports.files import KINDS

from .conftest import SCENARIOS, Cli

ROOT = SCENARIOS.parents[2]
DEEPSEEK = SCENARIOS / "deepseek-v3-2048-h800.mfu"
ALL = ".pdf, .xlsx, .html, .md, .csv"
WITHOUT_QT = sorted(KINDS.keys() - {".pdf"})


def run(*arguments: str | Path, **changes: Any) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own."""
    environment = {**os.environ, **changes.pop("environment", {})}
    return subprocess.run([sys.executable, "-m", "mfu_gui", "report", *map(str, arguments)], cwd=ROOT, timeout=120,
                          env=environment, capture_output=True, text=True, **changes)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_file())


def test_markdown(cli: Cli, tmp_path: Path) -> None:
    done = cli("report", DEEPSEEK, "-o", tmp_path / "a.md")
    assert (done.status, done.out, done.err) == (0, "", f"Saved {tmp_path}/a.md\n")
    assert "\n**MFU: 43.73%**\n" in (tmp_path / "a.md").read_text(encoding="utf-8")


def test_csv_and_html_and_workbook(cli: Cli, tmp_path: Path) -> None:
    for ending in (".csv", ".html", ".xlsx"):
        assert cli("report", DEEPSEEK, "--output", tmp_path / f"a{ending}").status == 0
    rows = list(csv.reader(io.StringIO((tmp_path / "a.csv").read_text(encoding="utf-8-sig"))))
    assert ["MFU", "0.437279110202398"] in [row[:2] for row in rows]
    assert "43.73%" in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "Results" in load_workbook(tmp_path / "a.xlsx").sheetnames


def test_a_sweep(cli: Cli, tmp_path: Path) -> None:
    """The same numbers as `mfu-gui sweep`; the published 43.73 % at its own point (arXiv 2505.09343, table 4)."""
    axes = ("--axis", "run.devices=1024,2048", "--axis", "run.global_batch=7680,15360")
    assert cli("report", DEEPSEEK, "-o", tmp_path / "a.csv", *axes, "--result", "mfu,step_time_s").status == 0
    assert cli("report", DEEPSEEK, "-o", tmp_path / "a.md", *axes).status == 0
    rows = list(csv.reader(io.StringIO((tmp_path / "a.csv").read_text(encoding="utf-8-sig"))))
    swept = json.loads(cli("sweep", DEEPSEEK, *axes, "--result", "mfu,step_time_s", "--format", "json").out)
    assert len(swept["points"]) == 4
    for point in swept["points"]:
        line = [str(value) for value in (*point["at"], point["mfu"], point["step_time_s"])]
        assert line in [row[:4] for row in rows]
    text = (tmp_path / "a.md").read_text(encoding="utf-8")
    assert "\n## Sweep\n\nWhat is held: step time predicted from the measured run (19.9 s).\n" in text
    assert "| **2,048** | **15,360** | **43.73%** |" in text


@pytest.mark.parametrize(("arguments", "line"), [
    (("--axis", "run.devices"), "--axis: “run.devices” does not describe an axis"),
    (("--result", "mfu"), "--axis: "),
    (("--axis", "run.devices=1024", "--result", "speed"), "--result: “speed”"),
    (("--axis", "run.devices=1:2000:2000"), "A report holds sweeps of up to 1,000 points; these axes make 2,000."),
    (("--axis", "run.devices=1024", "--axis", "run.devices=2048"), "run.devices"),
])
def test_a_sweep_that_cannot_be(arguments: tuple[str, ...], line: str, cli: Cli, tmp_path: Path) -> None:
    done = cli("report", DEEPSEEK, "-o", tmp_path / "a.md", *arguments)
    assert done.status == 2
    assert line in done.err
    assert done.err.count("\n") == 1
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", ["a report", "it's a report", "报告 一", "UPPER"])
@pytest.mark.parametrize("ending", [".xlsx", ".MD"])
def test_any_name(cli: Cli, tmp_path: Path, name: str, ending: str) -> None:
    folder = tmp_path / f"folder {name}"
    folder.mkdir()
    assert cli("report", DEEPSEEK, "-o", folder / f"{name}{ending}").status == 0
    assert names(folder) == [f"{name}{ending}"]


def test_standard_input_and_language(cli: Cli, tmp_path: Path) -> None:
    done = cli("report", "-", "-o", tmp_path / "a.md", "--lang", "zh", stdin=DEEPSEEK.read_bytes())
    assert done.status == 0
    text = (tmp_path / "a.md").read_text(encoding="utf-8")
    assert "模型浮点运算利用率（MFU）报告" in text
    assert "MFU: 43.73%" in text


def test_the_day_can_be_given(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1735689600")  # 2025-01-01T00:00:00Z
    for ending in WITHOUT_QT:
        for name in ("a", "b"):
            assert cli("report", DEEPSEEK, "-o", tmp_path / f"{name}{ending}").status == 0
        assert (tmp_path / f"a{ending}").read_bytes() == (tmp_path / f"b{ending}").read_bytes()
    assert "2025-01-01" in (tmp_path / "a.md").read_text(encoding="utf-8")
    for value in ("soon", "1e9", "9" * 30):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
        done = cli("report", DEEPSEEK, "-o", tmp_path / "c.md")
        assert (done.status, done.err) == (2, f"SOURCE_DATE_EPOCH: “{value}” is not a time in seconds since 1970.\n")
    assert "c.md" not in names(tmp_path)


@pytest.mark.parametrize(("name", "line"), [
    ("a.docx", f"“.docx” is no kind of report; the name of the file must end in one of {ALL}."),
    ("a", f"The name of the file must end in one of {ALL}; it says which kind of report is written."),
    ("missing/a.md", "The folder does not exist."),
    ("folder.md", "This is a folder; a file is needed."),
    ("pipe.md", "This is not an ordinary file."),
])
def test_a_target_that_cannot_be_written(cli: Cli, tmp_path: Path, name: str, line: str) -> None:
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    done = cli("report", DEEPSEEK, "-o", tmp_path / name)
    assert (done.status, done.out, done.err) == (2, "", f"{tmp_path / name}: {line}\n")
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "profile") == ["folder.md", "pipe.md"]


def test_the_kind_is_looked_at_before_the_scenario(cli: Cli, tmp_path: Path) -> None:
    done = cli("report", tmp_path / "missing.mfu", "-o", tmp_path / "a.docx")
    assert "“.docx” is no kind of report" in done.err


def test_a_bad_scenario_writes_nothing(cli: Cli, tmp_path: Path, scenario: dict[str, Any]) -> None:
    scenario["run"]["precision"] = "fp4"
    del scenario["hardware"]["peak_tflops"]  # the preset has no such peak
    done = cli("report", "-", "-o", tmp_path / "a.md", stdin=json.dumps(scenario).encode())
    assert done.status == 2
    assert done.err.startswith("stdin: run.precision: ")
    assert done.err.count("\n") == 1
    assert names(tmp_path) == []


def test_a_missing_output_is_an_error_of_usage(cli: Cli) -> None:
    done = cli("report", DEEPSEEK)
    assert done.status == 2
    assert done.err == "the following arguments are required: -o/--output (see “mfu-gui report --help”)\n"


def test_a_report_that_is_open_elsewhere_stays(cli: Cli, tmp_path: Path) -> None:
    target = tmp_path / "a.xlsx"
    target.write_bytes(b"old")
    lock = tmp_path / ".~lock.a.xlsx#"
    lock.touch()
    done = cli("report", DEEPSEEK, "-o", target)
    assert done.status == 2
    assert ".~lock.a.xlsx#" in done.err
    assert target.read_bytes() == b"old"


def test_a_read_only_file_stays(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.md"
    target.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anything
    done = cli("report", DEEPSEEK, "-o", target)
    assert (done.status, done.err) == (2, f"{target}: The file cannot be written: Permission denied\n")
    assert target.read_bytes() == b"old"


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX stand for a full disk")
@pytest.mark.parametrize("ending", [".pdf", ".xlsx"])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, ending: str) -> None:
    import resource

    target = tmp_path / f"a{ending}"
    target.write_bytes(b"old")
    done = run(DEEPSEEK, "-o", target, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{target}: The file cannot be written: File too large\n"
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir() if path.is_file()] == [(target.name, b"old")]


def test_pdf_needs_no_screen(tmp_path: Path) -> None:
    environment = {"QT_QPA_PLATFORM": "", "DISPLAY": "", "WAYLAND_DISPLAY": "", "SOURCE_DATE_EPOCH": "1735689600"}
    for name in ("a.pdf", "b.pdf"):
        done = run(DEEPSEEK, "-o", tmp_path / name, environment=environment)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", f"Saved {tmp_path / name}\n")
    data = (tmp_path / "a.pdf").read_bytes()
    assert data.startswith(b"%PDF-")
    assert b"/CreationDate (D:20250101000000" in data
    assert (tmp_path / "b.pdf").read_bytes() == data


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fontconfig chooses the fonts on Linux only")
def test_without_a_chinese_font_no_boxes_are_printed(tmp_path: Path) -> None:
    """With fonts for Latin alone: English comes out, Chinese is refused, and other kinds of files still work."""
    fonts = Path("/usr/share/fonts/truetype/dejavu")
    if not fonts.is_dir():
        pytest.skip("DejaVu (fonts-dejavu-core) is the font without Chinese characters")
    settings = tmp_path / "fonts.conf"
    settings.write_text(f"<fontconfig><dir>{fonts}</dir><cachedir>{tmp_path}/cache</cachedir></fontconfig>")
    environment = {"FONTCONFIG_FILE": str(settings), "QT_QPA_PLATFORM": ""}
    assert run(DEEPSEEK, "-o", tmp_path / "en.pdf", environment=environment).returncode == 0
    done = run(DEEPSEEK, "-o", tmp_path / "zh.pdf", "--lang", "zh", environment=environment)
    assert done.returncode == 2
    assert done.stderr.startswith("报告中有中文，但这台计算机上没有包含汉字的字体。")
    assert done.stderr.count("\n") == 1
    assert run(DEEPSEEK, "-o", tmp_path / "zh.html", "--lang", "zh", environment=environment).returncode == 0
    assert names(tmp_path) == ["en.pdf", "fonts.conf", "zh.html"]


def test_only_a_pdf_loads_qt_and_only_a_workbook_its_writer(tmp_path: Path) -> None:
    code = ("import sys; from mfu_gui.cli import main; status = main(['report', sys.argv[1], '-o', sys.argv[2]]); "
            "print(status, 'PySide6' in sys.modules, 'xlsxwriter' in sys.modules)")
    for ending in WITHOUT_QT:
        done = subprocess.run([sys.executable, "-c", code, str(DEEPSEEK), str(tmp_path / f"a{ending}")], cwd=ROOT,
                              capture_output=True, text=True, timeout=60)
        assert done.stdout == f"0 False {ending == '.xlsx'}\n"
