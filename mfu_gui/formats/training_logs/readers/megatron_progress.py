"""Megatron's progress.txt: one tab-separated line for each checkpoint.

"Job throughput" is the mean since the job began, "Cumulative throughput" since training began, both in
TFLOP/s of one GPU; tokens are in billions, with two decimals.
"""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import Field, iso_stamp
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

FORMAT = Format(
    id="megatron-progress", name="Megatron progress.txt", literals=(b"Job throughput: ",), weight=60,
    convention="megatron-lm", averages={"tflops_per_device": "cumulative"},
    reader=lines(LineFormat(
        start=re.compile(rb"Iteration: *\d+\tJob throughput:"),
        fields=(
            iso_stamp(rb"^"),
            Field("devices", rb"# GPUs:\s*"),
            Field("step", rb"Iteration:\s*"),
            Field("tflops_per_device", rb"Job throughput:\s*"),
            Field("total_tokens", rb"Tokens \(in billions\):\s*", per=1e-9),
        ),
        needs=("tflops_per_device",))))
