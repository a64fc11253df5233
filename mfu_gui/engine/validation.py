"""What the types of a scenario cannot say: parts that must fit each other.

``validate`` raises InputError for the first thing that does not fit, its field the exact place.  It
does not touch what ``evaluate`` refuses while it counts (a missing decoder length, an unknown component).
"""

from __future__ import annotations

import math
from functools import lru_cache

from mfu_gui.engine.conventions import chosen
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.model import (
    SLSTM,
    Attention,
    CompressedAttention,
    GatedDeltaNet,
    Layer,
    Mamba1,
    Mamba2,
    Mixer,
    ModelSpec,
    MoE,
    RecurrentUnit,
    SharedBlock,
    Stack,
)
from mfu_gui.engine.run import MEASURED_KEYS, Measured, RunSpec, Trainable
from mfu_gui.engine.scenario import Peak, Scenario
from mfu_gui.engine.training import plan_of
from mfu_gui.engine.utilization import peak_tflops_per_device

MIX_TOLERANCE = 1e-6


def validate(scenario: Scenario) -> None:
    """Raise InputError unless all parts of ``scenario`` fit each other."""
    validate_model(scenario.model)
    validate_run(scenario.run, scenario.model)
    validate_peak(scenario.hardware, scenario.run, scenario.peak)
    chosen(scenario.convention)


@lru_cache(maxsize=64)
def validate_model(model: ModelSpec, place: str = "model.spec") -> None:
    """A model whose stacks, layer kinds and heads fit.

    InputError: ``required`` (no stacks, no layers), ``duplicate_name``, ``unknown_choice`` (an order or a
    head that names what is not there), ``not_divisible``, ``out_of_range``, ``contradiction``.
    """
    if not model.stacks:
        raise InputError("required", f"{place}.stacks")
    _unique([stack.name for stack in model.stacks], f"{place}.stacks")
    for number, stack in enumerate(model.stacks):
        _check_stack(stack, f"{place}.stacks[{number}]")
    names: list[str] = [stack.name for stack in model.stacks]
    # A head's default is the decoder; a model with one stack has its head there, whatever that is called.
    if model.head is not None and (model.vocabulary or model.head.classes) and len(names) > 1:
        _known(model.head.stack, names, f"{place}.head.stack")
    for number, projection in enumerate(model.projections):
        _known(projection.stack, names, f"{place}.projections[{number}].stack")
    if model.multi_token_prediction is not None:
        depth, kinds = model.multi_token_prediction, [kind.name for kind in model.main.kinds]
        where = f"{place}.multi_token_prediction"
        _known(depth.layer, kinds, f"{where}.layer")
        for number, name in enumerate(depth.more_layers):
            _known(name, kinds, f"{where}.more_layers[{number}]")


def _known(name: str, known: list[str], where: str) -> None:
    if name not in known:
        raise InputError("unknown_choice", where, value=name, allowed=", ".join(known))


def _unique(names: list[str], where: str) -> None:
    for number, name in enumerate(names):
        if name in names[:number]:
            raise InputError("duplicate_name", f"{where}[{number}].name", name=name)


def _check_stack(stack: Stack, place: str) -> None:
    names = [kind.name for kind in stack.kinds]
    _unique(names, f"{place}.kinds")
    if not stack.order:
        raise InputError("required", f"{place}.order")
    for number, (name, _) in enumerate(stack.order):
        _known(name, names, f"{place}.order[{number}][0]")
    for number, kind in enumerate(stack.kinds):
        _check_layer(kind, f"{place}.kinds[{number}]")


def _check_layer(layer: Layer | SharedBlock, place: str) -> None:
    if isinstance(layer, Layer) and layer.shared is not None:
        _check_layer(layer.shared, f"{place}.shared")
    for number, mixer in enumerate(layer.mixers):
        if isinstance(mixer, Attention):
            _check_attention(mixer, f"{place}.mixers[{number}]")
        _check_division(mixer, f"{place}.mixers[{number}]")
    for number, ffn in enumerate(layer.ffns):
        if isinstance(ffn, MoE):
            # A zero-compute expert can be chosen like any other.
            most = ffn.experts + ffn.identity_experts
            if ffn.top_k > most:
                raise InputError("out_of_range", f"{place}.ffns[{number}].top_k", value=ffn.top_k, minimum=1,
                                 maximum=most)


def _check_attention(mixer: Attention, place: str) -> None:
    if mixer.kv_heads > mixer.heads:
        raise InputError("out_of_range", f"{place}.kv_heads", value=mixer.kv_heads, minimum=1,
                         maximum=mixer.heads)
    if mixer.heads % mixer.kv_heads:
        raise InputError("not_divisible", f"{place}.kv_heads", value=mixer.heads, divisor=mixer.kv_heads)
    if mixer.window is not None and mixer.chunk is not None:
        raise InputError("contradiction", place, key="window", other="chunk")


# What is split among heads, groups or blocks: (the type, what, among what).
_DIVIDED: tuple[tuple[type, str, str], ...] = (
    (Mamba1, "inner", "heads"), (Mamba2, "heads", "groups"), (GatedDeltaNet, "value_heads", "key_heads"),
    (RecurrentUnit, "width", "blocks"), (SLSTM, "width", "heads"), (CompressedAttention, "heads", "groups"),
)


def _check_division(mixer: Mixer, place: str) -> None:
    for kind, whole, parts in _DIVIDED:
        if isinstance(mixer, kind) and getattr(mixer, whole) % getattr(mixer, parts):
            raise InputError("not_divisible", f"{place}.{parts}", value=getattr(mixer, whole),
                             divisor=getattr(mixer, parts))


def validate_run(run: RunSpec, model: ModelSpec) -> None:
    """A run that says one thing only, and that this model can do.

    InputError: ``exactly_one``, ``documents_too_long``, ``required``, ``unknown_choice``,
    ``out_of_range``, ``no_multi_token_prediction``.
    """
    if run.measured is not None:
        _check_measured(run.measured)
    if run.document_lengths is not None:
        _check_documents(run)
    if run.multi_token_prediction and model.multi_token_prediction is None:
        raise InputError("no_multi_token_prediction", "run.multi_token_prediction", model=model.name or None)
    if isinstance(run.trainable, Trainable):
        _check_trainable(run.trainable, model)


def _check_measured(measured: Measured) -> None:
    found = [key for key in MEASURED_KEYS if getattr(measured, key) is not None]
    if len(found) != 1:
        raise InputError("exactly_one", "run.measured", allowed=", ".join(MEASURED_KEYS),
                         found_keys=", ".join(found) or None)


def _check_documents(run: RunSpec) -> None:
    lengths = run.document_lengths or ()
    if not lengths:
        raise InputError("required", "run.document_lengths")
    if sum(lengths) > run.sequence_length:
        raise InputError("documents_too_long", "run.document_lengths", total=sum(lengths),
                         sequence_length=run.sequence_length)


def _check_trainable(trainable: Trainable, model: ModelSpec) -> None:
    adapters = trainable.lora_rank is not None or bool(trainable.targets)
    if adapters == bool(trainable.frozen):
        raise InputError("exactly_one", "run.trainable", allowed="lora_rank, frozen",
                         found_keys="lora_rank, frozen" if adapters else None)
    # What the model has of it is known where it is counted.
    plan_of(model, trainable)


def validate_peak(hardware: HardwareSpec, run: RunSpec, peak: Peak) -> None:
    """A peak that there is, for the run's precision or for each precision of the mix.

    InputError: ``peak_missing`` (with those there are), ``no_sparse_peak``, ``measured_peak_missing``,
    ``mix_not_one``, ``contradiction``.
    """
    if peak.mix:
        if peak.tflops is not None:
            raise InputError("contradiction", "hardware", key="peak_tflops", other="precision_mix")
        total = math.fsum(peak.mix.values())
        if abs(total - 1) > MIX_TOLERANCE:
            raise InputError("mix_not_one", "hardware.precision_mix", total=total)
    try:
        peak_tflops_per_device(hardware, run.precision, peak)
    except InputError as error:
        if error.code == "peak_missing" and peak.mix:
            raise InputError(error.code, "hardware.precision_mix", **error.values) from error
        raise
