"""The change between two scenarios adds up from its fields, whatever the scenarios are."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from mfu_gui.engine.attribution import MOST_PARTS, QUANTITIES, Quantity, attribute, changed_keys, factors, value_of
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.fields import BY_KEY
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.run import Measured
from mfu_gui.engine.scenario import ConventionChoice, Peak, Scenario

from .strategies import models, runs, scenario

MEASURED = (
    st.builds(Measured, step_time_s=st.floats(0.01, 1e4)) | st.builds(Measured, tokens_per_s=st.floats(1, 1e9))
    | st.builds(Measured, tokens_per_s_per_device=st.floats(1, 1e6))
    | st.builds(Measured, tflops_per_device=st.floats(1, 1e4)) | st.builds(Measured, mfu=st.floats(0.01, 1)))


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Scenarios that differ in anything; not every mixture of two of them exists."""
    made = scenario(draw(models()), draw(runs()), convention=draw(st.sampled_from(["matmul-causal", "palm", "6n"])),
                    measured=draw(MEASURED))
    precision = draw(st.sampled_from(["bf16", "fp8"]))
    peaks = {"bf16": draw(st.floats(100, 1000)), precision: draw(st.floats(100, 2000))}
    run = replace(made.run, precision=precision, devices=draw(st.none() | st.just(made.run.devices))
                  if made.run.measured.tokens_per_s_per_device else made.run.devices)  # type: ignore[union-attr]
    return replace(made, run=run, hardware=HardwareSpec(peak_tflops=peaks),
                   peak=Peak(tflops=draw(st.none() | st.floats(100, 1000))))


@settings(max_examples=60, deadline=None)
@given(scenarios(), scenarios(), st.sampled_from(QUANTITIES))
def test_parts_add_up_and_turn_with_the_direction(first: Scenario, second: Scenario, quantity: Quantity) -> None:
    found = attribute(first, second, quantity)
    ends = [value_of(evaluate(each), quantity) for each in (first, second)]
    if found is None:
        assert None in ends
        return
    assert [found.before, found.after] == [Fraction(end) for end in ends if end is not None]
    assert found.before + sum(part.amount for part in found.parts) == found.after
    assert len(found.parts) <= MOST_PARTS
    assert sorted(key for part in found.parts for key in part.keys) == sorted(changed_keys(first, second))
    turned = attribute(second, first, quantity)
    assert turned is not None
    if [part.keys for part in turned.parts] == [part.keys for part in found.parts]:
        assert [part.amount for part in turned.parts] == [-part.amount for part in found.parts]


def base() -> Scenario:
    from mfu_gui.formats.presets import PresetStore

    store = PresetStore()
    made = scenario(store.model("llama-3-8b").spec, replace(_run(), devices=512), measured=Measured(step_time_s=2.0))
    return replace(made, hardware=store.hardware("nvidia-h100-sxm5-80gb").spec)


def _run():  # type: ignore[no-untyped-def]
    from mfu_gui.engine.run import RunSpec

    return RunSpec(sequence_length=8192, devices=512, global_batch=1024)


def test_one_field_is_the_whole_change() -> None:
    before = base()
    after = BY_KEY["run.devices"].set(before, 256)
    found = attribute(before, after)
    assert found is not None
    assert [(part.keys, part.amount) for part in found.parts] == [(("run.devices",), found.after - found.before)]
    assert found.after == 2 * found.before


def test_what_has_no_effect_gets_exactly_nothing() -> None:
    before = base()
    after = replace(before, run=replace(before.run, recompute="full", sequence_length=4096))
    found = attribute(before, after)
    assert found is not None
    assert {part.keys: bool(part.amount) for part in found.parts} == {
        ("run.sequence_length",): True, ("run.recompute",): False}
    executed = attribute(before, after, "hfu")
    assert executed is not None
    assert all(part.amount for part in executed.parts)


def test_the_parts_are_means_over_all_orders() -> None:
    """Written out for three fields, from results of the engine alone."""
    before = base()
    changes = {"run.devices": 256, "run.global_batch": 512, "run.measured.step_time_s": 1.5}
    after = before
    for key, value in changes.items():
        after = BY_KEY[key].set(after, value)
    expected = dict.fromkeys(changes, Fraction(0))
    for order in permutations(changes):
        here = before
        for key in order:
            there = BY_KEY[key].set(here, changes[key])
            expected[key] += Fraction(value_of(evaluate(there), "mfu")) / 6  # type: ignore[arg-type]
            expected[key] -= Fraction(value_of(evaluate(here), "mfu")) / 6  # type: ignore[arg-type]
            here = there
    found = attribute(before, after)
    assert found is not None
    assert [part.amount for part in found.parts] == list(expected.values())


def test_fields_of_a_model_are_told_apart_where_they_are_all_that_differs() -> None:
    before = base()
    after = BY_KEY["model.ffn_width"].set(BY_KEY["model.layers"].set(before, 40), 12288)
    assert changed_keys(before, after) == ("model.layers", "model.ffn_width")
    other = replace(after, model=replace(after.model, head=None))
    assert changed_keys(before, other) == ("model",)


def test_fields_without_mixtures_are_taken_together() -> None:
    """fp8 on a device that has none, and a step time without devices, do not exist."""
    before = base()
    old = HardwareSpec(peak_tflops={"bf16": 312.0})
    there = replace(before, hardware=HardwareSpec(peak_tflops={"fp8": 1979.0}),
                    run=replace(before.run, precision="fp8"))
    found = attribute(replace(before, hardware=old), there)
    assert found is not None
    assert [part.keys for part in found.parts] == [("hardware", "run.precision")]
    bare = replace(before, run=replace(before.run, devices=None, global_batch=None, sequence_length=4096,
                                       measured=Measured(tokens_per_s_per_device=9000.0)))
    found = attribute(bare, before)
    assert found is not None
    assert {part.keys for part in found.parts} == {
        ("run.devices", "run.global_batch", "run.measured"), ("run.sequence_length",)}


def test_many_fields_are_taken_together_by_what_they_belong_to() -> None:
    before = base()
    after = before
    for key, value in (("model.layers", 40), ("model.ffn_width", 12288), ("model.vocabulary", 32000),
                       ("run.sequence_length", 4096), ("run.devices", 256), ("run.global_batch", 512),
                       ("run.measured.step_time_s", 1.0), ("run.precision", "fp8")):
        after = BY_KEY[key].set(after, value)
    found = attribute(before, replace(after, convention=ConventionChoice(id="palm")))
    assert found is not None
    assert [part.keys for part in found.parts] == [
        ("model.layers", "model.ffn_width", "model.vocabulary"), ("run.precision",),
        ("run.devices", "run.global_batch"), ("run.sequence_length",), ("run.measured",), ("convention",)]


def test_nothing_measured_is_no_attribution() -> None:
    before = base()
    bare = replace(before, run=replace(before.run, measured=None))
    assert attribute(before, bare) is None
    assert attribute(before, bare, "flops_per_token") is not None
    assert attribute(before, before).parts == ()  # type: ignore[union-attr]


@settings(max_examples=40, deadline=None)
@given(scenarios(), scenarios())
def test_the_factors_multiply_to_the_change(first: Scenario, second: Scenario) -> None:
    results = evaluate(first), evaluate(second)
    found = factors(*results)
    assume(found is not None)
    assert found is not None
    before, after = (value_of(result, "mfu") for result in results)
    assert before is not None
    assert found[0] * found[1] * found[2] == pytest.approx(float(after or 0.0) / before, rel=1e-12)
