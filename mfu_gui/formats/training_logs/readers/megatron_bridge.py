"""The line that Megatron-Bridge prints before Megatron's.

"GPU utilization" in it is a rate in TFLOP/s, no percentage.
"""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, Field
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

FORMAT = Format(
    id="megatron-bridge", name="Megatron-Bridge", literals=(b"GPU utilization:",), weight=40,
    part_of=("megatron-lm",), convention="megatron-bridge", remarks=("log_without_step_numbers",),
    reader=lines(LineFormat(
        start=re.compile(rb"Step Time : *[\d.]+s"),
        fields=(
            RANKS,
            Field("step_time_s", rb"Step Time :\s*", end=rb"(?=s\b)"),
            Field("tflops_per_device", rb"GPU utilization:\s*", end=rb"(?=\s*MODEL_TFLOP/s/GPU)"),
        ),
        needs=("step_time_s",))))
