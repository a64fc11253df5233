"""THIRD_PARTY_NOTICES.txt: whose work the bundle carries, under which licence, and how Qt is replaced.

It is made from the bundle's manifest: each module and file is traced to the wheel, the Debian package or the
Python it came from, and a part that cannot be traced stops the build. So the list is complete by construction.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.metadata import Distribution, distributions
from pathlib import Path

from buildlib.bundle import Manifest
from buildlib.errors import BuildError
from buildlib.run import output

RULE = "=" * 100
THIN_RULE = "-" * 100
QT_WHEELS = ("pyside6_essentials", "shiboken6")
# Whose metadata says less than its licence text: PyInstaller lets programs of any licence carry its loader.
LICENCES = {"pyinstaller": "GPL-2.0-or-later WITH Bootloader-exception", "colorama": "BSD-3-Clause"}
# Python's modules that PyInstaller packs itself.
GENERATED = "base_library.zip"

HEAD = """\
THIRD-PARTY NOTICES
{name} {version}

{name} itself is published under the MIT licence. This edition carries the following works of others,
each under its own licence. They are listed with the files and modules in which they are found; files lie in the
folder {internal}, modules {modules}.

"""

QT_TEXT = """\
Qt and Qt for Python (PySide6, Shiboken6) are used under the GNU Lesser General Public License, version 3,
whose text and that of the GNU General Public License it refers to follow at the end.

Copyright (C) The Qt Company Ltd. and other contributors.

The libraries are unchanged. They come from the wheels PySide6_Essentials {version} and shiboken6 {version} of the
Python Package Index. Their source is published by the Qt Project at
https://download.qt.io/official_releases/QtForPython/ (folder PySide6-{version}-src) and
https://download.qt.io/official_releases/qt/ (Qt {version}).

You may replace them by your own. Qt's libraries are separate files: {qt}.
To use a modified Qt, build it with the same binary interface (Qt 6, same or later minor version) and put its files
in place of these; the program is linked to them at run time and needs no other change. The licence of {name}
permits modification for your own use and reverse engineering for debugging such modifications.

Qt contains code of others; what this edition carries of it:
"""


# Where things are, by system.
PLACES: dict[str, dict[str, str]] = {
    "linux": {
        "internal": "_internal beside the executable (in the .deb: /opt/mfu-gui/_internal)",
        "modules": "in the archive inside the executable",
        "qt": "_internal/PySide6/Qt/lib/libQt6*.so.6, its\n"
        "plugins lie in _internal/PySide6/Qt/plugins, the Python bindings are _internal/PySide6/*.abi3.so and\n"
        "_internal/shiboken6/",
    },
    "windows": {
        "internal": "_internal beside the executables",
        "modules": "there too, as .pyc files, those of Python's own library in python3*.zip",
        "qt": "_internal\\PySide6\\Qt6*.dll, its plugins lie\nin _internal\\PySide6\\plugins, the Python bindings "
        "are _internal\\PySide6\\*.pyd and _internal\\shiboken6",
    },
    "macos": {
        "internal": "Contents/Frameworks of the application",
        "modules": "in the archive inside the executable",
        "qt": "Contents/Frameworks/PySide6/Qt/lib/Qt*.framework,\nits plugins lie in "
        "Contents/Frameworks/PySide6/Qt/plugins, the Python bindings are\n"
        "Contents/Frameworks/PySide6/*.abi3.so and Contents/Frameworks/shiboken6/. After replacing, sign the\n"
        "application anew for your own use: codesign --force --deep --sign - \"MFU Calculator.app\"",
    },
}


@dataclass
class Component:
    """One work of others: its licence texts and where in the bundle it is."""

    name: str
    version: str
    licence: str
    texts: list[tuple[str, str]] = field(default_factory=list)
    items: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Python:
    """The Python that is bundled: the folder of its standard library, and its version."""

    library: Path
    version: str

    def owns(self, path: Path) -> bool:
        others = {"site-packages", "dist-packages"}
        # On macOS its library is a framework, whose other folders hold what it brings along.
        near = path.is_relative_to(self.library) or "Python.framework" in path.parts
        return (near and not others & set(path.parts)) or path.name.startswith("libpython")


def collect(manifest: Manifest, source: Path, site_packages: Path, python: Python) -> list[Component]:
    """The components of the bundle in alphabetical order; `BuildError` names parts of unknown origin."""
    owners = _owners_by_file(site_packages)
    found: dict[str, Component] = {}
    unknown: list[str] = []
    parts = [*((f"module {name}", path) for name, path in manifest.modules), *manifest.files]
    for name, path in parts:
        component = _component(name, path, source, owners, python, found)
        if component is None:
            unknown.append(f"{name} ({path})")
        elif component.name:
            component.items.append(name)
    if unknown:
        raise BuildError("nobody knows whose work this is:\n  " + "\n  ".join(unknown))
    return sorted(found.values(), key=lambda each: each.name.lower())


def _component(
    name: str,
    path: Path,
    source: Path,
    owners: dict[str, Distribution],
    python: Python,
    found: dict[str, Component],
) -> Component | None:
    """Whose work a part is; one without a name when it is the program's own."""
    owner = owners.get(str(path)) or owners.get(str(path.resolve()))
    if owner is not None:
        key = _key(owner)
        if key not in found:
            found[key] = _wheel(owner)
        return found[key]
    if path.is_relative_to(source):
        return Component("", "", "")
    if name == GENERATED or python.owns(path):
        return found.setdefault("python", _python(python))
    package = debian_package(path)
    if package is not None:
        if package not in found:
            found[package] = _debian(package)
        return found[package]
    return None


def _key(distribution: Distribution) -> str:
    return distribution.metadata["Name"].lower().replace("-", "_")


def _owners_by_file(site_packages: Path) -> dict[str, Distribution]:
    """Which wheel each installed file came from, by what pip recorded."""
    owners: dict[str, Distribution] = {}
    for distribution in distributions(path=[str(site_packages)]):
        record = (distribution.read_text("RECORD") or "").splitlines()
        owners.update((f"{site_packages}/{row[0]}", distribution) for row in csv.reader(record))
    return owners


def with_loader(components: Iterable[Component], site_packages: Path) -> list[Component]:
    """Add PyInstaller, whose loader is the executable itself, which no manifest lists."""
    others, own = [], []
    for each in components:
        (own if each.name.lower() == "pyinstaller" else others).append(each)
    if not own:
        own = [_wheel(each) for each in distributions(path=[str(site_packages)]) if _key(each) == "pyinstaller"]
    if not own:
        raise BuildError(f"PyInstaller is not installed in {site_packages}")
    own[0].items.insert(0, "mfu-gui (the loader in front of the archive)")
    return sorted([*others, own[0]], key=lambda each: each.name.lower())


def _wheel(distribution: Distribution) -> Component:
    metadata = distribution.metadata
    stated = metadata.get_all("License-Expression") or metadata.get_all("License") or [""]
    licence = LICENCES.get(_key(distribution)) or _short(stated[0])
    texts = []
    for file in distribution.files or ():
        if _is_licence(file.parts):
            text = Path(str(distribution.locate_file(file))).read_text(encoding="utf-8", errors="replace")
            texts.append(("/".join(file.parts[1:]).removeprefix("licenses/"), text))
    if not texts and _key(distribution) not in QT_WHEELS:
        raise BuildError(f"the wheel of {metadata['Name']} has no licence text")
    return Component(metadata["Name"], distribution.version, licence or "see below", sorted(texts))


def _is_licence(parts: tuple[str, ...]) -> bool:
    inside = parts[0].endswith(".dist-info") and len(parts) > 1
    return inside and (parts[1] == "licenses" or parts[-1].upper().startswith(("LICEN", "COPYING", "NOTICE")))


def _short(text: str) -> str:
    """The name of a licence; some wheels put the whole text there."""
    return text if "\n" not in text and len(text) < 60 else ""


def _python(python: Python) -> Component:
    """Python's own licence lies beside its library, or where Debian keeps it."""
    own = python.library / "LICENSE.txt"
    if own.is_file():
        return Component("Python", python.version, "PSF-2.0", [("LICENSE", own.read_text(encoding="utf-8"))])
    package = debian_package(python.library / "os.py")
    if package is None:
        raise BuildError(f"the licence of the Python in {python.library} was not found")
    return Component("Python", python.version, "PSF-2.0", [("copyright", _debian_copyright(package))])


def debian_package(path: Path) -> str | None:
    """The installed Debian package that owns a file, under either of the two names of /lib; None elsewhere."""
    if shutil.which("dpkg") is None:
        return None
    plain = str(path)
    other = plain.removeprefix("/usr") if plain.startswith("/usr/lib") else f"/usr{plain}"
    for name in dict.fromkeys((plain, other, str(path.resolve()))):
        done = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(":", 1)[0]
    return None


def _debian(package: str) -> Component:
    version = output(["dpkg-query", "-W", "-f=${Version}\n", package]).splitlines()[0]
    return Component(f"{package} (Debian)", version, "see below", [("copyright", _debian_copyright(package))])


def _debian_copyright(package: str) -> str:
    return Path(f"/usr/share/doc/{package}/copyright").read_text(encoding="utf-8", errors="replace")


def parts_of(name: str, licences: Path, system: str = "linux") -> list[dict[str, str]]:
    """The rows of `<name>.toml`, works of others inside that component, for one system."""
    rows = tomllib.loads((licences / f"{name}.toml").read_text(encoding="utf-8"))["component"]
    return [row for row in rows if row.get("os", system) == system]


def render(
    components: Iterable[Component],
    licences: Path,
    name: str,
    version: str,
    extra: Iterable[str] = (),
    system: str = "linux",
) -> str:
    """The text of the notices for a system of `PLACES`; `extra` are paragraphs about what is not traced."""
    components = list(components)
    lines = [HEAD.format(name=name, version=version, **PLACES[system])]
    width = max(len(each.name) for each in components)
    lines += [f"  {each.name:<{width}}  {each.version:<24}  {each.licence}" for each in components]
    lines.append("")
    common = {"LGPL-3.0", "GPL-3.0"}
    seen: dict[str, str] = {}
    for each in components:
        lines += [RULE, f"{each.name} {each.version}", f"Licence: {each.licence}"]
        lines += ["Found in:", *_wrapped(each.items), ""]
        inner: list[dict[str, str]] = []
        if each.name.lower().replace("-", "_") == "pyside6_essentials":
            inner = parts_of("qt", licences, system)
            lines.append(QT_TEXT.format(version=each.version, name=name, **PLACES[system]))
        elif each.name == "shiboken6":
            lines += ["Part of Qt for Python; see there.", ""]
        elif each.name == "Python":
            inner = parts_of("python", licences, system)
            lines.append("Python contains code of others; what this edition carries of it:")
        lines += _rows(inner)
        common |= {row["licence"] for row in inner}
        lines += _texts(each, seen)
    for paragraph in extra:
        lines += [RULE, paragraph.strip("\n"), ""]
        common |= {"OFL-1.1"} if "OFL-1.1" in paragraph else set()
    for licence in sorted(common):
        text = (licences / f"{licence}.txt").read_text(encoding="utf-8")
        lines += [RULE, f"Text of the licence {licence}", RULE, text.strip("\n"), ""]
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()) + "\n"


def _rows(rows: list[dict[str, str]]) -> list[str]:
    lines = []
    for row in rows:
        lines += ["", f"* {row['name']} (in {row['module']}; licence {row['licence']}, text at the end)"]
        lines += [f"  {each.strip()}" for each in row["copyright"].split(";")]
    return [*lines, ""] if lines else []


def _texts(component: Component, seen: dict[str, str]) -> list[str]:
    """The component's licence texts; one that was printed for another component is only referred to."""
    lines = []
    for title, text in component.texts:
        heading = f"{component.name}: {title}"
        if text in seen:
            lines += [f"{heading}: the same text as in “{seen[text]}” above", ""]
        else:
            seen[text] = heading
            lines += [THIN_RULE, heading, THIN_RULE, text.strip("\n"), ""]
    return lines


def _wrapped(items: list[str]) -> list[str]:
    """The list of files and modules; modules by the package that holds them."""
    files = sorted(item for item in items if not item.startswith("module "))
    tops = sorted({item.removeprefix("module ").split(".")[0] for item in items if item.startswith("module ")})
    lines = [f"  {file}" for file in files]
    if tops:
        lines += ["  modules: " + _filled(tops)]
    return lines


def _filled(words: list[str]) -> str:
    text, column = "", 11
    for word in words:
        if column + len(word) + 2 > 100:
            text += "\n           "
            column = 11
        text += word + ", "
        column += len(word) + 2
    return text.rstrip(", ")
