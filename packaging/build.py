#!/usr/bin/env python3
"""Makes the installers: `python3 packaging/build.py KIND…`

  deb        the package for Debian 12, Ubuntu 24.04 and later
  portable   .tar.xz and a self-extracting .run for other distributions
  bundle     only the frozen program, in build/

What is committed is built, the same each time: two builds of one commit give the same bytes.
The packages and their SHA256SUMS come into dist/.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from buildlib import bundle, deb, font, notices, portable, source, toolchain, tree
from buildlib.desktop import Product
from buildlib.errors import BuildError
from buildlib.run import output, step

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("deb", "portable", "bundle")


def prepare(root: Path, work: Path, venv: Path) -> Product:
    """Freeze the program of the commit in `root`; work files lie in `work`, the environment in `venv`."""
    work.mkdir(parents=True, exist_ok=True)
    date = source.date_of(root)
    copy = work / "source"
    source.export(root, copy)
    requirements = copy / "packaging" / "requirements-bundle.txt"
    python = toolchain.ensure(venv, requirements)
    program, manifest = bundle.freeze(python, copy, work, date)
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


def build(kinds: list[str], root: Path, work: Path, venv: Path, target: Path) -> list[Path]:
    """Make the packages of these kinds in the folder `target`; their paths."""
    product = prepare(root, work, venv)
    packages: list[Path] = []
    if "deb" in kinds:
        packages.append(deb.build(product, work, target))
    if "portable" in kinds:
        fonts = work / "fonts"
        font_notice = font.subset(product.python, product.source, work, fonts)
        packages += portable.build(product, fonts, font_notice, work, target)
    if packages:
        packages.append(tree.write_sums(target))
    return packages


def megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", metavar="KIND", nargs="+", choices=KINDS)
    parser.add_argument("--work", type=Path, default=ROOT / "build", help="folder for what is made on the way")
    parser.add_argument("--venv", type=Path, help="folder of the build environment (default: venv in the work folder)")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for the packages")
    chosen = parser.parse_args(arguments)
    work = chosen.work.resolve()
    started = time.monotonic()
    try:
        packages = build(chosen.kinds, ROOT, work, (chosen.venv or work / "venv").resolve(), chosen.out.resolve())
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
