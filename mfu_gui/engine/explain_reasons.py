"""Explanation: what a reported number may mean; and what each of its assumptions costs in plausibility.

A cost is the number of halvings of plausibility: nothing for what the scenario says itself, about one
for another usual way of counting, two for a known mistake in a denominator or in what is divided by
what, three for a slip of units.  Costs of independent assumptions add up.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from mfu_gui.engine.field import N_
from mfu_gui.engine.hardware import Precision
from mfu_gui.engine.scenario import OptionValue

PeakWord = Literal["dense", "sparse", "measured", "typed", "framework", "fallback", "constant", "none"]
Scope = Literal["device", "die", "unit", "all_devices", "node", "replica", "per_replica", "accumulation"]
UnitSlip = Literal["binary_2", "binary_3", "binary_4", "decimal_2", "decimal_3", "decimal_4", "milliseconds",
                   "seconds", "macs", "doubled", "percent", "fraction"]

COSTS: dict[str, float] = {
    # How FLOPs are counted.
    "base": 0.5, "framework": 1.0, "own_quirk": 0.25, "quirk": 1.5, "more_quirks": 0.75, "dated": 0.5, "option": 0.25,
    "not_the_chosen_one": 1.5, "hardware_for_mfu": 1.0, "hardware_for_tflops": 0.5, "depths": 0.75,
    # Recomputation: HFU printed as MFU and the other way round.
    "run_recompute_for_mfu": 1.25, "other_recompute_for_mfu": 2.0, "recompute_for_hfu": 0.75, "none_for_hfu": 1.5,
    "recompute_for_tflops": 1.75,
    # What is divided by.
    "rounded_peak": 0.25, "sparse": 1.5, "low_precision": 1.6, "other_precision": 2.0, "framework_peak": 1.75,
    "fallback": 2.0, "constant": 2.0, "own_framework": -0.75,
    # Whose FLOPs over whose peak.
    "die": 1.25, "all_devices": 2.0, "node": 2.25, "replica": 2.25, "accumulation": 2.25,
    # Units.
    "binary": 2.75, "milliseconds": 3.5, "macs": 3.0, "percent": 2.5,
}
MOST_COST = 5.0
"""Less plausible explanations are not offered."""


class Reason(msgspec.Struct, frozen=True):
    """One assumption: a message id and the values that fill it.

    ``title``, ``option``, ``unit`` and ``recompute`` are message ids where they occur.
    """

    text: str
    values: dict[str, Any] = {}


TRANSLATED = frozenset({"title", "option", "recompute"})
"""Values of a reason that are message ids themselves."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """One combination of rules that gives the reported number within its printed digits.

    ``value`` is in the unit of what was reported (a fraction, or TFLOP/s), ``residual`` is
    value ÷ reported − 1, ``digits_match`` whether it rounds to the digits reported (another value does so
    only as far as the measured inputs were rounded), ``plausibility`` 2 to the power of minus the costs.
    ``recompute`` names what is executed again, None for nothing beyond what the convention has built in.
    """

    convention: str
    options: dict[str, OptionValue]
    title: str
    multi_token_prediction: int
    recompute: str | None
    peak_tflops: float | None
    peak_kind: PeakWord
    precision: Precision
    scope: Scope
    unit_slip: UnitSlip | None
    value: float
    residual: float
    digits_match: bool
    cost: float
    reasons: tuple[Reason, ...]

    @property
    def plausibility(self) -> float:
        """1 for what the scenario says itself."""
        return float(2.0 ** -self.cost)


RECOMPUTE_NAMES: dict[str, str] = {
    "run": N_("as the run says"), "selective": N_("scores and values once"), "full": N_("every layer once"),
    "full-with-head": N_("everything once"), "palm": N_("as PaLM: three quarters, scores and values once"),
    "korthikanti-printed": N_("scores and values three times"),
}
COUNTED_BY = N_("“{title}”")
WITH_OPTION = N_("{option}: {value}")
HARDWARE_FLOPS = N_("hardware FLOPs, recomputation included")
ALL_EXPERTS = N_("all experts in place of those a token uses")
RECOMPUTED_AS_MFU = N_("recomputed FLOPs included ({recompute}), which makes it an HFU")
RECOMPUTED = N_("recomputed FLOPs included ({recompute})")
NOT_RECOMPUTED = N_("no recomputed FLOPs, which makes it an MFU")
WITH_DEPTHS = N_("{depths} depth(s) of multi-token prediction counted")
WITHOUT_DEPTHS = N_("multi-token prediction not counted")
OVER_CHOSEN = N_("over the {precision} peak of {peak} TFLOP/s")
OVER_TYPED = N_("over {peak} TFLOP/s")
OVER_SPARSE = N_("over {peak} TFLOP/s, the peak with 2:4 sparsity, in which nothing is trained")
OVER_PRECISION = N_("over {peak} TFLOP/s, the {precision} peak, for a run in {run_precision}")
OVER_FRAMEWORK = N_("over {peak} TFLOP/s, the figure of {framework} for this device")
OVER_FALLBACK = N_("over {peak} TFLOP/s, the A100's peak that {framework} takes for a device it does not know")
OVER_CONSTANT = N_("over {peak} TFLOP/s, the constant of {framework} whatever the device is")
ALSO_SPARSE = N_("the peak with 2:4 sparsity is as large")
ALSO_PRECISION = N_("the {precision} peak is as large")
ALSO_FRAMEWORK = N_("it is the figure of {framework}, too")
ALSO = {OVER_SPARSE: ALSO_SPARSE, OVER_PRECISION: ALSO_PRECISION, OVER_FRAMEWORK: ALSO_FRAMEWORK}
"""How a peak is named beside another that is as large."""
DIE_OVER_UNIT = N_("one die over the peak of the whole {unit}")
UNIT_OVER_DIE = N_("the whole {unit} over the peak of one die")
ALL_OVER_ONE = N_("all {devices} devices over the peak of one")
NODE_OVER_ONE = N_("the {devices} devices of a node over the peak of one")
REPLICA_OVER_ONE = N_("the {devices} devices of a replica over the peak of one")
ONE_OVER_REPLICA = N_("the tokens of a replica taken for those of each of its {devices} devices, once more")
ONE_MICRO_BATCH = N_("one of {steps} accumulated micro-batches over the time of the whole step")
SLIPS: dict[UnitSlip, tuple[float, str, str]] = {
    "binary_2": (1 / 1.024**2, "binary", N_("1024² where 10⁶ is meant")),
    "binary_3": (1 / 1.024**3, "binary", N_("1024³ where 10⁹ is meant")),
    "binary_4": (1 / 1.024**4, "binary", N_("1024⁴ where 10¹² is meant")),
    "decimal_2": (1.024**2, "binary", N_("10⁶ where 1024² is meant")),
    "decimal_3": (1.024**3, "binary", N_("10⁹ where 1024³ is meant")),
    "decimal_4": (1.024**4, "binary", N_("10¹² where 1024⁴ is meant")),
    "milliseconds": (1e-3, "milliseconds", N_("seconds taken for milliseconds")),
    "seconds": (1e3, "milliseconds", N_("milliseconds taken for seconds")),
    "macs": (0.5, "macs", N_("multiply-adds counted once (MACs for FLOPs)")),
    "doubled": (2.0, "macs", N_("FLOPs taken for multiply-adds and doubled")),
    "percent": (100.0, "percent", N_("a percentage written as a fraction")),
    "fraction": (0.01, "percent", N_("a fraction written as a percentage")),
}
"""Factor on the value, name of the cost, sentence."""
