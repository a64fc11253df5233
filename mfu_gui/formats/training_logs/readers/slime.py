"""slime and miles: "perf 12: {'perf/actor_train_time': …, 'perf/actor_train_tflops': …, 'perf/step_time': …}".

TFLOP/s and MFU are those of the training phase alone; the step also generates and waits.
"""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import Field, iso_stamp
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

FORMAT = Format(
    id="slime", name="slime", literals=(b"perf/actor_train_time", b"perf/step_time"), weight=60,
    convention="slime", remarks=("log_mfu_of_update_phase",),
    averages=dict.fromkeys(("step_time_s", "tflops_per_device", "mfu"), "instant"),
    reader=lines(LineFormat(
        start=re.compile(rb"perf \d+: \{"),
        fields=(
            iso_stamp(rb"\["),
            Field("step", rb"perf ", value=rb"\d+", end=rb"(?=: )"),
            Field("step_time_s", rb"'perf/step_time':\s*"),
            Field("step_time_s", rb"'perf/train_time':\s*"),
            Field("tflops_per_device", rb"'perf/actor_train_tflops':\s*"),
            Field("mfu", rb"'perf/mfu/actor_train':\s*"),
        ),
        needs=("step_time_s", "tflops_per_device"))))
