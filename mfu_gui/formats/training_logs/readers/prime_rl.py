"""prime-rl: "Step 10 | Time: 40.00s | Loss: 1.2 | … | Throughput: 1200 tokens/s | MFU: 5.0%"."""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, Field
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

FORMAT = Format(
    id="prime-rl", name="prime-rl", literals=(b" tokens/s | MFU:",), weight=60, convention="prime-rl",
    averages={"step_time_s": "instant", "tokens_per_s": "running", "mfu": "running", "loss": "instant"},
    reader=lines(LineFormat(
        start=re.compile(rb"tep \d+ \| Time:"),
        fields=(
            RANKS,
            Field("step", rb"[Ss]tep ", value=rb"\d+", end=rb"(?= \|)"),
            Field("step_time_s", rb"\| Time:\s*", end=rb"(?=s\b)"),
            Field("loss", rb"\| Loss:\s*"),
            Field("tokens_per_s", rb"\| (?:Throughput: )?", end=rb"(?= tokens/s)"),
            Field("mfu", rb"\| MFU:\s*", per=100.0, end=rb"(?=%)"),
        ),
        needs=("step_time_s",))))
