"""Captions of what can be done about a slip, short enough for a button; see `mfu_gui.engine.mends`."""

from __future__ import annotations

from typing import Any

from mfu_gui.texts.marking import N_
from mfu_gui.texts.translation import Translator

CAPTIONS: dict[str, str] = {
    "tokens_of_all_devices": N_("It is of all devices"),
    "tokens_of_one_device": N_("It is of one device"),
    "tflops_of_all_devices": N_("Divide by {devices:integer} devices"),
    "devices": N_("{devices:integer} devices"),
    "step_time": N_("{seconds:duration} per step"),
    "global_batch": N_("Global batch {batch:integer}"),
    "exact_causal": N_("Count exactly, causal"),
    "peak": N_("Peak {peak:short4} TFLOP/s"),
    "precision": N_("Precision {precision}"),
    "dense_peak": N_("Dense peak"),
    "sparse_peak": N_("Sparse peak"),
    "sequence_length": N_("{length:integer} tokens"),
    "prediction_depths": N_("Count the extra depths"),
    "no_recompute": N_("No recomputation"),
    "count_dies": N_("Count dies"),
}


def caption(code: str, values: dict[str, Any], tr: Translator) -> str:
    """What stands on the button of a mend."""
    return tr(CAPTIONS[code], **values)
