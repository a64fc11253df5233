"""What stays out of the bundle stays out, and the program does not need it."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest
from buildlib import bundle, checks, deb, elf
from buildlib.contents import SYSTEM_LIBRARIES, excluded_modules, reason_to_drop, reason_to_drop_module
from buildlib.errors import BuildError

ROOT = Path(__file__).resolve().parents[2]

needs_objdump = pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump (binutils) reads the libraries")


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def test_the_program_imports_nothing_that_is_left_out() -> None:
    left_out = set(excluded_modules())
    offenders = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sorted((ROOT / "mfu_gui").rglob("*.py"))
        for name in sorted(imported(path))
        if any(name == each or name.startswith(f"{each}.") for each in left_out)
    ]
    assert offenders == []


@pytest.mark.parametrize(
    "name",
    [
        "PySide6/Qt/lib/libQt6Core.so.6",
        "PySide6/Qt/lib/libQt6WaylandClient.so.6",
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6/Qt/plugins/platforms/libqwayland.so",
        "PySide6/Qt/plugins/platforms/libqoffscreen.so",
        "PySide6/Qt/plugins/printsupport/libcupsprintersupport.so",
        "PySide6/Qt/lib/libQt6PrintSupport.so.6",
        "PySide6/Qt/plugins/platforminputcontexts/libibusplatforminputcontextplugin.so",
        "PySide6/Qt/plugins/platformthemes/libqxdgdesktopportal.so",
        "PySide6/Qt/plugins/imageformats/libqsvg.so",
        "PySide6/Qt/plugins/iconengines/libqsvgicon.so",
        "PySide6/Qt/plugins/wayland-shell-integration/libxdg-shell.so",
        "PySide6/Qt/translations/qtbase_zh_CN.qm",
        "PySide6/QtWidgets.abi3.so",
        "libxcb-cursor.so.0",
        "libpython3.13.so.1.0",
        "numpy.libs/libscipy_openblas64_-32a4b2a6.so",
        "mfu_gui/_resources/presets/index.json",
        "mfu_gui/_resources/i18n/zh_CN.mo",
    ],
)
def test_kept(name: str) -> None:
    assert reason_to_drop(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "PySide6/Qt/lib/libQt6Network.so.6",
        "PySide6/QtNetwork.abi3.so",
        "PySide6/Qt/plugins/tls/libqopensslbackend.so",
        "PySide6/Qt/plugins/platformthemes/libqgtk3.so",
        "PySide6/Qt/plugins/platforms/libqvnc.so",
        "PySide6/Qt/plugins/imageformats/libqpdf.so",
        "PySide6/Qt/translations/qtbase_de.qm",
        "libssl.so.3",
        "libcrypto.so.3",
        "libstdc++.so.6",
        "libgtk-3.so.0",
        "numpy-2.4.6.dist-info/METADATA",
        "numpy/__init__.pyi",
    ],
)
def test_dropped(name: str) -> None:
    assert reason_to_drop(name)


def test_the_reason_is_said() -> None:
    assert reason_to_drop("libstdc++.so.6") == "belongs to the system"
    assert reason_to_drop("libgtk-3.so.0") == "needed only by what was dropped"


def test_names_of_the_building_machine_are_dropped() -> None:
    assert reason_to_drop_module("_sysconfigdata__linux_x86_64-linux-gnu")
    assert reason_to_drop_module("json.decoder") is None


def test_network_code_is_found_by_name() -> None:
    files = ["PySide6/Qt/lib/libQt6Gui.so.6", "PySide6/Qt/lib/libQt6Network.so.6", "lib-dynload/_ssl.cpython-313.so",
             "lib-dynload/_socket.cpython-313-x86_64-linux-gnu.so", "libcrypto.so.3", "libxcb-shm.so.0"]  # fmt: skip
    assert checks.network_files(files) == [files[1], files[2], files[3], files[4]]
    harmless = ["json", "email.utils", "urllib.parse"]
    found = ["http.client", "urllib.request", "_socket", "multiprocessing.pool"]
    assert checks.network_modules([*harmless, *found]) == found


@needs_objdump
def test_libraries_that_look_up_machines_are_found(tmp_path: Path) -> None:
    import _socket

    if not getattr(_socket, "__file__", None):
        pytest.skip("this Python has its socket module built in")
    shutil.copy(_socket.__file__, tmp_path / "socket.so")
    assert "getaddrinfo" in checks.resolvers(tmp_path)["socket.so"]


@needs_objdump
def test_libraries_of_the_system_are_declared_or_refused(tmp_path: Path) -> None:
    import msgspec._core

    shutil.copy(msgspec._core.__file__, tmp_path / "core.so")
    assert "libc.so.6" in elf.needed(tmp_path / "core.so")
    assert bundle.system_libraries(tmp_path) <= set(SYSTEM_LIBRARIES)
    assert bundle.newest_glibc(tmp_path) >= (2, 2, 5)
    bundle.check_libraries(tmp_path)


@needs_objdump
def test_what_printing_needs_of_the_system_is_declared() -> None:
    """CUPS belongs to the system; the bundle carries only the part of Qt that speaks to it."""
    import PySide6

    plugin = Path(PySide6.__file__).parent / "Qt" / "plugins" / "printsupport" / "libcupsprintersupport.so"
    if not plugin.is_file():
        pytest.skip("this PySide6 prints without CUPS (not on Linux)")
    needed = {name for name in elf.needed(plugin) if not name.startswith("libQt6")}
    assert "libcups.so.2" in needed
    assert needed <= set(SYSTEM_LIBRARIES)
    assert reason_to_drop("libcups.so.2") == "belongs to the system"


def test_a_program_that_can_print_into_files_only_recommends_cups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it the window starts and the dialog for printing opens, with no printer in it."""
    monkeypatch.setattr(deb.bundle, "system_libraries", lambda program: ["libc.so.6", "libcups.so.2", "libz.so.1"])
    monkeypatch.setattr(deb.bundle, "newest_glibc", lambda program: (2, 36))
    assert deb.dependencies(Path()) == ["libc6 (>= 2.36)", "zlib1g"]
    assert deb.recommendations(Path()) == ["libcups2 | libcups2t64"]


@needs_objdump
def test_an_undeclared_library_stops_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import msgspec._core

    shutil.copy(msgspec._core.__file__, tmp_path / "core.so")
    monkeypatch.delitem(SYSTEM_LIBRARIES, "libc.so.6")
    with pytest.raises(BuildError, match=r"libc\.so\.6.*core\.so"):
        bundle.check_libraries(tmp_path)
