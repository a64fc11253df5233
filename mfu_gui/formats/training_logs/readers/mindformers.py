"""MindFormers: one record over two lines, the second with samples/s of one NPU.

``per_step_time`` is in milliseconds; ``train_throughput_per_npu`` in TFLOP/s, absent where the count failed.
Steps are counted within an epoch.
"""

from __future__ import annotations

import re
from array import array

from mfu_gui.formats.training_logs.columns import Batch
from mfu_gui.formats.training_logs.fields import RANKS, Field, iso_stamp
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat


def _over_epochs(batch: Batch) -> Batch:
    epochs, sizes = batch.pop("epoch", None), batch.pop("steps_of_epoch", None)
    if epochs is not None and sizes is not None and "step" in batch:
        batch["step"] = array("d", (
            step + (epoch - 1) * size for step, epoch, size in zip(batch["step"], epochs, sizes, strict=True)))
    return batch


FORMAT = Format(
    id="mindformers", name="MindFormers", literals=(b"per_step_time:",), weight=70,
    averages=dict.fromkeys(("step_time_s", "tflops_per_device", "samples_per_s_per_device", "loss"), "instant"),
    reader=lines(LineFormat(
        start=re.compile(rb"Epoch:\[ *\d+/ *\d+\], step:\["), many_lines=True, finish=_over_epochs,
        fields=(
            RANKS, iso_stamp(rb"^[\[ ]*"),
            Field("epoch", rb"Epoch:\[ *", value=rb"\d+", end=rb"(?=/)"),
            Field("step", rb"step:\[ *", value=rb"\d+", end=rb"(?=/)"),
            Field("steps_of_epoch", rb"step:\[ *\d+/ *", value=rb"\d+", end=rb"(?=\])"),
            Field("loss", rb"\bloss: ?\[? *", end=rb"(?=[,/\]])"),
            Field("step_time_s", rb"per_step_time:\s*", per=1000.0, end=rb"(?=ms)"),
            Field("tflops_per_device", rb"train_throughput_per_npu:\s*", end=rb"(?=T)"),
            Field("samples_per_s_per_device", rb"[ |]", end=rb"(?= samples/s/p)"),
        ),
        needs=("step_time_s",))))
