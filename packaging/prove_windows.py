#!/usr/bin/env python3
"""Proves the Windows edition as far as Linux can: `python3 packaging/prove_windows.py --python-zip PATH --sha256 HEX`

Builds it twice and compares; looks at its files; signs it with a certificate of the day; installs, uses, upgrades and
removes it under wine. What only Windows itself can show is in packaging/RELEASING.md.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from pathlib import Path

import build
from buildlib import checks, nsis, pe, signing, source, tree, windows
from buildlib.checks import demand
from buildlib.desktop import NAME
from buildlib.errors import BuildError
from buildlib.launcher import LAUNCHERS
from buildlib.proof_windows import Installation
from buildlib.run import output, step, tool
from buildlib.windows import WindowsProduct
from buildlib.wine import Wine

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "tests" / "data" / "scenarios" / "deepseek-v3-2048-h800.mfu"
SETUP_GOAL_MB = 36
# Who signed the files that were signed before they came to us.
MAKERS = ("Python Software Foundation", "Microsoft", "The QT Company")


class WindowsProof:
    """One run; `table` collects what is printed at the end."""

    def __init__(self, work: Path, out: Path, venv: Path, python_zip: build.PythonZip) -> None:
        self.work = work
        self.out = out
        self.venv = venv
        self.python_zip = python_zip
        self.table: list[tuple[str, str]] = []

    def note(self, name: str, value: str) -> None:
        self.table.append((name, value))
        print(f"   {name}: {value}", flush=True)

    def build(self) -> None:
        """Build in two places; both must give the same bytes."""
        os.environ["SOURCE_DATE_EPOCH"] = str(source.date_of(ROOT))
        first = self.work / "first"
        packages = build.build(["windows"], ROOT, first, self.venv, self.out, self.python_zip)
        step("Building again in another place")
        copy = self.work / "again"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(first / "source", copy)
        others = build.build(
            ["windows"], copy, self.work / "second", self.venv, self.work / "second-dist", self.python_zip
        )
        pairs = zip(packages, others, strict=True)
        differing = [one.name for one, two in pairs if tree.sha256(one) != tree.sha256(two)]
        # The sums are of all that lies in the folder, so of other editions too.
        demand("two builds of one commit give the same bytes", [name for name in differing if name != "SHA256SUMS"])

    def built(self) -> tuple[WindowsProduct, Path]:
        """What the first of the two builds made: the folder and its setup program."""
        copy = self.work / "first" / "source"
        folder = self.work / "first" / "windows" / NAME
        if not folder.is_dir():
            raise BuildError(f"nothing was built in {folder}")
        app_id, version = source.constant(copy, "APP_ID"), source.constant(copy, "__version__")
        product = WindowsProduct(folder, copy, app_id, version, int((folder / windows.MARK).stat().st_mtime))
        setup = self.out / f"{product.file_name}-setup.exe"
        for package in (setup, self.out / f"{product.file_name}-portable.zip"):
            self.note(package.name, build.megabytes(package.stat().st_size))
        if setup.stat().st_size > SETUP_GOAL_MB * 1e6:
            raise BuildError(f"{setup.name} is bigger than {SETUP_GOAL_MB} MB")
        return product, setup

    def inspect(self, product: WindowsProduct) -> None:
        """Look at the files."""
        step("Looking at the files of the Windows edition")
        names = [path.relative_to(product.folder).as_posix() for path in product.folder.rglob("*") if path.is_file()]
        modules = checks.plain_modules(product.internal)
        text = (product.internal / "mfu_gui" / "_resources" / "THIRD_PARTY_NOTICES.txt").read_text(encoding="utf-8")
        demand("every library it needs is there or part of Windows", list(pe.missing(product.folder).items()))
        demand("no network code among the files", checks.network_files(names))
        library = checks.zipped_modules(product.internal)
        demand("no network code among the modules", checks.network_modules([*modules, *library]))
        demand("every file of others is in the notices", checks.unnamed(product.folder, text))
        demand("every module of others is in the notices", checks.unnamed_modules(modules, text))
        qt = {path.name for path in product.internal.glob("PySide6/Qt6*.dll")}
        demand("Qt's libraries are files of their own", sorted({"Qt6Core.dll", "Qt6Gui.dll", "Qt6Widgets.dll"} - qt))
        wrong = [each.file for each in LAUNCHERS if pe.is_windowed(product.folder / each.file) != each.windowed]
        demand("the window starts without a console, the command line with one", wrong)
        code = pe.files(product.internal)
        state = {path: signing.digests_agree(path) for path in code}
        demand("what its maker signed is unchanged", [path.name for path, same in state.items() if same is False])
        demand("and the makers are known", [path.name for path, same in state.items() if same and not _makers(path)])
        signed = sum(1 for same in state.values() if same)
        self.note("signed by its maker", f"{signed} of {len(code)} libraries")
        self.note("files", f"{len(names)}, {build.megabytes(tree.size(product.folder))} unpacked")

    def sign(self, product: WindowsProduct) -> None:
        """Sign everything of ours with a certificate of the day, and verify."""
        step("Signing with a certificate of the day")
        place = self.work / "signed"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        key, certificate = place / "key.pem", place / "certificate.pem"
        subject = ["-subj", "/CN=MFU Calculator test certificate", "-days", "1", "-nodes"]
        use = ["-addext", "extendedKeyUsage=codeSigning", "-addext", "keyUsage=digitalSignature"]
        request = [tool("openssl"), "req", "-x509", "-newkey", "rsa:3072", *subject, *use]
        output([*request, "-keyout", key, "-out", certificate])
        os.environ[signing.VARIABLE] = (
            f"{tool('osslsigncode')} sign -certs {certificate} -key {key} -h sha256 -in {{in}} -out {{out}}"
        )
        try:
            for each in LAUNCHERS:
                exe = Path(shutil.copy2(product.folder / each.file, place / each.file))
                signing.sign(exe)
                signing.verify(exe, certificate)
            # The uninstaller inside is the same whatever else is packed, so a small folder will do.
            small = WindowsProduct(place / NAME, product.source, product.app_id, product.version, product.date)
            left_out = shutil.ignore_patterns("*.dll", "*.pyd", "_resources")
            shutil.copytree(product.folder, small.folder, ignore=left_out)
            setup = nsis.build(small, self.work / "first" / "windows" / "program.ico", place, place)
            signing.verify(setup, certificate)
            with Wine(self.work / "wine-signed") as wine:
                wine.expect(0, setup, "/S")
                uninstaller = Installation(wine, product).folder / "uninstall.exe"
                signing.verify(uninstaller, certificate)
        finally:
            del os.environ[signing.VARIABLE]
        self.note("signatures", "both programs, setup and the uninstaller in it verified")

    def use(self, product: WindowsProduct, setup: Path) -> None:
        """Install, use, upgrade and remove it."""
        with Wine(self.work / "wine") as wine:
            installation = Installation(wine, product)
            step("Installing under wine")
            installation.refuse_foreign_folder(setup)
            installation.install(setup)
            step("Using the command line under wine")
            installation.use(EXAMPLE)
            step("Upgrading from a previous version under wine")
            installation.upgrade(setup)
            step("Removing under wine")
            installation.remove()


def _makers(path: Path) -> list[str]:
    """The known makers who signed a file."""
    return [name for name in signing.signers(path) if name.startswith(MAKERS)]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python-zip", type=Path, required=True, help="python-3.x.y-embed-amd64.zip of python.org")
    parser.add_argument("--sha256", required=True, help="the checksum that belongs to it")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "proof-windows", help="folder for work")
    parser.add_argument("--venv", type=Path, default=ROOT / "build" / "venv", help="the build environment")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for the packages")
    parser.add_argument("--built", action="store_true", help="prove what the last run built, and build nothing")
    chosen = parser.parse_args(arguments)
    os.environ.pop(signing.VARIABLE, None)
    python_zip = build.PythonZip(chosen.python_zip.resolve(), chosen.sha256)
    proof = WindowsProof(chosen.work.resolve(), chosen.out.resolve(), chosen.venv.resolve(), python_zip)
    started = time.monotonic()
    try:
        for name in ("makensis", "osslsigncode", "openssl", "wine", "wineserver"):
            tool(name)
        if not chosen.built:
            proof.build()
        product, setup = proof.built()
        proof.inspect(product)
        proof.use(product, setup)
        proof.sign(product)
    except BuildError as error:
        print(f"prove_windows.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    width = max(len(name) for name, _ in proof.table)
    print("\n" + "\n".join(f"{name:<{width}}  {value}" for name, value in proof.table))
    print(f"Proved in {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
