"""The results: the headline, every figure with the formula that recalculates it, and how it was computed."""

from __future__ import annotations

from mfu_gui.engine.axes import tokens_per_sequence
from mfu_gui.engine.compare import sound_range
from mfu_gui.engine.errors import Notice
from mfu_gui.engine.fields import measured_key
from mfu_gui.formats import formulas
from mfu_gui.formats.reports.document import (
    Block,
    Cell,
    Column,
    Headline,
    Metric,
    Paragraph,
    Row,
    Section,
    Style,
    Table,
)
from mfu_gui.formats.reports.given import Given

SERIOUS = frozenset({"mfu_above_one", "hfu_above_one"})
MFU_OF_STEP = "=flops_per_step/(peak_tflops*1E12*devices*step_time_s)"
MFU_OF_RATE = "=tflops_per_device/peak_tflops"


def utilization(given: Given) -> tuple[str, float | None]:
    """What the number that matters is called, and the number."""
    result = given.result
    if result.convention_kind == "hardware":
        return "HFU", result.hfu
    if result.implied_mfu is not None:
        return given.tr("Implied MFU"), result.implied_mfu
    return "MFU", result.mfu


def headline(given: Given) -> Section:
    """The first thing to be read."""
    tr, result, rates = given.tr, given.result, given.result.throughput
    caption, value = utilization(given)
    others = [Metric("HFU", Cell(result.hfu, "percent"))] if caption == "MFU" else []
    others += [Metric(tr("TFLOP/s per device"), Cell(rates.tflops_per_device)),
               Metric(tr("Tokens/s per device"), Cell(rates.tokens_per_s_per_device)),
               Metric(tr("Step time"), Cell(rates.step_time_s, "duration")),
               Metric(tr("FLOPs per token"), Cell(result.flops.per_token, "flop"))]
    blocks: list[Block] = [Headline(Metric(caption, Cell(value, "percent")), tuple(others),
                                    formulas.plain_sentence(result, tr))]
    ends = sound_range(given.rows)
    if ends is not None:
        blocks.append(Paragraph(formulas.range_text(given.rows, *ends, tr), "muted"))
    blocks += remarks(given)
    return Section("", "results", tuple(blocks))


def remarks(given: Given) -> list[Paragraph]:
    """Warnings, the serious ones first."""
    notices = sorted((*given.result.warnings, *given.notices), key=lambda notice: notice.code not in SERIOUS)
    return [Paragraph(given.tr.sentence(notice.code, notice.values), _style(notice)) for notice in notices]


def _style(notice: Notice) -> Style:
    return "serious" if notice.code in SERIOUS else "remark"


def figures(given: Given) -> Section:
    """Every figure of the result, each with the formula by which a spreadsheet recalculates it."""
    tr, result = given.tr, given.result
    counts = result.parameters
    (main, value), *rates = _rates(given)
    rows = [Row((Cell(main), value), "chosen"), *(_row(label, cell) for label, cell in (*rates, *_work(given)))]
    rows += [_row(tr("Parameters"), Cell(counts.total, "integer")),
             _row(tr("Active parameters"), Cell(counts.active, "integer"))]
    if counts.checkpoint_total != counts.total:
        rows.append(_row(tr("In the checkpoint"), Cell(counts.checkpoint_total, "integer")))
    columns = (Column(tr("Figure"), 2.2), Column(tr("Value"), 1.6, numbers=True))
    return Section(tr("Results"), "results", (Table(columns, tuple(rows)),))


def _row(label: str, cell: Cell) -> Row:
    return Row((Cell(label), cell))


def _rates(given: Given) -> list[tuple[str, Cell]]:
    tr, result, rates = given.tr, given.result, given.result.throughput
    live = live_formulas(given)
    caption, value = utilization(given)
    rows = [(caption, Cell(value, "percent", formula=live["mfu"], name="mfu"))]
    if caption == "MFU":
        formula = "=mfu*executed_flops_per_token/flops_per_token" if live["mfu"] else ""
        rows.append(("HFU", Cell(result.hfu, "percent", formula=formula, name="hfu")))
    rows += [
        (tr("TFLOP/s per device"), Cell(rates.tflops_per_device, "short", formula=live["tflops_per_device"],
                                        name="tflops_per_device")),
        (tr("Peak per device, TFLOP/s"), Cell(result.peak_tflops_per_device, "exact", formula="=peak_tflops")),
        (tr("Tokens/s per device"), Cell(rates.tokens_per_s_per_device, "short",
                                         formula=live["tokens_per_s_per_device"], name="tokens_per_s_per_device")),
        (tr("Tokens/s, all devices"), Cell(rates.tokens_per_s, "short", formula=live["tokens_per_s"],
                                           name="tokens_per_s")),
        (tr("Step time"), Cell(rates.step_time_s, "duration", formula=live["step_time_s"], name="step_time_s")),
    ]
    return rows


def _work(given: Given) -> list[tuple[str, Cell]]:
    tr, scenario, flops = given.tr, given.scenario, given.result.flops
    tokens = tokens_per_sequence(scenario.model, scenario.run)
    batch = scenario.run.global_batch is not None
    rows = [
        (tr("FLOPs per token"), Cell(flops.per_token, "flop", name="flops_per_token")),
        (tr("FLOPs per token, executed"), Cell(flops.hardware_per_token, "flop", name="executed_flops_per_token")),
        (tr("Tokens per sequence"), Cell(tokens, "integer", name="tokens_per_sequence")),
    ]
    if batch:
        rows += [
            (tr("Tokens per step"), Cell(given.result.tokens_per_step, "integer",
                                         formula="=global_batch*tokens_per_sequence", name="tokens_per_step")),
            (tr("FLOPs per step"), Cell(flops.per_step, "flop", formula="=flops_per_token*tokens_per_step",
                                        name="flops_per_step")),
        ]
    return rows


def live_formulas(given: Given) -> dict[str, str]:
    """How each rate follows from the measured quantity; empty for what is not known.

    The names are those of cells; that of the measured quantity ends in ``_measured``.
    """
    run, rates = given.scenario.run, given.result.throughput
    measured = measured_key(given.scenario)
    batch, devices = run.global_batch is not None, run.devices is not None
    found = {
        "mfu": MFU_OF_STEP if batch and devices and rates.step_time_s is not None else MFU_OF_RATE,
        "tflops_per_device": "=tokens_per_s_per_device*flops_per_token/1E12",
        "tokens_per_s_per_device": "=tokens_per_s/devices",
        "tokens_per_s": "=tokens_per_s_per_device*devices",
        "step_time_s": "=tokens_per_step/tokens_per_s",
    }
    if measured == "step_time_s":
        found |= {"tokens_per_s": "=tokens_per_step/step_time_s", "step_time_s": "=step_time_s_measured"}
    elif measured == "tokens_per_s":
        found["tokens_per_s"] = "=tokens_per_s_measured"
    elif measured == "tokens_per_s_per_device":
        found["tokens_per_s_per_device"] = "=tokens_per_s_per_device_measured"
    elif measured:
        target = "=mfu_measured*peak_tflops"
        found |= {"tflops_per_device": target if measured == "mfu" else "=tflops_per_device_measured",
                  "tokens_per_s_per_device": "=tflops_per_device*1E12/flops_per_token"}
    known = {name: getattr(rates, name) is not None for name in found if name != "mfu"}
    known["mfu"] = rates.tflops_per_device is not None
    return {name: formula if known[name] else "" for name, formula in found.items()}


def derivation(given: Given) -> Section:
    """The formulas with their numbers filled in."""
    tr, scenario, result = given.tr, given.scenario, given.result
    texts = [formulas.mfu_formula(scenario, result, tr)]
    if result.convention_kind == "model" and result.flops.hardware_per_token != result.flops.per_token:
        texts.append(formulas.hfu_formula(result, tr))
    texts += [formulas.flops_formula(result, tr), formulas.tflops_formula(result, tr),
              formulas.tokens_formula(scenario, result, tr)]
    return Section(tr("How it is computed"), "results", tuple(Paragraph(text, "formula") for text in texts))
