"""The geometry of the plot on both scales, zoom, and MFU against other inputs than the time."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.fields import BY_KEY
from mfu_gui.engine.run import Measured, RunSpec
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.against import AXES, against, doublings, values_around
from mfu_gui.formats.curve import Curve, Range, log_range_of, marks_of, range_of, table, utilization_marks, zoomed
from mfu_gui.formats.presets import PresetStore

STORE = PresetStore()
SCENARIO = Scenario(
    model=STORE.model("llama-3.1-8b").spec, hardware=STORE.hardware("nvidia-h100-sxm5-80gb").spec,
    run=RunSpec(sequence_length=8192, devices=128, global_batch=256, recompute="full",
                measured=Measured(step_time_s=2.923)))
CURVES = st.builds(lambda full, ratio: Curve("step_time_s", full, full * 1.1, full * 0.9, full * 1.2, full * ratio,
                                             1 / ratio),
                   st.floats(1e-6, 1e6), st.floats(1.0, 200.0))


@given(CURVES)
def test_a_logarithmic_range_holds_the_curve_and_the_point(curve: Curve) -> None:
    span = log_range_of(curve)
    assert span.start <= curve.full <= span.end
    assert span.start <= (curve.time or 0) <= span.end
    assert 0 < span.floor <= (curve.low or 0) / span.end
    assert span.time(span.x(curve.full)) == pytest.approx(curve.full)
    # The hyperbola is a straight line there.
    ys = [span.y(curve.at(time)) for time in (span.start, math.sqrt(span.start * span.end), span.end)]
    assert ys[1] == pytest.approx((ys[0] + ys[2]) / 2, abs=1e-9)
    assert 2 <= len(marks_of(span)) <= 16
    assert utilization_marks(span, 5)[-1] == 1.0


@given(CURVES, st.floats(0.2, 5.0), st.booleans())
def test_zooming_keeps_the_place_and_can_be_undone(curve: Curve, factor: float, log: bool) -> None:
    span = log_range_of(curve) if log else range_of(curve)
    about = curve.full * 1.5
    near = zoomed(span, about, factor, curve)
    assert near.log is log

    def share(given: Range) -> float:
        return (given.x(about) - given.x(given.start)) / (given.x(given.end) - given.x(given.start))

    if near.start > 0 and span.start > 0:
        assert share(near) == pytest.approx(share(span), abs=1e-6)
        back = zoomed(near, about, 1 / factor, curve)
        assert (back.start, back.end) == pytest.approx((span.start, span.end), rel=1e-6)
    assert all(near.start * (1 - 1e-6) <= mark <= near.end * (1 + 1e-6) for mark in marks_of(near))


def test_zooming_stops_before_the_range_is_nothing() -> None:
    curve = Curve("step_time_s", 1.0, None, None, None, 2.0, 0.5)
    span = range_of(curve)
    for _ in range(200):
        span = zoomed(span, 2.0, 0.5, curve)
    assert span.end > span.start
    assert len(table(curve, span)) >= 1


@pytest.mark.parametrize("key", AXES)
def test_every_spot_is_an_evaluation_of_its_own(key: str) -> None:
    line = against(SCENARIO, key)
    assert line is not None
    assert line.known == "step_time_s"
    assert line.here is not None
    result = evaluate(SCENARIO)
    assert (line.here.utilization, line.here.hfu) == (result.mfu, result.hfu)
    for spot in line.spots[::6]:
        found = evaluate(BY_KEY[key].set(SCENARIO, spot.value))
        assert spot.utilization == (found.mfu if found.mfu is not None else found.implied_mfu)
        assert found.throughput.step_time_s == spot.step_time_s == 2.923


def test_what_was_measured_stays_so_laws_are_plain() -> None:
    by_devices, by_batch = against(SCENARIO, "run.devices"), against(SCENARIO, "run.global_batch")
    assert by_devices is not None
    assert by_batch is not None
    for spot in by_devices.spots:
        assert spot.utilization * spot.value == pytest.approx(by_devices.here.utilization * 128)  # type: ignore[union-attr]
    for spot in by_batch.spots:
        assert spot.utilization / spot.value == pytest.approx(by_batch.here.utilization / 256)  # type: ignore[union-attr]
    rate = Measured(tokens_per_s_per_device=5605.0)
    by_length = against(replace(SCENARIO, run=replace(SCENARIO.run, measured=rate)), "run.sequence_length")
    assert by_length is not None
    rising = [spot.utilization for spot in by_length.spots]
    assert rising == sorted(rising)  # a token of a longer sequence has more attention


def test_nothing_to_draw_without_a_value_or_a_measurement() -> None:
    assert against(replace(SCENARIO, run=replace(SCENARIO.run, measured=None)), "run.devices") is None
    alone = replace(SCENARIO.run, global_batch=None, measured=Measured(tokens_per_s_per_device=5605.0))
    assert against(replace(SCENARIO, run=alone), "run.global_batch") is None


@given(st.integers(1, 10**6))
def test_values_are_whole_rising_and_hold_the_present_one(present: int) -> None:
    values = values_around(present)
    assert values == sorted(set(values))
    assert present in values
    assert values[-1] == present * 16
    assert present in doublings(present)
    assert set(doublings(present)) <= {*values, *doublings(present)}
