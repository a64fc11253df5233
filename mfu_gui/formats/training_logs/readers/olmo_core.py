"""OLMo-core: "[step=120/1000,epoch=1,…]" and, on the lines below, "throughput/device/TPS=7,000" and the like.

TPS is of one device, divided by the degree of parallelism; MFU is in percent, attention in full; BPS counts
batches.  What says "actual avg" is the mean since the start and is not read.
"""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, SCALED, Field, iso_stamp, scaled
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat


def _field(column: str, key: bytes, per: float = 1.0) -> Field:
    return Field(column, key + rb"=\s*", per=per, value=SCALED, convert=scaled)


FORMAT = Format(
    id="olmo-core", name="OLMo-core", literals=(b"throughput/device/",), weight=60, convention="olmo-core",
    averages={"steps_per_s": "interval", "loss": "interval"},
    reader=lines(LineFormat(
        start=re.compile(rb"\[step=\d+/\d+"), many_lines=True,
        fields=(
            RANKS, iso_stamp(rb"^[\[ ]*"),
            Field("step", rb"\[step=", value=rb"\d+", end=rb"(?=/)"),
            _field("loss", rb"train/CE loss"),
            _field("tokens_per_s_per_device", rb"throughput/device/TPS"),
            _field("mfu", rb"throughput/device/MFU", per=100.0),
            _field("steps_per_s", rb"throughput/device/BPS"),
        ),
        needs=("tokens_per_s_per_device", "steps_per_s"))))
