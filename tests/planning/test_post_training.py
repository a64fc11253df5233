"""Fine-tuning and reinforcement learning: parts of a step, by the ledger and by rules of thumb."""

from __future__ import annotations

from typing import Any

import pytest

from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.run import Trainable
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.post_training import PostTraining, loop_flops, post_training
from mfu_gui.planning.rl import grpo_flops, ppo_flops
from mfu_gui.planning.spec import PlanSpec, PostTrainingSpec
from tests.planning.scenarios import scenario

CARD = "nvidia-h100-sxm5-80gb"


def tuned(of: Scenario, mfu: float | None = None, **inputs: Any) -> PostTraining:
    return post_training(of, PlanSpec(mfu=mfu, post_training=PostTrainingSpec(**inputs)), evaluate(of))


def value(figures: Any, key: str) -> Any:
    return next(figure.value for figure in figures if figure.key == key)


def llama(name: str = "llama-3-8b", **run: Any) -> Scenario:
    return scenario(name, CARD, **{"devices": 64, "sequence_length": 4096, "measured": {"mfu": 0.4}, **run})


def test_training_everything() -> None:
    found = tuned(llama()).training
    assert value(found, "trained_parameters") == 8_030_261_248
    assert value(found, "flops_over_full") == 1


def test_lora_of_llama_70b() -> None:
    """Frozen matrices cost 4 of 6, attention scores 6 of 6, adapters come on top."""
    lora = Trainable(lora_rank=16, targets=("q", "k", "v", "o", "gate", "up", "down"))
    found = tuned(llama("llama-3-70b", trainable={"lora_rank": lora.lora_rank, "targets": list(lora.targets)})).training
    # Rank 16: 16 × (inputs + outputs) of the seven matrices of 80 layers.
    per_layer = (8192 + 8192) * 2 + (8192 + 1024) * 2 + (8192 + 28_672) * 3
    adapters = 80 * 16 * per_layer
    assert value(found, "trained_parameters") == adapters
    assert value(found, "rule_of_thumb") == pytest.approx((4 + 6 * adapters / 70_553_706_496) / 6)
    matrices, head = 70_553_706_496 - 2 * 128_256 * 8192 - 161 * 8192, 128_256 * 8192
    # The first layer's q, k and v have nothing trained before them but the adapters on the same input.
    first = 2 * (8192 * 8192 + 2 * 8192 * 1024)
    core = 6 * 80 * 8192 * 4097
    expected = (4 * (matrices + head) - first + 6 * adapters + core) / (6 * (matrices + head) + core)
    assert value(found, "flops_over_full") == pytest.approx(expected, rel=1e-4)


def test_frozen_layers_cost_less() -> None:
    found = tuned(llama(trainable={"frozen": ["embedding", "layers[0:16]"]})).training
    assert 0.5 < value(found, "flops_over_full") < 0.72, "half of the layers run forward only: 2 of 6"


@pytest.mark.parametrize(("prompt", "answer", "group"), [(512, 2048, 16), (1024, 8192, 8)])
def test_grpo_is_its_linear_part_and_attention(prompt: int, answer: int, group: int) -> None:
    """The ledger's FLOPs are those of the rule in products with parameters, plus attention scores."""
    of = llama()
    spec = PostTrainingSpec(method="grpo", prompt_tokens=prompt, generated_tokens=answer, group_size=group,
                            prompts_per_step=3)
    parts = loop_flops(of.model, of.run, spec)
    matrices = 8_030_261_248 - 128_256 * 4096 - 65 * 4096
    length, core = prompt + answer, 4 * 32 * 4096

    def pairs(tokens: int) -> int:
        return core * tokens * (tokens + 1) // 2

    forwards = 1 + 1 + 3  # reference, old log-probabilities, training
    attention = pairs(prompt) + (pairs(length) - pairs(prompt)) * group + forwards * pairs(length) * group
    assert parts.total == 3 * (grpo_flops(matrices, prompt, answer, group) + attention)
    shown = tuned(of, method="grpo", prompt_tokens=prompt, generated_tokens=answer, group_size=group,
                  prompts_per_step=3).flops
    assert value(shown, "linear") == 3 * grpo_flops(8_030_261_248, prompt, answer, group)
    assert value(shown, "total") == parts.total
    assert value(shown, "rollout") == parts.prefill + parts.generation


def test_what_can_be_left_out_of_a_step() -> None:
    of = llama()
    whole = loop_flops(of.model, of.run, PostTrainingSpec(method="grpo"))
    less = loop_flops(of.model, of.run, PostTrainingSpec(method="grpo", reference=False, old_log_probs=False))
    assert less.reference == less.old_log_probs == 0
    assert whole.total - less.total == whole.reference + whole.old_log_probs
    twice = loop_flops(of.model, of.run, PostTrainingSpec(method="grpo", inner_epochs=2))
    assert twice.training == 2 * whole.training
    each = loop_flops(of.model, of.run, PostTrainingSpec(method="grpo", shared_prefill=False))
    assert each.prefill == 16 * whole.prefill


def test_ppo_adds_a_critic() -> None:
    of = llama()
    spec = PostTrainingSpec(method="ppo", prompt_tokens=512, generated_tokens=512, group_size=1,
                            reward_parameters=1e9)
    parts = loop_flops(of.model, of.run, spec)
    active = 8_030_261_248
    rule = ppo_flops(active, 512, 512, active, 1e9) - grpo_flops(active, 512, 512, 1)
    assert parts.critic_and_reward == pytest.approx(rule)
    found = tuned(of, method="ppo")
    assert {notice.code for notice in found.notices} == {"post_training_counts_parameters"}


def test_three_utilizations_are_kept_apart() -> None:
    """Generating is bound by reading: its MFU is far below that of training, and the loop's lies between."""
    found = tuned(llama(), method="grpo", prompts_per_step=64)
    time, flops = found.time, found.flops
    rollout, training, loop = (value(time, f"{key}_mfu") for key in ("rollout", "training", "loop"))
    assert rollout < loop < training
    assert training == pytest.approx(0.4, rel=1e-9)
    peak = 64 * 989.4e12
    assert value(time, "training") == pytest.approx(value(flops, "training") / (peak * 0.4), rel=1e-3)
    assert value(time, "rollout") == pytest.approx(value(flops, "rollout") / (peak * rollout), rel=1e-3)
    assert value(time, "total") == pytest.approx(value(flops, "total") / (peak * loop), rel=1e-3)


def test_more_answers_at_once_are_faster_until_memory_is_full() -> None:
    few = tuned(llama(), method="grpo", prompts_per_step=256, rollout_concurrency=8)
    many = tuned(llama(), method="grpo", prompts_per_step=256, rollout_concurrency=64)
    assert value(many.time, "rollout") < value(few.time, "rollout")
    full = tuned(llama("llama-3-70b", devices=8), method="grpo", prompts_per_step=10_000, generated_tokens=32_000,
                 rollout_concurrency=10_000)
    assert "rollout_concurrency_cut" in {notice.code for notice in full.notices}


def test_without_speed_or_devices_there_is_no_time() -> None:
    found = tuned(scenario("llama-3-8b", CARD, sequence_length=4096), method="grpo")
    assert value(found.time, "total") is None
    assert value(found.flops, "total") > 0
    assert {notice.code for notice in found.notices} == {"plan_needs_devices"}
    found = tuned(scenario("llama-3-8b", CARD, sequence_length=4096, devices=64), mfu=0.5, method="grpo")
    assert value(found.time, "training_mfu") == 0.5
