"""The icons: two drawings, and pictures of them for systems that cannot draw SVG."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from buildlib.run import run, tool

SIZES = (16, 22, 24, 32, 48, 64, 128, 256)
WINDOWS_SIZES = (16, 20, 24, 32, 40, 48, 64, 256)
MACOS_SIZES = (16, 32, 128, 256, 512)
MIME_ICON = "application-x-mfu-scenario+json"

# Runs in the build environment, which has Qt.
_DRAW = """
import sys
from PySide6.QtCore import QRectF
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

application = QGuiApplication([])
for task in sys.argv[1:]:
    size, drawing, target = task.split("|")
    image = QImage(int(size), int(size), QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    QSvgRenderer(drawing).render(painter, QRectF(0, 0, int(size), int(size)))
    painter.end()
    if not image.save(target, "PNG"):
        sys.exit(f"{target} could not be written")
"""


def program_drawing(source: Path) -> Path:
    return source / "resources" / "icons" / "app.svg"


def file_drawing(source: Path) -> Path:
    """The drawing for the program's files."""
    return source / "packaging" / "linux" / "scenario.svg"


def draw(python: Path, tasks: Iterable[tuple[int, Path, Path]]) -> None:
    """Draw each (pixels, drawing, PNG to write) with the Qt of `python`."""
    words = [f"{size}|{drawing}|{target}" for size, drawing, target in tasks]
    run([python, "-c", _DRAW, *words], env=dict(os.environ, QT_QPA_PLATFORM="offscreen"))


def place(python: Path, source: Path, icons: Path, app_id: str) -> None:
    """Fill the icon theme folder `icons` (…/hicolor) with the program's icon and that of its files."""
    drawings = {("apps", app_id): program_drawing(source), ("mimetypes", MIME_ICON): file_drawing(source)}
    tasks = []
    for (context, name), drawing in drawings.items():
        scalable = icons / "scalable" / context
        scalable.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(drawing, scalable / f"{name}.svg")
        for size in SIZES:
            folder = icons / f"{size}x{size}" / context
            folder.mkdir(parents=True, exist_ok=True)
            tasks.append((size, drawing, folder / f"{name}.png"))
    draw(python, tasks)


def windows_icon(python: Path, drawing: Path, work: Path, target: Path) -> None:
    """An .ico of a drawing in all sizes that Windows shows; the biggest as PNG, as Windows wants it."""
    work.mkdir(parents=True, exist_ok=True)
    pictures = {size: work / f"{drawing.stem}-{size}.png" for size in WINDOWS_SIZES}
    draw(python, [(size, drawing, picture) for size, picture in pictures.items()])
    words = [f"--raw={picture}" if size == 256 else str(picture) for size, picture in pictures.items()]
    run([tool("icotool"), "--create", "--output", target, *words])


def macos_iconset(python: Path, drawing: Path, folder: Path) -> None:
    """The folder name.iconset from which `iconutil` makes an .icns on macOS."""
    folder.mkdir(parents=True, exist_ok=True)
    tasks = [(size, drawing, folder / f"icon_{size}x{size}.png") for size in MACOS_SIZES]
    tasks += [(2 * size, drawing, folder / f"icon_{size}x{size}@2x.png") for size in MACOS_SIZES]
    draw(python, tasks)
