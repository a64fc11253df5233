"""What the desktop is told: one name everywhere, a file type that fits the files, a complete manual page."""

from __future__ import annotations

import configparser
import gzip
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from buildlib import desktop, icons
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from mfu_gui import APP_ID
from mfu_gui.cli.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
LINUX = ROOT / "packaging" / "linux"
MIME_NAMESPACE = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}


@pytest.fixture
def entry() -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(LINUX / f"{APP_ID}.desktop", encoding="utf-8")
    return parser["Desktop Entry"]


@pytest.fixture
def mime_type() -> ET.Element:
    found = ET.parse(LINUX / f"{APP_ID}.mime.xml").getroot().find("m:mime-type", MIME_NAMESPACE)
    assert found is not None
    return found


def test_one_name_everywhere(entry: configparser.SectionProxy, mime_type: ET.Element) -> None:
    assert entry["Icon"] == APP_ID
    assert entry["StartupWMClass"] in (APP_ID, "mfu-gui")
    component = ET.parse(LINUX / f"{APP_ID}.metainfo.xml").getroot()
    assert component.findtext("id") == APP_ID
    assert component.findtext("launchable") == f"{APP_ID}.desktop"
    assert component.findtext("icon") == APP_ID
    assert component.findtext("name") == entry["Name"]
    assert component.findtext("summary") == entry["Comment"]
    types = ET.parse(LINUX / f"{APP_ID}.mime.xml").getroot().findall("m:mime-type", MIME_NAMESPACE)
    assert entry["MimeType"] == "".join(each.get("type", "") + ";" for each in types)
    assert types[0].get("type") == mime_type.get("type")
    assert component.findtext("provides/mediatype") == mime_type.get("type")
    icon = mime_type.find("m:icon", MIME_NAMESPACE)
    assert icon is not None
    assert icon.get("name") == icons.MIME_ICON == mime_type.get("type", "").replace("/", "-")


def test_both_languages(entry: configparser.SectionProxy, mime_type: ET.Element) -> None:
    for key in ("Name", "GenericName", "Comment", "Keywords"):
        assert entry[f"{key}[zh_CN]"] != entry[key]
    comments = mime_type.findall("m:comment", MIME_NAMESPACE)
    assert [each.get("{http://www.w3.org/XML/1998/namespace}lang") for each in comments] == [None, "zh_CN"]


def matches(rule: ET.Element, content: bytes) -> bool:
    """Whether a rule of shared-mime-info holds: its value begins within its range, and a rule in it holds too."""
    first, _, last = rule.get("offset", "").partition(":")
    value = rule.get("value", "").encode()
    places = range(int(first), int(last or first) + 1)
    inner = rule.findall("m:match", MIME_NAMESPACE)
    here = any(content[place : place + len(value)] == value for place in places)
    return here and (not inner or any(matches(each, content) for each in inner))


SCENARIOS = sorted((ROOT / "tests" / "data" / "scenarios").glob("*.mfu"))
OTHERS = [b'{"kind": "mfu-model", "id": "x"}', b'{"architectures": ["LlamaForCausalLM"]}', b"kind mfu-scenario"]


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenarios_are_known_by_their_content(path: Path, mime_type: ET.Element) -> None:
    rule = mime_type.find("m:magic/m:match", MIME_NAMESPACE)
    assert rule is not None
    assert matches(rule, path.read_bytes())


@pytest.mark.parametrize("content", OTHERS)
def test_other_files_are_not(content: bytes, mime_type: ET.Element) -> None:
    rule = mime_type.find("m:magic/m:match", MIME_NAMESPACE)
    assert rule is not None
    assert not matches(rule, content)


def test_saved_scenarios_are_known_by_their_content(mime_type: ET.Element) -> None:
    from mfu_gui.formats.presets import PresetStore
    from mfu_gui.formats.scenario_file import dump_scenario, load_scenario

    data = (ROOT / "tests/data/scenarios/deepseek-v3-2048-h800.mfu").read_bytes()
    saved = dump_scenario(load_scenario(data, PresetStore()).scenario)
    rule = mime_type.find("m:magic/m:match", MIME_NAMESPACE)
    assert rule is not None
    assert matches(rule, saved)


def test_the_manual_page_names_every_command() -> None:
    page = (LINUX / "mfu-gui.1").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert re.search(rf"^\.B mfu\\-gui {name}$", page, re.MULTILINE), f"{name} is not in the synopsis"
        assert re.search(rf"^\.TP\n\.B {name}$", page, re.MULTILINE), f"{name} is not explained"


DRAWINGS = [ROOT / "resources" / "icons" / "app.svg", LINUX / "scenario.svg"]


@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda path: path.stem)
def test_the_icon_can_be_told_at_16_pixels(drawing: Path, qapp: QApplication) -> None:
    renderer = QSvgRenderer(str(drawing))
    assert renderer.isValid()
    image = QImage(16, 16, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, 0, 16, 16))
    painter.end()
    assert image.pixelColor(0, 0).alpha() == 0, "the corners are free"
    colours = [image.pixelColor(x, y) for x in range(16) for y in range(16)]
    lightness = [colour.lightness() for colour in colours if colour.alpha() > 200]
    assert max(lightness) - min(lightness) > 100, "light parts stand out from dark ones"


def test_packed_texts_carry_no_date() -> None:
    packed = desktop.packed("a text\n")
    assert packed == desktop.packed("a text\n")
    assert packed[4:8] == b"\0\0\0\0"
    assert gzip.decompress(packed) == b"a text\n"
