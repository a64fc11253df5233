"""Other ways to say the speed, and any three of micro-batch, accumulation, replicas and global batch."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mfu_gui.engine.batch import PARTS, Part, part, with_part
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.fields_stated import DAYS_TOKENS_FIELD, STATED_FIELDS, kept_as, key_of
from mfu_gui.engine.run import Measured, Parallel, RunSpec

from .test_checks import scenario

BY = {key_of(field): field for field in STATED_FIELDS}


def test_tokens_per_day() -> None:
    made = BY["tokens_per_day"].set(scenario(), 86_400_000_000.0)
    assert made.run.measured == Measured(tokens_per_s=1e6)
    assert BY["tokens_per_day"].get(made) == 86_400_000_000.0


def test_sequences_per_second_are_a_step_time_where_the_batch_is_known() -> None:
    # PaddlePaddle/PaddleNLP#7417: samples/s are of all cards together.
    made = BY["sequences_per_s"].set(scenario(), 512.0)
    assert made.run.measured == Measured(step_time_s=2.0)
    assert BY["sequences_per_s"].get(made) == 512.0
    longer = replace(made, run=replace(made.run, sequence_length=4096))
    assert BY["sequences_per_s"].get(longer) == 512.0
    alone = BY["sequences_per_s"].set(scenario(global_batch=None), 512.0)
    assert alone.run.measured == Measured(tokens_per_s=512.0 * 8192)
    assert [kept_as(made, "sequences_per_s"), kept_as(alone, "sequences_per_s")] == ["step_time_s", "tokens_per_s"]


def test_days_for_tokens_are_the_run_of_deepseek_v3() -> None:
    # DeepSeek-V3 report, arXiv 2412.19437, table 1: 2664K H800 hours on 2048 H800 for 14.8T tokens; section 1 says
    # that each trillion took 180K hours, 3.7 days.
    made = scenario(devices=2048, sequence_length=4096, global_batch=15360)
    with pytest.raises(InputError, match="days_need_tokens"):
        BY["days"].set(made, 3.7)
    made = BY["days"].set(DAYS_TOKENS_FIELD.set(made, 1e12), 180_000 / 2048 / 24)
    assert round(BY["days"].get(made), 1) == 3.7
    each = evaluate(made).throughput.tokens_per_s_per_device
    assert each is not None
    assert each == pytest.approx(1e12 / (180_000 * 3600))
    assert made.plan == {"tokens": 10**12}


def test_more_tokens_in_the_same_days_are_a_higher_rate() -> None:
    made = BY["days"].set(DAYS_TOKENS_FIELD.set(scenario(), 1e12), 10.0)
    doubled = DAYS_TOKENS_FIELD.set(made, 2e12)
    assert BY["days"].get(doubled) == 10.0
    rates = [made.run.measured.tokens_per_s or 0 for made in (made, doubled) if made.run.measured is not None]
    assert rates[1] == pytest.approx(2 * rates[0])


@pytest.mark.parametrize("key", BY)
@given(value=st.floats(1e-3, 1e9).map(lambda x: float(f"{x:.6g}")))
def test_what_was_typed_is_read_back(key: str, value: float) -> None:
    made = DAYS_TOKENS_FIELD.set(scenario(), 15e12)
    assert BY[key].get(BY[key].set(made, value)) == value
    assert BY[key].set(made, None).run.measured is None


@dataclass(frozen=True)
class Batch:
    micro: int
    count: int
    data: int

    @property
    def values(self) -> dict[Part, int]:
        return {"micro_batch": self.micro, "accumulation": self.count, "replicas": self.data,
                "global_batch": self.micro * self.count * self.data}

    @property
    def run(self) -> RunSpec:
        return RunSpec(sequence_length=4096, devices=8 * self.data, parallel=Parallel(tensor=8),
                       micro_batch=self.micro, global_batch=self.values["global_batch"])


SMALL = st.integers(1, 64)
BATCHES = st.builds(Batch, SMALL, SMALL, SMALL)


def _divides(before: Batch, typed: Part, value: int, follows: Part) -> bool:
    """Whether what follows is a whole number; an accumulation that is none is only remarked on."""
    four = {**before.values, typed: value}
    return follows != "micro_batch" or four["global_batch"] % (four["accumulation"] * four["replicas"]) == 0


@given(BATCHES, BATCHES, st.sampled_from([(k, f) for k, f in permutations(PARTS, 2) if f != "replicas"]))
def test_typing_one_of_the_four_keeps_two_and_computes_the_other(
        before: Batch, after: Batch, pair: tuple[Part, Part]) -> None:
    typed, follows = pair
    value = after.values[typed]
    if not _divides(before, typed, value, follows):
        with pytest.raises(InputError, match="batch_does_not_divide"):
            with_part(before.run, typed, value, follows)
        return
    run = with_part(before.run, typed, value, follows)
    assert part(run, typed) == value
    for other in set(PARTS) - {typed, follows}:
        assert part(run, other) == before.values[other]
    if part(run, follows) is None:  # an accumulation that is no whole number is shown, and remarked on
        assert follows == "accumulation"
    else:
        assert part(run, "global_batch") == (
            (part(run, "micro_batch") or 0) * (part(run, "accumulation") or 0) * (part(run, "replicas") or 0))


def test_replicas_follow_where_no_devices_are_given() -> None:
    run = RunSpec(sequence_length=4096, micro_batch=2, global_batch=256, parallel=Parallel(tensor=4))
    assert with_part(run, "accumulation", 8, "replicas").devices == 16 * 4
