"""A log's report for people: what it is, how fast the run was, what to know about it, what is not known."""

from __future__ import annotations

from mfu_gui.formats import text_table
from mfu_gui.formats.log_result import LogResult
from mfu_gui.formats.result_json import Document
from mfu_gui.texts import N_, Translator

AVERAGES = {
    "instant": N_("of single steps"), "interval": N_("mean since the line before"), "running": N_("running mean"),
    "cumulative": N_("mean since the start"), "whole_run": N_("mean of the whole run"),
    "one_rank": N_("of one rank"),
}
Rows = list[list[str]]


def to_text(result: LogResult, tr: Translator) -> str:
    """A report of aligned plain text."""
    document = result.document(tr)
    lines = text_table.aligned(_about(document, tr))
    lines += ["", *text_table.aligned(_figures(result, document, tr), right=range(1, 6))]
    comparison = _comparison(result, tr)
    if comparison:
        lines += ["", *text_table.aligned(comparison)]
    if document["warnings"]:
        lines += ["", tr("Remarks"), *(f"  {_at(warning)}" for warning in document["warnings"])]
    if document["questions"]:
        lines += ["", tr("Not known from the log"), *_questions(document, tr)]
    return "\n".join(lines) + "\n"


def _about(document: Document, tr: Translator) -> Rows:
    number, statistics = tr.numbers, document["statistics"]
    rows = [[tr("Log"), tr.value(document["file"])],
            [tr("Format"), f"{document['format']['name']} ({number.percent(document['format']['confidence'], 0)})"],
            [tr("Steps"), tr("{count:integer}, from {first:integer} to {last:integer}", count=document["step_count"],
                             first=statistics["first_step"], last=statistics["last_step"])]]
    warm_up, ramp_up = statistics["warm_up"]["steps"], statistics["ramp_up"]
    if warm_up:
        rows.append([tr("Warm-up left out"), tr.plural("{n} step", "{n} steps", warm_up)])
    if ramp_up:
        rows.append([tr("Batch ramp-up left out"),
                     tr("until step {step:integer}, from {first:integer} to {last:integer} sequences",
                        step=ramp_up["until_step"], first=ramp_up["first_batch"], last=ramp_up["last_batch"])])
    for key, label in (("devices", tr("Devices")), ("sequence_length", tr("Sequence length")),
                       ("global_batch", tr("Global batch"))):
        fact = document["facts"].get(key)
        if fact is not None:
            rows.append([label, number.integer(fact["value"]) + (f"  ({fact['where']})" if fact["where"] else "")])
    return rows


def _figures(result: LogResult, document: Document, tr: Translator) -> Rows:
    number = tr.numbers
    labels = {
        "step_time_s": tr("Step time"), "samples_per_s": tr("Sequences/s, all devices"),
        "samples_per_s_per_device": tr("Sequences/s per device"), "tokens_per_s": tr("Tokens/s, all devices"),
        "tokens_per_s_per_device": tr("Tokens/s per device"), "tflops_per_device": tr("TFLOP/s per device"),
        "mfu": "MFU", "hfu": "HFU", "reported_tflops_per_device": tr("Printed TFLOP/s per device"),
        "reported_hardware_tflops_per_device": tr("Printed hardware TFLOP/s per device"),
        "reported_mfu": tr("Printed MFU"), "reported_mfu_instant": tr("Printed MFU, without its running mean"),
        "reported_hfu": tr("Printed HFU")}
    rows = [["", tr("Median"), tr("Mean"), "5 %", "95 %", tr("Wall average"), ""]]
    for name, figures in document["statistics"]["figures"].items():
        def written(value: float | None, name: str = name) -> str:
            if name == "step_time_s":
                return number.duration(value, 4)
            return number.percent(value, 2) if "mfu" in name or "hfu" in name else number.short(value, 4)

        quantity = result.normal.get(name)
        average = tr(AVERAGES[quantity.average]) if quantity else ""
        wall = written(figures["wall_average"]) if figures.get("wall_average") else ""
        rows.append([labels[name], written(figures["median"]), written(figures["mean"]),
                     written(figures["percentiles"]["5"]), written(figures["percentiles"]["95"]), wall, average])
    return rows


def _comparison(result: LogResult, tr: Translator) -> Rows:
    comparison, number = result.analysis.comparison, tr.numbers
    rows: Rows = []
    if comparison is None:
        return rows
    if comparison.flops_per_token is not None:
        rows.append([tr("FLOPs per token in the printed figures"), number.short(comparison.flops_per_token, 4)])
        rows.append([tr("Conventions that count so"), tr.join(list(comparison.conventions)) or "–"])
    if comparison.peak_tflops is not None:
        rows.append([tr("Peak in the printed MFU"), f"{number.short(comparison.peak_tflops, 4)} TFLOP/s"])
    return rows


def _at(warning: Document) -> str:
    return f"{warning['field']}: {warning['message']}" if warning["field"] else str(warning["message"])


def _questions(document: Document, tr: Translator) -> list[str]:
    lines = []
    for question in document["questions"]:
        lines.append(f"  {question['message']}")
        choices = [choice["value"] for choice in question["choices"]]
        example = choices[0] if choices else "…"
        lines.append("    " + tr("Say it with: {option}", option=f"--set {tr.value(question['key'])}={example}"))
        if len(choices) > 1:
            lines.append("    " + tr("Other answers: {choices}", choices=tr.join(choices[1:])))
    return lines
