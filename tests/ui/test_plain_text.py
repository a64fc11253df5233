"""What comes from a file is shown as it is: never as HTML, as a mnemonic or as a placeholder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import QApplication, QComboBox, QInputDialog, QLabel, QMessageBox, QToolTip, QWidget

from mfu_gui.engine.scenario import Source
from mfu_gui.formats.preset_file import HardwarePreset, ModelPreset
from mfu_gui.ui import tips
from mfu_gui.ui.chooser import DialogChooser
from mfu_gui.ui.dialogs.preset_questions import DialogQuestions
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.services import Services
from mfu_gui.ui.workspace import Document

NAME = "<img src=x><b>hi</b> & &go [*] %s {0}"


@pytest.fixture
def hostile(window: MainWindow) -> MainWindow:
    """A window whose scenario, model and device have names that want to be more than text."""
    workspace, presets = window.services.workspace, window.services.presets
    base = workspace.active.scenario
    model = replace(base.model, name=NAME)
    presets.save(ModelPreset(kind="mfu-model", schema=1, id="other", name=NAME, source=NAME, spec=model))
    presets.save(HardwarePreset(kind="mfu-hardware", schema=1, id="card", name=NAME, source=NAME, spec=base.hardware))
    edited = replace(model, vocabulary=model.vocabulary + 1)
    scenario = replace(base, name=NAME, notes=NAME, model=edited, model_source=Source(preset="other"),
                       hardware_source=Source(preset="card"))
    workspace.add(Document(scenario, Path("/nowhere") / "<b>file</b> & [*].mfu"))
    workspace.add(Document(replace(scenario, name=NAME + "2", model=model)))
    for number in (2, 1):
        workspace.activate(workspace.documents[number])
        for key in (*window.tabs.keys, window.tabs.keys[0]):
            window.tabs.show_page(key)
            QApplication.processEvents()
    return window


def escaped(tip: str) -> bool:
    """Whether a tooltip shows what it says: plain for Qt, or made from plain text."""
    return not GuiQt.mightBeRichText(tip) or ("<b>" not in tip and "<img" not in tip)


def widgets(window: QWidget) -> Iterator[QWidget]:
    yield window
    yield from window.findChildren(QWidget)


def check_labels(window: MainWindow) -> None:
    labels = [label for label in window.findChildren(QLabel) if label.text()]
    assert len(labels) > 50
    rich = [(label.objectName(), label.text()) for label in labels
            if label.textFormat() is not GuiQt.TextFormat.PlainText and GuiQt.mightBeRichText(label.text())]
    assert [text for _, text in rich if "hi" in text] == []


def check_tips(window: MainWindow) -> None:
    assert [tip for widget in widgets(window) if (tip := widget.toolTip()) and not escaped(tip)] == []


def test_names_are_shown_as_they_are(hostile: MainWindow, tmp_path: Path) -> None:
    check_labels(hostile)
    check_tips(hostile)
    # Made from the source of a preset: this one would have been taken for HTML.
    assert [widget for widget in widgets(hostile) if "&lt;img" in widget.toolTip()]
    title = hostile.windowTitle()
    # Qt itself shows "[*][*]" as "[*]" and a single one as the mark of a change.
    assert title.startswith(NAME.replace("[*]", "[*][*]"))
    assert title.count("[*]") == 3
    box = hostile.findChild(QComboBox, "documents")
    assert box is not None
    assert NAME in [box.itemText(i).removesuffix(" •") for i in range(box.count())]
    hostile.services.settings.add_recent(tmp_path / "a & b.mfu")
    menu = hostile.actions_table.submenus["recent"]
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions()] == ["a && b.mfu"]
    helping = hostile.helping.handlers()
    for open_dialog in (hostile.rename, helping["keys"], helping["about"], hostile.explain, helping["what_is"],
                        helping["save_preset"], helping["presets"]):
        open_dialog()
        QApplication.processEvents()
        check_labels(hostile)
        check_tips(hostile)


def test_tips_that_are_shown_when_asked_for_are_plain(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda place, text, *rest: seen.append(text))
    tips.show(QPoint(), NAME, window)
    tips.show(QPoint(), "12 % of <64 GiB>", window)
    assert all(escaped(text) for text in seen)
    assert GuiQt.convertFromPlainText(NAME) == seen[0]
    assert seen[1] == "12 % of <64 GiB>"


def test_tooltips_are_shown_in_one_place_only() -> None:
    folder = Path(tips.__file__).parent
    others = [str(path.relative_to(folder)) for path in folder.rglob("*.py")
              if "QToolTip" in path.read_text(encoding="utf-8") and path.name not in ("tips.py", "stylesheet.py")]
    assert others == []


def test_questions_speak_the_language_in_force_and_name_what_they_are_about(
        services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    services.language.set_code("zh")
    seen: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(QMessageBox, "exec",
                        lambda box: seen.append((box.text(), [each.text() for each in box.buttons()])))
    monkeypatch.setattr(QInputDialog, "exec",
                        lambda box: seen.append((box.labelText(), [box.okButtonText(), box.cancelButtonText()])))
    parent = QWidget()
    chooser = DialogChooser(parent, services.language, services.theme)
    questions = DialogQuestions(parent, services.language)
    chooser.tell("…")
    questions.tell("…")
    assert questions.name("…", "H100") is None
    chooser.unsaved(["第一"])
    chooser.unsaved(["第一", "第二"])
    parent.deleteLater()
    assert [buttons for _, buttons in seen[:3]] == [["确定"], ["确定"], ["确定", "取消"]]
    assert "第一" in seen[3][0]
    assert "2" in seen[4][0]


def test_dialogs_show_names_as_they_are(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    boxes: list[tuple[str, str, GuiQt.TextFormat]] = []
    monkeypatch.setattr(QMessageBox, "exec",
                        lambda box: boxes.append((box.windowTitle(), box.text(), box.textFormat())))
    parent = QWidget()
    chooser = DialogChooser(parent, services.language, services.theme)
    chooser.tell(f"{NAME}: cannot be read")
    chooser.unsaved([NAME])
    assert chooser.changed_elsewhere(NAME) == "cancel"
    questions = DialogQuestions(parent, services.language)
    questions.tell(NAME)
    questions.may(NAME, "Replace")
    parent.deleteLater()
    assert len(boxes) == 5
    for title, text, form in boxes:
        assert title
        assert NAME in text
        assert form is GuiQt.TextFormat.PlainText
