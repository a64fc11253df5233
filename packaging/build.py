#!/usr/bin/env python3
"""Makes the installers: `python3 packaging/build.py KIND…`

  deb        the package for Debian 12, Ubuntu 24.04 and later
  portable   .tar.xz and a self-extracting .run for other distributions
  bundle     only the frozen program, in build/
  macos      the disk image; only on macOS, and not tried yet
  windows    setup.exe and a portable .zip for Windows; needs --python-zip and --sha256

What is committed is built, the same each time: two builds of one commit give the same bytes.
The packages and their SHA256SUMS come into dist/.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from buildlib import bundle, deb, font, macos, notices, nsis, portable, source, toolchain, tree, windows
from buildlib.desktop import Product
from buildlib.errors import BuildError
from buildlib.run import output, step

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("deb", "portable", "bundle", "macos", "windows")


@dataclass(frozen=True)
class Material:
    """What every edition is made from: the committed files, their date, and the Python of the build environment."""

    copy: Path
    date: int
    python: Path


@dataclass(frozen=True)
class PythonZip:
    """CPython's embeddable edition for Windows, and the checksum that its maker published."""

    path: Path
    sha256: str


def prepare(root: Path, work: Path, venv: Path) -> Material:
    """Copy what is committed in `root` into `work` and make the environment `venv`."""
    work.mkdir(parents=True, exist_ok=True)
    date = source.date_of(root)
    copy = work / "source"
    source.export(root, copy)
    python = toolchain.ensure(venv, copy / "packaging" / "requirements-bundle.txt")
    return Material(copy, date, python)


def freeze(material: Material, work: Path, icon: Path | None = None) -> Product:
    """Freeze the program for the system that this runs on; macOS wants an icon."""
    copy, date, python = material.copy, material.date, material.python
    program, manifest = bundle.freeze(python, copy, work, date, icon)
    product = Product(
        program=program,
        source=copy,
        python=python,
        app_id=source.constant(copy, "APP_ID"),
        version=source.constant(copy, "__version__"),
        date=date,
        components=tuple(_components(manifest, copy, python)),
    )
    step(f"Frozen: {megabytes(tree.size(program))} in {program}")
    return product


def _components(manifest: bundle.Manifest, copy: Path, python: Path) -> list[notices.Component]:
    names = "s.get_path('purelib'), s.get_path('stdlib'), sys.version.split()[0]"
    code = f"import sys, sysconfig as s; print({names}, sep='\\n')"
    site_packages, library, version = output([python, "-c", code]).splitlines()
    found = notices.collect(manifest, copy, Path(site_packages), notices.Python(Path(library), version))
    return notices.with_loader(found, Path(site_packages))


def build(
    kinds: list[str], root: Path, work: Path, venv: Path, target: Path, python_zip: PythonZip | None = None
) -> list[Path]:
    """Make the packages of these kinds in the folder `target`; their paths."""
    material = prepare(root, work, venv)
    packages: list[Path] = []
    if {"deb", "portable", "bundle"} & set(kinds):
        packages += _for_linux(kinds, material, work, target)
    if "macos" in kinds:
        if platform.system() != "Darwin":
            raise BuildError("The macOS edition is built on macOS: it needs codesign, iconutil and hdiutil.")
        icon, _ = macos.make_icons(material.python, material.copy, work)
        packages.append(macos.build(freeze(material, work, icon), work, target))
    if "windows" in kinds:
        if python_zip is None:
            raise BuildError("The Windows edition needs --python-zip and --sha256; see packaging/RELEASING.md.")
        packages += _for_windows(material, python_zip, work, target)
    if packages:
        packages.append(tree.write_sums(target))
    return packages


def _for_linux(kinds: list[str], material: Material, work: Path, target: Path) -> list[Path]:
    product = freeze(material, work)
    packages: list[Path] = []
    if "deb" in kinds:
        packages.append(deb.build(product, work, target))
    if "portable" in kinds:
        fonts = work / "fonts"
        font_notice = font.subset(product.python, product.source, work, fonts)
        packages += portable.build(product, fonts, font_notice, work, target)
    return packages


def _for_windows(material: Material, python_zip: PythonZip, work: Path, target: Path) -> list[Path]:
    archive = python_zip.path.resolve()
    product = windows.assemble(material.copy, material.date, material.python, archive, python_zip.sha256, work)
    step(f"Put together: {megabytes(tree.size(product.folder))} in {product.folder}")
    icon = work / "windows" / "program.ico"
    return [nsis.build(product, icon, work, target), windows.pack_zip(product, target)]


def megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", metavar="KIND", nargs="+", choices=KINDS)
    parser.add_argument("--work", type=Path, default=ROOT / "build", help="folder for what is made on the way")
    parser.add_argument("--venv", type=Path, help="folder of the build environment (default: venv in the work folder)")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for the packages")
    parser.add_argument("--python-zip", type=Path, help="for windows: python-3.x.y-embed-amd64.zip of python.org")
    parser.add_argument("--sha256", help="the checksum that belongs to --python-zip")
    chosen = parser.parse_args(arguments)
    if bool(chosen.python_zip) != bool(chosen.sha256):
        parser.error("--python-zip and --sha256 go together")
    python_zip = PythonZip(chosen.python_zip, chosen.sha256) if chosen.python_zip else None
    work = chosen.work.resolve()
    started = time.monotonic()
    try:
        venv, out = (chosen.venv or work / "venv").resolve(), chosen.out.resolve()
        packages = build(chosen.kinds, ROOT, work, venv, out, python_zip)
    except BuildError as error:
        print(f"build.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    for package in packages:
        print(f"{megabytes(package.stat().st_size):>9}  {package}")
    print(f"Done in {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
