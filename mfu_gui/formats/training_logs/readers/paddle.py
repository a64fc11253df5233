"""PaddleNLP and PaddleFormers: "global_step: 50, interval_runtime: 4.0, interval_samples_per_second: 16.0, …".

samples/s of all devices, tokens/s of one; TFLOP/s are hardware FLOPs.  ``interval_runtime`` is the time of all
steps since the last line.
"""

from __future__ import annotations

import re
from array import array

from mfu_gui.formats.training_logs.columns import Batch
from mfu_gui.formats.training_logs.fields import RANKS, Field, iso_stamp
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat


def _step_time(batch: Batch) -> Batch:
    """The time of the interval divided by its whole number of steps; the rate alone has fewer digits."""
    times, rates = batch.pop("interval_s", None), batch.get("steps_per_s")
    if times is not None and rates is not None:
        batch["step_time_s"] = array("d", (
            time / max(1, round(time * rate)) if 0 < time * rate < 1e9 else time
            for time, rate in zip(times, rates, strict=True)))
        del batch["steps_per_s"]
    return batch


FORMAT = Format(
    id="paddlenlp", name="PaddleNLP", literals=(b"interval_runtime:",), weight=70, convention="paddlenlp",
    remarks=("log_tflops_are_hardware",),
    reader=lines(LineFormat(
        start=re.compile(rb"interval_runtime:"), finish=_step_time,
        fields=(
            RANKS, iso_stamp(rb"\["),
            Field("step", rb"global_step:\s*", value=rb"\d+"),
            Field("loss", rb"(?<![\w])loss:\s*"),
            Field("interval_s", rb"interval_runtime:\s*"),
            Field("steps_per_s", rb"interval_steps_per_second:\s*"),
            Field("samples_per_s", rb"interval_samples_per_second:\s*"),
            Field("tokens_per_s_per_device", rb"interval_tokens_per_second_per_device:\s*"),
            Field("hardware_tflops_per_device", rb"interval_hardware_tflops_per_device:\s*"),
        ),
        needs=("interval_s",))))
