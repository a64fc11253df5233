"""OneFlow LiBai: "iteration: 19/10000  … time: 4.0000 s/iter … total_throughput: 1.00 samples/s"."""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, Field, short_stamp
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

FORMAT = Format(
    id="libai", name="LiBai", literals=(b" s/iter",), weight=60,
    averages={"step_time_s": "running", "samples_per_s": "running", "loss": "running"},
    reader=lines(LineFormat(
        start=re.compile(rb"iteration: \d+/\d+ +consumed_samples:"),
        fields=(
            RANKS, short_stamp(rb"^\[?", rb"\d\d/\d\d \d\d:\d\d:\d\d"),
            Field("step", rb"iteration: ", value=rb"\d+", end=rb"(?=/)"),
            Field("total_samples", rb"consumed_samples:\s*"),
            Field("loss", rb"total_loss:\s*"),
            Field("step_time_s", rb" time:\s*", end=rb"(?= *s/iter)"),
            Field("samples_per_s", rb"total_throughput:\s*", end=rb"(?= *samples/s)"),
        ),
        needs=("step_time_s",))))
