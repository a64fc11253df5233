#!/usr/bin/env python3
"""Proves that the installer works: `python3 packaging/prove.py [--portable]` (as root, on Debian or Ubuntu).

Builds the .deb twice and compares; looks at its files; installs it in a bare Debian 12; tests the program there
from the command line, by double click and without a network; upgrades; removes. `--portable` does the like for the
edition for other distributions. Ends with status 0 when everything holds, and prints sizes and start-up times.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import build
from buildlib import bare_root, checks, deb, source, tree
from buildlib.bare_root import USER, BareRoot
from buildlib.checks import demand
from buildlib.errors import BuildError
from buildlib.proof_desktop import DesktopProof
from buildlib.run import output, run, step, tool
from buildlib.screen import Screen

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = Path("tests") / "data" / "scenarios" / "deepseek-v3-2048-h800.mfu"
LOG = Path("tests") / "data" / "logs" / "megatron-lm" / "reference.log"
REPORTS = ("pdf", "xlsx", "md", "csv", "html")
# The figure that DeepSeek published for the example, in percent.
EXAMPLE_MFU = "43.73"
DEB_GOAL_MB, PORTABLE_GOAL_MB = 46, 52
# Where the package lies while it is installed, inside the bare system.
PLACE = "/srv/proof"
STALE = f"opt/{deb.PACKAGE}/_internal/left-over-of-an-older-version.txt"


class Proof:
    """One run; `table` collects what is printed at the end."""

    def __init__(self, work: Path, out: Path) -> None:
        self.work = work
        self.out = out
        self.table: list[tuple[str, str]] = []

    def note(self, name: str, value: str) -> None:
        self.table.append((name, value))
        print(f"   {name}: {value}", flush=True)

    def build(self, kinds: list[str], venv: Path) -> list[Path]:
        """Build in two places; both must give the same bytes. The second has no Git, as a source archive."""
        # Said once: somebody may commit while this runs.
        os.environ["SOURCE_DATE_EPOCH"] = str(source.date_of(ROOT))
        packages = build.build(kinds, ROOT, self.work / "first", venv, self.out)
        step("Building again in another place")
        copy = self.work / "again"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.work / "first" / "source", copy)
        again = build.build(kinds, copy, self.work / "second", venv, self.work / "second-dist")
        for one, other in zip(packages, again, strict=True):
            # The sums are of all that lies in the folder, so of other editions too.
            if one.name != "SHA256SUMS" and tree.sha256(one) != tree.sha256(other):
                raise BuildError(f"two builds of one commit differ: {one} {other}")
        self.note("two builds of one commit", "the same bytes")
        run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=self.out)
        return packages

    def inspect(self, package: Path, python: Path) -> None:
        """Look at the files of the package."""
        step("Looking at the files of the package")
        root = self.work / "unpacked"
        shutil.rmtree(root, ignore_errors=True)
        run([tool("dpkg-deb"), "-x", package, root])
        program = root / "opt" / deb.PACKAGE
        names = [path.relative_to(root).as_posix() for path in root.rglob("*") if not path.is_dir()]
        frozen = checks.frozen_modules(program, python)
        notices = (program / "_internal" / "mfu_gui" / "_resources" / "THIRD_PARTY_NOTICES.txt").read_text("utf-8")
        demand("no network code among the files", checks.network_files(names))
        modules = [*frozen, *checks.library_modules(program)]
        demand("no network code among the modules", checks.network_modules(modules))
        demand("no library that looks up other machines", list(checks.resolvers(program).items()))
        demand("every file of others is in the notices", checks.unnamed(program, notices))
        demand("every module of others is in the notices", checks.unnamed_modules(frozen, notices))
        if not {"libQt6Core.so.6", "libQt6Gui.so.6", "libQt6Widgets.so.6"} <= set(checks.replaceable_qt(program)):
            raise BuildError("Qt's libraries are not files of their own")
        share = root / "usr" / "share"
        run([tool("desktop-file-validate"), *(share / "applications").glob("*.desktop")])
        run([tool("appstreamcli"), "validate", "--no-net", *(share / "metainfo").glob("*.xml")])
        self.note("files", f"{len(names)}, {build.megabytes(tree.size(root))} unpacked")

    def goal(self, path: Path, goal: int) -> None:
        size = path.stat().st_size
        self.note(path.name, f"{build.megabytes(size)} (goal: at most {goal} MB)")
        if size > goal * 1e6:
            raise BuildError(f"{path.name} has become too big")


def command_line(root: BareRoot) -> None:
    """The installed program from a shell, as a user."""
    print(root.output("mfu-gui", "--version", user=USER).strip())
    print(root.output("mfu-gui", "--self-test", user=USER).strip())
    scenario = (ROOT / EXAMPLE).read_text(encoding="utf-8")
    result = json.loads(root.output("mfu-gui", "compute", "-", "--format", "json", user=USER, stdin=scenario))
    shown = f"{100 * result['mfu']:.2f}"
    if shown != EXAMPLE_MFU:
        raise BuildError(f"the example gives {shown} %, but {EXAMPLE_MFU} % was published")
    print(f"   DeepSeek-V3 on 2048 H800: {shown} %, as published")
    # The other commands, each of which imports what no other does.
    for words in (("plan", "-"), ("explain", "-"), ("conventions", "deepseek-v3"), ("schema", "scenario"),
                  ("sweep", "-", "--axis", "run.devices=1024,2048"), ("sweep", "-", "--layouts", "--count", "3")):
        root.output("mfu-gui", *words, user=USER, stdin=scenario)
    log = (ROOT / LOG).read_text(encoding="utf-8")
    if not json.loads(root.output("mfu-gui", "log", "-", "--format", "json", user=USER, stdin=log))["step_count"]:
        raise BuildError(f"no step was read from {LOG}")
    for kind in REPORTS:
        report = f"/home/{USER}/report.{kind}"
        root.output("mfu-gui", "report", "-", "-o", report, user=USER, stdin=scenario)
        if not (root.folder / report.lstrip("/")).stat().st_size:
            raise BuildError(f"{report} is empty")
        root.output("rm", report, user=USER)
    print(f"   plan, explain, sweep, log and reports ({', '.join(REPORTS)}) work")


def previous_version(package: Path, work: Path) -> Path:
    """The package once more as an older version that had a file which the new one lacks."""
    tree_of_it = work / "previous"
    shutil.rmtree(tree_of_it, ignore_errors=True)
    run([tool("dpkg-deb"), "-R", package, tree_of_it])
    control = tree_of_it / "DEBIAN" / "control"
    lines = control.read_text(encoding="utf-8").splitlines()
    control.write_text("".join("Version: 0.0.1\n" if each.startswith("Version:") else f"{each}\n" for each in lines))
    (tree_of_it / STALE).write_text("older\n", encoding="utf-8")
    older = work / "mfu-gui_0.0.1.deb"
    run([tool("dpkg-deb"), "--root-owner-group", "-Znone", "--build", tree_of_it, older])
    return older


def upgrade(root: BareRoot, package: Path, work: Path) -> None:
    """From the previous version to this one: the user's preset stays, the old version's file goes."""
    step("Upgrading from a previous version")
    install(root, previous_version(package, work))
    if not (root.folder / STALE).exists():
        raise BuildError("the previous version was not installed")
    preset = make_preset(root)
    install(root, package)
    if (root.folder / STALE).exists():
        raise BuildError("a file of the previous version stayed behind")
    listed = json.loads(root.output("mfu-gui", "presets", "models", "--format", "json", user=USER))
    if preset not in {each["id"] for each in listed}:
        raise BuildError("the user's preset is gone after the upgrade")
    print("   the user's preset is there, the old version's files are gone")


def make_preset(root: BareRoot) -> str:
    """Write a preset of the user's own, as the window's “save as preset” does; its id."""
    shipped = root.folder / "opt" / deb.PACKAGE / "_internal/mfu_gui/_resources/presets/models/gpt-j-6b.json"
    preset = json.loads(shipped.read_text(encoding="utf-8")) | {"id": "my-own-model", "name": "My own model"}
    preset.pop("aliases", None)
    folder = f"/home/{USER}/.local/share/mfu-gui/presets/models"
    root.output("mkdir", "-p", folder, user=USER)
    root.output("tee", f"{folder}/my-own-model.json", user=USER, stdin=json.dumps(preset))
    return "my-own-model"


def remove(root: BareRoot) -> None:
    """After removal only the user's files are left."""
    step("Removing")
    before = user_files(root)
    root.apt("remove", deb.PACKAGE)
    if user_files(root) != before:
        raise BuildError("the removal touched the user's files")
    # Where dpkg, apt and this proof keep their own records.
    records = ("./var/lib/dpkg/", "./var/lib/apt/", "./var/log/", "./var/cache/apt/", f"./home/{USER}/", f".{PLACE}/")
    everything = output(["find", ".", "-xdev", "-iname", "*mfu*"], cwd=root.folder).splitlines()
    demand("nothing of the program is left", [path for path in everything if not path.startswith(records)])
    mime_types = (root.folder / "usr/share/mime/types").read_text(encoding="utf-8")
    demand("the file type is forgotten", ["mfu-scenario"] if "mfu-scenario" in mime_types else [])


def user_files(root: BareRoot) -> list[str]:
    return sorted(output(["find", f"home/{USER}", "-type", "f"], cwd=root.folder).splitlines())


def install(root: BareRoot, package: Path) -> None:
    """As the README says: apt-get install ./package."""
    place = root.folder / PLACE.lstrip("/") / package.name
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(package, place)
    root.apt("install", f"{PLACE}/{package.name}")
    place.unlink()


@contextmanager
def bare(folder: Path) -> Iterator[BareRoot]:
    root = BareRoot(folder)
    root.drop()
    step("Making a bare Debian 12")
    try:
        root.make()
        yield root
    finally:
        root.drop()


def prove_deb(proof: Proof, package: Path) -> None:
    with bare(proof.work / "root") as root, Screen() as screen:
        step("Installing the package")
        root.apt("update")
        install(root, package)
        step("Using the command line")
        command_line(root)
        desktop = DesktopProof(root, screen, proof.out, ROOT / EXAMPLE, proof.note)
        desktop.prove()
        remove(root)
        upgrade(root, package, proof.work)
        remove(root)


def prove_portable(proof: Proof, script: Path) -> None:
    """The self-extracting file, on a system without a Chinese font."""
    with bare(proof.work / "root") as root, Screen() as screen:
        step("Installing the portable edition for one user")
        root.apt("update")
        unpacked = proof.work / "unpacked"
        shutil.rmtree(unpacked, ignore_errors=True)
        run(["sh", script, "--noexec", "--quiet", "--target", unpacked])
        # What every desktop has.
        present = ["fontconfig", "xz-utils", *deb.plain_dependencies(unpacked / "mfu-gui")]
        root.apt("install", "--no-install-recommends", *present)
        place = root.folder / "home" / USER / script.name
        shutil.copyfile(script, place)
        root.run("sh", f"/home/{USER}/{script.name}", "--quiet", user=USER)
        place.unlink()
        desktop = DesktopProof(root, screen, proof.out, ROOT / EXAMPLE, proof.note)
        desktop.prove_portable()
        root.run(f"/home/{USER}/.local/lib/mfu-gui/uninstall.sh", user=USER)
        own = ("/.local/share/mfu-gui/", desktop.example)
        left = [path for path in user_files(root) if not any(each in f"/{path}" for each in own)]
        demand("nothing of the program is left", [path for path in left if "mfu" in path.lower()])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--portable", action="store_true", help="prove the portable edition instead of the .deb")
    parser.add_argument("--package", type=Path, help="prove this package, made before, and build nothing")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "proof", help="folder for work files")
    parser.add_argument("--venv", type=Path, default=ROOT / "build" / "venv", help="folder of the build environment")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for the packages and the pictures")
    chosen = parser.parse_args(arguments)
    proof = Proof(chosen.work.resolve(), chosen.out.resolve())
    proof.work.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    try:
        prove(proof, chosen.portable, chosen.venv.resolve(), chosen.package and chosen.package.resolve())
    except BuildError as error:
        print(f"prove.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    width = max(len(name) for name, _ in proof.table)
    print("\n" + "\n".join(f"{name:<{width}}  {value}" for name, value in proof.table))
    print(f"Proved in {time.monotonic() - started:.0f} s")
    return 0


def prove(proof: Proof, portable: bool, venv: Path, package: Path | None) -> None:
    for name in ("mmdebstrap", "Xvfb", "xdotool", "import", "strace", "desktop-file-validate", "appstreamcli"):
        tool(name)
    bare_root.separate()
    kind, goal = ("portable", PORTABLE_GOAL_MB) if portable else ("deb", DEB_GOAL_MB)
    built = [package] if package else proof.build([kind], venv)
    packages = [path for path in built if path.name != "SHA256SUMS"]
    for package in packages:
        proof.goal(package, goal)
    if portable:
        prove_portable(proof, next(path for path in packages if path.suffix == ".run"))
    else:
        proof.inspect(packages[0], venv / "bin" / "python")
        prove_deb(proof, packages[0])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
