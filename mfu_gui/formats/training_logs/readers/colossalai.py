"""ColossalAI's evaluator: "Throughput: 16.00 samples/sec, TFLOPS per GPU by Megatron: 180.50, TFLOPS per GPU: 175.20".

One line at the end, or one a step.  FLOPs are hardware FLOPs: four passes where activations are checkpointed.
"""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, Field
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

FORMAT = Format(
    id="colossalai", name="ColossalAI", literals=(b"TFLOPS per GPU by Megatron:",), weight=60,
    convention="colossalai", remarks=("log_tflops_with_recompute", "log_without_step_numbers"),
    averages=dict.fromkeys(("samples_per_s", "hardware_tflops_per_device", "tokens_per_s_per_device"), "cumulative"),
    reader=lines(LineFormat(
        start=re.compile(rb"Throughput: +[\d.]+ +samples/sec"),
        fields=(
            RANKS,
            Field("samples_per_s", rb"Throughput:\s*", end=rb"(?= +samples/sec)"),
            Field("tokens_per_s_per_device", rb"tokens_per_second_per_device:\s*"),
            Field("hardware_tflops_per_device", rb"TFLOPS per GPU by Megatron:\s*"),
            Field("loss", rb"\bloss:\s*"),
        ),
        needs=("samples_per_s",))))
