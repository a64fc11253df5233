"""Goodput of a run of any size: what failures, restarts and checkpoints leave of its wall time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.fields import N_
from mfu_gui.planning import goodput as rules
from mfu_gui.planning.formula import SECONDS_PER_HOUR, Basis, Figure
from mfu_gui.planning.spec import FailureSpec, PlanSpec


class Goodput(msgspec.Struct, frozen=True):
    """How a run loses time.  ``given`` replaces the model; without either nothing is lost."""

    given: float | None = None
    failures: FailureSpec | None = None
    devices_per_node: int = 8

    def mtbf_s(self, devices: float) -> float | None:
        """Seconds between failures of a run on ``devices``; None when no rate is known."""
        spec = self.failures
        if spec is None:
            return None
        if spec.mtbf_hours is not None:
            return spec.mtbf_hours * SECONDS_PER_HOUR
        if spec.device_mtbf_hours is not None:
            return rules.run_mtbf_hours(spec.device_mtbf_hours, devices) * SECONDS_PER_HOUR
        if spec.failures_per_node_day is not None:
            nodes = devices / self.devices_per_node
            return rules.mtbf_from_node_rate(spec.failures_per_node_day, nodes) * SECONDS_PER_HOUR
        return None

    def at(self, devices: float) -> float:
        """Share of the wall time that steps take."""
        if self.given is not None:
            return self.given
        mtbf_s = self.mtbf_s(devices)
        if mtbf_s is None or self.failures is None:
            return 1.0
        return rules.goodput(self.failures.checkpoint_s, self.failures.restart_s, mtbf_s,
                             self.interval_s(mtbf_s))

    def interval_s(self, mtbf_s: float) -> float:
        """Work between two checkpoints: as given, else Young's optimum."""
        spec = self.failures or FailureSpec()
        return spec.interval_s or rules.young_interval_s(spec.checkpoint_s, mtbf_s)

    def known(self) -> bool:
        """Whether anything says what is lost."""
        return self.given is not None or self.mtbf_s(1.0) is not None


def goodput_of(spec: PlanSpec, devices_per_node: int | None) -> Goodput:
    """The goodput that a plan describes."""
    return Goodput(spec.goodput, spec.failures, devices_per_node or 8)


def goodput_figures(goodput: Goodput, devices: float | None, seconds: float | None,
                    ) -> tuple[list[Figure], list[Notice]]:
    """Goodput, MTBF, both optimum intervals, losses and the failures to expect."""
    notices: list[Notice] = []
    basis: Basis = "model" if goodput.known() else "assumption"
    mtbf_s = goodput.mtbf_s(devices) if devices else None
    fraction = goodput.at(devices) if devices else goodput.given if goodput.known() else 1.0
    figure = Figure(key="fraction", label=N_("Goodput"), value=fraction, basis=basis)
    if mtbf_s is not None and goodput.given is None and goodput.failures is not None:
        numbers: dict[str, Any] = {"checkpoint_s": goodput.failures.checkpoint_s,
                                   "restart_s": goodput.failures.restart_s, "mtbf_s": mtbf_s,
                                   "interval_s": goodput.interval_s(mtbf_s)}
        figure = rules.goodput.figure("fraction", N_("Goodput"), **numbers)
        notices += figure.notices
    elif not goodput.known():
        notices.append(Notice("goodput_assumed", "plan.failures"))
    figures = [figure]
    if mtbf_s is not None and goodput.failures is not None:
        figures += _details(goodput, goodput.failures, mtbf_s, seconds)
    return figures, notices


def _details(goodput: Goodput, spec: FailureSpec, mtbf_s: float, seconds: float | None) -> Iterator[Figure]:
    interval = goodput.interval_s(mtbf_s)
    yield Figure(key="mtbf_hours", label=N_("Time between failures"), value=mtbf_s / SECONDS_PER_HOUR, unit="h",
                 basis="model", formula="G1.run_mtbf", expression=rules.run_mtbf_hours.expression)
    yield Figure(key="interval_s", label=N_("Work between checkpoints"), value=interval, unit="s",
                 basis="exact" if spec.interval_s else "model")
    numbers: dict[str, Any] = {"checkpoint_s": spec.checkpoint_s, "mtbf_s": mtbf_s}
    yield rules.young_interval_s.figure("young_s", N_("Young's interval"), **numbers)
    yield rules.daly_interval_s.figure("daly_s", N_("Daly's interval"), **numbers)
    period = interval + spec.checkpoint_s
    numbers = {"checkpoint_s": spec.checkpoint_s, "interval_s": interval}
    yield Figure(key="lost_to_checkpoints", label=N_("Lost to checkpoints"), basis="model",
                 value=spec.checkpoint_s / period if period else 0.0, expression="C ÷ (τ + C)", numbers=numbers)
    yield Figure(key="lost_to_failures", label=N_("Lost to failures"), basis="model",
                 value=min(1.0, (spec.restart_s + period / 2) / mtbf_s), expression="(R + (τ + C)/2) ÷ M",
                 numbers={**numbers, "restart_s": spec.restart_s, "mtbf_s": mtbf_s})
    yield Figure(key="failures", label=N_("Failures to expect"), value=None if seconds is None else seconds / mtbf_s,
                 basis="model", expression=N_("wall time ÷ time between failures"),
                 numbers={"seconds": seconds, "mtbf_s": mtbf_s})
