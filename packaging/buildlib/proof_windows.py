"""The setup program and what it installs, used under wine as a person would."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from buildlib import windows
from buildlib.checks import demand
from buildlib.desktop import NAME
from buildlib.errors import BuildError
from buildlib.windows import WindowsProduct
from buildlib.wine import Wine, wait_until_gone

CLASSES = r"HKCU\Software\Classes"
TYPES = {".mfu": "MfuCalculator.Scenario", ".mfuw": "MfuCalculator.Workspace"}
UNINSTALL = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall"
# The figure that DeepSeek published for the example, in percent.
EXAMPLE_MFU = "43.73"
STALE = "left-over-of-an-older-version.txt"


class Installation:
    """The program of one user in one wine."""

    def __init__(self, wine: Wine, product: WindowsProduct) -> None:
        self.wine = wine
        self.product = product
        users = wine.drive / "users"
        self.home = next(path for path in sorted(users.iterdir()) if path.name != "Public")
        self.folder = self.home / "AppData" / "Local" / "Programs" / NAME
        self.user_files = self.home / "AppData" / "Local" / "mfu-gui"

    @property
    def command(self) -> Path:
        return self.folder / "mfu-gui.exe"

    def refuse_foreign_folder(self, setup: Path) -> None:
        """A folder with somebody's files in it is neither filled nor emptied."""
        # NSIS wants this path without quotation marks, wine puts them around spaces: so none.
        foreign = self.wine.drive / "Somebody's-files"
        foreign.mkdir()
        (foreign / "letter.txt").write_text("dear\n", encoding="utf-8")
        self.wine.expect(2, setup, "/S", r"/D=C:\Somebody's-files")
        if [path.name for path in foreign.iterdir()] != ["letter.txt"]:
            raise BuildError("the setup program filled a folder that holds other files")
        print("   a folder with other files in it is refused")

    def install(self, setup: Path) -> None:
        self.wine.expect(0, setup, "/S")
        wanted = {path.relative_to(self.product.folder): path for path in _files(self.product.folder)}
        found = {path.relative_to(self.folder): path for path in _files(self.folder)}
        demand("every file is installed", sorted(map(str, wanted.keys() - found.keys())))
        demand("and nothing else but the uninstaller", sorted(map(str, found.keys() - wanted.keys() - {UNINSTALLER})))
        changed = [str(name) for name, path in wanted.items() if path.read_bytes() != found[name].read_bytes()]
        demand("with the same contents", changed)
        for ending, kind in TYPES.items():
            opens = self.wine.registry(rf"{CLASSES}\{kind}\shell\open\command") or ""
            if self.wine.registry(rf"{CLASSES}\{ending}") != kind or f'{NAME}.exe" "%1"' not in opens:
                raise BuildError(f"the type of {ending} files was not registered: {opens!r}")
            print(f"   {ending} opens with {opens}")
        version = self.wine.registry(rf"{UNINSTALL}\{self.product.app_id}", "DisplayVersion")
        if version != self.product.version or not self.shortcut().is_file():
            raise BuildError(f"the list of programs or the start menu lacks it (version {version})")

    def shortcut(self) -> Path:
        menu = self.home / "AppData" / "Roaming" / "Microsoft" / "Windows" / "Start Menu" / "Programs"
        return menu / f"{NAME}.lnk"

    def use(self, example: Path) -> None:
        print(self.wine.expect(0, self.command, "--version"))
        print(self.wine.expect(0, self.command, "--self-test"))
        if "正常" not in self.wine.expect(0, self.command, "--self-test", "--lang", "zh"):
            raise BuildError("it does not speak Chinese, or not in UTF-8")
        # A path with everything that trips programs up.
        place = self.wine.drive / "it's a 方案" / "run 100%.mfu"
        place.parent.mkdir(exist_ok=True)
        shutil.copyfile(example, place)
        path = r"C:\it's a 方案\run 100%.mfu"
        result = json.loads(self.wine.expect(0, self.command, "compute", path, "--format", "json"))
        shown = f"{100 * result['mfu']:.2f}"
        if shown != EXAMPLE_MFU:
            raise BuildError(f"the example gives {shown} %, but {EXAMPLE_MFU} % was published")
        print(f"   DeepSeek-V3 on 2048 H800: {shown} %, as published")
        for words in (("explain", path), ("conventions", "deepseek-v3"), ("presets", "hardware"), ("schema", "model")):
            self.wine.expect(0, self.command, *words)
        self.wine.expect(0, self.command, "plan", path, "--format", "json")
        log = example.parent.parent / "logs" / "megatron-lm" / "reference.log"
        self.wine.expect(0, self.command, "log", self.wine.windows_path(log), "--format", "json")
        # Not .pdf: it is Qt's work.
        for kind in ("xlsx", "md", "csv", "html"):
            self.wine.expect(0, self.command, "report", path, "-o", rf"C:\it's a 方案\report.{kind}")
            if not (place.parent / f"report.{kind}").stat().st_size:
                raise BuildError(f"report.{kind} is empty")
        print("   plan, log and reports work")
        message = self.wine.expect(2, self.command, "compute", "nothing.mfu")
        if "nothing.mfu" not in message or "Traceback" in message:
            raise BuildError(f"a missing file is not named: {message}")
        print(f"   {message}")

    def upgrade(self, setup: Path) -> None:
        """The user's preset stays, the old version's file goes."""
        (self.folder / windows.INTERNAL / STALE).write_text("older\n", encoding="utf-8")
        shipped = self.product.internal / "mfu_gui" / "_resources" / "presets" / "models" / "gpt-j-6b.json"
        preset = json.loads(shipped.read_text(encoding="utf-8")) | {"id": "my-own-model", "name": "My own model"}
        preset.pop("aliases", None)
        mine = self.user_files / "presets" / "models" / "my-own-model.json"
        mine.parent.mkdir(parents=True, exist_ok=True)
        mine.write_text(json.dumps(preset), encoding="utf-8")
        self.wine.expect(0, setup, "/S")
        if (self.folder / windows.INTERNAL / STALE).exists():
            raise BuildError("a file of the previous version stayed behind")
        listed = json.loads(self.wine.expect(0, self.command, "presets", "models", "--format", "json"))
        if "my-own-model" not in {each["id"] for each in listed}:
            raise BuildError("the user's preset is gone after the upgrade")
        print("   the user's preset is there, the old version's files are gone")

    def remove(self) -> None:
        """After removal only the user's files are left."""
        before = _files(self.user_files)
        self.wine.expect(0, self.folder / UNINSTALLER, "/S")
        wait_until_gone(self.folder)
        if _files(self.user_files) != before or not before:
            raise BuildError("the removal touched the user's files")
        left = [str(path) for path in (self.shortcut(), self.folder) if path.exists()]
        keys = [*(rf"{CLASSES}\{ending}" for ending in TYPES),
                *(rf"{CLASSES}\{kind}\shell\open\command" for kind in TYPES.values())]
        left += [key for key in keys if self.wine.registry(key)]
        left += [UNINSTALL] if self.wine.registry(rf"{UNINSTALL}\{self.product.app_id}", "DisplayVersion") else []
        demand("nothing of the program is left", left)


UNINSTALLER = Path("uninstall.exe")


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
