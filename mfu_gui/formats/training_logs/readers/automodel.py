"""NeMo Automodel: tokens/s of all GPUs, with those of one in brackets; no time.  Label tokens leave out masked ones."""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, Field, iso_stamp
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

FORMAT = Format(
    id="nemo-automodel", name="NeMo Automodel", literals=(b"/gpu)",), weight=70,
    averages={"tokens_per_s": "instant", "tokens_per_s_per_device": "instant"},
    reader=lines(LineFormat(
        start=re.compile(rb"step \d+ \| epoch \d+ \|"),
        fields=(
            RANKS, iso_stamp(rb"^[\[ ]*"),
            Field("step", rb"step ", value=rb"\d+", end=rb"(?= \|)"),
            Field("loss", rb"\| loss "),
            Field("tokens_per_s", rb"\| tps ", end=rb"(?=\()"),
            Field("tokens_per_s_per_device", rb"\| tps [\d.,eE+]+\(", end=rb"(?=/gpu\))"),
        ),
        needs=("tokens_per_s",))))
