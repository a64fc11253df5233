"""`packaging/dev.py`: what it decides. Its whole way is walked on a bare machine, by `.ci/run`."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import dev
import pytest
from devtools import environment, system

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that looks like an installed checkout with the extra `test`."""
    root = tmp_path / "checkout"
    for name in environment.INPUTS:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"one\ntwo\n")
    python = environment.venv_python(root)
    python.parent.mkdir(parents=True)
    python.touch()
    stamp = {"root": str(root), "inputs": environment._fingerprint(root), "extras": ["test"]}
    environment._stamp_path(root).write_text(json.dumps(stamp), encoding="utf-8")
    return root


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What would be made and installed instead of doing it."""
    calls: list[object] = []
    monkeypatch.setattr(environment, "_create_venv", lambda python, root: calls.append("venv"))
    monkeypatch.setattr(environment, "_install", lambda python, root, extras: calls.append(extras))
    monkeypatch.setattr(environment, "_install_system_packages", lambda window, python: None)
    return calls


def test_nothing_is_done_when_all_is_there(checkout: Path, installed: list[object]) -> None:
    assert environment.ensure(checkout, ["test"]) == environment.venv_python(checkout)
    environment.ensure(checkout)
    assert installed == []


def test_a_missing_extra_is_added_to_those_that_are_there(checkout: Path, installed: list[object]) -> None:
    environment.ensure(checkout, ["bundle"])
    assert installed == [["bundle", "test"]]


@pytest.mark.parametrize("name", environment.INPUTS)
def test_installs_again_when_the_project_changed(checkout: Path, installed: list[object], name: str) -> None:
    (checkout / name).write_bytes(b"one\nthree\n")
    environment.ensure(checkout, ["test"])
    assert installed == [["test"]]


def test_line_ends_are_no_change(checkout: Path, installed: list[object]) -> None:
    (checkout / "pyproject.toml").write_bytes(b"one\r\ntwo\r\n")
    environment.ensure(checkout, ["test"])
    assert installed == []


def test_a_moved_checkout_gets_a_new_environment(checkout: Path, installed: list[object]) -> None:
    moved = checkout.rename(checkout.with_name("moved"))
    environment.ensure(moved)
    assert installed == ["venv", []]


def test_a_vanished_python_gets_a_new_environment(checkout: Path, installed: list[object]) -> None:
    environment.venv_python(checkout).unlink()
    environment.ensure(checkout, ["test"])
    assert installed == ["venv", ["test"]]


def test_a_damaged_stamp_installs_again(
    checkout: Path, installed: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "_version", lambda python, also="": (3, 12))
    environment._stamp_path(checkout).write_text("{", encoding="utf-8")
    environment.ensure(checkout, ["test"])
    assert installed == [["test"]]


def test_this_python_is_taken_and_an_old_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert environment._base_python() == Path(sys.executable)
    monkeypatch.setattr(environment, "OLDEST_PYTHON", (9, 0))
    with pytest.raises(environment.SetupError, match=r"Python 9\.0 to 3\.14 is needed"):
        environment._base_python()


def test_version_of_an_interpreter() -> None:
    assert environment._version(Path(sys.executable)) == sys.version_info[:2]
    assert environment._version(Path(sys.executable), "import no_such_module") is None
    assert environment._version(Path("no-such-python")) is None


def test_a_chinese_font_is_asked_of_root_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(system, "FONT_FOLDERS", (str(tmp_path), str(tmp_path / "absent")))
    monkeypatch.setattr(system, "has_apt", lambda: True)
    monkeypatch.setattr(system.os, "geteuid", lambda: 0)
    assert system.missing_fonts() == ["fonts-noto-cjk"]
    monkeypatch.setattr(system.os, "geteuid", lambda: 1000)
    assert system.missing_fonts() == []
    monkeypatch.setattr(system.os, "geteuid", lambda: 0)
    (tmp_path / "opentype").mkdir()
    (tmp_path / "opentype" / "NotoSansCJK-Regular.ttc").touch()
    assert system.missing_fonts() == []


def test_missing_libraries_are_named_by_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(system, "_loads", lambda library: not library.startswith(("libGL", "libxcb-cursor")))
    assert system.missing_libraries(window=False) == {"libGL.so.1": "libgl1"}
    assert set(system.missing_libraries(window=True).values()) == {"libgl1", "libxcb-cursor0"}
    monkeypatch.setattr(sys, "platform", "darwin")
    assert system.missing_libraries(window=True) == {}


def test_without_root_the_line_is_printed_and_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(system.subprocess, "call", lambda *_, **__: pytest.fail("something ran"))
    with pytest.raises(system.SystemPackagesError) as caught:
        system.install_packages(["libgl1", "libegl1", "libgl1"])
    assert str(caught.value).splitlines()[1].strip() == (
        "sudo apt-get update && sudo apt-get install -y --no-install-recommends libegl1 libgl1"
    )


def test_as_root_the_packages_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr(system.os, "geteuid", lambda: 0)
    monkeypatch.setattr(system.subprocess, "call", lambda command, **_: calls.append(command) or 0)
    system.install_packages(["libgl1"])
    assert [command[:2] for command in calls] == [["apt-get", "update"], ["apt-get", "install"]]
    assert "libgl1" in calls[1]
    calls.clear()
    system.install_packages([])
    assert calls == []


def test_commands_of_absent_folders_are_not_offered(tmp_path: Path) -> None:
    assert sorted(dev.commands(tmp_path)) == ["lint", "run", "test", "texts"]
    (tmp_path / "tests" / "benchmarks").mkdir(parents=True)
    (tmp_path / "tests" / "fuzz").mkdir()
    assert sorted(dev.commands(tmp_path)) == ["bench", "fuzz", "lint", "run", "test", "texts"]


@pytest.mark.parametrize(("arguments", "status"), [([], 2), (["--help"], 0), (["no-such"], 2)])
def test_help(arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert dev.main(arguments) == status
    captured = capsys.readouterr()
    assert "usage: python3 packaging/dev.py COMMAND" in captured.out + captured.err


def test_a_killed_program_has_the_status_of_a_shell() -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"
    assert dev.call([sys.executable, "-c", code]) == 128 + 15
    assert dev.call([sys.executable, "-c", "raise SystemExit(3)"]) == 3


def test_an_old_python_can_read_the_script() -> None:
    tools = ("__init__", "environment", "locking", "system")
    for name in ("dev.py", *(f"devtools/{tool}.py" for tool in tools)):
        script = ROOT / "packaging" / name
        ast.parse(script.read_bytes(), feature_version=(3, 8))


def test_script_needs_no_installed_package() -> None:
    script = ROOT / "packaging" / "dev.py"
    done = subprocess.run([sys.executable, "-S", script, "help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
