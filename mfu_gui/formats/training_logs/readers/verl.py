"""verl: "step:12 - perf/mfu/actor:0.412 - perf/time_per_step:90.000 - perf/throughput:1820.444 - …".

The MFU is a fraction and that of the update phase alone; the throughput is that of the whole step, generation
included, of one GPU.  A GPU that verl does not know gives an MFU of 0.
"""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import Field
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

_NUMPY = rb":(?:np\.\w+\()?"

FORMAT = Format(
    id="verl", name="verl", literals=(b"perf/time_per_step:", b"timing_s/step:", b"perf/throughput:"), weight=70,
    convention="verl", remarks=("log_mfu_of_update_phase",),
    averages=dict.fromkeys(("step_time_s", "tokens", "tokens_per_s_per_device", "mfu", "loss"), "instant"),
    reader=lines(LineFormat(
        start=re.compile(rb"step:\d+\s+- "), many_lines=True,
        fields=(
            Field("step", rb"step:", value=rb"\d+", end=rb"(?=\s)"),
            Field("step_time_s", rb"perf/time_per_step" + _NUMPY),
            Field("step_time_s", rb"timing_s/step" + _NUMPY),
            Field("tokens", rb"perf/total_num_tokens" + _NUMPY),
            Field("tokens_per_s_per_device", rb"perf/throughput" + _NUMPY),
            Field("mfu", rb"perf/mfu/actor" + _NUMPY),
            Field("loss", rb"actor/pg_loss" + _NUMPY),
        ),
        needs=("step_time_s", "tokens_per_s_per_device"))))
