"""HardwareSpec: one accelerator, with its dense peaks and what a planner needs beside them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Positive = Annotated[float, msgspec.Meta(gt=0, le=1e9)]
Precision = Literal["bf16", "fp16", "fp8", "fp4", "int8", "tf32", "fp32"]
PRECISIONS: tuple[Precision, ...] = ("bf16", "fp16", "fp8", "fp4", "int8", "tf32", "fp32")


class HardwareSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One counted unit of an accelerator.

    ``peak_tflops`` maps a precision to the *dense* peak of one unit in TFLOP/s (int8: TOPS), with
    fp32 accumulation where a vendor separates the two.  ``framework_devices`` says how many devices
    a framework sees in one unit (MI250X: 2 dies).  Memory in GB as labelled and in GiB where known,
    bandwidths in GB/s (decimal), power in watts.
    """

    name: str = ""
    vendor: str = ""
    peak_tflops: dict[Precision, Positive]
    sparse_factor: Annotated[float, msgspec.Meta(ge=1, le=4)] | None = None
    """Ratio of the 2:4-sparse headline to the dense peak; None when the device has no sparse mode."""
    unit: str = "device"
    """What one preset unit is: device, card, chip, module, die."""
    framework_devices: Annotated[int, msgspec.Meta(ge=1, le=64)] = 1
    memory_gb: Positive | None = None
    memory_gib: Positive | None = None
    memory_bandwidth_gb_s: Positive | None = None
    scale_up_gb_s: Positive | None = None
    """Unidirectional bandwidth of the scale-up link of one unit."""
    scale_up_domain: Annotated[int, msgspec.Meta(ge=1)] | None = None
    scale_out_gbit_s: Positive | None = None
    devices_per_node: Annotated[int, msgspec.Meta(ge=1)] | None = None
    power_w: Positive | None = None
    price_per_hour_usd: Positive | None = None
