"""torchtitan: "step: 10  loss:  7.80  memory: 60.10GiB(76.00%)  tps: 5,760  tflops: 333.58  mfu: 33.73%".

tps and tflops are of one device and already divided by the part of the devices that is not data parallel.
Attention is counted in full.  Lines of 2024 have no tflops, the oldest say wps.  All means of the interval.
"""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, Field, iso_stamp
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

FORMAT = Format(
    id="torchtitan", name="torchtitan", literals=(b"tps:", b"wps:"), weight=70, convention="torchtitan",
    reader=lines(LineFormat(
        start=re.compile(rb"step: (?<!validate step: ) *\d+ +loss:"),
        fields=(
            RANKS, iso_stamp(rb""),
            Field("step", rb"step:\s*", value=rb"\d+"),
            Field("loss", rb"\bloss:\s*"),
            Field("tokens_per_s_per_device", rb"\b[tw]ps:\s*"),
            Field("tflops_per_device", rb"\btflops:\s*"),
            Field("mfu", rb"\bmfu:\s*", per=100.0),
        ),
        needs=("tokens_per_s_per_device",))))
