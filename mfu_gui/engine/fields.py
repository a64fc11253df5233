"""The one table of fields: what can be edited, in which unit, in which range, and what it means.

Forms, validation of typed values, help and exports are made from it.  Labels and help are English
message ids; ``mfu_gui.texts`` translates them.  ``get`` reads a value from a Scenario, ``set``
returns a new Scenario; a field that does not apply to a scenario has ``applies`` False there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from mfu_gui.engine import batch
from mfu_gui.engine import model_edit as edit
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.field import N_ as N_
from mfu_gui.engine.field import Field as Field
from mfu_gui.engine.field import Kind as Kind
from mfu_gui.engine.fields_training import TRAINING_FIELDS, set_recompute
from mfu_gui.engine.hardware import PRECISIONS
from mfu_gui.engine.model import MLA, Attention, Dense, MoE
from mfu_gui.engine.run import MEASURED_KEYS, Measured, Parallel, RunSpec
from mfu_gui.engine.scenario import Scenario


def _run(key: str) -> tuple[Callable[[Scenario], Any], Callable[[Scenario, Any], Scenario]]:
    def put(scenario: Scenario, value: Any) -> Scenario:
        return replace(scenario, run=replace(scenario.run, **{key: value}))

    return (lambda scenario: getattr(scenario.run, key)), put


def _peak(key: str) -> tuple[Callable[[Scenario], Any], Callable[[Scenario, Any], Scenario]]:
    def put(scenario: Scenario, value: Any) -> Scenario:
        return replace(scenario, peak=replace(scenario.peak, **{key: value}))

    return (lambda scenario: getattr(scenario.peak, key)), put


def _of_model(change: Callable[..., Any], key: str = "") -> Callable[[Scenario, Any], Scenario]:
    def put(scenario: Scenario, value: Any) -> Scenario:
        model = change(scenario.model, **{key: value}) if key else change(scenario.model, value)
        return replace(scenario, model=model)

    return put


def _first(kind: type, key: str, of: Callable[..., list[Any]]) -> Callable[[Scenario], Any]:
    def get(scenario: Scenario) -> Any:
        parts = of(scenario.model, kind)
        return getattr(parts[0], key) if parts else None

    return get


def _has(kind: type, of: Callable[..., list[Any]]) -> Callable[[Scenario], bool]:
    return lambda scenario: bool(of(scenario.model, kind))


def _heads(scenario: Scenario) -> int | None:
    mixers = [m for layer in scenario.model.main.kinds for m in layer.mixers]
    for mixer in mixers:
        if isinstance(mixer, Attention | MLA):
            return mixer.heads
    return None


def _window(scenario: Scenario) -> int | None:
    windows = [m.window for m in edit.mixers_of(scenario.model, Attention) if m.window is not None]
    return windows[0] if windows else None


def _set_vocabulary(scenario: Scenario, value: int) -> Scenario:
    return replace(scenario, model=replace(scenario.model, vocabulary=value))


def measured_key(scenario: Scenario) -> str:
    """Which quantity is known: one of MEASURED_KEYS, or "" when none is."""
    measured = scenario.run.measured
    if measured is not None:
        for key in MEASURED_KEYS:
            if getattr(measured, key) is not None:
                return key
    return ""


def measured_value(scenario: Scenario) -> float | None:
    """Value of the known quantity, in its own unit (utilization as a fraction)."""
    key = measured_key(scenario)
    return getattr(scenario.run.measured, key) if key else None


def with_measured(scenario: Scenario, key: str, value: float | None) -> Scenario:
    """The scenario with exactly this quantity known (``value`` None: nothing known)."""
    if key not in MEASURED_KEYS:
        raise InputError("unknown_key", "run.measured", key=key, allowed=", ".join(MEASURED_KEYS))
    measured = None if value is None else Measured(**{key: value})
    return replace(scenario, run=replace(scenario.run, measured=measured))


RECOMPUTE_CHOICES = (
    ("none", N_("none")),
    ("selective", N_("selective (QKᵀ and AV)")),
    ("full", N_("full (every layer)")),
    ("full-with-head", N_("full, with LM head")),
    ("palm", N_("PaLM (75%, attention once)")),
    ("korthikanti-printed", N_("as printed by Korthikanti")),
)

MODEL_FIELDS: tuple[Field, ...] = (
    Field(key="model.layers", panel="model", label=N_("Layers"), kind="integer", minimum=1, maximum=100_000,
          get=lambda s: s.model.main.layer_count(), set=_of_model(edit.with_layer_count),
          help=N_("Number of transformer layers. Changing it cuts from the end or repeats the last pattern.")),
    Field(key="model.hidden_size", panel="model", label=N_("Hidden size"), kind="integer", minimum=1,
          maximum=10**6, step=128, get=lambda s: s.model.main.hidden_size, set=_of_model(edit.with_hidden_size),
          help=N_("Width of the residual stream (hidden_size, d_model, n_embd).")),
    Field(key="model.heads", panel="model", label=N_("Attention heads"), kind="integer", minimum=1, maximum=10**5,
          get=_heads, set=_of_model(edit.with_heads), applies=lambda s: _heads(s) is not None,
          help=N_("Query heads per attention layer.")),
    Field(key="model.kv_heads", panel="model", label=N_("KV heads"), kind="integer", minimum=1, maximum=10**5,
          get=_first(Attention, "kv_heads", edit.mixers_of), set=_of_model(edit.with_attention, "kv_heads"),
          applies=_has(Attention, edit.mixers_of),
          help=N_("Heads of keys and values: fewer than query heads is grouped-query attention, 1 is multi-query.")),
    Field(key="model.head_dim", panel="model", label=N_("Head dimension"), kind="integer", minimum=1, maximum=10**5,
          step=16, get=_first(Attention, "head_dim", edit.mixers_of), set=_of_model(edit.with_attention, "head_dim"),
          applies=_has(Attention, edit.mixers_of), main=False,
          help=N_("Width of one head. It need not be hidden size ÷ heads.")),
    Field(key="model.window", panel="model", label=N_("Sliding window"), kind="integer", minimum=1, maximum=10**8,
          step="double", unit=N_("tokens"), get=_window, set=_of_model(edit.with_window), main=False,
          applies=lambda s: _window(s) is not None,
          help=N_("Keys that a query of a sliding-window layer can see, itself included.")),
    Field(key="model.ffn_width", panel="model", label=N_("MLP width"), kind="integer", minimum=1, maximum=10**7,
          step=128, get=_first(Dense, "width", edit.ffns_of), set=_of_model(edit.with_dense_width),
          applies=_has(Dense, edit.ffns_of),
          help=N_("Inner width of the dense MLP (intermediate_size, d_ff).")),
    Field(key="model.experts", panel="model", label=N_("Experts"), kind="integer", minimum=1, maximum=10**5,
          get=_first(MoE, "experts", edit.ffns_of), set=_of_model(edit.with_experts, "experts"),
          applies=_has(MoE, edit.ffns_of), help=N_("Routed experts in one mixture-of-experts layer.")),
    Field(key="model.top_k", panel="model", label=N_("Experts per token"), kind="integer", minimum=1, maximum=10**5,
          get=_first(MoE, "top_k", edit.ffns_of), set=_of_model(edit.with_experts, "top_k"),
          applies=_has(MoE, edit.ffns_of), help=N_("Routed experts that each token uses (top-k).")),
    Field(key="model.expert_width", panel="model", label=N_("Expert width"), kind="integer", minimum=1, maximum=10**7,
          step=128, get=_first(MoE, "width", edit.ffns_of), set=_of_model(edit.with_experts, "width"),
          applies=_has(MoE, edit.ffns_of), main=False, help=N_("Inner width of one routed expert.")),
    Field(key="model.shared_width", panel="model", label=N_("Shared expert width"), kind="integer", minimum=0,
          maximum=10**7, step=128, get=_first(MoE, "shared_width", edit.ffns_of),
          set=_of_model(edit.with_experts, "shared_width"), applies=_has(MoE, edit.ffns_of), main=False,
          help=N_("Total inner width of the shared experts, which every token uses; 0 for none.")),
    Field(key="model.vocabulary", panel="model", label=N_("Vocabulary"), kind="integer", minimum=0, maximum=10**8,
          get=lambda s: s.model.vocabulary, set=_set_vocabulary, main=False,
          help=N_("Rows of the embedding table and columns of the LM head.")),
)

_devices, _set_devices = _run("devices")
_precision, _set_precision = _run("precision")
_peak_tflops, _set_peak_tflops = _peak("tflops")
_peak_kind, _set_peak_kind = _peak("kind")
_devices_are, _set_devices_are = _peak("devices_are")

HARDWARE_FIELDS: tuple[Field, ...] = (
    Field(key="run.precision", panel="hardware", label=N_("Precision"), kind="choice",
          choices=tuple((p, p.upper()) for p in PRECISIONS), get=_precision, set=_set_precision,
          help=N_("Number format of the matrix products; it chooses the peak to divide by.")),
    Field(key="hardware.peak_tflops", panel="hardware", label=N_("Peak per device"), kind="real", unit="TFLOP/s",
          minimum=1e-3, maximum=1e9, step=1, optional=True, get=_peak_tflops, set=_set_peak_tflops,
          help=N_("Dense peak of one device. Leave it empty to use the preset's figure. "
                  "Data sheets often print the sparse figure, twice as large, first.")),
    Field(key="hardware.peak_kind", panel="hardware", label=N_("Kind of peak"), kind="choice", main=False,
          choices=(("dense", N_("dense")), ("sparse", N_("2:4 sparse")), ("measured", N_("measured"))),
          get=_peak_kind, set=_set_peak_kind,
          help=N_("Dense is what training can use. Sparse counts 2:4 structured sparsity; choose it only to "
                  "compare with a number that did. Measured takes the peak you type.")),
    Field(key="hardware.devices_are", panel="hardware", label=N_("Devices are"), kind="choice", main=False,
          choices=(("units", N_("cards, as the preset counts")),
                   ("framework_devices", N_("dies, as frameworks count"))),
          get=_devices_are, set=_set_devices_are, applies=lambda s: s.hardware.framework_devices > 1,
          help=N_("Some cards hold two dies that a framework sees as two devices.")),
    Field(key="run.devices", panel="hardware", label=N_("Devices"), kind="integer", minimum=1, maximum=10**7,
          step="double", optional=True, get=_devices, set=_set_devices,
          help=N_("All accelerators of the run. May be empty when the measured quantity is per device.")),
)

_sequence, _set_sequence = _run("sequence_length")
_batch, _set_batch = _run("global_batch")
_recompute, _ = _run("recompute")
_decoder, _set_decoder = _run("decoder_sequence_length")
_images, _set_images = _run("images")
_micro, _set_micro = _run("micro_batch")

RUN_FIELDS: tuple[Field, ...] = (
    Field(key="run.sequence_length", panel="run", label=N_("Sequence length"), kind="integer", unit=N_("tokens"),
          minimum=1, maximum=10**9, step="double", get=_sequence, set=_set_sequence,
          help=N_("Tokens in one training sequence.")),
    Field(key="run.decoder_sequence_length", panel="run", label=N_("Decoder length"), kind="integer", unit=N_("tokens"),
          minimum=1, maximum=10**9, step="double", optional=True, get=_decoder, set=_set_decoder,
          applies=lambda s: s.model.stack("decoder") is not None and len(s.model.stacks) > 1
          and s.model.main.axis == "decoder",
          help=N_("Tokens that the decoder reads in one sequence; the sequence length is the encoder's.")),
    Field(key="run.images", panel="run", label=N_("Images"), kind="integer", unit=N_("per sequence"), minimum=0,
          maximum=10**6, optional=True, get=_images, set=_set_images,
          applies=lambda s: s.model.stack("vision") is not None and len(s.model.stacks) > 1,
          help=N_("Images in one sequence. Empty: none, or one where the model cannot run without.")),
    Field(key="run.global_batch", panel="run", label=N_("Global batch"), kind="integer", unit=N_("sequences"),
          minimum=1, maximum=10**9, step="double", optional=True, get=_batch, set=_set_batch,
          help=N_("Sequences in one optimizer step, over all devices and all gradient accumulation steps.")),
    Field(key="run.recompute", panel="run", label=N_("Recompute"), kind="choice",
          choices=(*RECOMPUTE_CHOICES, ("", N_("by component…"))),
          get=lambda s: _recompute(s) if isinstance(_recompute(s), str) else "", set=set_recompute,
          help=N_("Activation recomputation: forward work done again in the backward pass. It counts in HFU, "
                  "never in MFU.")),
)


def _parallel(key: str) -> tuple[Callable[[Scenario], Any], Callable[[Scenario, Any], Scenario]]:
    def put(scenario: Scenario, value: Any) -> Scenario:
        parallel = replace(scenario.run.parallel or Parallel(), **{key: value})
        return replace(scenario, run=replace(scenario.run, parallel=None if parallel == Parallel() else parallel))

    return (lambda scenario: getattr(scenario.run.parallel or Parallel(), key)), put


def _of_run(change: Callable[[RunSpec, int], RunSpec]) -> Callable[[Scenario, Any], Scenario]:
    def put(scenario: Scenario, value: Any) -> Scenario:
        return scenario if value is None else replace(scenario, run=change(scenario.run, value))

    return put


def _layout(key: str, label: str, unit: str, help_: str, applies: Callable[[Scenario], bool] = lambda s: True) -> Field:
    get, put = _parallel(key)
    return Field(key=f"run.parallel.{key}", panel="run", label=label, kind="integer", unit=unit, minimum=1,
                 maximum=10**6, step="double", get=get, set=put, help=help_, applies=applies)


_zero, _set_zero = _parallel("zero_stage")

LAYOUT_FIELDS: tuple[Field, ...] = (
    _layout("tensor", N_("Tensor parallel"), N_("devices"),
            N_("TP: devices that share every matrix. It should divide heads and widths and stay inside a node.")),
    _layout("pipeline", N_("Pipeline parallel"), N_("stages"),
            N_("PP: stages that the layers are divided into.")),
    _layout("virtual_pipeline", N_("Virtual stages"), N_("per stage"),
            N_("VP: parts of the model on each stage (interleaved schedule); 1 for none."),
            lambda s: s.run.parallel is not None and max(s.run.parallel.pipeline, s.run.parallel.virtual_pipeline) > 1),
    _layout("context", N_("Context parallel"), N_("devices"),
            N_("CP: devices that share the tokens of one sequence.")),
    _layout("expert", N_("Expert parallel"), N_("devices"),
            N_("EP: devices that the routed experts are spread over."),
            lambda s: bool(edit.ffns_of(s.model, MoE)) or (s.run.parallel or Parallel()).expert > 1),
    Field(key="run.parallel.zero_stage", panel="run", label=N_("ZeRO / FSDP"), kind="choice",
          choices=(("0", N_("0: nothing sharded")), ("1", N_("1: optimizer")), ("2", N_("2: and gradients")),
                   ("3", N_("3: and weights (FSDP)"))),
          get=lambda s: str(_zero(s)), set=lambda s, v: _set_zero(s, int(v)),
          help=N_("What replicas share instead of each keeping a copy. FSDP with full sharding is stage 3.")),
    Field(key="run.micro_batch", panel="run", label=N_("Micro-batch"), kind="integer", unit=N_("sequences"),
          minimum=1, maximum=10**9, optional=True, get=_micro, set=_set_micro,
          help=N_("Sequences that one model replica processes at a time.")),
    Field(key="run.accumulation", panel="run", label=N_("Accumulation"), kind="integer", unit=N_("per step"),
          minimum=1, maximum=10**9, optional=True, get=lambda s: batch.accumulation(s.run),
          set=_of_run(batch.with_accumulation),
          help=N_("Micro-batches that each replica adds up in one step = global batch ÷ (micro-batch × replicas). "
                  "Of these four, the one typed longest ago follows from the other three.")),
    Field(key="run.replicas", panel="run", label=N_("Data parallel"), kind="integer", unit=N_("replicas"),
          minimum=1, maximum=10**7, step="double", optional=True, get=lambda s: batch.replicas(s.run),
          set=_of_run(batch.with_replicas),
          help=N_("DP: copies of the model = devices ÷ (tensor × pipeline × context). Typing it changes the devices.")),
)
"""How the run lies over its devices; the last two are derived, and typing them changes what they follow from."""


def _measured(key: str) -> tuple[Callable[[Scenario], Any], Callable[[Scenario, Any], Scenario]]:
    return (
        lambda s: getattr(s.run.measured, key) if s.run.measured is not None else None,
        lambda s, value: with_measured(s, key, value),
    )


def _measured_field(key: str, label: str, kind: Kind, unit: str, help_: str, maximum: float) -> Field:
    get, put = _measured(key)
    return Field(key=f"run.measured.{key}", panel="measured", label=label, kind=kind, unit=unit, get=get, set=put,
                 minimum=1e-12, maximum=maximum, optional=True, help=help_)


MEASURED_FIELDS: tuple[Field, ...] = (
    _measured_field("step_time_s", N_("Step time"), "time", N_("s"),
                    N_("Mean time of one optimizer step, without warm-up, evaluation and checkpoints."), 1e9),
    _measured_field("tokens_per_s", N_("Tokens/s, all devices"), "real", N_("tokens/s"),
                    N_("Throughput of the whole run."), 1e15),
    _measured_field("tokens_per_s_per_device", N_("Tokens/s per device"), "real", N_("tokens/s/device"),
                    N_("Throughput divided by the number of devices."), 1e12),
    _measured_field("tflops_per_device", N_("TFLOP/s per device"), "real", "TFLOP/s",
                    N_("As counted by the chosen convention."), 1e9),
    _measured_field("mfu", N_("MFU (target)"), "fraction", "%",
                    N_("A target: step time and throughput are computed from it."), 1.0),
)

FIELDS: tuple[Field, ...] = (
    MODEL_FIELDS + HARDWARE_FIELDS + RUN_FIELDS + TRAINING_FIELDS + LAYOUT_FIELDS + MEASURED_FIELDS)
BY_KEY: dict[str, Field] = {field.key: field for field in FIELDS}


def checked(field: Field, value: Any) -> Any:
    """``value`` when ``field`` allows it; InputError (``required``, ``out_of_range``,
    ``unknown_choice``) otherwise.  Integers stay integers."""
    if value is None:
        if field.optional:
            return None
        raise InputError("required", field.key)
    if field.kind == "choice":
        if value not in {choice for choice, _ in field.choices}:
            raise InputError("unknown_choice", field.key, value=value,
                             allowed=", ".join(choice for choice, _ in field.choices))
        return value
    if field.kind in ("set", "lengths", "text"):
        return value
    low, high = field.minimum, field.maximum
    if (low is not None and value < low) or (high is not None and value > high):
        raise InputError("out_of_range", field.key, value=value, minimum=low, maximum=high)
    return value
