"""The icons of the desktop: the two drawings, and pictures of them for desktops that cannot draw SVG."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from buildlib.run import run

SIZES = (16, 22, 24, 32, 48, 64, 128, 256)
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


def place(python: Path, source: Path, icons: Path, app_id: str) -> None:
    """Fill the icon theme folder `icons` (…/hicolor) with the program's icon and that of its files."""
    drawings = {
        ("apps", app_id): source / "resources" / "icons" / "app.svg",
        ("mimetypes", MIME_ICON): source / "packaging" / "linux" / "scenario.svg",
    }
    tasks = []
    for (context, name), drawing in drawings.items():
        scalable = icons / "scalable" / context
        scalable.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(drawing, scalable / f"{name}.svg")
        for size in SIZES:
            folder = icons / f"{size}x{size}" / context
            folder.mkdir(parents=True, exist_ok=True)
            tasks.append(f"{size}|{drawing}|{folder / f'{name}.png'}")
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen")
    run([python, "-c", _DRAW, *tasks], env=environment)
