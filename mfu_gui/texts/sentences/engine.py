"""What the calculation refuses or remarks."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

SENTENCES: dict[str, str | tuple[str, ...]] = {
    "peak_missing": (
        N_("{hardware} has no known peak for {precision}; it has one for: {available}."),
        N_("{hardware} has no known peak for {precision}."),
        N_("The hardware has no known peak for this precision."),
    ),
    "mfu_above_one": (
        N_("The step would use {implied_mfu:percent} of the peak, more than there is. Likely causes: the peak is that of another precision or of half the devices, tokens are counted twice, or the time is not that of a whole step."),
        N_("The step would use more than the peak. Likely causes: the peak is that of another precision or of half the devices, tokens are counted twice, or the time is not that of a whole step."),
    ),
}
