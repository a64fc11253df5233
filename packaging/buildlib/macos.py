"""The macOS edition: what the system must know of the application, and the steps to a signed disk image.

Written without a Mac at hand: nothing here that calls a tool of macOS has been run yet. See packaging/RELEASING.md.
"""

from __future__ import annotations

import os
import platform
import shutil
from pathlib import Path
from typing import Any

from buildlib import desktop, icons, notices
from buildlib.desktop import NAME, Product
from buildlib.errors import BuildError
from buildlib.run import run, step, tool

# Ending, name, MIME type, of each type of file; the identifier is made of the last word of the name.
FILE_TYPES = (("mfu", "MFU scenario", "application/x-mfu-scenario+json"),
              ("mfuw", "MFU workspace", "application/x-mfu-workspace+json"))
# Qt 6.11 asks for macOS 13.
OLDEST_SYSTEM = "13.0"
# Who signs; "-" makes a signature without an identity, enough for the machine that built it.
IDENTITY_VARIABLE = "MFU_CODESIGN_IDENTITY"


def uniform_type(name: str) -> str:
    """The identifier by which macOS knows a type of file."""
    return f"io.github.mfu-calculator.{name.split()[-1]}"


def info_plist(version: str) -> dict[str, Any]:
    """The Info.plist of the application: its languages and its file types, beside what PyInstaller writes."""
    return {
        "CFBundleName": NAME,
        "CFBundleDisplayName": NAME,
        "CFBundleShortVersionString": version,
        "CFBundleVersion": version,
        "CFBundleDevelopmentRegion": "en",
        "CFBundleLocalizations": ["en", "zh_CN"],
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeName": name,
                "CFBundleTypeRole": "Editor",
                "CFBundleTypeIconFile": "scenario.icns",
                "LSItemContentTypes": [uniform_type(name)],
                "LSHandlerRank": "Owner",
            }
            for _, name, _ in FILE_TYPES
        ],
        "UTExportedTypeDeclarations": [
            {
                "UTTypeIdentifier": uniform_type(name),
                "UTTypeDescription": name,
                "UTTypeConformsTo": ["public.json"],
                "UTTypeIconFile": "scenario.icns",
                "UTTypeTagSpecification": {"public.filename-extension": [ending], "public.mime-type": [mime]},
            }
            for ending, name, mime in FILE_TYPES
        ],
        "LSApplicationCategoryType": "public.app-category.developer-tools",
        "LSMinimumSystemVersion": OLDEST_SYSTEM,
        "NSHighResolutionCapable": True,
        # Dark windows too.
        "NSRequiresAquaSystemAppearance": False,
        "NSHumanReadableCopyright": "MIT licence",
    }


def make_icons(python: Path, source: Path, work: Path) -> tuple[Path, Path]:
    """The .icns of the program and of its files."""
    made = []
    for name, drawing in (("program", icons.program_drawing(source)), ("scenario", icons.file_drawing(source))):
        folder, target = work / f"{name}.iconset", work / f"{name}.icns"
        icons.macos_iconset(python, drawing, folder)
        run([tool("iconutil"), "--convert", "icns", "--output", target, folder])
        made.append(target)
    return made[0], made[1]


def build(product: Product, work: Path, target: Path) -> Path:
    """Complete the application, sign it, and put it on a disk image in the folder `target`; its path.

    `product.program` is NAME.app as PyInstaller left it.
    """
    step("Completing the macOS application")
    application = product.program
    if application.suffix != ".app":
        raise BuildError(f"{application} is no application of macOS")
    resources = application / "Contents" / "Resources"
    licences = product.source / "packaging" / "licences"
    text = notices.render(product.components, licences, NAME, product.version, system="macos")
    desktop.write(resources / "mfu_gui" / "_resources" / "THIRD_PARTY_NOTICES.txt", text)
    shutil.copyfile(work / "scenario.icns", resources / "scenario.icns")
    scripts = product.source / "packaging" / "macos"
    target.mkdir(parents=True, exist_ok=True)
    image = target / f"mfu-gui-{product.version}-macos-{platform.machine()}.dmg"
    run(["bash", scripts / "sign.sh", application, os.environ.get(IDENTITY_VARIABLE, "-")])
    run(["bash", scripts / "make_dmg.sh", application, image, NAME])
    return image
