"""NeMo 2: "Training epoch 0, iteration 20/99 | … | train_step_timing in s: 4.096 | TFLOPS_per_GPU: 3.86e+02"."""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, Field
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

FORMAT = Format(
    id="nemo-2", name="NeMo 2", literals=(b"Training epoch ",), weight=70, convention="nemo",
    averages={"step_time_s": "instant", "tflops_per_device": "instant"},
    reader=lines(LineFormat(
        start=re.compile(rb"Training epoch \d+, iteration \d+/\d+"),
        fields=(
            RANKS,
            Field("step", rb"global_step:\s*"),
            Field("step", rb"iteration ", value=rb"\d+", end=rb"(?=/)"),
            Field("step_time_s", rb"train_step_timing in s:\s*"),
            Field("global_batch", rb"global_batch_size:\s*"),
            Field("tflops_per_device", rb"TFLOPS_per_GPU:\s*"),
            Field("tokens_per_s_per_device", rb"tokens_per_sec_per_gpu:\s*"),
            Field("total_samples", rb"consumed_samples:\s*"),
            Field("loss", rb"reduced_train_loss:\s*"),
        ),
        needs=("step_time_s", "tokens_per_s_per_device"))))
