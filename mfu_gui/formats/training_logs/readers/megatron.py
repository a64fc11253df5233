"""Megatron-LM and what prints its line: Megatron-Bridge, MindSpeed-LLM, Pai-Megatron-Patch, FlagScale, Megatron-LLM.

The time is the mean of the log interval, in milliseconds; TFLOP/s are model FLOPs of one GPU, causal.
"""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import PLAIN, RANKS, Field, iso_stamp
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

BAR = rb"(?=\s*\|)"
STEP = Field("step", rb"iteration\s+", value=rb"\d+", end=rb"(?=/)")
TIME = Field("step_time_s", rb"elapsed time per iteration \(ms\):\s*", per=1000.0, end=BAR)
BATCH = Field("global_batch", rb"global batch size:\s*", end=BAR)
LOSS = Field("loss", rb"lm[ _]loss:\s*", end=BAR)

FORMAT = Format(
    id="megatron-lm", name="Megatron-LM", literals=(b"iteration ",), weight=80,
    part_of=("megatron-deepspeed", "gpt-neox"), convention="megatron-lm",
    reader=lines(LineFormat(
        start=re.compile(rb"iteration +\d+/ *\d+ *\|"),
        fields=(
            RANKS, iso_stamp(rb"\["), STEP, TIME, BATCH, LOSS,
            Field("total_samples", rb"consumed samples:\s*", value=PLAIN, end=BAR),
            Field("tflops_per_device", rb"throughput per GPU \(TFLOP/s/GPU\):\s*", end=BAR),
            Field("tflops_per_device", rb"throughput \(TFLOP/s/GPU\):\s*", end=BAR),
            Field("tokens_per_s_per_device", rb"tokens per gpu per second \(tgs\):\s*", end=BAR),
            Field("tokens_per_s_per_device", rb"throughput \(token/sec/GPU\):\s*", end=BAR),
        ),
        needs=("step_time_s",))))
