"""The setup program for Windows, made by NSIS from the finished folder."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from buildlib import launcher, signing, tree
from buildlib.desktop import NAME, write
from buildlib.run import run, step, tool
from buildlib.windows import WindowsProduct


def file_list(folder: Path) -> str:
    """NSIS commands that unpack the folder, in the same order on every machine."""
    lines = []
    for directory in sorted({path.parent for path in folder.rglob("*") if path.is_file()}):
        inside = directory.relative_to(folder).as_posix().replace("/", "\\")
        lines.append('SetOutPath "$INSTDIR' + ("" if inside == "." else f"\\{inside}") + '"')
        lines += [f'File "{_quoted(path)}"' for path in sorted(directory.iterdir()) if path.is_file()]
    return "\n".join(lines) + "\n"


def _quoted(path: Path) -> str:
    return str(path).replace("$", "$$")


def dotted(version: str) -> str:
    return launcher.numbers(version).replace(",", ".")


def build(product: WindowsProduct, icon: Path, work: Path, target: Path) -> Path:
    """Make setup.exe in the folder `target`; its path."""
    step("Making the setup program for Windows")
    target.mkdir(parents=True, exist_ok=True)
    package = target / f"{product.file_name}-setup.exe"
    package.unlink(missing_ok=True)
    files = work / "windows" / "files.nsh"
    write(files, file_list(product.folder))
    values = {
        "NAME": NAME,
        "APP_ID": product.app_id,
        "VERSION": product.version,
        "NUMBERS": dotted(product.version),
        "SIZE_KB": (tree.size(product.folder) + 1023) // 1024,
        "FILES": files,
        "ICON": icon,
        "OUT": package,
        "YEAR": time.strftime("%Y", time.gmtime(product.date)),
    }
    words = [f"-D{name}={value}" for name, value in values.items()]
    if signing.command() is not None:
        # The uninstaller lies packed in the setup program, so NSIS must have it signed on the way.
        words.append(f'-X!uninstfinalize \'"{sys.executable}" -m buildlib.signing "%1"\'')
    modules = str(Path(__file__).resolve().parent.parent)
    environment = dict(os.environ, SOURCE_DATE_EPOCH=str(product.date), LC_ALL="C.UTF-8", PYTHONPATH=modules)
    script = product.source / "packaging" / "windows" / "installer.nsi"
    run([tool("makensis"), "-V2", "-WX", "-INPUTCHARSET", "UTF8", *words, script], env=environment)
    signing.sign(package)
    return package
