"""nanochat: "step 00120/21400 (0.56%) | loss: 5.12 | dt: 474.90ms | tok/sec: 1,103,997 | mfu: 48.84 | …".

tok/sec is that of all GPUs; mfu is in percent, without a sign.
"""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, Field
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

FORMAT = Format(
    id="nanochat", name="nanochat", literals=(b"| tok/sec:", b"| dt:"), weight=60,
    averages={"step_time_s": "instant", "tokens_per_s": "instant", "mfu": "instant", "loss": "running"},
    reader=lines(LineFormat(
        start=re.compile(rb"step \d+(?:/\d+)? +\(\d+\.\d+%\) +\|"),
        fields=(
            RANKS,
            Field("step", rb"step ", value=rb"\d+", end=rb"(?=[/ ])"),
            Field("loss", rb"\| loss:\s*"),
            Field("step_time_s", rb"\| dt:\s*", per=1000.0, end=rb"(?=ms)"),
            Field("tokens_per_s", rb"\| tok/sec:\s*"),
            Field("mfu", rb"\| (?:bf16_)?mfu:\s*", per=100.0),
        ),
        needs=("step_time_s", "tokens_per_s"))))
