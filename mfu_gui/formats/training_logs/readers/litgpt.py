"""litgpt: "Epoch 1 | iter 400 step 100 | loss train: 6.120, val: n/a | iter time: 412.50 ms (step) …".

The time is that of one micro-batch; iterations divided by steps are the micro-batches of a step.
"""

from __future__ import annotations

import re
from array import array

from mfu_gui.formats.training_logs.columns import Batch
from mfu_gui.formats.training_logs.fields import RANKS, Field
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat
from mfu_gui.formats.training_logs.values import NAN

_MOST = 1e15


def _whole_steps(batch: Batch) -> Batch:
    iterations = batch.pop("iteration", None)
    steps, times = batch.get("step"), batch.get("step_time_s")
    if iterations is None or steps is None or times is None:
        return {}
    batch["step_time_s"] = array("d", (
        time * max(1, round(iteration / step)) if step >= 1 and iteration < _MOST else NAN
        for time, iteration, step in zip(times, iterations, steps, strict=True)))
    return batch


FORMAT = Format(
    id="litgpt", name="LitGPT", literals=(b"| iter time:",), weight=60, remarks=("log_time_of_micro_batch",),
    averages={"step_time_s": "instant", "loss": "running"},
    reader=lines(LineFormat(
        start=re.compile(rb"iter \d+ step \d+ \|"),
        fields=(
            RANKS,
            Field("iteration", rb"iter ", value=rb"\d+", end=rb"(?= step)"),
            Field("step", rb" step ", value=rb"\d+", end=rb"(?= \|)"),
            Field("loss", rb"loss train:\s*"),
            Field("step_time_s", rb"iter time:\s*", per=1000.0, end=rb"(?= *ms)"),
        ),
        needs=("step_time_s",), finish=_whole_steps)))
