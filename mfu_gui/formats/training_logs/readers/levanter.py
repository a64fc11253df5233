"""Levanter's progress bar: "Progress on:train 1.20kit/10.0kit rate:1.5it/s … elapsed:13:20 postfix:loss=3.12".

Three digits of the step, and a rate that is a running mean; its exact figures are in Weights & Biases.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable

from mfu_gui.formats.training_logs.fields import SCALED, Field, scaled
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat
from mfu_gui.formats.training_logs.values import NAN, number

_RATE = re.compile(rb"([\d.]+)([kM]?)(it/s|s/it)")


def _steps_per_s(texts: Iterable[bytes]) -> array[float]:
    return array("d", map(_rate, texts))


def _rate(text: bytes) -> float:
    match = _RATE.fullmatch(text)
    value = number(match[1] + match[2].upper()) if match else 0.0
    if match is None or value <= 0:
        return NAN
    return value if match[3] == b"it/s" else 1 / value


FORMAT = Format(
    id="levanter", name="Levanter", literals=(b"Progress on:",), weight=50, convention="levanter",
    averages={"steps_per_s": "running", "loss": "instant"},
    remarks=("log_three_digits",),
    reader=lines(LineFormat(
        start=re.compile(rb"Progress on: ?(?:train)? *[\d.]+[kM]?it/"),
        fields=(
            Field("step", rb"Progress on: ?(?:train)? *", value=SCALED.replace(b"KMBGTP", b"kKM"), end=rb"(?=it/)",
                  convert=scaled),
            Field("steps_per_s", rb"rate: *", value=rb"[\d.]+[kM]?(?:it/s|s/it)", end=rb"(?=\s)", convert=_steps_per_s),
            Field("loss", rb"loss="),
        ),
        needs=("steps_per_s",))))
