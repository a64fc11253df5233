"""What a report says: everything that makes its number comparable, and nothing that does not follow from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace as replaced
from pathlib import Path

import pytest
from msgspec.structs import replace

from mfu_gui.engine.run import Parallel
from mfu_gui.engine.scenario import ConventionChoice, Peak, Scenario
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.reports.breakdown import breakdown
from mfu_gui.formats.reports.build import build, summary
from mfu_gui.formats.reports.chart_drawing import drawn
from mfu_gui.formats.reports.document import (
    BarChart,
    Block,
    Cell,
    Headline,
    HyperbolaChart,
    Paragraph,
    Report,
    Table,
    precise,
    written,
)
from mfu_gui.formats.reports.drawing import Area, Box, Dot, Label, Stroke
from mfu_gui.formats.reports.given import plain
from mfu_gui.formats.reports.swept import Asked, swept
from mfu_gui.formats.scenario_file import read_scenario
from mfu_gui.planning.sweep_axes import axis_of_key
from mfu_gui.texts import translator

from .conftest import SCENARIOS, Give

EN = translator("en")
Llama = Callable[..., Scenario]


def blocks(report: Report) -> Iterator[Block]:
    for section in report.sections:
        yield from section.blocks


def texts(report: Report) -> list[str]:
    """Every text and number of a report, as it is read."""
    found = [report.title, report.kind, report.stamp, *(section.title for section in report.sections)]
    for block in blocks(report):
        if isinstance(block, Paragraph):
            found.append(block.text)
        elif isinstance(block, Headline):
            found += [block.sentence, *(written(metric.cell, EN) for metric in (block.main, *block.others))]
        elif isinstance(block, Table):
            found += [written(cell, EN) for row in block.rows for cell in row.cells]
    return found


def cell_of(report: Report, label: str) -> Cell:
    """The cell beside a label, in any table."""
    tables = (block for block in blocks(report) if isinstance(block, Table))
    return next(row.cells[1] for table in tables for row in table.rows if row.cells[0].value == label)


def test_the_published_number_and_all_it_rests_on(give: Give, deepseek: Scenario) -> None:
    report = build(give(deepseek))
    found = texts(report)
    assert report.title == "DeepSeek-V3, 2048 H800"
    assert written(cell_of(report, "MFU"), EN) == "43.73%"
    for text in ("Exact, full square (matmul-full)", "router = false", "989 TFLOP/s", "2,048", "15,360 sequences",
                 "4,096 tokens", "19.926 s", "DeepSeek-V3", "NVIDIA H800 SXM5 80GB",
                 "typed; the preset has 989.4 TFLOP/s dense", "Reported: MFU 43.73%"):
        assert text in found, text
    assert any("= 17.65 EFLOP ÷ (989.0 TFLOP/s × 2,048 × 19.926 s) = 43.73%" in text for text in found)
    assert any(text.startswith("preset deepseek-v3: ") for text in found)
    assert report.stamp.endswith("2026-11-30")
    assert {type(block) for block in blocks(report)} == {Headline, Paragraph, Table, HyperbolaChart, BarChart}


def test_a_sweep(give: Give, deepseek: Scenario) -> None:
    """Each point by itself, the scenario's own marked; more results than a page is wide make further tables."""
    keys = ("mfu", "hfu", "step_time_s", "tokens_per_s", "memory_bytes", "flops_per_token")
    asked = Asked((axis_of_key("run.devices", [1024, 2048]), axis_of_key("run.measured.step_time_s", [19.926, 40.0])),
                  keys)
    (section,) = [each for each in build(replaced(give(deepseek), sweep=asked)).sections if each.title == "Sweep"]
    first, second = [block for block in section.blocks if isinstance(block, Table)]
    assert [column.head for column in first.columns] == ["Devices", "Step time", "MFU", "HFU", "Step time"]
    assert [len(table.rows) for table in (first, second)] == [4, 4]
    (own,) = [row for row in first.rows if row.tone == "chosen"]
    assert [written(cell, EN) for cell in own.cells[:3]] == ["2,048", "19.926 s", "43.73%"]
    halved = next(row for row in first.rows if row.cells[0].value == 1024)
    assert halved.cells[2].value == pytest.approx(2 * (own.cells[2].value or 0), rel=1e-12)  # type: ignore[operator]


def test_a_sweep_that_cannot_be_is_a_remark(give: Give, llama: Llama) -> None:
    asked = Asked((axis_of_key("run.devices", range(1, 2002)),))
    report = build(replaced(give(llama(step_time_s=8.0)), sweep=asked))
    (section,) = [each for each in report.sections if each.title == "Sweep"]
    (remark,) = section.blocks
    assert isinstance(remark, Paragraph)
    assert (remark.style, "2,001" in remark.text) == ("remark", True)
    assert "Sweep" not in [each.title for each in build(give(llama(step_time_s=8.0))).sections]


def test_a_filtered_sweep_has_the_points_that_are_shown(give: Give, llama: Llama) -> None:
    base = replace(llama(step_time_s=8.0), plan={"tokens": 1e11})
    done = swept(base, Asked((axis_of_key("run.devices", [32, 64, 128]),), most_days=10.0))
    days = {row.at[0]: done.found.exact(row.place)["days"] for row in swept(
        base, Asked((axis_of_key("run.devices", [32, 64, 128]),), ("days",))).rows}
    assert [row.at[0] for row in done.rows] == [devices for devices, value in days.items() if (value or 99) <= 10]
    assert 0 < len(done.rows) < 3


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("*.mfu")), ids=lambda path: path.stem)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_example_has_a_report(path: Path, language: str, give: Give, presets: PresetStore) -> None:
    report = build(give(read_scenario(path, presets).scenario, language))
    assert {section.sheet for section in report.sections} == {"inputs", "results", "breakdown", "conventions",
                                                              "memory", "plan", "sweep"}
    for block in blocks(report):
        if isinstance(block, Table):
            assert {len(row.cells) for row in block.rows} == {len(block.columns)}


def test_what_follows_from_other_inputs_is_not_said_to_be_stated(give: Give, llama: Llama) -> None:
    scenario = llama(step_time_s=8.0)
    for run in (replace(scenario.run, parallel=None, micro_batch=None),
                replace(scenario.run, parallel=Parallel(tensor=8), micro_batch=1)):
        (section,) = [each for each in build(give(replace(scenario, run=run))).sections if each.title == "Inputs"]
        rows = {row.cells[0].value: row.cells[2].value for block in section.blocks if isinstance(block, Table)
                for row in block.rows if len(row.cells) == 3}
        assert rows["Data parallel"] == "derived: devices ÷ (TP × PP × CP)"
        assert rows["Devices"] == "scenario"
    assert rows["Accumulation"] == "derived: global batch ÷ (micro-batch × replicas)"
    assert rows["Micro-batch"] == "scenario"


def test_a_changed_model_says_what_the_preset_has(give: Give, llama: Llama) -> None:
    scenario = llama(step_time_s=8.0)
    changed = replace(scenario, model=replace(scenario.model, vocabulary=32_000))
    found = texts(build(give(changed)))
    assert "changed; the preset has 128,256" in found


def test_a_scenario_without_a_measured_value_has_a_report(give: Give, llama: Llama) -> None:
    report = build(give(llama()))
    headline = next(block for block in blocks(report) if isinstance(block, Headline))
    assert headline.main.cell.value is None
    assert "plan" not in {section.sheet for section in report.sections}
    assert cell_of(report, "MFU").formula == ""


def test_an_impossible_mfu_is_called_implied_and_warned_of(give: Give, llama: Llama) -> None:
    report = build(give(llama(step_time_s=0.5)))
    headline = next(block for block in blocks(report) if isinstance(block, Headline))
    assert headline.main.caption == "Implied MFU"
    assert headline.main.cell.value > 1
    assert next(block for block in blocks(report) if isinstance(block, Paragraph) and block.style == "serious")
    chart = next(block for block in blocks(report) if isinstance(block, HyperbolaChart))
    assert chart.point is not None
    assert chart.point[1] > 1


def test_a_hardware_convention_gives_an_hfu(give: Give, llama: Llama) -> None:
    scenario = replace(llama(step_time_s=8.0), convention=ConventionChoice(id="megatron-2021"))
    report = build(give(scenario))
    headline = next(block for block in blocks(report) if isinstance(block, Headline))
    assert headline.main.caption == "HFU"
    assert "MFU" not in {metric.caption for metric in headline.others}


def test_peaks_say_what_they_are(give: Give, llama: Llama) -> None:
    scenario = llama(step_time_s=8.0)
    for peak, text in ((Peak(), "dense, BF16, as in the preset"), (Peak(kind="sparse"), "2:4 sparse, BF16"),
                       (Peak(mix={"bf16": 0.25, "fp8": 0.75}), "mixed by time, 25% BF16, 75% FP8"),
                       (Peak(tflops=800.0, kind="measured"), "typed")):
        assert any(found.startswith(text) for found in texts(build(give(replace(scenario, peak=peak))))), text


def test_components_add_up(give: Give, deepseek: Scenario, llama: Llama) -> None:
    for scenario in (deepseek, llama(step_time_s=8.0)):
        given = give(scenario)
        table = next(block for block in breakdown(given).blocks if isinstance(block, Table))
        *rows, total = table.rows
        assert total.cells[1].value == given.result.parameters.total
        assert sum(row.cells[1].value or 0 for row in rows) == given.result.parameters.total
        shares = [row.cells[-1].value for row in rows if row.cells[-1].value is not None]
        assert sum(shares) == pytest.approx(1, rel=1e-12)
        both = sum(cell.value for cell in total.cells[2:4])
        assert both == pytest.approx(given.result.flops.per_token, rel=1e-12)


def test_recomputation_is_a_column_only_where_there_is_any(give: Give, deepseek: Scenario, llama: Llama) -> None:
    heads = [[column.head for column in block.columns] for scenario in (deepseek, llama(step_time_s=8.0))
             for block in breakdown(give(scenario)).blocks if isinstance(block, Table)]
    assert ["Recompute" in head for head in heads] == [False, True]


def test_a_summary_is_short(give: Give, deepseek: Scenario) -> None:
    given = give(deepseek)
    assert summary(given).title == build(given).title
    assert len(summary(given).sections) < len(build(given).sections)


def test_drawings_stay_in_their_frame(give: Give, deepseek: Scenario, llama: Llama) -> None:
    scenarios = [deepseek, llama(), llama(step_time_s=0.5), llama(step_time_s=300.0), llama(mfu=0.4),
                 llama(devices=None, global_batch=None, tokens_per_s_per_device=9000.0)]
    for scenario in scenarios:
        for block in blocks(build(give(scenario))):
            if not isinstance(block, HyperbolaChart | BarChart):
                continue
            picture = drawn(block)
            for shape in picture.shapes:
                if isinstance(shape, Stroke | Area):
                    points = shape.points
                elif isinstance(shape, Box):
                    points = ((shape.x, shape.y), (shape.x + shape.width, shape.y + shape.height))
                else:
                    assert isinstance(shape, Dot | Label)
                    points = ((shape.x, shape.y),)
                for x, y in points:
                    assert -0.01 <= x <= picture.width + 0.01, shape
                    assert -0.01 <= y <= picture.height + 0.01, shape


def test_numbers_are_written_and_kept_exact() -> None:
    cases = [
        (Cell(0.43727911), "percent", "43.73%", "0.43727911"), (Cell(-0.1074), "change", "-10.7%", "-0.1074"),
        (Cell(0.0021), "change", "+0.2%", "0.0021"), (Cell(-0.0002), "change", "0.0%", "-0.0002"),
        (Cell(671026404352), "integer", "671,026,404,352", "671026404352"), (Cell(989.4), "exact", "989.4", "989.4"),
        (Cell(1 / 3), "exact", "0.33333", "0.3333333333333333"), (Cell(19.926), "duration", "19.93 s", "19.926"),
        (Cell(2**30), "bytes", "1.00 GiB", "1073741824"), (Cell(280513609728), "flop", "280.5 GFLOP", "280513609728"),
        (Cell(None), "percent", "–", ""), (Cell(None), "exact", "–", ""), (Cell("text"), "text", "text", "text"),
    ]
    for cell, form, people, programs in cases:
        formed = cell._replace(form=form)
        assert (written(formed, EN), precise(formed, EN)) == (people, programs)


def test_texts_from_files_are_made_plain() -> None:
    assert plain("a\x00b\ud800c\n d\u202ee") == "a�b�c d�e"
    assert len(plain("x" * 10_000)) == 4000
