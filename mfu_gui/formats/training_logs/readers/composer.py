"""Composer and llm-foundry: "[batch=100/1000]:" and, on the lines below, "Train throughput/…: value".

Rolling means over 100 batches, and nothing before that.  MFU is a fraction, FLOP/s are plain, times hours.
"""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, Field
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

_RUNNING = ("steps_per_s", "tokens_per_s", "tokens_per_s_per_device", "samples_per_s", "tflops_per_device", "mfu")

FORMAT = Format(
    id="composer", name="Composer, llm-foundry", literals=(b"throughput/batches_per_sec",), weight=60,
    convention="llm-foundry", averages={**dict.fromkeys(_RUNNING, "running"), "loss": "instant"},
    reader=lines(LineFormat(
        start=re.compile(rb"batch=\d+/\d+\]:"), many_lines=True,
        fields=(
            RANKS,
            Field("step", rb"batch=", value=rb"\d+", end=rb"(?=/)"),
            Field("loss", rb"loss/train/total:\s*"),
            Field("steps_per_s", rb"\bthroughput/batches_per_sec:\s*"),
            Field("samples_per_s", rb"\bthroughput/samples_per_sec:\s*"),
            Field("tokens_per_s", rb"\bthroughput/tokens_per_sec:\s*"),
            Field("tokens_per_s_per_device", rb"throughput/device/tokens_per_sec:\s*"),
            Field("tflops_per_device", rb"throughput/device/flops_per_sec:\s*", per=1e12),
            Field("mfu", rb"throughput/device/mfu:\s*"),
        ),
        needs=("steps_per_s", "tokens_per_s", "tokens_per_s_per_device"))))
