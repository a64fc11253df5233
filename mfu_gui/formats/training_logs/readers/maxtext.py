"""MaxText: "completed step: 9, seconds: 8.000, TFLOP/s/device: 210.823, Tokens/s/device: 4096.000, …".

One step each.  The step 0 is slow and the next ones can be impossibly fast, because work is only queued then.
Lines of 2023 say "TFLOP/s:".
"""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, Field, short_stamp
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

FORMAT = Format(
    id="maxtext", name="MaxText", literals=(b"completed step: ",), weight=70, convention="maxtext",
    averages=dict.fromkeys(("step_time_s", "tflops_per_device", "tokens_per_s_per_device", "loss"), "instant"),
    reader=lines(LineFormat(
        start=re.compile(rb"completed step: \d+, "),
        fields=(
            RANKS, short_stamp(rb"\b[IWE]", rb"\d{4} \d\d:\d\d:\d\d\.\d+"),
            Field("step", rb"completed step:\s*", value=rb"\d+"),
            Field("step_time_s", rb", seconds:\s*"),
            Field("tflops_per_device", rb", TFLOP/s(?:/device)?:\s*"),
            Field("tokens_per_s_per_device", rb", Tokens/s/device:\s*"),
            Field("weighted_tokens", rb", total_weights:\s*"),
            Field("loss", rb", loss:\s*"),
        ),
        needs=("step_time_s",))))
