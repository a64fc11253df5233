"""Help, version, language, the window, and the self-test."""

from __future__ import annotations

import json
import shutil
import sys
import types
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

import mfu_gui
from mfu_gui.cli.commands import COMMANDS
from mfu_gui.resources import resource_path
from tests.cli.conftest import SCENARIOS, Cli


def test_version(cli: Cli) -> None:
    assert cli("--version") == (0, f"mfu-gui {mfu_gui.__version__}\n", "")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_in_both_languages(cli: Cli, command: str) -> None:
    english, chinese = (cli(*([command] if command else []), "--help", "--lang", name) for name in ("en", "zh"))
    for done in (english, chinese):
        assert (done.status, done.err) == (0, "")
        assert f"mfu-gui {command}".strip() in done.out
        assert "--lang" in done.out
    assert "usage: " in english.out
    assert "用法：" in chinese.out
    for word in ("usage", "options:", "show this help", "positional"):
        assert word not in chinese.out


def test_help_names_only_what_there_is(cli: Cli) -> None:
    out = cli("--help").out
    assert all(command in out for command in COMMANDS)
    assert cli("-h").out == out


def test_language_may_stand_anywhere(cli: Cli) -> None:
    path = SCENARIOS / "gpt2-124m-nanogpt.mfu"
    outs = {cli(*arguments, "--format", "text").out
            for arguments in (("--lang", "zh", "compute", path), ("compute", "--lang=zh", path),
                              ("compute", path, "--lang", "zh"))}
    assert len(outs) == 1
    assert "硬件" in outs.pop()


@pytest.mark.parametrize(("variable", "expected"),
                         [("zh_CN.UTF-8", "用法"), ("zh_TW", "用法"), ("de_DE.UTF-8", "usage")])
def test_language_of_the_session(cli: Cli, monkeypatch: pytest.MonkeyPatch, variable: str, expected: str) -> None:
    monkeypatch.setenv("LC_ALL", variable)
    assert expected in cli("--help").out


@pytest.mark.parametrize("arguments", [("--lang",), ("--lang", "fr"), ("--lang=", "compute")])
def test_unknown_language(cli: Cli, arguments: tuple[str, ...]) -> None:
    done = cli(*arguments)
    assert (done.status, done.out) == (2, "")
    assert "en, zh" in done.err or "--lang" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(("word", "nearest"),
                         [("comput", "compute"), ("convention", "conventions"), ("qqq", "compute")])
def test_unknown_command(cli: Cli, word: str, nearest: str) -> None:
    done = cli(word)
    assert (done.status, done.out) == (2, "")
    assert nearest in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [("compute",), ("compute", "a.mfu", "b.mfu"), ("compute", "a.mfu", "--fromat"),
                                       ("presets", "models", "hardware"), ("presets", "modles"), ("--bogus",)])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_wrong_usage_is_one_line_in_the_language(cli: Cli, arguments: tuple[str, ...], language: str) -> None:
    done = cli(*arguments, "--lang", language)
    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert "--help" in done.err
    assert any("\u4e00" <= c <= "\u9fff" for c in done.err) == (language == "zh")


class Window:
    """Stands for mfu_gui.ui.app."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, status: int = 0) -> None:
        self.opened: list[list[str]] = []
        module = types.ModuleType("mfu_gui.ui.app")

        def run(paths: list[str]) -> int:
            self.opened.append(paths)
            return status

        module.run = run  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "mfu_gui.ui.app", module)


def test_without_a_command_the_window_opens(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window = Window(monkeypatch)
    extensionless = tmp_path / "notes"
    extensionless.write_text("")
    monkeypatch.chdir(tmp_path)
    assert cli() == (0, "", "")
    assert cli("run.mfu", "config.json") == (0, "", "")
    assert cli("notes") == (0, "", "")
    assert cli("--lang", "zh", "./方案") == (0, "", "")
    assert cli("--", "run.mfu") == (0, "", "")
    assert window.opened == [[], ["run.mfu", "config.json"], ["notes"], ["./方案"], ["run.mfu"]]


def test_status_of_the_window_is_that_of_the_program(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    Window(monkeypatch, status=1)
    assert cli().status == 1


def test_a_window_that_cannot_be_loaded_is_said_in_one_line(cli: Cli, monkeypatch: pytest.MonkeyPatch,
                                                          profile: Path) -> None:
    monkeypatch.setitem(sys.modules, "mfu_gui.ui.app", None)
    done = cli()
    assert (done.status, done.out) == (1, "")
    assert done.err.count("\n") == 1
    log = next((profile / "logs").iterdir())
    assert str(log) in done.err


def test_a_mistake_of_the_program_is_one_line_and_a_log(cli: Cli, monkeypatch: pytest.MonkeyPatch,
                                                       profile: Path) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("mfu_gui.engine.evaluate.evaluate", fail)
    done = cli("compute", SCENARIOS / "gpt2-124m-nanogpt.mfu")
    assert (done.status, done.out) == (1, "")
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err
    log = next((profile / "logs").iterdir())
    assert str(log) in done.err
    text = log.read_text(encoding="utf-8")
    assert "ZeroDivisionError: secret detail" in text
    assert mfu_gui.__version__ in text


def test_a_log_that_cannot_be_written_is_no_second_failure(cli: Cli, monkeypatch: pytest.MonkeyPatch,
                                                          profile: Path) -> None:
    profile.write_text("a file where the folder should be")
    monkeypatch.setattr("mfu_gui.cli.commands.COMMANDS", None)
    done = cli("compute")
    assert (done.status, done.out) == (1, "")
    assert done.err.count("\n") == 1


def test_interruption(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mfu_gui.engine.evaluate.evaluate", interrupt)
    done = cli("compute", SCENARIOS / "gpt2-124m-nanogpt.mfu")
    assert (done.status, done.out) == (130, "")
    assert done.err == "Interrupted.\n"


def test_self_test_of_this_installation(cli: Cli) -> None:
    done = cli("--self-test")
    assert (done.status, done.err) == (0, "")
    assert "43.73%" in done.out
    assert "FAILED" not in done.out
    assert "正常" in cli("--self-test", "--lang", "zh").out


@pytest.fixture
def damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the resources that the self-test looks at instead, to be damaged."""
    copy = tmp_path / "resources"
    shutil.copytree(resource_path(), copy, ignore=shutil.ignore_patterns("icons", "fonts", "catalogue"))
    for module in ("mfu_gui.cli.self_test", "mfu_gui.formats.presets", "mfu_gui.formats.schema"):
        monkeypatch.setattr(f"{module}.resource_path", lambda *parts: copy.joinpath(*parts))
    return copy


def test_self_test_of_an_undamaged_copy(cli: Cli, damaged: Path) -> None:
    assert cli("--self-test").status == 0


def _wrong_figure(folder: Path) -> None:
    path = folder / "examples" / "expected.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["expected"][0]["mfu_percent"] = "43.74"
    path.write_text(json.dumps(data), encoding="utf-8")


def _broken_preset(folder: Path) -> None:
    path = folder / "presets" / "models" / "deepseek-v3.json"
    path.write_bytes(path.read_bytes()[:-30])


def _missing_preset(folder: Path) -> None:
    (folder / "presets" / "hardware" / "google-tpu-v4.json").unlink()


def _missing_schema(folder: Path) -> None:
    (folder / "schemas" / "model.json").unlink()


def _empty_catalogue(folder: Path) -> None:
    (folder / "i18n" / "zh_CN.mo").write_bytes(b"")


def _silent_catalogue(folder: Path) -> None:
    with (folder / "i18n" / "zh_CN.mo").open("wb") as file:
        write_mo(file, Catalog(locale="zh_CN"))


@pytest.mark.parametrize("damage", [_wrong_figure, _broken_preset, _missing_preset, _missing_schema, _empty_catalogue,
                                    _silent_catalogue])
def test_self_test_of_a_damaged_installation(cli: Cli, damaged: Path, damage: object) -> None:
    damage(damaged)  # type: ignore[operator]
    done = cli("--self-test")
    assert done.status == 1
    assert "FAILED" in done.out
    assert len(done.out.splitlines()) == 6


@pytest.mark.parametrize("left", [0, 10, 2000])
def test_a_damaged_catalogue_leaves_english(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                           left: int) -> None:
    from mfu_gui.texts import translation

    folder = tmp_path / "i18n"
    folder.mkdir()
    (folder / "zh_CN.mo").write_bytes(resource_path("i18n", "zh_CN.mo").read_bytes()[:left])
    monkeypatch.setattr(translation, "resource_path", lambda *parts: tmp_path.joinpath(*parts))
    translation._translator.cache_clear()
    try:
        assert "usage: " in cli("--help", "--lang", "zh").out
    finally:
        translation._translator.cache_clear()
