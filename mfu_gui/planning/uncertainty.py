"""How sure a mean of steps is."""

from __future__ import annotations

from math import sqrt

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.fields import N_
from mfu_gui.planning.formula import formula


def _correlation_below_one(step_deviation: float, steps: int, correlation: float = 0.0) -> tuple[Notice, ...]:
    if correlation < 1:
        return ()
    return (Notice("out_of_range", "correlation", {"value": correlation, "maximum": 1}),)


@formula("U1.sem", expression="σ ÷ √(k·(1 − ρ)/(1 + ρ))", basis="model", source="standard error of a mean; AR(1) steps",
         domain=_correlation_below_one)
def relative_error_of_mean(step_deviation: float, steps: int, correlation: float = 0.0) -> float:
    """Relative standard error of the mean of ``steps`` whose relative deviation is ``step_deviation``;
    neighbouring steps correlate by ``correlation``."""
    return step_deviation / sqrt(steps * (1.0 - correlation) / (1.0 + correlation))


@formula("U2.warmup_bias", expression=N_("(first step ÷ steady step − 1) ÷ steps"), basis="exact",
         source="definition of a mean")
def warmup_bias(steady_s: float, first_step_s: float, steps: int) -> float:
    """Relative overstatement of the step time when the first step of ``steps`` is kept."""
    return (first_step_s / steady_s - 1.0) / steps
