"""The Debian package."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from pathlib import Path

from buildlib import bundle, desktop, tree
from buildlib.contents import RECOMMENDED_LIBRARIES, SYSTEM_LIBRARIES
from buildlib.desktop import Product
from buildlib.run import output, run, step, tool

PACKAGE = "mfu-gui"

RECOMMENDED = ("fonts-noto-cjk", "desktop-file-utils", "hicolor-icon-theme", "shared-mime-info", "xdg-utils")
CONTROL = """\
Package: {package}
Version: {version}
Architecture: {architecture}
Maintainer: MFU Calculator contributors <maintainers@mfu-calculator.invalid>
Installed-Size: {size}
Depends: {depends}
Recommends: {recommends}
Section: science
Priority: optional
Description: see how well a training run uses its hardware, and why
 MFU Calculator tells how much of the peak of its accelerators a training run
 of a language model turns into useful work: model FLOPs utilization (MFU),
 hardware FLOPs utilization (HFU), throughput, and where the FLOPs go. It
 knows the conventions of the training frameworks, brings presets of models
 and accelerators, and reads config.json files and training logs.
 .
 It needs no network connection. The same engine is used from a window and
 from the command line.
"""


def build(product: Product, work: Path, target: Path) -> Path:
    """Make the .deb in the folder `target`; its path."""
    step(f"Packing the .deb of version {product.version}")
    architecture = output([tool("dpkg"), "--print-architecture"]).strip()
    root = work / "deb"
    shutil.rmtree(root, ignore_errors=True)
    stage(product, root)
    control = root / "DEBIAN"
    control.mkdir()
    fields = {
        "package": PACKAGE,
        "version": product.version,
        "architecture": architecture,
        "size": (tree.size(root) + 1023) // 1024,
        "depends": ", ".join(dependencies(product.program)),
        "recommends": ", ".join([*RECOMMENDED, *recommendations(product.program)]),
    }
    (control / "control").write_text(CONTROL.format(**fields), encoding="utf-8")
    (control / "md5sums").write_text(_md5sums(root), encoding="utf-8")
    tree.settle(root, product.date, frozenset({f"opt/{PACKAGE}/mfu-gui"}))
    target.mkdir(parents=True, exist_ok=True)
    package = target / f"{PACKAGE}_{product.version}_{architecture}.deb"
    # One thread: with more, the compressor cuts the data by their number and the file differs between machines.
    environment = dict(os.environ, SOURCE_DATE_EPOCH=str(product.date), DPKG_DEB_THREADS_MAX="1")
    run([tool("dpkg-deb"), "--root-owner-group", "-Zxz", "-z9", "--build", root, package], env=environment)
    return package


def stage(product: Product, root: Path) -> None:
    """Lay out the files as they will be installed."""
    program = root / "opt" / PACKAGE
    shutil.copytree(product.program, program, symlinks=True)
    desktop.write(program / "_internal" / "mfu_gui" / "_resources" / "THIRD_PARTY_NOTICES.txt", product.notices())
    share = root / "usr" / "share"
    desktop.place(product, share)
    command = root / "usr" / "bin" / "mfu-gui"
    command.parent.mkdir(parents=True)
    command.symlink_to(f"/opt/{PACKAGE}/mfu-gui")
    documents = share / "doc" / PACKAGE
    desktop.write(documents / "copyright", _copyright(product))
    (documents / "THIRD_PARTY_NOTICES.txt.gz").write_bytes(desktop.packed(product.notices()))
    (documents / "changelog.gz").write_bytes(desktop.packed(_changelog(product)))


def dependencies(program: Path) -> list[str]:
    """The packages of the system libraries that the bundle is linked to, and the C library it needs at least."""
    libraries = set(bundle.system_libraries(program)) - RECOMMENDED_LIBRARIES
    packages = {SYSTEM_LIBRARIES[name] for name in libraries} - {"libc6"}
    glibc = ".".join(map(str, bundle.newest_glibc(program)))
    return sorted({*packages, f"libc6 (>= {glibc})"})


def recommendations(program: Path) -> list[str]:
    """The packages of the system libraries that a part of the bundle is linked to which it can do without."""
    return sorted({SYSTEM_LIBRARIES[name] for name in RECOMMENDED_LIBRARIES & set(bundle.system_libraries(program))})


def plain_dependencies(program: Path) -> list[str]:
    """The same without versions and without the names of newer systems, as apt-get takes them."""
    return [each.split(" ")[0] for each in dependencies(program)]


def _copyright(product: Product) -> str:
    text = (product.linux / "copyright").read_text(encoding="utf-8")
    return text.replace("@YEAR@", time.strftime("%Y", time.gmtime(product.date)))


def _changelog(product: Product) -> str:
    day = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(product.date))
    people = "MFU Calculator contributors <maintainers@mfu-calculator.invalid>"
    head = f"{PACKAGE} ({product.version}) stable; urgency=medium"
    return f"{head}\n\n  * Release {product.version}.\n\n -- {people}  {day}\n"


def _md5sums(root: Path) -> str:
    lines = []
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root).as_posix()
        if path.is_file() and not path.is_symlink() and not inside.startswith("DEBIAN/"):
            digest = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
            lines.append(f"{digest}  {inside}\n")
    return "".join(lines)
