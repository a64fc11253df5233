"""A plan for people: a report of plain text, every figure with how sure it is."""

from __future__ import annotations

from collections.abc import Iterable

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats import text_table
from mfu_gui.formats.memory_words import term_name, verdict_sentence
from mfu_gui.formats.plan_result import Plan
from mfu_gui.formats.plan_words import basis_word, day, sentence, written
from mfu_gui.planning.formula import Figure
from mfu_gui.planning.memory import Memory
from mfu_gui.texts import N_, Translator

VERDICTS = {"fits": N_("It fits."), "tight": N_("It is tight: more than 90% of the memory."),
            "does_not_fit": N_("It does not fit."), "unknown": N_("The memory of the device is not known.")}
"""The verdict without figures, for reports."""


def plan_to_text(scenario: Scenario, plan: Plan, tr: Translator, notices: Iterable[Notice] = ()) -> str:
    """The whole plan; ``notices`` are those of the reading."""
    run = plan.run
    lines = [tr.value(scenario.name), ""] if scenario.name else []
    lines += [sentence(scenario, plan.spec, run, tr)]
    time = [*run.time]
    lines += _section(tr("Time"), time, tr)
    if run.dates is not None:
        lines += text_table.aligned([[tr("Last day"), day(run.dates[1], tr)]], indent="  ")
    lines += _section(tr("Cost"), run.cost, tr, run.currency)
    lines += _section(tr("Energy"), run.energy, tr)
    lines += _section(tr("Goodput"), run.goodput, tr)
    lines += _section(tr("Tokens by scaling laws"), run.scaling, tr)
    lines += _memory(plan.memory, tr)
    serving, tuning = plan.inference, plan.post_training
    for title, figures in ((tr("Reading a prompt"), serving.prefill), (tr("Generating"), serving.decode),
                           (tr("KV cache"), serving.cache), (tr("Fine-tuning"), tuning.training),
                           (tr("FLOPs of a step of the loop"), tuning.flops),
                           (tr("Time of a step of the loop"), tuning.time)):
        lines += _section(title, figures, tr)
    remarks = [*notices, *plan.notices]
    if remarks:
        lines += ["", tr("Remarks"), *(f"  {tr.describe(notice)}" for notice in remarks)]
    return "\n".join(lines) + "\n"


def _section(title: str, figures: Iterable[Figure], tr: Translator, currency: str | None = None) -> list[str]:
    rows = [[tr(figure.label), written(figure, tr, currency), basis_word(figure, tr)] for figure in figures]
    return ["", title, *text_table.aligned(rows, right=[1], indent="  ")] if rows else []


def _memory(memory: Memory, tr: Translator) -> list[str]:
    """The fullest device, term by term."""
    worst = memory.worst
    head = tr("Memory of the fullest device (stage {stage} of {stages})", stage=worst.stage + 1,
              stages=len(memory.stages))
    rows = [[term_name(term, tr), tr.numbers.bytes(term.value), basis_word(term, tr)]
            for term in worst.terms if term.value]
    rows.append([tr("Total"), tr.numbers.bytes(worst.total), ""])
    if memory.capacity is not None:
        rows.append([tr("Memory of the device"), tr.numbers.bytes(memory.capacity), ""])
    return ["", head, *text_table.aligned(rows, right=[1], indent="  "), f"  {verdict_sentence(memory, tr)}"]
