"""Sweeps and layouts in words and numbers: the same in window, command line and reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from mfu_gui.engine.fields import RECOMPUTE_CHOICES
from mfu_gui.engine.run import Parallel, Recompute
from mfu_gui.formats.plan_words import money
from mfu_gui.formats.quantities import understood
from mfu_gui.planning.layouts import VERDICT_WORDS, LayoutRow, Layouts
from mfu_gui.planning.sweep_axes import Axis
from mfu_gui.planning.sweep_point import HOLD_LABELS, OUTCOMES, Held
from mfu_gui.texts import N_, Translator
from mfu_gui.texts.numbers import DASH

SIZES = (("tensor", "TP"), ("pipeline", "PP"), ("virtual_pipeline", "VP"), ("context", "CP"), ("expert", "EP"))
TIMINGS = {"predicted": N_("Step times are predicted from the measured run."),
           "model": N_("Step times are those of the component model, which most real runs do not reach.")}


def outcome_text(key: str, value: float | None, tr: Translator, currency: str = "USD") -> str:
    """A result as people read it."""
    outcome, numbers = OUTCOMES[key], tr.numbers
    if value is None or value != value:
        return DASH
    if outcome.kind == "fraction":
        return numbers.percent(value)
    if outcome.kind == "time":
        return numbers.duration(value)
    if outcome.kind == "bytes":
        return numbers.bytes(value)
    if outcome.kind == "money":
        return money(value, currency, tr)
    return numbers.count(value) if outcome.kind == "count" else numbers.short(value)


def value_text(axis: Axis, value: Any, tr: Translator) -> str:
    """A value of an axis as people read it."""
    if axis.names:
        return tr(axis.names[axis.values.index(value)])
    if axis.kind == "integer":
        return tr.numbers.integer(value)
    if axis.kind == "real":
        return tr.numbers.short(value, 6)
    return understood(float(f"{value:.6g}"), axis.kind, tr(axis.unit) if axis.unit else "")


def axis_title(axis: Axis, tr: Translator) -> str:
    """The name of an axis with its unit."""
    label = tr(axis.label)
    if not axis.unit or axis.kind in ("fraction", "time"):
        return label
    return tr("{label} ({unit})", label=label, unit=tr(axis.unit))


def held_text(held: Held, tr: Translator) -> str:
    """What is held constant, as one sentence."""
    what = tr(HOLD_LABELS[held.how])
    if held.value is None:
        return tr("What is held: {what}.", what=what)
    key = {"hfu": "hfu", "mfu": "mfu", "throughput": "tokens_per_s_per_device"}.get(held.how, "step_time_s")
    return tr("What is held: {what} ({value}).", what=what, value=outcome_text(key, held.value, tr))


def recompute_text(recompute: str | Recompute, tr: Translator) -> str:
    """What is computed again."""
    return tr(dict(RECOMPUTE_CHOICES).get(recompute, "") if isinstance(recompute, str) else N_("by component…"))


def sizes_text(parallel: Parallel) -> str:
    """A layout in the field's own letters: TP8 PP4 EP2 ZeRO1; what is 1 is left out."""
    parts = [f"{letters}{value}" for name, letters in SIZES if (value := getattr(parallel, name)) > 1]
    if parallel.zero_stage:
        parts.append(f"ZeRO{parallel.zero_stage}")
    return " ".join(parts) or "DP"


def stages_text(layers: Sequence[int], tr: Translator) -> str:
    """Stages that are not equal: 61 layers on 16 stages: 4 on 13, 3 on 3."""
    parts = [tr("{layers:integer} on {stages:integer}", layers=each, stages=count)
             for each, count in sorted(Counter(layers).items(), reverse=True)]
    return tr("{layers:integer} layers on {stages:integer} stages: {parts}", layers=sum(layers), stages=len(layers),
              parts=tr.join(parts))


def reason_text(row: LayoutRow, tr: Translator) -> str:
    """Why: stages that are not equal, what the memory mostly goes to, and what the step loses most time to."""
    why = _mostly(row, tr)
    if row.stage_layers is None:
        return why
    return tr("{stages}; {why}", stages=stages_text(row.stage_layers, tr), why=why)


def _mostly(row: LayoutRow, tr: Translator) -> str:
    memory = tr("memory: {term} {share:percent}", term=tr(row.memory_mostly.label).lower(),
                share=row.memory_mostly.share)
    if row.time_lost is None:
        return memory
    return tr("{memory}; time: {part} {share:percent}", memory=memory, part=tr(row.time_lost.label).lower(),
              share=row.time_lost.share)


def verdict_word(row: LayoutRow, tr: Translator) -> str:
    """Fits, tight, does not fit."""
    return tr(VERDICT_WORDS[row.verdict])


def counts_text(found: Layouts, tr: Translator) -> str:
    """How many layouts there are and how many of them fit."""
    counts = found.counts()
    if "unknown" in counts:
        return tr("{count:integer} layouts; the memory of the device is not known.", count=counts["unknown"])
    return tr("{count:integer} layouts: {fits:integer} fit, {tight:integer} are tight, {rest:integer} do not fit.",
              count=found.space.count, fits=counts["fits"], tight=counts["tight"], rest=counts["does_not_fit"])
