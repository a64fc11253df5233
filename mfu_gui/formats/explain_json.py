"""What a reported number means and why conventions differ, as sentences and as data for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mfu_gui.engine.differences import TRANSLATED as TRANSLATED_IN_DIFFERENCES
from mfu_gui.engine.differences import Difference
from mfu_gui.engine.explain import Explanation, OtherPeak, Reason, explain
from mfu_gui.engine.explain_counts import Counting
from mfu_gui.engine.explain_reasons import COUNTED_BY, TRANSLATED, PeakWord
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.framework_peaks import framework_peaks
from mfu_gui.texts import N_, Translator

GIVES = N_("{counted} gives {value}: {details}.")
GIVES_AT_ONCE = N_("{counted} gives {value}.")
PEAK_KINDS: dict[PeakWord, str | None] = {"none": None, "typed": "dense"}
"""What the words for a peak are called in data: a typed peak is a dense one."""
BETWEEN = N_("; ")
YES, NO = N_("yes"), N_("no")


def other_peaks(scenario: Scenario) -> tuple[OtherPeak, ...]:
    """What frameworks divide by on the scenario's device."""
    words: dict[str, PeakWord] = {"framework": "framework", "fallback": "fallback", "constant": "constant"}
    return tuple(
        OtherPeak(framework=peak.framework.name, convention=peak.framework.convention, kind=words[peak.kind],
                  tflops=peak.tflops)
        for peak in framework_peaks(scenario.hardware_source.preset, scenario.run.precision)
        if peak.tflops is not None)


def explain_scenario(scenario: Scenario, counted: Sequence[Counting] | None = None,
                     half_digit: float | None = None) -> list[Explanation]:
    """``explain`` with the peaks of frameworks for the device; InputError as it raises them."""
    return explain(scenario, other_peaks(scenario), counted, half_digit)


def explanation_sentence(explanation: Explanation, tr: Translator) -> str:
    """The explanation in one sentence."""
    counted = [reason for reason in explanation.reasons if reason.text == COUNTED_BY]
    details = [reason_text(reason, tr) for reason in explanation.reasons if reason.text != COUNTED_BY]
    values = {
        "counted": tr.join([reason_text(reason, tr) for reason in counted]),
        "value": explained_value(explanation, tr),
        "details": tr(BETWEEN).join(details),
    }
    return tr(GIVES if details else GIVES_AT_ONCE, **values)


def explained_value(explanation: Explanation, tr: Translator) -> str:
    """The value of an explanation with its unit, in as many digits as tell explanations apart."""
    if explanation.peak_tflops is None:
        return tr("{value:short5} TFLOP/s", value=explanation.value)
    return tr.numbers.percent(explanation.value, 2)


def reason_text(reason: Reason, tr: Translator) -> str:
    """One assumption in words."""
    return tr(reason.text, **{name: _word(name, value, tr) for name, value in reason.values.items()})


def _word(name: str, value: Any, tr: Translator) -> Any:
    if isinstance(value, bool):
        return tr(YES if value else NO)
    return tr(value) if name in TRANSLATED and isinstance(value, str) else value


def difference_sentence(difference: Difference, tr: Translator) -> str:
    """A term of a difference in one sentence, without its amount."""
    values = dict(difference.values)
    inner = {name: value for name, value in values.items() if name not in TRANSLATED_IN_DIFFERENCES}
    for name in TRANSLATED_IN_DIFFERENCES & values.keys():
        values[name] = tr(values[name], **inner)
    return tr(difference.text, **values)


def explanation_object(explanation: Explanation, tr: Translator) -> dict[str, Any]:
    """One explanation as an object of plain values.

    ``value`` is in the unit that was reported (a fraction, or TFLOP/s), ``residual`` is
    value ÷ reported − 1.
    """
    return {
        "sentence": explanation_sentence(explanation, tr), "convention": explanation.convention,
        "options": dict(explanation.options), "peak_tflops": explanation.peak_tflops,
        "peak_kind": PEAK_KINDS.get(explanation.peak_kind, explanation.peak_kind),
        "scope": explanation.scope, "recompute": explanation.recompute, "unit_slip": explanation.unit_slip,
        "value": explanation.value, "residual": explanation.residual, "plausibility": explanation.plausibility,
    }
