"""What the Windows edition is made of, and that its parts fit together."""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from buildlib import checks, contents_windows, embedded_python, launcher, nsis, pe, tree, wheels, windows
from buildlib.contents_windows import QT_MODULES, reason_to_drop, reason_to_drop_module
from buildlib.desktop import NAME
from buildlib.errors import BuildError
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "packaging" / "windows"
LOCK = ROOT / "packaging" / "requirements-bundle.txt"

needs_compiler = pytest.mark.skipif(
    shutil.which("x86_64-w64-mingw32-gcc") is None, reason="mingw-w64 compiles the launchers"
)
needs_objdump = pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump (binutils) reads the programs")


@pytest.mark.parametrize(
    "name",
    [
        "python313.dll",
        "python3.dll",
        "vcruntime140.dll",
        "_ctypes.pyd",
        "PySide6/QtCore.pyd",
        "PySide6/QtWidgets.pyd",
        "PySide6/QtPrintSupport.pyd",
        "PySide6/Qt6Widgets.dll",
        "PySide6/plugins/platforms/qwindows.dll",
        "PySide6/plugins/platforms/qoffscreen.dll",
        "PySide6/plugins/imageformats/qsvg.dll",
        "PySide6/plugins/printsupport/windowsprintersupport.dll",
        "PySide6/translations/qtbase_zh_CN.qm",
        "shiboken6/msvcp140.dll",
        "numpy/_core/_multiarray_umath.cp313-win_amd64.pyd",
        "numpy/ma/core.py",
        "xlsxwriter/worksheet.py",
        "urllib/parse.pyc",
        "json/decoder.pyc",
        "ctypes/__init__.pyc",
    ],
)
def test_kept(name: str) -> None:
    assert reason_to_drop(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "_ssl.pyd",
        "_socket.pyd",
        "libcrypto-3.dll",
        "sqlite3.dll",
        "python.exe",
        "python313._pth",
        "PySide6/QtNetwork.pyd",
        "PySide6/Qt6Network.dll",
        "PySide6/QtQml.pyd",
        "PySide6/opengl32sw.dll",
        "PySide6/plugins/tls/qschannelbackend.dll",
        "PySide6/plugins/imageformats/qpdf.dll",
        "PySide6/translations/qtbase_zh_TW.qm",
        "PySide6/designer.exe",
        "PySide6/QtCore.pyi",
        "numpy/_core/tests/test_umath.py",
        "numpy/f2py/crackfortran.py",
        "pyqtgraph/examples/Plotting.py",
        "ssl.pyc",
        "http/client.pyc",
        "urllib/request.pyc",
        "asyncio/__init__.pyc",
        "unittest/case.pyc",
        "site-packages/README.txt.pyc",
    ],
)
def test_dropped(name: str) -> None:
    assert reason_to_drop(name)


def test_modules_are_judged_by_their_packages() -> None:
    assert reason_to_drop_module("http.client") == "excluded from every edition"
    assert reason_to_drop_module("urllib") is None
    assert reason_to_drop_module("httpx") is None
    assert contents_windows.module_name("xml/sax/__init__.pyc") == "xml.sax"


def test_the_parts_of_qt_that_are_imported_are_kept() -> None:
    wanted: set[str] = set()
    for path in (ROOT / "mfu_gui").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        wanted.update(re.findall(r"^\s*(?:from|import) PySide6\.(Qt\w+)", text, re.MULTILINE))
    assert "QtWidgets" in wanted
    assert wanted <= set(QT_MODULES)


def test_what_windows_brings() -> None:
    brought = ["KERNEL32.dll", "ucrtbase.dll", "api-ms-win-crt-heap-l1-1-0.dll", "api-ms-win-shcore-scaling-l1-1-1.dll"]
    assert all(contents_windows.is_system_library(name) for name in brought)
    assert not any(contents_windows.is_system_library(name) for name in ("Qt6Core.dll", "MSVCP140.dll", "python3.dll"))


def test_only_what_the_program_needs_is_fetched() -> None:
    text = wheels.runtime_requirements(LOCK.read_text(encoding="utf-8"))
    names = set(re.findall(r"^([\w.-]+)==", text, re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    direct = {Requirement(each).name.lower() for each in project["dependencies"]}
    # Qt's bindings need shiboken6, pyqtgraph needs colorama.
    assert names == direct | {"shiboken6", "colorama"}
    assert text.count("--hash=sha256:") >= len(names)
    with pytest.raises(BuildError):
        wheels.runtime_requirements("pyinstaller==1.0 --hash=sha256:0\n")


class TestEmbeddedPython:
    def test_only_the_file_that_was_meant(self, tmp_path: Path) -> None:
        archive = tmp_path / "python.zip"
        with pytest.raises(BuildError, match="There is no file"):
            embedded_python.unpack(archive, "0" * 64, tmp_path / "python")
        archive.write_bytes(b"something else")
        with pytest.raises(BuildError, match="is not the file that was meant"):
            embedded_python.unpack(archive, "0" * 64, tmp_path / "python")
        assert not (tmp_path / "python").exists()

    def test_another_zip_is_refused(self, tmp_path: Path) -> None:
        archive = tmp_path / "python.zip"
        with zipfile.ZipFile(archive, "w") as packed:
            packed.writestr("README.txt", "hello")
        with pytest.raises(BuildError, match="is not Python's embeddable package"):
            embedded_python.unpack(archive, tree.sha256(archive), tmp_path / "python")

    def test_the_version_is_read_from_the_library(self, tmp_path: Path) -> None:
        library = tmp_path / "python313.dll"
        library.write_bytes(b"MZ" + "ProductVersion\0\0003.13.2\0".encode("utf-16-le") + b"\1\0\0")
        assert embedded_python._product_version(library) == "3.13.2"
        library.write_bytes(b"MZ")
        with pytest.raises(BuildError, match=r"python313\.dll does not say"):
            embedded_python._product_version(library)
        python = embedded_python.EmbeddedPython(tmp_path, "3.13.2")
        assert (python.minor, python.library, python.modules.name) == ("3.13", library, "python313.zip")

    def test_its_library_is_thinned_out_the_same_way_each_time(self, tmp_path: Path) -> None:
        python = embedded_python.EmbeddedPython(tmp_path, "3.13.2")
        with zipfile.ZipFile(python.modules, "w") as packed:
            for name in ("json/__init__.pyc", "ssl.pyc", "abc.pyc", "http/client.pyc", "_pyrepl/mypy.ini"):
                packed.writestr(name, name)
        for target in ("one.zip", "two.zip"):
            embedded_python.copy_modules(python, tmp_path / target, (2026, 1, 2, 3, 4, 6))
        assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
        assert zipfile.ZipFile(tmp_path / "one.zip").namelist() == ["abc.pyc", "json/__init__.pyc"]


def test_versions_in_windows_form() -> None:
    assert launcher.numbers("0.1.0") == "0,1,0,0"
    assert launcher.numbers("1.2.3rc1") == "1,2,31,0"
    assert nsis.dotted("2.10") == "2.10.0.0"


def test_launchers() -> None:
    windowed = {each.file: each.windowed for each in launcher.LAUNCHERS}
    assert windowed == {f"{NAME}.exe": True, "mfu-gui.exe": False}


def fake_icon(path: Path) -> Path:
    """An .ico with one transparent picture of one point."""
    picture = b"(\0\0\0\1\0\0\0\2\0\0\0\1\0 \0" + b"\0" * 24 + b"\0" * 8
    entry = b"\1\1\0\0\1\0 \0" + len(picture).to_bytes(4, "little") + b"\x16\0\0\0"
    path.write_bytes(b"\0\0\1\0\1\0" + entry + picture)
    return path


@pytest.fixture(scope="module")
def launchers(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("launchers")
    icon = fake_icon(folder / "program.ico")
    values = {"version": "1.2.3", "python_dll": "python313.dll", "icon": icon, "file_icon": icon}
    return [launcher.build(each, SOURCES, values, folder / "work", folder) for each in launcher.LAUNCHERS]


@needs_compiler
@needs_objdump
class TestLauncher:
    def test_one_has_a_console(self, launchers: list[Path]) -> None:
        assert [pe.is_windowed(path) for path in launchers] == [True, False]
        assert all(pe.is_64_bit(path) and pe.is_pe(path) for path in launchers)

    def test_they_need_only_windows(self, launchers: list[Path]) -> None:
        assert pe.needed(launchers[0])
        assert pe.missing(launchers[0].parent) == {}

    def test_windows_can_say_what_they_are(self, launchers: list[Path]) -> None:
        data = launchers[0].read_bytes()
        for text in ("1.2.3", "MFU Calculator", "MFU 计算器", "_internal\\python313.dll"):
            assert text.encode("utf-16-le") in data, text
        assert b"PerMonitorV2" in data

    def test_the_same_bytes_each_time(self, launchers: list[Path], tmp_path: Path) -> None:
        icon = fake_icon(tmp_path / "program.ico")
        values = {"version": "1.2.3", "python_dll": "python313.dll", "icon": icon, "file_icon": icon}
        again = launcher.build(launcher.LAUNCHERS[0], SOURCES, values, tmp_path / "work", tmp_path)
        assert again.read_bytes() == launchers[0].read_bytes()

    def test_what_is_missing_is_named(self, launchers: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(contents_windows, "SYSTEM_LIBRARIES", frozenset())
        assert set(pe.missing(launchers[0].parent)["kernel32.dll"]) == {path.name for path in launchers}

    def test_what_nobody_is_linked_to_is_unused(self, launchers: list[Path], tmp_path: Path) -> None:
        for name in ("idle.dll", "module.pyd", "plugins/platforms/plugin.dll", "kernel32.dll"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(launchers[0], tmp_path / name)
        assert [path.name for path in pe.unused(tmp_path)] == ["idle.dll"]


def product(folder: Path) -> windows.WindowsProduct:
    for name in ("MFU Calculator.exe", "mfu-gui.exe", "_internal/b.dll", "_internal/a.dll", windows.MARK):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, encoding="utf-8")
    return windows.WindowsProduct(folder, ROOT, "a.b.C", "1.2.3", 1700000000)


def test_setup_unpacks_in_a_fixed_order(tmp_path: Path) -> None:
    folder = tmp_path / "a $ in the name"
    lines = nsis.file_list(product(folder).folder).splitlines()
    assert lines[0] == 'SetOutPath "$INSTDIR"'
    assert 'SetOutPath "$INSTDIR\\_internal"' in lines
    files = [line for line in lines if line.startswith("File")]
    assert files == sorted(files, key=lambda line: ("_internal" in line, line))
    assert all("a $$ in the name" in line for line in files)


def test_the_portable_edition_is_the_same_each_time(tmp_path: Path) -> None:
    made = product(tmp_path / NAME)
    one, two = (windows.pack_zip(made, tmp_path / place) for place in ("one", "two"))
    assert one.name == "mfu-gui-1.2.3-windows-x86_64-portable.zip"
    assert one.read_bytes() == two.read_bytes()
    assert zipfile.ZipFile(one).namelist()[0] == f"{NAME}/MFU Calculator.exe"


def test_modules_in_plain_files_are_listed(tmp_path: Path) -> None:
    (tmp_path / "numpy").mkdir()
    for name in ("numpy/__init__.pyc", "start.pyc", "numpy/x.pyd"):
        (tmp_path / name).write_bytes(b"")
    with zipfile.ZipFile(tmp_path / "python313.zip", "w") as packed:
        packed.writestr("json/decoder.pyc", "")
    assert checks.plain_modules(tmp_path) == ["numpy", "start"]
    assert checks.zipped_modules(tmp_path) == ["json.decoder"]


def test_the_first_file_speaks_where_it_can(tmp_path: Path) -> None:
    """Without a console, results and complaints are shown at the end; in a process of its own, for it changes both."""
    import subprocess

    code = (
        "import sys; sys.path[:0] = sys.argv[1:3]; out = sys.stdout; import start; "
        "start.show = lambda text, error: print(repr((text, error)), file=out); "
        "sys.stdout = sys.stderr = None; sys.argv = ['start.pyc', *sys.argv[3:]]; status = start.run(); "
        "print(status, sys.frozen, file=out)"
    )
    folders = [str(SOURCES), str(ROOT / "packaging")]

    def said(*words: str) -> list[str]:
        command = [sys.executable, "-c", code, *folders, *words]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
        return done.stdout.splitlines()

    assert said("--version")[0].endswith("', False)")
    shown, status = said("compute", "nothing.mfu")
    assert "nothing.mfu" in shown
    assert shown.endswith(", True)")
    assert status == "2 True"
