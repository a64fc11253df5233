"""RunSpec: how a model is trained: devices, batch, precision, recomputation, and what was measured."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from mfu_gui.engine.hardware import Precision

PositiveInt = Annotated[int, msgspec.Meta(ge=1, le=10**12)]
PositiveFloat = Annotated[float, msgspec.Meta(gt=0, le=1e18)]
Fraction01 = Annotated[float, msgspec.Meta(ge=0, le=1)]
RecomputeName = Literal["none", "selective", "full", "full-with-head", "palm", "korthikanti-printed"]


class RunRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of the parts of a run: immutable, unknown keys refused."""


class Measured(RunRecord, frozen=True, kw_only=True):
    """The one quantity that is known; the others are computed from it."""

    step_time_s: PositiveFloat | None = None
    tokens_per_s: PositiveFloat | None = None
    tokens_per_s_per_device: PositiveFloat | None = None
    tflops_per_device: PositiveFloat | None = None
    """TFLOP/s of one device, in FLOPs of the chosen convention."""
    mfu: Annotated[float, msgspec.Meta(gt=0, le=1)] | None = None
    """A target, as a fraction."""


MEASURED_KEYS = ("step_time_s", "tokens_per_s", "tokens_per_s_per_device", "tflops_per_device", "mfu")


class Recompute(RunRecord, frozen=True, kw_only=True):
    """Share of each component's forward that runs again; ``"*"`` stands for all other components.
    ``layers``: only the first so many layers (default all).  The head belongs to no layer."""

    layers: Annotated[int, msgspec.Meta(ge=0)] | None = None
    repeat: dict[str, Annotated[float, msgspec.Meta(ge=0, le=16)]]


class Parallel(RunRecord, frozen=True, kw_only=True):
    """Layout of the run over devices; no effect on FLOPs."""

    tensor: PositiveInt = 1
    pipeline: PositiveInt = 1
    virtual_pipeline: PositiveInt = 1
    context: PositiveInt = 1
    expert: PositiveInt = 1
    zero_stage: Annotated[int, msgspec.Meta(ge=0, le=3)] = 0


class Trainable(RunRecord, frozen=True, kw_only=True):
    """What is trained when it is not everything: low-rank adapters beside frozen matrices
    (``lora_rank`` and ``targets``), or a model with ``frozen`` parts: embedding, head, encoder,
    vision, or ``layers[a:b]``."""

    lora_rank: PositiveInt | None = None
    targets: tuple[Literal["q", "k", "v", "o", "gate", "up", "down", "experts", "head"], ...] = ()
    frozen: tuple[str, ...] = ()


class RunSpec(RunRecord, frozen=True, kw_only=True):
    """One training run.

    ``global_batch`` counts sequences per optimizer step over all devices.  ``devices`` and
    ``global_batch`` may be absent when the measured quantity is per device.
    """

    sequence_length: PositiveInt
    devices: PositiveInt | None = None
    global_batch: PositiveInt | None = None
    precision: Precision = "bf16"
    measured: Measured | None = None
    recompute: RecomputeName | Recompute = "none"
    multi_token_prediction: Annotated[int, msgspec.Meta(ge=0, le=64)] = 0
    micro_batch: PositiveInt | None = None
    parallel: Parallel | None = None
    attention_kernel: Literal["flash", "unfused"] | None = None
    document_lengths: tuple[PositiveInt, ...] | None = None
    """Lengths of the documents packed in one sequence; the rest of it is padding."""
    trainable: Literal["full"] | Trainable = "full"
    decoder_sequence_length: PositiveInt | None = None
    images: Annotated[int, msgspec.Meta(ge=0, le=10**6)] | None = None
    """Images in one sequence."""
