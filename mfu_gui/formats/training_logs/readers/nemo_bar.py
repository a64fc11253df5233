"""NeMo 1: a progress bar with "train_step_timing in s=4.100" behind it."""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, Field
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

FORMAT = Format(
    id="nemo-1", name="NeMo 1", literals=(b"train_step_timing in s=",), weight=70,
    averages={"step_time_s": "instant"},
    reader=lines(LineFormat(
        start=re.compile(rb"Epoch \d+: "),
        fields=(
            RANKS,
            Field("step", rb"global_step=\s*"),
            Field("step_time_s", rb"train_step_timing in s=\s*"),
            Field("total_samples", rb"consumed_samples=\s*"),
            Field("loss", rb"reduced_train_loss=\s*"),
        ),
        needs=("step_time_s",))))
