"""The wheel carries all that the program needs: installed elsewhere, it passes its own self-test."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import mfu_gui

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    run([*build, "--directory", str(folder)], cwd=ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts folder of an environment with the wheel in it; its dependencies come from this one."""
    folder = tmp_path_factory.mktemp("installation") / "env"
    venv.create(folder, symlinks=os.name != "nt")
    variables = {"base": str(folder), "platbase": str(folder)}
    scheme = "nt_venv" if os.name == "nt" else "posix_venv"
    purelib = Path(sysconfig.get_path("purelib", scheme, variables))
    scripts = Path(sysconfig.get_path("scripts", scheme, variables))
    # Read after the environment's own packages, and without the .pth files in it: the checkout stays out.
    (purelib / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    python = str(scripts / "python")
    options = ["--no-deps", "--no-index", "--disable-pip-version-check", "--quiet"]
    run([sys.executable, "-m", "pip", "--python", python, "install", *options, str(wheel)], cwd=folder)
    return scripts


def run(command: list[str], cwd: Path) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PIP_"))}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_contents(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    metadata = f"mfu_gui-{mfu_gui.__version__}.dist-info/"
    assert wheel.name == f"mfu_gui-{mfu_gui.__version__}-py3-none-any.whl"
    assert not [name for name in names if not name.startswith(("mfu_gui/", metadata))]
    assert metadata + "licenses/LICENSE" in names
    folder = ROOT / "resources"
    resources = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    carried = {Path(name).relative_to("mfu_gui/_resources") for name in names if "/_resources/" in name}
    assert carried == resources


def test_metadata(wheel: Path) -> None:
    text = zipfile.ZipFile(wheel).read(f"mfu_gui-{mfu_gui.__version__}.dist-info/METADATA").decode()
    assert "License-Expression: MIT" in text
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"Requires-Python: {project['requires-python']}" in text
    for excluded in ("!=6.11.0", "!=6.11.1", "<6.12"):
        assert excluded in next(line for line in text.splitlines() if "pyside6-essentials" in line.lower())


def test_installation_uses_its_own_files(installed: Path, tmp_path: Path) -> None:
    code = "import mfu_gui, mfu_gui.resources as r; print(mfu_gui.__file__); print(r.resource_path())"
    package, resources = run([str(installed / "python"), "-c", code], cwd=tmp_path).splitlines()
    assert Path(package).is_relative_to(installed.parent)
    assert Path(resources) == Path(package).parent / "_resources"


def test_installation_speaks_chinese(installed: Path, tmp_path: Path) -> None:
    code = "from mfu_gui.texts import translator; print(ascii(translator('zh').sentence('not_found')))"
    assert run([str(installed / "python"), "-c", code], cwd=tmp_path).strip() == ascii("没有这个文件。")


@pytest.mark.parametrize("command", [["python", "-m", "mfu_gui"], ["mfu-gui"]])
def test_self_test(installed: Path, tmp_path: Path, command: list[str]) -> None:
    program = [str(installed / command[0]), *command[1:]]
    lines = run([*program, "--self-test"], cwd=tmp_path).splitlines()
    assert len(lines) > 1
    assert all(line.startswith("ok ") for line in lines[:-1])
    assert lines[-1] == "All checks passed."
