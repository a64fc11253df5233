"""modded-nanogpt: "step:126/1750 train_time:12432ms step_avg:98.67ms"; the time counts from the start."""

from __future__ import annotations

import re

from mfu_gui.formats.training_logs.fields import RANKS, Field
from mfu_gui.formats.training_logs.form import Format, lines
from mfu_gui.formats.training_logs.line_reader import LineFormat

FORMAT = Format(
    id="modded-nanogpt", name="modded-nanogpt", literals=(b" train_time:",), weight=60,
    averages={"elapsed_s": "cumulative"},
    reader=lines(LineFormat(
        start=re.compile(rb"step:\d+/\d+ "),
        fields=(
            RANKS,
            Field("step", rb"step:", value=rb"\d+", end=rb"(?=/)"),
            Field("elapsed_s", rb" train_time:", per=1000.0, end=rb"(?=ms)"),
            Field("loss", rb" (?:train_loss|val_loss):"),
        ),
        needs=("elapsed_s",))))
