"""nanoGPT: "iter 100: loss 4.0510, time 412.00ms, mfu 40.86%".

The time is one iteration.  ``mfu`` is an exponential mean (0.9 of the last, 0.1 of the new), of one GPU,
against 312 TFLOP/s; -100 % before the first.
"""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, Field
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

FORMAT = Format(
    id="nanogpt", name="nanoGPT", literals=(b", time ",), weight=60, convention="nanogpt",
    averages={"step_time_s": "instant", "mfu": "running", "loss": "instant"}, remarks=("log_mfu_is_running",),
    reader=lines(LineFormat(
        start=re.compile(rb"iter \d+: loss"),
        fields=(
            RANKS,
            Field("step", rb"iter ", value=rb"\d+", end=rb"(?=:)"),
            Field("loss", rb": loss\s+"),
            Field("step_time_s", rb", time\s+", per=1000.0, end=rb"(?=ms)"),
            Field("mfu", rb", mfu\s+", per=100.0, end=rb"(?=%)"),
        ),
        needs=("step_time_s",))))
