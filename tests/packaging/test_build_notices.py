"""The notices of a bundle name everything in it, with its licence."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest
from buildlib import checks, notices
from buildlib.bundle import Manifest
from buildlib.errors import BuildError
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
LICENCES = ROOT / "packaging" / "licences"


def source_of(module: str) -> Path:
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin)


@pytest.fixture
def python() -> notices.Python:
    return notices.Python(Path(sysconfig.get_path("stdlib")), sys.version.split()[0])


@pytest.fixture
def manifest() -> Manifest:
    modules = [(name, source_of(name)) for name in ("mfu_gui", "argparse", "msgspec", "numpy")]
    files = [
        ("numpy.libs/openblas.so", next((source_of("numpy").parent.parent / "numpy.libs").iterdir())),
        ("PySide6/QtCore.abi3.so", source_of("PySide6").parent / "QtCore.abi3.so"),
        ("base_library.zip", Path("/somewhere/base_library.zip")),
    ]
    return Manifest(tuple(modules), tuple(files))


def collect(manifest: Manifest, python: notices.Python) -> list[notices.Component]:
    return notices.collect(manifest, ROOT, Path(sysconfig.get_path("purelib")), python)


def test_each_part_is_traced_to_its_owner(manifest: Manifest, python: notices.Python) -> None:
    found = {each.name.lower(): each.items for each in collect(manifest, python)}
    assert found["python"] == ["module argparse", "base_library.zip"]
    assert found["numpy"] == ["module numpy", "numpy.libs/openblas.so"]
    assert found["msgspec"] == ["module msgspec"]
    assert found["pyside6_essentials"] == ["PySide6/QtCore.abi3.so"]
    assert not any("mfu_gui" in item for items in found.values() for item in items)


def test_the_loader_is_named(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="PyInstaller is not installed"):
        notices.with_loader([], tmp_path)
    metadata = tmp_path / "pyinstaller-6.22.3.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: pyinstaller\nVersion: 6.22.3\n", encoding="utf-8")
    (metadata / "COPYING.txt").write_text("with an exception for the loader\n", encoding="utf-8")
    (metadata / "RECORD").write_text("pyinstaller-6.22.3.dist-info/COPYING.txt,,\n", encoding="utf-8")
    others = [notices.Component(name, "1", "MIT") for name in ("numpy", "zlib")]
    found = notices.with_loader(others, tmp_path)
    assert [each.name for each in found] == ["numpy", "pyinstaller", "zlib"]
    assert found[1].items == ["mfu-gui (the loader in front of the archive)"]
    assert "exception" in found[1].licence
    assert "exception for the loader" in found[1].texts[0][1]


def test_a_part_of_unknown_origin_stops_the_build(tmp_path: Path, python: notices.Python) -> None:
    stranger = tmp_path / "libstranger.so"
    stranger.write_bytes(b"")
    with pytest.raises(BuildError, match=re.escape("libstranger.so.1")):
        collect(Manifest((), (("libstranger.so.1", stranger),)), python)


def test_the_text_is_complete(manifest: Manifest, python: notices.Python, tmp_path: Path) -> None:
    components = collect(manifest, python)
    text = notices.render(components, LICENCES, "MFU Calculator", "1.2.3")
    for each in components:
        assert re.search(rf"^{re.escape(each.name)} {re.escape(each.version)}$", text, re.MULTILINE), each.name
        assert each.texts or each.name.lower().startswith(("pyside6", "shiboken6"))
    internal = tmp_path / "_internal"
    for name, _ in manifest.files:
        (internal / name).parent.mkdir(parents=True, exist_ok=True)
        (internal / name).write_bytes(b"")
    assert checks.unnamed(tmp_path, text) == []
    assert checks.unnamed_modules(["argparse", "numpy._core", "mfu_gui.cli", "pyimod01_archive"], text) == []
    (internal / "libnew.so").write_bytes(b"")
    assert checks.unnamed(tmp_path, text) == ["libnew.so"]
    assert checks.unnamed_modules(["stranger.inside"], text) == ["stranger"]


def test_qt_can_be_replaced(manifest: Manifest, python: notices.Python) -> None:
    text = notices.render(collect(manifest, python), LICENCES, "MFU Calculator", "1.2.3")
    assert "You may replace them by your own" in text
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in text
    assert "GNU GENERAL PUBLIC LICENSE" in text
    assert "PCRE2" in text


def test_a_text_that_two_works_share_is_printed_once() -> None:
    components = [notices.Component(name, "1", "MIT", [("LICENSE", "the very same words")]) for name in ("one", "two")]
    text = notices.render(components, LICENCES, "MFU Calculator", "1.2.3")
    assert text.count("the very same words") == 1
    assert "two: LICENSE: the same text as in “one: LICENSE” above" in text


@pytest.mark.parametrize("name", ["qt", "python"])
def test_the_tables_of_inner_works(name: str) -> None:
    rows = tomllib.loads((LICENCES / f"{name}.toml").read_text(encoding="utf-8"))["component"]
    assert len({row["name"] for row in rows}) == len(rows)
    for row in rows:
        assert row["copyright"]
        assert row["module"]
        assert (LICENCES / f"{row['licence']}.txt").stat().st_size > 200, row["licence"]


def test_what_is_for_another_system_is_left_out() -> None:
    assert "FreeType 2" in {row["name"] for row in notices.parts_of("qt", LICENCES, "windows")}
    assert "FreeType 2" not in {row["name"] for row in notices.parts_of("qt", LICENCES, "linux")}


def test_manifest_forgets_what_was_removed(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps({"modules": [["json", "/a"]], "files": [["libgone.so", "/b"], ["libhere.so", "/c"]]}))
    (tmp_path / "_internal").mkdir()
    (tmp_path / "_internal" / "libhere.so").write_bytes(b"")
    present = Manifest.read(path).present_in(tmp_path)
    assert [name for name, _ in present.files] == ["libhere.so"]
    assert [name for name, _ in present.modules] == ["json"]


def test_the_pins_fit_the_ranges() -> None:
    chosen = (ROOT / "packaging/requirements-bundle.in").read_text(encoding="utf-8")
    pins = dict(re.findall(r"^([\w-]+)==([\w.]+)$", chosen, re.MULTILINE))
    locked = (ROOT / "packaging/requirements-bundle.txt").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [Requirement(each) for each in [*project["dependencies"], *project["optional-dependencies"]["bundle"]]]
    for requirement in wanted:
        version = {name.lower(): pin for name, pin in pins.items()}[requirement.name.lower()]
        assert requirement.specifier.contains(version), requirement
    for name, version in pins.items():
        line = rf"^{re.escape(name)}=={re.escape(version)} \\\n +--hash=sha256:"
        assert re.search(line, locked, re.MULTILINE | re.IGNORECASE), name
