"""The preset manager: finding, copying, editing in place, importing without losing anything, exporting."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QHelpEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QToolTip
from pytestqt.qtbot import QtBot

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.preset_edit import BASED_ON, age_days, copy_of, differences, value_of, with_value
from mfu_gui.formats.preset_file import encode_preset
from mfu_gui.formats.preset_import import Incoming, examine
from mfu_gui.formats.presets import PresetStore
from mfu_gui.ui.dialogs.preset_conflicts import ConflictDialog
from mfu_gui.ui.dialogs.preset_manager import PresetManager
from mfu_gui.ui.dialogs.save_preset import SavePresetDialog
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.widgets.elided_edit import ElidedEdit

H100 = "nvidia-h100-sxm5-80gb"
TODAY = date(2026, 11, 30)


class Said:
    """Answers the manager's questions."""

    def __init__(self) -> None:
        self.files: list[Path] = []
        self.target: Path | None = None
        self.folder: Path | None = None
        self.new_name: str | None = None
        self.yes = True
        self.asked: list[str] = []
        self.told: list[str] = []

    def files_to_import(self) -> list[Path]:
        return self.files

    def file_to_export(self, suggestion: str) -> Path | None:
        return self.target

    def folder_to_export(self) -> Path | None:
        return self.folder

    def name(self, title: str, present: str) -> str | None:
        return self.new_name

    def may(self, text: str, verb: str) -> bool:
        self.asked.append(text)
        return self.yes

    def tell(self, text: str) -> None:
        self.told.append(text)


@pytest.fixture
def said() -> Said:
    return Said()


@pytest.fixture
def manager(window: MainWindow, said: Said) -> PresetManager:
    made = PresetManager(window.services, window, said, lambda: TODAY)
    made.show_kind("mfu-hardware")
    made.show()
    QApplication.processEvents()
    return made


def shown(manager: PresetManager) -> list[str]:
    return [row.key for row in manager.view.table.rows]


def copied(manager: PresetManager, said: Said, source: str = H100, name: str = "Our H100") -> str:
    manager.view.select_keys([source])
    said.new_name = name
    manager.duplicate()
    return manager.selected[-1]


def test_search_puts_the_best_first_and_filters_leave_out(manager: PresetManager) -> None:
    everything = len(shown(manager))
    manager.filters.search.setText("h100")
    assert shown(manager)[0] == H100
    manager.filters.search.setText("")
    box = manager.filters.boxes["group"]
    box.set_value("AMD")
    manager.filters.changed.emit()
    assert 0 < len(shown(manager)) < everything
    assert all(each.startswith("amd-") for each in shown(manager))
    manager.filters.boxes["size"].set_value("2023")
    manager.filters.changed.emit()
    years = {manager.services.presets.hardware(each).release_year for each in shown(manager)}
    assert years == {2023}


def test_models_are_filtered_by_their_parameters(manager: PresetManager) -> None:
    manager.show_kind("mfu-model")
    manager.filters.boxes["size"].set_value("4")
    manager.filters.changed.emit()
    totals = [manager.services.presets.model(each).published_total_parameters for each in shown(manager)]
    assert totals
    assert all(total is not None and total > 1e11 for total in totals)


def test_a_shipped_preset_cannot_be_changed_but_copied(manager: PresetManager, said: Said) -> None:
    manager.view.select_keys([H100])
    assert not manager.buttons["delete"].isEnabled()
    assert not manager.buttons["rename"].isEnabled()
    assert all(editor.isReadOnly() for editor in manager.details.form.editors.values())
    own = copied(manager, said)
    assert own == "our-h100"
    preset = manager.services.presets.hardware(own)
    assert (preset.name, preset.facts[BASED_ON]) == ("Our H100", H100)
    assert preset.spec.peak_tflops == manager.services.presets.hardware(H100).spec.peak_tflops


def test_an_own_preset_is_edited_in_place_and_compared(manager: PresetManager, said: Said, qtbot: QtBot) -> None:
    own = copied(manager, said)
    editor = manager.details.form.editors["spec.peak_tflops.bf16"]
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClicks(editor, "800")
    assert manager.services.presets.hardware(own).spec.peak_tflops["bf16"] == 800.0
    assert [row.key for row in manager.details.table.rows] == ["name", "spec.peak_tflops.bf16"]
    assert '"bf16": 800' in manager.details.json.toPlainText()
    assert manager.details.json.isReadOnly()


def test_a_value_that_cannot_be_is_said_and_not_kept(manager: PresetManager, said: Said) -> None:
    own = copied(manager, said)
    form = manager.details.form
    form._edit("spec.sparse_factor", 99.0)
    assert form._messages["spec.sparse_factor"].text()
    assert manager.services.presets.hardware(own).spec.sparse_factor == 2.0
    name = form.editors["name"]
    assert isinstance(name, QLineEdit)
    name.setText(" ")
    name.editingFinished.emit()
    assert manager.services.presets.hardware(own).name == "Our H100"


def test_a_model_is_edited_with_the_fields_of_the_panel(manager: PresetManager, said: Said) -> None:
    manager.show_kind("mfu-model")
    own = copied(manager, said, "llama-3.1-8b", "Our Llama")
    manager.details.form.editors["model.layers"].edited.emit(40, "")  # type: ignore[attr-defined]
    assert manager.services.presets.model(own).spec.main.layer_count() == 40


def test_rename_keeps_the_id_and_delete_asks(manager: PresetManager, said: Said) -> None:
    own = copied(manager, said)
    said.new_name = "Another name"
    manager.rename()
    assert manager.services.presets.hardware(own).name == "Another name"
    said.yes = False
    manager.delete()
    assert own in shown(manager)
    said.yes = True
    manager.delete()
    assert own not in shown(manager)
    assert len(said.asked) == 2


def test_what_another_program_writes_while_a_preset_is_open_stays(manager: PresetManager, said: Said,
                                                                  qtbot: QtBot) -> None:
    own = copied(manager, said)
    form, other = manager.details.form, PresetStore()

    def theirs(**values: Any) -> None:
        other.save(replace(other.hardware(own), **values), overwrite=True)

    def power(text: str) -> None:
        editor = form.editors["spec.power_w"]
        editor.setFocus()
        editor.selectAll()
        qtbot.keyClicks(editor, text)

    theirs(notes="theirs")
    power("650")
    kept = PresetStore().hardware(own)
    assert (kept.notes, kept.spec.power_w) == ("theirs", 650.0)
    assert form.editors["notes"].text() == "theirs"
    other.refresh()
    theirs(source="theirs, too")
    manager.look_again()  # as when the window becomes active
    assert form.editors["source"].text() == "theirs, too"
    assert manager.selected == [own]
    said.new_name = "Renamed"
    theirs(notes="later")
    manager.rename()
    assert (PresetStore().hardware(own).name, PresetStore().hardware(own).notes) == ("Renamed", "later")
    path = manager.services.presets.save(kept, overwrite=True)
    manager.look_again()
    path.unlink()
    power("600")
    assert PresetStore().hardware(own).spec.power_w == 600.0, "what is on the screen is written again"
    path.write_text("{half")
    power("550")
    assert path.read_text() == "{half", "a file that somebody is writing by hand is not replaced"
    assert form._messages["spec.power_w"].text()


def test_export_and_import_again(manager: PresetManager, said: Said, tmp_path: Path) -> None:
    own = copied(manager, said)
    said.target = tmp_path / "x.json"
    manager.export()
    manager.delete()
    manager.import_files([said.target])
    assert own in shown(manager)
    manager.view.select_keys([own, H100])
    said.folder = tmp_path
    manager.export()
    assert {path.name for path in tmp_path.glob("*.json")} == {"x.json", f"{own}.json", f"{H100}.json"}


def preset_file(tmp_path: Path, manager: PresetManager, preset_id: str, **changes: Any) -> Path:
    data = json.loads(encode_preset(manager.services.presets.hardware(H100)))
    path = tmp_path / f"{preset_id}-{len(list(tmp_path.iterdir()))}.json"
    path.write_text(json.dumps({**data, "id": preset_id, **changes}), encoding="utf-8")
    return path


@pytest.mark.parametrize(("decision", "names"), [
    ("both", {"mine": "First", "mine-2": "Second (2)"}), ("overwrite", {"mine": "Second"}),
    ("skip", {"mine": "First"})])
def test_conflicts(manager: PresetManager, tmp_path: Path, decision: Any, names: dict[str, str]) -> None:
    manager.import_files([preset_file(tmp_path, manager, "mine", name="First")])
    manager.import_files([preset_file(tmp_path, manager, "mine", name="Second")], lambda _incoming: [decision])
    own = {info.id: info.name for info in manager.services.presets.infos("mfu-hardware") if not info.shipped}
    assert own == names


def test_what_stands_in_the_way_is_found_before_anything_is_written(manager: PresetManager, tmp_path: Path) -> None:
    store = manager.services.presets
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    new, twice = preset_file(tmp_path, manager, "new"), preset_file(tmp_path, manager, "new", name="Other")
    found = examine([new, twice, preset_file(tmp_path, manager, H100, name="Mine"),
                     preset_file(tmp_path, manager, H100), broken], store)
    assert [each.conflict for each in found] == ["none", "own", "shipped", "same", "broken"]
    assert found[2].decisions == ("both", "skip")
    assert not [info for info in store.infos() if not info.shipped]


def test_the_dialog_of_conflicts_offers_the_careful_choice_first(manager: PresetManager, tmp_path: Path,
                                                                 qtbot: QtBot) -> None:
    incoming: list[Incoming] = examine([preset_file(tmp_path, manager, H100, name="Mine"),
                                        preset_file(tmp_path, manager, "fine")], manager.services.presets)
    dialog = ConflictDialog(manager.services, incoming, manager)
    qtbot.addWidget(dialog)
    assert dialog.decisions == ["both", "take"]


def test_the_dialog_of_conflicts_names_a_broken_file_once(manager: PresetManager, tmp_path: Path,
                                                          qtbot: QtBot) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    dialog = ConflictDialog(manager.services, examine([broken], manager.services.presets), manager)
    qtbot.addWidget(dialog)
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    assert sum("broken.json" in text for text in texts) == 1
    assert len([text for text in texts if text]) == 3, "the question, the file, and what is wrong with it"


def test_files_can_be_dropped(manager: PresetManager, tmp_path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(preset_file(tmp_path, manager, "dropped", name="Dropped")))])
    event = QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
                       Qt.KeyboardModifier.NoModifier)
    manager.dropEvent(event)
    assert "dropped" in shown(manager)


def test_old_data_is_pointed_out(manager: PresetManager, said: Said, tmp_path: Path) -> None:
    manager.view.select_keys([H100])
    assert manager.details.hint.property("tone") == "muted"
    manager.import_files([preset_file(tmp_path, manager, "old", date="2025-01-02")])
    assert manager.details.hint.property("tone") == "warning"
    assert "2025-01-02" in manager.details.hint.text()


def test_use_takes_the_preset_into_the_scenario_as_one_step(manager: PresetManager) -> None:
    manager.view.select_keys(["amd-mi300x"])
    manager.use()
    document = manager.services.workspace.active
    assert document.scenario.hardware_source.preset == "amd-mi300x"
    assert document.history.count() == 1


def test_the_edited_model_becomes_a_preset(window: MainWindow, type_into: Callable[..., QLineEdit],
                                           qtbot: QtBot) -> None:
    type_into("model.layers", "40")
    dialog = SavePresetDialog(window.services, window, lambda: TODAY)
    qtbot.addWidget(dialog)
    dialog.name.setText("Deeper Llama")
    dialog.accept()
    preset = window.services.presets.model("deeper-llama")
    assert (preset.date, preset.facts[BASED_ON], preset.spec.main.layer_count()) == ("2026-11-30", "llama-3.1-8b", 40)
    assert window.services.workspace.active.scenario.model_source.preset == "deeper-llama"


def test_a_typed_peak_becomes_that_of_the_preset(window: MainWindow, type_into: Callable[..., QLineEdit],
                                                 qtbot: QtBot) -> None:
    type_into("hardware.peak_tflops", "800")
    dialog = SavePresetDialog(window.services, window, lambda: TODAY)
    qtbot.addWidget(dialog)
    assert dialog.kind == "mfu-hardware"
    mfu = window.services.workspace.active.result
    dialog.name.setText("Slow H100")
    dialog.accept()
    after = window.services.workspace.active
    assert after.scenario.peak.tflops is None
    assert after.scenario.hardware.peak_tflops["bf16"] == 800.0
    assert mfu is not None
    assert after.result is not None
    assert after.result.mfu == mfu.mfu


def test_values_and_differences(window: MainWindow) -> None:
    preset = window.services.presets.hardware(H100)
    own = with_value(copy_of(preset, "own", "Own"), "spec.peak_tflops.fp4", 2000.0)
    assert value_of(own, "spec.peak_tflops.fp4") == 2000.0
    assert [(each.key, each.before, each.after) for each in differences(preset, own)] == [
        ("name", "H100 SXM5 80GB", "Own"), ("spec.peak_tflops.fp4", None, 2000.0)]
    with pytest.raises(InputError):
        with_value(own, "spec.peak_tflops.bf16", -1.0)
    assert age_days("2026-11-20", TODAY) == 10
    assert age_days("some day", TODAY) is None
    # A clock that is set back: what was written tomorrow is new, not of negative age.
    assert age_days("2026-12-24", TODAY) == 0
    assert age_days("2026-11-20", date(2090, 1, 1)) == 23053


def test_a_long_source_ends_in_dots_and_is_told_whole(manager: PresetManager, qtbot: QtBot) -> None:
    manager.details.show_preset(manager.details.preset, own=True)
    editor = manager.details.form.editors["source"]
    assert isinstance(editor, ElidedEdit)
    editor.setText("A datasheet with a name that is much too long for its place; " * 3)
    QApplication.processEvents()
    assert editor.is_elided
    cut = editor.grab().toImage()
    text = editor.text()
    editor.setText(editor.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, editor._text_rect().width()))
    assert editor.text().endswith("…")
    assert not editor.is_elided
    assert editor.grab().toImage() == cut, "the dots are where the words end"
    editor.setText(text)
    place = editor.rect().center()
    QApplication.sendEvent(editor, QHelpEvent(QEvent.Type.ToolTip, place, editor.mapToGlobal(place)))
    assert QToolTip.text() == text
    QToolTip.hideText()
