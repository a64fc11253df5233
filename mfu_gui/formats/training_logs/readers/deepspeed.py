"""DeepSpeed's engine: "global_step=50, RunningAvgSamplesPerSec=15.90, CurrSamplesPerSec=16.00, …".

Both are samples per second of all GPUs; the first is the mean since the start and is not read.
"""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, Field, iso_stamp
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

FORMAT = Format(
    id="deepspeed", name="DeepSpeed", literals=(b"SamplesPerSec=",), weight=50,
    part_of=("megatron-deepspeed", "gpt-neox", "hf-trainer", "llama-factory", "ms-swift"),
    reader=lines(LineFormat(
        start=re.compile(rb"RunningAvgSamplesPerSec="),
        fields=(
            RANKS, iso_stamp(rb"\["),
            Field("step", rb"global_step=", value=rb"\d+"),
            Field("step", rb"\] +\d+/", value=rb"\d+"),
            Field("samples_per_s", rb"CurrSamplesPerSec="),
        ),
        needs=("samples_per_s",))))
