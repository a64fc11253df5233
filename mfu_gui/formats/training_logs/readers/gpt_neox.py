"""GPT-NeoX: samples/s, milliseconds, "approx flops per GPU" (hardware FLOPs), MFU and HFU where a peak is set."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable

from mfu_gui.formats.training_logs.fields import RANKS, Field, iso_stamp
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat
from mfu_gui.formats.training_logs.readers.megatron import BAR, LOSS, STEP, TIME
from mfu_gui.formats.training_logs.values import number

_PREFIXES = {b"KFLOPS": 1e-9, b"MFLOPS": 1e-6, b"GFLOPS": 1e-3, b"TFLOPS": 1.0, b"PFLOPS": 1e3, b"EFLOPS": 1e6}


def _tflops(texts: Iterable[bytes]) -> array[float]:
    return array("d", (number(text[:-6]) * _PREFIXES.get(text[-6:], float("nan")) for text in texts))


FORMAT = Format(
    id="gpt-neox", name="GPT-NeoX", literals=(b"samples/sec: ", b"approx flops per GPU"), weight=85,
    convention="gpt-neox", remarks=("log_tflops_with_recompute",),
    reader=lines(LineFormat(
        start=re.compile(rb"samples/sec: +[\d.]+ *\|"),
        fields=(
            RANKS, iso_stamp(rb"\["), STEP, TIME, LOSS,
            Field("samples_per_s", rb"samples/sec:\s*", end=BAR),
            Field("hardware_tflops_per_device", rb"approx flops per GPU:\s*", value=rb"[\d.]+[KMGTPE]FLOPS", end=BAR,
                  convert=_tflops),
            Field("mfu", rb"\| MFU:\s*", per=100.0, end=rb"(?=%)"),
            Field("hfu", rb"\| HFU:\s*", per=100.0, end=rb"(?=%)"),
        ),
        needs=("step_time_s",))))
