"""The portable edition installs and removes itself for one user, and brings the characters that texts need."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from buildlib import font

ROOT = Path(__file__).resolve().parents[2]
PORTABLE = ROOT / "packaging" / "linux" / "portable"
APP_ID = "a.b.C"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shell scripts for Linux")


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """A small edition: a program that says its name, a menu entry, a manual page."""
    folder = tmp_path / "unpacked edition"
    files = {
        "mfu-gui/mfu-gui": "#!/bin/sh\necho started\n",
        "mfu-gui/_internal/library": "new\n",
        "share/applications/a.b.C.desktop": "[Desktop Entry]\nExec=@EXEC@ %F\nTryExec=mfu-gui\nIcon=a.b.C\n",
        "share/man/man1/mfu-gui.1.gz": "page\n",
        "LICENSE.txt": "MIT\n",
    }
    for name in ("install.sh", "uninstall.sh"):
        text = (PORTABLE / name).read_text(encoding="utf-8")
        files[name] = text.replace("@APP_ID@", APP_ID).replace("@VERSION@", "1.2.3")
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755 if name.endswith(("mfu-gui/mfu-gui", ".sh")) else 0o644)
    return folder


def sh(script: Path, *words: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    return subprocess.run(["sh", str(script), *words], env=environment, capture_output=True, text=True, cwd=home)


def words_of(command: str) -> list[str]:
    """The program and the mark for files of an Exec line, read as the Desktop Entry Specification says."""
    value = command.replace("\\\\", "\\")
    found = re.fullmatch(r'"((?:[^"`$\\]|\\["`$\\])*)" (%F)', value)
    assert found, command
    assert "%" not in found.group(1).replace("%%", ""), "a single percent sign is a field code"
    return [re.sub(r'\\(["`$\\])', r"\1", found.group(1)).replace("%%", "%"), found.group(2)]


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())


@pytest.mark.parametrize("name", ["home", "a home with spaces", "ho$me `x` & \"more\" 100% back\\slash"])
def test_install_and_remove(unpacked: Path, tmp_path: Path, name: str) -> None:
    home = tmp_path / name
    (home / ".local/share/mfu-gui/presets").mkdir(parents=True)
    (home / ".local/share/mfu-gui/presets/own.json").write_text("{}", encoding="utf-8")
    done = sh(unpacked / "install.sh", home=home)
    assert done.returncode == 0, done.stderr
    started = subprocess.run([home / ".local/bin/mfu-gui"], capture_output=True, text=True, check=True)
    assert started.stdout == "started\n"
    entry = (home / ".local/share/applications/a.b.C.desktop").read_text(encoding="utf-8").splitlines()
    command = next(line for line in entry if line.startswith("Exec=")).removeprefix("Exec=")
    assert words_of(command) == [str(home / ".local/lib/mfu-gui/mfu-gui"), "%F"]
    assert not any(line.startswith("TryExec=") for line in entry)

    done = sh(home / ".local/lib/mfu-gui/uninstall.sh", home=home)
    assert done.returncode == 0, done.stderr
    left = [file for file in files(home) if not file.endswith("mimeinfo.cache")]
    assert left == [".local/share/mfu-gui/presets/own.json"]


def test_an_older_installation_is_replaced_as_a_whole(unpacked: Path, tmp_path: Path) -> None:
    sh(unpacked / "install.sh", home=tmp_path)
    library = tmp_path / ".local/lib/mfu-gui/_internal"
    (library / "left-over").write_text("older\n", encoding="utf-8")
    (unpacked / "mfu-gui/_internal/library").write_text("newer\n", encoding="utf-8")
    assert sh(unpacked / "install.sh", home=tmp_path).returncode == 0
    assert files(library) == ["library"]
    assert (library / "library").read_text(encoding="utf-8") == "newer\n"


def test_a_strange_folder_is_left_alone(unpacked: Path, tmp_path: Path) -> None:
    strange = tmp_path / "prefix/lib/mfu-gui"
    strange.mkdir(parents=True)
    (strange / "thesis.txt").write_text("years of work\n", encoding="utf-8")
    done = sh(unpacked / "install.sh", "--prefix", str(tmp_path / "prefix"), home=tmp_path)
    assert done.returncode == 1
    assert "nothing was done" in done.stderr
    assert files(tmp_path / "prefix") == ["lib/mfu-gui/thesis.txt"]
    shutil.copy(unpacked / "uninstall.sh", strange)
    assert sh(strange / "uninstall.sh", home=tmp_path).returncode == 1
    assert (strange / "thesis.txt").exists()


def test_wrong_options_install_nothing(unpacked: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    assert sh(unpacked / "install.sh", "--prefx", "x", home=home).returncode == 2
    assert sh(unpacked / "install.sh", "--help", home=home).returncode == 0
    assert files(home) == []


def test_the_font_has_the_characters_of_all_texts() -> None:
    wanted = font.characters(ROOT)
    assert wanted == "".join(sorted(set(wanted)))
    texts = (ROOT / "resources/i18n/zh_CN.po").read_text(encoding="utf-8")
    assert {each for each in texts if each.isprintable()} <= set(wanted)
    # What people type: letters, figures, Greek, and the characters of GB 2312, from its first to its last.
    assert set("AZaz09 ,.éßΩπ×÷≤≥→·—…“”，。：（）啊齄") <= set(wanted)
    assert len(wanted) > 6763
