"""The edition for other distributions: a .tar.xz, and the same as one file that installs itself."""

from __future__ import annotations

import os
import platform
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from buildlib import desktop, tree
from buildlib.desktop import Product
from buildlib.run import run, step, tool

# The mark in the menu entry that install.sh replaces by the place of the program.
EXEC_MARK = "@EXEC@"


def build(product: Product, fonts: Path, font_notice: str, work: Path, target: Path) -> list[Path]:
    """Make both files, with the fonts in the folder `fonts`, in the folder `target`; their paths."""
    step(f"Packing the portable edition of version {product.version}")
    root = work / "portable"
    shutil.rmtree(root, ignore_errors=True)
    stage(product, fonts, product.notices(font_notice), root)
    tree.settle(root, product.date, frozenset({"mfu-gui/mfu-gui", "install.sh", "uninstall.sh"}))
    target.mkdir(parents=True, exist_ok=True)
    name = f"mfu-gui-{product.version}-linux-{platform.machine()}"
    # Each packs on one core, for the same bytes everywhere; so both at once.
    with ThreadPoolExecutor(2) as pool:
        made = [pool.submit(make, root, name, product.date, work, target) for make in (_archive, _self_extracting)]
        return [each.result() for each in made]


def stage(product: Product, fonts: Path, notices: str, root: Path) -> None:
    shutil.copytree(product.program, root / "mfu-gui", symlinks=True)
    resources = root / "mfu-gui" / "_internal" / "mfu_gui" / "_resources"
    shutil.copytree(fonts, resources / "fonts", dirs_exist_ok=True)
    desktop.write(resources / "THIRD_PARTY_NOTICES.txt", notices)
    desktop.place(product, root / "share", exec_path=EXEC_MARK)
    for name in ("install.sh", "uninstall.sh", "README.txt"):
        text = (product.linux / "portable" / name).read_text(encoding="utf-8")
        desktop.write(root / name, text.replace("@VERSION@", product.version).replace("@APP_ID@", product.app_id))
    shutil.copyfile(product.source / "LICENSE", root / "LICENSE.txt")


def _archive(root: Path, name: str, date: int, work: Path, target: Path) -> Path:
    plain, packed = work / f"{name}.tar", target / f"{name}.tar.xz"
    tree.tar(root, name, plain, date)
    # One thread, as for the .deb.
    packed.unlink(missing_ok=True)
    run([tool("xz"), "-9", "-T1", "--force", plain])
    shutil.move(work / f"{name}.tar.xz", packed)
    return packed


def _self_extracting(root: Path, name: str, date: int, work: Path, target: Path) -> Path:
    script = f"{name}.run"
    options = ["--xz", "--complevel", "9", "--threads", "1", "--sha256", "--nomd5", "--nocrc", "--nox11", "--quiet"]
    same = f"--sort=name --mtime=@{date} --owner=0 --group=0 --numeric-owner"
    command = [tool("makeself"), *options, "--tar-format", "gnu", "--tar-extra", same]
    command += ["--packaging-date", desktop.date_text(date)]
    # makeself notes its own command line in the file, so that only names without folders may be in it.
    environment = dict(os.environ, TZ="UTC", LC_ALL="C")
    run([*command, root.name, script, "MFU Calculator", "./install.sh"], cwd=work, env=environment)
    return Path(shutil.move(work / script, target / script))
