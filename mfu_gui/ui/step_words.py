"""What the Step time tab says: sentences and rows of its three views.  No Qt here."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mfu_gui.engine.fields import N_
from mfu_gui.engine.scenario import Result
from mfu_gui.planning.anchored import BANDS, Change, Method, Prediction
from mfu_gui.planning.formula import Figure
from mfu_gui.planning.step_time import StepTime
from mfu_gui.planning.waterfall import Waterfall, WaterfallPart
from mfu_gui.texts import Translator
from mfu_gui.texts.numbers import DASH

CHANGES: dict[Change, str] = {
    "none": N_("nothing"), "layout": N_("layout"), "devices": N_("number of devices"), "recompute": N_("recomputation"),
    "sharded-recompute": N_("recomputation"), "sequence": N_("sequence"), "long-sequence": N_("sequence"),
    "batch": N_("batch"), "micro-batch": N_("micro-batch"), "hardware": N_("accelerator"), "model": N_("model"),
    "two-batches": N_("batch"),
}
METHODS: dict[Method, str] = {
    "same": N_("Nothing is changed: this is the measured step."),
    "model": N_("From the measured step by the ratio of the model's two steps."),
    "constant-hfu": N_("From the measured step at the same HFU."),
    "affine": N_("On the line through the two measured batches."),
}


NUMBERS: dict[str, str] = {
    "micro_batches": N_("micro-batches (m)"), "micro_batch": N_("sequences of a micro-batch (b)"),
    "tensor": N_("tensor parallel (t)"), "context": N_("context parallel (c)"), "expert": N_("expert parallel (e)"),
    "pipeline": N_("stages (p)"), "virtual": N_("virtual stages (v)"), "busiest": N_("share of the fullest stage"),
    "recomputed": N_("share computed again"), "forward_tflop": N_("TFLOP forward"),
    "backward_tflop": N_("TFLOP backward"), "head_tflop": N_("TFLOP of the head"), "tflops": N_("reached TFLOP/s"),
    "expert_tflops": N_("reached TFLOP/s in experts"), "norms_gb": N_("GB of norms"), "mlp_gb": N_("GB of MLPs"),
    "scores_gb": N_("GB of scores"), "logits": N_("logits"), "gb_s": N_("reached GB/s"),
    "layer_s": N_("fixed seconds of a layer"), "blocks": N_("blocks"), "activation_gb": N_("GB of activations"),
    "hidden": N_("share hidden"), "keys_gb": N_("GB of keys and values"), "queries_gb": N_("GB of queries"),
    "tokens_gb": N_("GB of tokens"), "imbalance": N_("imbalance of experts"),
    "scale_up_gb_s": N_("reached GB/s in a node"), "scale_out_gb_s": N_("reached GB/s of the network"),
    "schedule": N_("schedule"), "replicas": N_("replicas"), "expert_replicas": N_("replicas of experts"),
    "gradient_bytes": N_("bytes of a gradient"), "parameters": N_("parameters of layers"),
    "expert_parameters": N_("parameters of experts"), "trained": N_("share trained"),
    "gathered": N_("parameters sharded"), "overlap": N_("hidden behind the backward pass"), "shards": N_("shards"),
    "loading_s": N_("seconds to prepare the data"),
}
"""What the numbers in a component's formula are called."""


class Line(NamedTuple):
    """A row of a comparison: what it is, now, and then, with the values behind the texts."""

    label: str
    now: str
    then: str
    values: tuple[object, ...]


def waterfall_words(found: Waterfall, tr: Translator) -> str:
    """The step in one sentence."""
    lost = [part for part in found.parts if part.kind != "useful"]
    values = {"step": tr.numbers.duration(found.step_s), "useful": tr.numbers.percent(found.utilization)}
    if not lost:
        return tr("A step takes {step}; {useful} of it is useful work.", **values)
    most = max(lost, key=lambda part: part.share)
    values |= {"loss": tr(most.label), "share": tr.numbers.percent(most.share)}
    if found.basis == "floor":
        return tr("The model has a step of {step}, of which {useful} is useful work. Most is lost to: {loss}, {share}.",
                  **values)
    return tr("A step takes {step}; {useful} of it is useful work. Most is lost to: {loss}, {share}.", **values)


def basis_words(found: Waterfall, tr: Translator) -> str:
    """Where the parts come from."""
    if found.basis == "measured":
        return tr("Parts as entered; the model is not asked.")
    if found.basis == "floor":
        return tr("No step is measured: all parts are the model's.")
    return tr("Parts of the model; what it does not explain of the measured step is a part of its own.")


def part_tip(part: WaterfallPart, model: StepTime | None, tr: Translator) -> str:
    """All that is known of one part."""
    lines = [tr(part.label), tr("{seconds} s, {share} of the step", seconds=tr.numbers.short(part.seconds, 6),
                                share=tr.numbers.percent(part.share, 2))]
    figure = None if model is None else next((f for f in model.components if f.key == part.key), None)
    return "\n".join([*lines, *([] if figure is None else formula_lines(figure, tr))])


def formula_lines(figure: Figure, tr: Translator) -> list[str]:
    """A component's formula with its id, and the numbers in it."""
    filled = [f"{tr(NUMBERS[name])}: {_plain(value, tr)}" for name, value in figure.numbers.items()]
    return [f"{figure.formula}: {tr(figure.expression)}", *filled]


def _plain(value: object, tr: Translator) -> str:
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if isinstance(value, str):
        return value
    numbers = tr.numbers
    return "∞" if value == float("inf") else numbers.short(value, 4)


def model_words(found: StepTime, measured: float | None, tr: Translator) -> str:
    """The model's step beside the measured one."""
    model = tr.numbers.duration(found.total_s)
    if measured is None:
        return tr("The model has a step of {model}.", model=model)
    ratio = measured / found.total_s
    values = {"model": model, "measured": tr.numbers.duration(measured), "ratio": tr.numbers.short(ratio)}
    return tr("The model has a step of {model}; the measured one takes {measured}, {ratio} times as long.", **values)


def prediction_words(found: Prediction, tr: Translator) -> str:
    """The predicted step with its band."""
    span = tr.numbers.duration
    if found.method == "same":
        return tr("Fill in what should be different. As it is, a step takes {step}.", step=span(found.step_time_s))
    return tr("A step would take {step}: usually {low} to {high}, at worst {lowest} to {highest}.",
              step=span(found.step_time_s), low=span(found.low_s), high=span(found.high_s), lowest=span(found.lowest_s),
              highest=span(found.highest_s))


def method_words(found: Prediction, tr: Translator) -> str:
    """How it was predicted, and how far off such predictions were."""
    if found.method == "same":
        return ""
    tested = dict.fromkeys(
        tr("For another {change} that was {typical} off on average and {worst} at most ({source}).",
           change=tr(CHANGES[change]), typical=tr.numbers.percent(BANDS[change].typical),
           worst=tr.numbers.percent(BANDS[change].worst), source=tr(BANDS[change].source)) for change in found.changes)
    return "\n".join([tr(METHODS[found.method]), *tested])


def comparison(measured: Result, found: Prediction, devices: tuple[int, int], tr: Translator) -> list[Line]:
    """The measured run beside the predicted one."""
    numbers, rates = tr.numbers, measured.throughput
    mfu = measured.mfu if measured.mfu is not None else measured.implied_mfu

    def line(label: str, now: float | None, then: float | None, write: Callable[[float], str]) -> Line:
        texts = [DASH if value is None else write(value) for value in (now, then)]
        return Line(label, texts[0], texts[1], (label, now, then))

    each = found.tokens_per_s / devices[1]
    return [
        line(tr("Devices"), devices[0], devices[1], numbers.integer),
        line(tr("Step time"), rates.step_time_s, found.step_time_s, numbers.duration),
        line("MFU", mfu, found.mfu, numbers.percent),
        line(tr("HFU as executed"), found.hfu_anchor, found.hfu, numbers.percent),
        line(tr("Tokens/s"), rates.tokens_per_s, found.tokens_per_s, numbers.count),
        line(tr("Tokens/s per device"), rates.tokens_per_s_per_device, each, numbers.count),
        line(tr("Step of the model"), None, found.floor_s, numbers.duration),
    ]
