"""nanotron: "iteration: 20 / 10000 | time_per_iteration_ms: 8K | tokens_per_sec: 262K | …".

Three significant digits, K is 1000.  ``global_batch_size`` counts samples in old lines and tokens in new ones,
where the time is called ``time_per_iteration_ms``.
"""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, SCALED, Field, scaled, short_stamp
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat


def _field(column: str, key: bytes, per: float = 1.0) -> Field:
    return Field(column, key + rb":\s*", per=per, value=SCALED, convert=scaled)


FORMAT = Format(
    id="nanotron", name="nanotron", literals=(b"time_per_iteration_ms:",), weight=60, convention="nanotron",
    remarks=("log_three_digits",),
    reader=lines(LineFormat(
        start=re.compile(rb"iteration: \d+ / \d+ \|"),
        fields=(
            RANKS, short_stamp(rb"^[^\d\n]*", rb"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d"),
            Field("step", rb"iteration: ", value=rb"\d+"),
            _field("step_time_s", rb"time_per_iteration_ms", per=1000.0),
            _field("tokens_per_s", rb"tokens_per_sec"),
            _field("tokens_per_s_per_device", rb"tokens_per_sec_per_gpu"),
            _field("global_batch", rb"elapsed_time_per_iteration_ms[^\n]*?global_batch_size"),
            _field("tokens", rb" time_per_iteration_ms[^\n]*?global_batch_size"),
            _field("tflops_per_device", rb"model_tflops_per_gpu"),
            _field("hardware_tflops_per_device", rb"hardware_tflops_per_gpu"),
            _field("loss", rb"lm_loss"),
        ),
        needs=("step_time_s",))))
