"""Scenario: everything one calculation needs, resolved and immutable; Result: everything it yields.

``evaluate`` (in ``evaluate.py``) is a pure function from one to the other.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.hardware import HardwareSpec, Positive, Precision
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec

PeakKind = Literal["dense", "sparse", "measured"]
DevicesAre = Literal["units", "framework_devices"]
OptionValue = bool | int | str


class ConventionChoice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The convention that is shown, with its options (``{"router": false}``)."""

    id: str = "matmul-causal"
    options: dict[str, OptionValue] = {}


class Reported(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A number somebody published or printed; ``explain`` looks for what it means."""

    mfu: Annotated[float, msgspec.Meta(gt=0, le=1000)] | None = None
    hfu: Annotated[float, msgspec.Meta(gt=0, le=1000)] | None = None
    tflops_per_device: Positive | None = None


class Source(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where a model or a device came from: a preset id, a config.json, or a spec of the user's own.

    At most one of the two is set; neither means a spec.
    """

    preset: str | None = None
    hf_config: dict[str, Any] | None = None


class Peak(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which peak one device is measured against.

    ``tflops`` overrides the preset (TFLOP/s of one unit).  ``mix`` gives the share of FLOPs done in
    each precision; the peaks are then mixed by time: 1 / Σ share/peak.
    """

    tflops: Positive | None = None
    kind: PeakKind = "dense"
    mix: dict[Precision, Annotated[float, msgspec.Meta(gt=0, le=1)]] | None = None
    devices_are: DevicesAre = "units"


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """One what-if: model, device, run, and how to count."""

    name: str = ""
    notes: str = ""
    model: ModelSpec
    hardware: HardwareSpec
    run: RunSpec
    peak: Peak = Peak()
    convention: ConventionChoice = ConventionChoice()
    reported: Reported | None = None
    model_source: Source = Source()
    hardware_source: Source = Source()
    plan: dict[str, Any] | None = None
    """Inputs of the plan (tokens, prices, goodput), kept for the planning views."""


class Parameters(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of parameters.  ``total`` trainable, ``checkpoint_total`` with persistent buffers,
    ``active`` = total − routed experts + routed experts × top_k / experts."""

    total: int
    active: int
    checkpoint_total: int
    components: dict[str, int]


class ComponentFlops(msgspec.Struct, frozen=True):
    """FLOPs of one component in one step."""

    forward: int
    backward: int
    recompute: int = 0


class Flops(msgspec.Struct, frozen=True, kw_only=True):
    """FLOPs of one step (of one sequence where the global batch is not known: then ``per_step`` and
    its parts are None).  ``forward + backward = per_step``; ``recompute`` and ``padding`` (executed
    on positions that hold no token) come on top.  ``per_token`` is the mean over tokens."""

    per_token: float
    per_step: int | None
    forward: int | None
    backward: int | None
    recompute: int | None
    padding: int | None
    components: dict[str, ComponentFlops]
    hardware_per_token: float
    """(per_step + recompute + padding) ÷ tokens."""


class Throughput(msgspec.Struct, frozen=True, kw_only=True):
    """What the measured quantity means in all the others; None where an input is missing."""

    step_time_s: float | None = None
    tokens_per_s: float | None = None
    tokens_per_s_per_device: float | None = None
    tflops_per_device: float | None = None


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What ``evaluate`` returns.  Utilizations are fractions.

    A hardware convention leaves ``mfu`` None.  An MFU above 1 leaves ``mfu`` None and sets
    ``implied_mfu``, with the warning ``mfu_above_one``.
    """

    convention: ConventionChoice
    convention_kind: Literal["model", "hardware"]
    parameters: Parameters
    flops: Flops
    throughput: Throughput
    peak_tflops_per_device: float
    mfu: float | None = None
    hfu: float | None = None
    implied_mfu: float | None = None
    tokens_per_step: int | None = None
    warnings: tuple[Notice, ...] = ()
