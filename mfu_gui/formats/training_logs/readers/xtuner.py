"""XTuner v1: "Step 20/1000 data_time: 0.0100 … time: 4.0000 text_tokens: 16384.0 … tgs: 4096.0 e2e_tgs: 4000.0".

Every rank prints its own step: tokens, time and tgs are of that rank.  e2e_tgs counts from the start.
"""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, Field, iso_stamp
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

FORMAT = Format(
    id="xtuner", name="XTuner", literals=(b"e2e_tgs:", b" tgs:"), weight=70,
    averages={"step_time_s": "one_rank", "tokens_per_device": "one_rank", "tokens_per_s_per_device": "one_rank",
              "loss": "instant"},
    reader=lines(LineFormat(
        start=re.compile(rb"Step \d+/\d+ +data_time:"),
        fields=(
            RANKS, iso_stamp(rb"\["),
            Field("step", rb"Step ", value=rb"\d+", end=rb"(?=/)"),
            Field("step_time_s", rb" time:\s*"),
            Field("tokens_per_device", rb"text_tokens:\s*"),
            Field("tokens_per_s_per_device", rb" tgs:\s*"),
            Field("loss", rb"reduced_llm_loss:\s*"),
            Field("loss", rb"total_loss:\s*"),
        ),
        needs=("step_time_s",))))
