"""Megatron-DeepSpeed and the bigscience logs: Megatron's line with samples/s, tokens/s per GPU and TFLOPs.

TFLOPs count recomputation where activations are checkpointed (a factor of 4 instead of 3), so they are read
as hardware FLOPs.  ``actual seqlen`` is the length that a curriculum has reached.
"""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.columns import Batch
from mfu_gui.formats.training_logs.fields import RANKS, Field, iso_stamp
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat
from mfu_gui.formats.training_logs.readers.megatron import BAR, BATCH, LOSS, STEP, TIME


def _own(batch: Batch) -> Batch:
    """Nothing at all where no line has what only this format prints."""
    return batch if "hardware_tflops_per_device" in batch or "samples_per_s" in batch else {}


FORMAT = Format(
    id="megatron-deepspeed", name="Megatron-DeepSpeed", literals=(b"samples per second:", b"TFLOPs:"), weight=85,
    remarks=("log_tflops_with_recompute",),
    reader=lines(LineFormat(
        start=re.compile(rb"iteration +\d+/ *\d+ *\|"),
        fields=(
            RANKS, iso_stamp(rb"\["), STEP, TIME, BATCH, LOSS,
            Field("total_tokens", rb"consumed tokens:\s*", end=BAR),
            Field("sequence_length", rb"actual seqlen:\s*", end=BAR),
            Field("samples_per_s", rb"samples per second:\s*", end=BAR),
            Field("tokens_per_s_per_device", rb"tokens per gpu per second \(tgs\):\s*", end=BAR),
            Field("hardware_tflops_per_device", rb"\| TFLOPs:\s*", end=BAR),
        ),
        needs=("samples_per_s", "hardware_tflops_per_device"), finish=_own)))
