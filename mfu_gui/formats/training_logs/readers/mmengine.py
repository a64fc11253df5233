"""MMEngine, as XTuner v0 prints it: "Iter(train) [  10/15000]  lr: …  eta: …  time: 0.0768  data_time: …"."""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, Field
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

FORMAT = Format(
    id="mmengine", name="XTuner v0, MMEngine", literals=(b"(train) [", b"(train)  ["), weight=50,
    averages={"step_time_s": "interval", "loss": "interval"},
    reader=lines(LineFormat(
        start=re.compile(rb"\(train\) +\["),
        fields=(
            RANKS,
            Field("step", rb"Iter\(train\) +\[ *", value=rb"\d+", end=rb"(?=/)"),
            Field("step", rb"Epoch\(train\) +\[\d+\]\[ *", value=rb"\d+", end=rb"(?=/)"),
            Field("step_time_s", rb"\btime:\s*"),
            Field("loss", rb"\bloss:\s*"),
        ),
        needs=("step_time_s",))))
