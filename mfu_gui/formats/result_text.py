"""A result for people: a report of plain text, the same as Markdown, and a table of all figures as CSV."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats import text_table
from mfu_gui.formats.result_json import Document
from mfu_gui.texts import N_, Translator
from mfu_gui.texts.components import COMPONENTS

STATUSES = {"sound": N_("sound"), "quirk": N_("quirk"), "undefined": N_("undefined")}
Rows = list[list[str]]


def component_label(name: str, tr: Translator) -> str:
    """What a component is called in the reader's language."""
    return tr(COMPONENTS[name]) if name in COMPONENTS else name


def option_text(options: Mapping[str, Any], tr: Translator) -> str:
    """``router = false`` for the options of a convention."""
    return tr.join([f"{name} = {tr.value(value)}" for name, value in options.items()])


def to_text(scenario: Scenario, document: Document, tr: Translator) -> str:
    """A report of aligned plain text."""
    lines = [tr.value(document["name"]), ""] if document["name"] else []
    lines += text_table.aligned(_setting(scenario, document, tr))
    lines += ["", *text_table.aligned(_headline(document, tr), right=[1])]
    lines += ["", tr("Parameters"), *text_table.aligned(_parameters(document, tr), right=[1], indent="  ")]
    lines += ["", tr("FLOPs of one step"),
              *text_table.aligned(_breakdown(document, tr), right=range(1, 6), indent="  ")]
    if document["conventions"]:
        lines += ["", tr("Conventions"),
                  *text_table.aligned(_conventions(document, tr), right=[1, 2, 3], indent="  ")]
    if document["warnings"]:
        lines += ["", tr("Remarks"), *(f"  {line}" for line in _warnings(document, tr))]
    return "\n".join(lines) + "\n"


def to_markdown(scenario: Scenario, document: Document, tr: Translator) -> str:
    """The same report as Markdown."""
    title = tr.value(document["name"]) or tr("Model FLOPs utilization")
    empty_head = ["", ""]
    lines = [f"# {title}", "", *text_table.markdown([empty_head, *_setting(scenario, document, tr)])]
    lines += ["", *text_table.markdown([empty_head, *_headline(document, tr)], right=[1])]
    lines += ["", f"## {tr('Parameters')}", "",
              *text_table.markdown([empty_head, *_parameters(document, tr)], right=[1])]
    lines += ["", f"## {tr('FLOPs of one step')}", "",
              *text_table.markdown(_breakdown(document, tr), right=range(1, 6))]
    if document["conventions"]:
        lines += ["", f"## {tr('Conventions')}", "",
                  *text_table.markdown(_conventions(document, tr), right=[1, 2, 3])]
    if document["warnings"]:
        lines += ["", f"## {tr('Remarks')}", "", *(f"- {line}" for line in _warnings(document, tr))]
    return "\n".join(lines) + "\n"


def to_csv(document: Document) -> str:
    """Every figure of the result, one a line: section, name, figure, value.  Independent of language."""
    rows: Rows = [["section", "name", "figure", "value"]]

    def add(section: str, name: str, figures: Mapping[str, Any]) -> None:
        rows.extend([section, name, figure, _plain(value)] for figure, value in figures.items()
                    if not isinstance(value, dict | list))

    add("result", document["name"], {key: value for key, value in document.items() if key not in ("kind", "schema")})
    add("convention", "", {"id": document["convention"]["id"], **document["convention"]["options"]})
    add("throughput", "", document["throughput"])
    add("parameters", "", document["parameters"])
    add("parameters", "", document["parameters"]["components"])
    add("flops", "", document["flops"])
    for name, figures in document["flops"]["components"].items():
        add("flops", name, figures)
    for row in document["conventions"]:
        add("conventions", row["id"], {key: value for key, value in row.items() if key != "id"})
    for warning in document["warnings"]:
        add("warnings", warning["code"], {"field": warning["field"], "message": warning["message"]})
    return text_table.csv(rows)


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def _setting(scenario: Scenario, document: Document, tr: Translator) -> Rows:
    run, number = scenario.run, tr.numbers
    convention = document["convention"]
    options = option_text(convention["options"], tr)
    return [[tr("Model"), tr.value(scenario.model.name) or "–"],
            [tr("Hardware"), tr.value(scenario.hardware.name) or "–"],
            [tr("Devices"), number.integer(run.devices)],
            [tr("Sequence length"), number.integer(run.sequence_length)],
            [tr("Global batch"), number.integer(run.global_batch)],
            [tr("Peak per device"), f"{number.short(document['peak_tflops_per_device'], 4)} TFLOP/s, {run.precision}"],
            [tr("Convention"), f"{convention['id']} ({options})" if options else convention["id"]]]


def _headline(document: Document, tr: Translator) -> Rows:
    number, rates = tr.numbers, document["throughput"]
    rows = [["MFU", number.percent(document["mfu"], 2)], ["HFU", number.percent(document["hfu"], 2)]]
    if document["implied_mfu"] is not None:
        rows.append([tr("Implied MFU"), number.percent(document["implied_mfu"], 2)])
    rows += [[tr("TFLOP/s per device"), number.short(rates["tflops_per_device"], 4)],
             [tr("Tokens/s per device"), _rate(rates["tokens_per_s_per_device"], tr)],
             [tr("Tokens/s, all devices"), _rate(rates["tokens_per_s"], tr)],
             [tr("Step time"), number.duration(rates["step_time_s"], 4)],
             [tr("FLOPs per token"), number.si(document["flops"]["per_token"], 4, "FLOP")]]
    return rows


def _rate(tokens_per_s: float | None, tr: Translator) -> str:
    """Whole tokens from a thousand on: 65,536, not a rounded number that looks exact."""
    whole = tokens_per_s is not None and 1000 <= tokens_per_s < 1e15
    return tr.numbers.integer(tokens_per_s) if whole else tr.numbers.short(tokens_per_s, 4)


def _parameters(document: Document, tr: Translator) -> Rows:
    counts = document["parameters"]
    rows = [[tr("Total"), tr.numbers.integer(counts["total"])], [tr("Active"), tr.numbers.integer(counts["active"])]]
    if counts["checkpoint_total"] != counts["total"]:
        rows.append([tr("In the checkpoint"), tr.numbers.integer(counts["checkpoint_total"])])
    return rows


def _work(flops: Document, tr: Translator) -> list[str]:
    """FLOPs forward, backward and recomputed, with their units: none of them looks exact."""
    done = (flops[key] for key in ("forward", "backward", "recompute"))
    return [tr.numbers.si(each, 4, "FLOP") if each else "0" for each in done]


def _breakdown(document: Document, tr: Translator) -> Rows:
    flops, number = document["flops"], tr.numbers
    rows = [["", tr("Forward"), tr("Backward"), tr("Recompute"), tr("Share")]]
    for name, part in flops["components"].items():
        share = (part["forward"] + part["backward"]) / flops["per_step"] if flops["per_step"] else None
        rows.append([component_label(name, tr), *_work(part, tr), number.percent(share)])
    rows.append([tr("Total"), *_work(flops, tr), number.percent(1.0 if flops["per_step"] else None)])
    return rows


def _conventions(document: Document, tr: Translator) -> Rows:
    number = tr.numbers
    rows = [["", tr("FLOPs per token"), tr("TFLOP/s per device"), tr("Utilization"), tr("Status"), ""]]
    for row in document["conventions"]:
        kind = "HFU" if row["kind"] == "hardware" else ""
        status = " ".join(part for part in (tr(STATUSES[row["status"]]), kind) if part)
        rows.append([row["id"], number.si(row["flops_per_token"], 4, "FLOP"), number.short(row["tflops_per_device"], 4),
                     number.percent(row["utilization"], 2), status, row["reason"]])
    return rows


def _warnings(document: Document, tr: Translator) -> list[str]:
    return [f"{warning['field']}: {warning['message']}" if warning["field"] else warning["message"]
            for warning in document["warnings"]]
