"""A slip is undone by one press, in the banner or beneath the measured value, as one step of undo."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtWidgets import QLabel

from mfu_gui.engine.fields import with_measured
from mfu_gui.engine.scenario import Peak
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.widgets.link import Link


def links(window: MainWindow) -> dict[str, Link]:
    return {link.text(): link for link in window.headline.remarks.findChildren(Link) if not link.isHidden()}


def test_the_sparse_headline_is_replaced_by_the_dense_peak(window: MainWindow) -> None:
    workspace = window.services.workspace
    before = workspace.active.scenario
    typed = replace(before, peak=Peak(tflops=1979.0))
    workspace.edit(workspace.active, "hardware.peak_tflops", typed)
    window.headline.remarks.refresh(workspace.active)
    links(window)["Peak 989.4 TFLOP/s"].click()
    assert workspace.active.scenario.peak == Peak()
    assert not workspace.active.result or "peak_is_sparse_headline" not in {
        notice.code for notice in workspace.active.result.warnings}
    assert workspace.active.history.undo_label() == "Mend a slip"
    workspace.undo()
    assert workspace.active.scenario == typed


def test_an_impossible_value_has_its_offers_beneath_it(window: MainWindow) -> None:
    workspace = window.services.workspace
    workspace.edit(workspace.active, "x", with_measured(workspace.active.scenario, "step_time_s", 0.002923))
    row = window.column.measured.mends
    assert not row.isHidden()
    assert [link.text() for link in row.links] == ["2.92 s per step"]
    assert row.links[0].accessibleName() == "Change to: 2.92 s per step"
    row.links[0].click()
    assert workspace.active.result is not None
    assert workspace.active.result.mfu is not None
    assert row.isHidden()


def test_a_mend_acts_on_what_is_there_now_and_not_on_an_earlier_scenario(window: MainWindow) -> None:
    workspace = window.services.workspace
    workspace.edit(workspace.active, "x", with_measured(workspace.active.scenario, "step_time_s", 0.002923))
    workspace.edit(workspace.active, "name", replace(workspace.active.scenario, name="another"))
    window.column.measured.mends.links[0].click()
    assert workspace.active.scenario.name == "another"


def test_a_banner_that_stood_for_several_edits_keeps_the_later_ones(window: MainWindow) -> None:
    workspace = window.services.workspace
    workspace.edit(workspace.active, "x", replace(workspace.active.scenario, peak=Peak(tflops=1979.0)))
    window.headline.remarks.refresh(workspace.active)
    link = links(window)["Peak 989.4 TFLOP/s"]
    workspace.edit(workspace.active, "notes", replace(workspace.active.scenario, notes="later"))
    window.headline.remarks.refresh(workspace.active)
    link.click()
    assert workspace.active.scenario.notes == "later"
    assert workspace.active.scenario.peak == Peak()


def test_cards_of_two_dies_are_asked_about(window: MainWindow) -> None:
    workspace = window.services.workspace
    device = window.services.presets.hardware("amd-mi250x")
    workspace.edit(workspace.active, "x", replace(workspace.active.scenario, hardware=device.spec))
    window.headline.remarks.refresh(workspace.active)
    if "Count dies" not in links(window):  # behind the first ones
        window.headline.remarks._toggle(workspace.active)
    links(window)["Count dies"].click()
    assert workspace.active.scenario.peak.devices_are == "framework_devices"


def test_why_a_value_is_impossible_takes_one_line_until_it_is_asked_for(window: MainWindow) -> None:
    workspace = window.services.workspace
    window.resize(1024, 700)
    workspace.edit(workspace.active, "x", with_measured(workspace.active.scenario, "step_time_s", 0.5))
    row = next(b.row for b in window.column.measured.form.bindings if b.field.key == "run.measured.step_time_s")
    why = row.findChild(Link)
    assert why is not None
    label = next(each for each in row.findChildren(QLabel) if each.text() == "170.5% of the peak: more than there is.")
    assert label.sizeHint().width() <= label.width() or label.height() < 2 * label.fontMetrics().height()
    assert row.message in why.accessibleDescription()
    why.click()
    assert label.text() == row.message
    assert "Likely causes" in row.message
    why.click()
    assert label.text().startswith("170.5%")
    workspace.undo()
    assert label.isHidden()
    assert why.isHidden()
