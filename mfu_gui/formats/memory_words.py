"""Memory in words and numbers for people: the verdict, what would help, each term's formula filled in.

No Qt here: window, command line and reports say the same.
"""

from __future__ import annotations

from typing import Any

from mfu_gui.planning.formula import FORMULAS, GIB, Figure
from mfu_gui.planning.memory import Memory, StageMemory
from mfu_gui.planning.memory_advice import LABELS, Advice
from mfu_gui.texts import N_, Translator
from mfu_gui.texts.components import COMPONENTS

BYTES = frozenset({"bytes_of_one_micro_batch", "bytes_of_one_layer", "bytes_of_a_block", "prediction_layer_bytes",
                   "allocated"})
"""Numbers of formulas that are amounts of memory."""
SHARES = frozenset({"share"})
NUMBERS: dict[str, str] = {
    "dense_parameters": N_("dense parameters here"), "dense_shards": N_("their shards"),
    "expert_parameters": N_("expert parameters here"), "expert_shards": N_("shards of experts"),
    "bytes_per_parameter": N_("bytes each"), "matrix_parameters": N_("parameters in matrices"),
    "matrix_bytes": N_("bytes of each in matrices"), "other_parameters": N_("other parameters"),
    "other_bytes": N_("bytes of each other"), "rows_and_columns": N_("rows and columns"),
    "in_flight": N_("micro-batches in flight"), "bytes_of_one_micro_batch": N_("all layers keep of one"),
    "bytes_of_one_layer": N_("one layer"), "positions": N_("positions here"), "mask_bytes": N_("dropout mask"),
    "logit_bytes": N_("bytes of a logit"), "vocabulary": N_("vocabulary"), "tensor": N_("tensor parallel"),
    "head_input_bytes": N_("bytes of the head's input"), "predictions": N_("predictions"),
    "prediction_layer_bytes": N_("their layers"), "bytes_of_a_block": N_("keys and values of one layer"),
    "units": N_("units"), "parameters": N_("parameters"), "allocated": N_("allocated"), "share": N_("share"),
    "gib": N_("GiB"),
}
"""What the numbers behind a term are called."""
BASES = {
    "exact": N_("Exact for these inputs."),
    "model": N_("A model."),
    "assumption": N_("An assumption, which you can change."),
}
ACCURACY = N_(
    "An estimate. Against measured peaks of dense models on B200 such sums were off by 1.2% on the mean and 2.4% at "
    "most, 8.6% without a term that was added after seeing them. Experts, state-space layers, fragmentation and "
    "libraries were not measured.")
"""How far the estimate has been off; always on the screen with it."""


def stages_name(stages: tuple[int, ...], tr: Translator, count: int) -> str:
    """“Stage 0”, “Stages 2–13”, or “Each device” where there is no pipeline."""
    if count == 1:
        return tr("Each device")
    if len(stages) == 1:
        return tr("Stage {n}", n=stages[0])
    return tr("Stages {list}", list=", ".join(_ranges(stages)))


def _ranges(numbers: tuple[int, ...]) -> list[str]:
    """1, 2, 3, 7 as 1–3 and 7."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return [str(first) if first == last else f"{first}–{last}" for first, last in runs]


def alike(made: Memory) -> list[tuple[tuple[int, ...], StageMemory]]:
    """Stages that hold the same, together; worst first."""
    groups: dict[Any, list[StageMemory]] = {}
    for stage in made.stages:
        groups.setdefault((stage.layers, tuple((t.key, t.value) for t in stage.terms)), []).append(stage)
    return [(tuple(sorted(stage.stage for stage in group)), group[0]) for group in groups.values()]


def verdict_sentence(made: Memory, tr: Translator, *, stated: bool = True) -> str:
    """Whether it fits, and by how much; without a verdict where no layout is ``stated``: nobody copies all."""
    worst, capacity = made.worst, made.capacity
    number = tr.numbers.bytes
    words = {"need": number(worst.total), "where": _where(made, tr)}
    if capacity is None:
        return tr("{where} takes about {need}; the memory of the device is not known.", **words)
    words |= {"capacity": number(capacity), "rest": number(abs(capacity - worst.total))}
    if not stated:
        return tr("The layout is not stated: with all of the model on it, {where} takes about {need} of {capacity}.",
                  **words)
    sentences = {
        "fits": N_("Fits: {where} takes about {need} of {capacity}, {rest} left."),
        "tight": N_("Tight: {where} takes about {need} of {capacity}, only {rest} left."),
        "does_not_fit": N_("Does not fit: {where} takes about {need} of {capacity}, {rest} too much."),
    }
    return tr(sentences[made.verdict], **words)


def _where(made: Memory, tr: Translator) -> str:
    """The fullest device, inside a sentence."""
    if len(made.stages) == 1:
        return tr("each device")
    return tr("stage {n}", n=made.worst.stage)


def advice_text(advice: Advice, tr: Translator) -> str:
    """A change and what it leads to: “ZeRO stage 1: 43.1 GiB”."""
    change = tr(LABELS[advice.key], size=advice.size)
    return f"{change}: {tr.numbers.bytes(advice.total)}"


def term_name(term: Figure, tr: Translator) -> str:
    """What a term is called; terms that somebody added have their own names."""
    return tr.value(term.label) if term.key.startswith("other.") else tr(term.label)


def term_text(term: Figure, stage: StageMemory, tr: Translator) -> str:
    """The formula of a term with its numbers, how sure it is, and its source; what activations consist of."""
    formula = FORMULAS[term.formula]
    lines = [f"{term_name(term, tr)} = {tr.numbers.bytes(term.value, 4)}", f"= {tr(term.expression)}"]
    lines += [f"{tr(NUMBERS[name]) if name in NUMBERS else name}: {_number(name, value, tr)}"
              for name, value in term.numbers.items() if value]
    if term.key == "activations":
        parts = sorted(stage.activation_parts.items(), key=lambda part: -part[1])
        lines += [f"– {_part_name(name, tr)}: {tr.numbers.bytes(size)}" for name, size in parts]
    lines.append(tr(BASES[term.basis]))
    if term.accuracy:
        lines.append(tr(term.accuracy))
    lines.append(tr("Source: {source}", source=formula.source))
    return "\n".join(lines)


def _part_name(name: str, tr: Translator) -> str:
    return tr("Inputs of layers") if name == "layer_input" else tr(COMPONENTS.get(name, name))


def _number(name: str, value: Any, tr: Translator) -> str:
    if name in BYTES:
        return tr.numbers.bytes(value, 4)
    if name in SHARES:
        return tr.numbers.percent(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return f"{value:,}" if isinstance(value, int) else tr.numbers.short(value, 5)


def gib(value: float | None, tr: Translator) -> str:
    """GiB without the unit, for columns: 0.04, 12.3, 131."""
    if value is None:
        return ""
    size = value / GIB
    if 0 < size < 0.005:
        return "<0.01"
    return f"{size:,.1f}" if size >= 9.995 else f"{size:,.2f}"
