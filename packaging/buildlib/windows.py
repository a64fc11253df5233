"""The Windows edition, put together on any system: Python's embeddable edition, wheels, the program, two launchers.

No freezer takes part: everything is a plain file, and what was signed by its maker stays signed.
"""

from __future__ import annotations

import os
import shutil
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

from buildlib import contents_windows, embedded_python, icons, launcher, notices, pe, signing, source, tree, wheels
from buildlib.bundle import Manifest
from buildlib.desktop import NAME, write
from buildlib.embedded_python import EmbeddedPython
from buildlib.errors import BuildError
from buildlib.run import output, run, step

INTERNAL = "_internal"
ARCHITECTURE = "x86_64"
# Tells an installation of this program from any other folder.
MARK = f"{INTERNAL}/installation.txt"
START_FILES = ("packaging/windows/start.py", "packaging/rthook_absent_modules.py")


@dataclass(frozen=True)
class WindowsProduct:
    """The finished folder, and what the packages of it must say."""

    folder: Path
    source: Path
    app_id: str
    version: str
    date: int

    @property
    def internal(self) -> Path:
        return self.folder / INTERNAL

    @property
    def file_name(self) -> str:
        """The beginning of the packages' names."""
        return f"mfu-gui-{self.version}-windows-{ARCHITECTURE}"


def assemble(copy: Path, date: int, python: Path, archive: Path, sha256: str, work: Path) -> WindowsProduct:
    """Put the folder together in `work`/windows from the source `copy`.

    `python` has Qt (to draw the icons) and must be of the same minor version as the embeddable edition in `archive`
    (to compile for it).
    """
    place = work / "windows"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    step("Unpacking Python for Windows and fetching the wheels")
    embedded = embedded_python.unpack(archive, sha256, place / "python")
    _require_same_minor(python, embedded)
    wheels.fetch(python, copy / "packaging" / "requirements-bundle.txt", embedded.minor, place / "wheels")
    step("Putting the Windows edition together")
    version = source.constant(copy, "__version__")
    product = WindowsProduct(place / NAME, copy, source.constant(copy, "APP_ID"), version, date)
    product.internal.mkdir(parents=True)
    manifest = _fill(product, embedded, place / "wheels")
    _compile(python, product)
    gone = {path.relative_to(product.internal).as_posix() for path in pe.unused(product.internal)}
    for name in gone:
        (product.internal / name).unlink()
    _check_closure(product)
    _launchers(product, embedded, python, place)
    _texts(product, embedded, manifest, gone, place / "wheels")
    _remove_empty_folders(product.folder)
    tree.settle(product.folder, date)
    return product


def _require_same_minor(python: Path, embedded: EmbeddedPython) -> None:
    found = output([python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]).strip()
    if found != embedded.minor:
        raise BuildError(
            f"The embeddable Python is {embedded.version}, but what compiles for it is {found}. "
            f"Name a Python {embedded.minor} in MFU_BUILD_PYTHON."
        )


def _fill(product: WindowsProduct, embedded: EmbeddedPython, site_packages: Path) -> Manifest:
    """Copy what belongs into the folder; where each part came from."""
    modules: list[tuple[str, Path]] = []
    files: list[tuple[str, Path]] = []
    for root in (embedded.folder, site_packages):
        for path in sorted(each for each in root.rglob("*") if each.is_file()):
            name = path.relative_to(root).as_posix()
            special = path == embedded.modules or name == "LICENSE.txt" or ".dist-info/" in name
            if special or contents_windows.reason_to_drop(name):
                continue
            _copy(path, product.internal / name)
            if name.endswith(".py"):
                modules.append((contents_windows.module_name(name), path))
            else:
                files.append((name, path))
    date = time.gmtime(max(product.date, 315532800))[:6]
    embedded_python.copy_modules(embedded, product.internal / embedded.modules.name, date)
    files.append((embedded.modules.name, embedded.modules))
    write(product.internal / f"python{embedded.tag}._pth", f"{embedded.modules.name}\n.\n")
    shutil.copytree(product.source / "mfu_gui", product.internal / "mfu_gui")
    shutil.copytree(product.source / "resources", product.internal / "mfu_gui" / "_resources")
    for start in START_FILES:
        _copy(product.source / start, product.internal / Path(start).name)
    return Manifest(tuple(modules), tuple(files))


def _copy(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)


def _compile(python: Path, product: WindowsProduct) -> None:
    """Replace every .py by its byte code, which is independent of dates and of this machine's folders."""
    options = ["-q", "-b", "--invalidation-mode", "unchecked-hash", "-s", product.internal, "-p", ""]
    environment = dict(os.environ, PYTHONHASHSEED="0", SOURCE_DATE_EPOCH=str(product.date))
    run([python, "-I", "-m", "compileall", *options, product.internal], env=environment)
    for path in sorted(product.internal.rglob("*.py")):
        if not path.with_suffix(".pyc").is_file():
            raise BuildError(f"{path} could not be compiled")
        path.unlink()


def _check_closure(product: WindowsProduct) -> None:
    missing = pe.missing(product.folder)
    if missing:
        lines = [f"{name}: {', '.join(users[:3])}" for name, users in sorted(missing.items())]
        raise BuildError("neither in the bundle nor part of Windows:\n  " + "\n  ".join(lines))
    foreign = [path.name for path in pe.files(product.folder) if not pe.is_64_bit(path)]
    if foreign:
        raise BuildError(f"not for 64-bit Windows: {foreign}")


def _launchers(product: WindowsProduct, embedded: EmbeddedPython, python: Path, place: Path) -> None:
    program, file = place / "program.ico", place / "scenario.ico"
    icons.windows_icon(python, icons.program_drawing(product.source), place / "icons", program)
    icons.windows_icon(python, icons.file_drawing(product.source), place / "icons", file)
    values = {"version": product.version, "python_dll": embedded.library.name, "icon": program, "file_icon": file}
    for each in launcher.LAUNCHERS:
        exe = launcher.build(each, product.source / "packaging" / "windows", values, place / "launcher", product.folder)
        signing.sign(exe)


def _texts(
    product: WindowsProduct, embedded: EmbeddedPython, manifest: Manifest, gone: set[str], site_packages: Path
) -> None:
    present = Manifest(manifest.modules, tuple(each for each in manifest.files if each[0] not in gone))
    python = notices.Python(embedded.folder, embedded.version)
    components = notices.collect(present, product.source, site_packages, python)
    licences = product.source / "packaging" / "licences"
    text = notices.render(components, licences, NAME, product.version, system="windows")
    write(product.internal / "mfu_gui" / "_resources" / "THIRD_PARTY_NOTICES.txt", text)
    write(product.folder / "LICENSE.txt", _windows_text((product.source / "LICENSE").read_text(encoding="utf-8")))
    readme = (product.source / "packaging" / "windows" / "README.txt").read_text(encoding="utf-8")
    write(product.folder / "README.txt", _windows_text(readme.replace("@VERSION@", product.version)))
    write(product.folder / MARK, f"{product.app_id}\n{product.version}\n")


def _windows_text(text: str) -> str:
    """For editors that take a file without a mark for one in an old code page."""
    return "\ufeff" + text


def _remove_empty_folders(folder: Path) -> None:
    for path in sorted((each for each in folder.rglob("*") if each.is_dir()), reverse=True):
        if not any(path.iterdir()):
            path.rmdir()


def pack_zip(product: WindowsProduct, target: Path) -> Path:
    """The portable edition: the folder in a .zip; its path."""
    step("Packing the portable edition for Windows")
    target.mkdir(parents=True, exist_ok=True)
    package = target / f"{product.file_name}-portable.zip"
    date = time.gmtime(product.date)[:6]
    with zipfile.ZipFile(package, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in sorted(each for each in product.folder.rglob("*") if each.is_file()):
            entry = zipfile.ZipInfo(f"{NAME}/{path.relative_to(product.folder).as_posix()}", date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, path.read_bytes())
    return package
