"""Fine-tuning and reinforcement learning: what one token or one step of the loop takes, part by part.

FLOPs are the ledger's, causal.  Time is a model: generating is bound by reading weights and cache, so its
time comes from a bandwidth utilization (MBU); reading prompts, passes for log-probabilities and training
are bound by FLOPs, so theirs comes from an MFU.  The three utilizations are kept apart.
"""

from __future__ import annotations

from math import ceil

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.compare import flops_per_token
from mfu_gui.engine.conventions import find
from mfu_gui.engine.errors import Notice
from mfu_gui.engine.fields import N_
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec, Trainable
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.planning import finetune, rl
from mfu_gui.planning.cache import cache_of
from mfu_gui.planning.formula import TERA, Basis, Figure, missing
from mfu_gui.planning.inference import (
    ServingDevice,
    decode_flops,
    forward_flops,
    generates,
    most_sequences,
    serving_device,
    weights_read,
)
from mfu_gui.planning.spec import Method, PlanSpec, PostTrainingSpec

Figures = tuple[Figure, ...]


class PostTraining(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of fine-tuning; of reinforcement learning also ``flops`` of one step and its ``time``,
    both split into rollout, passes and training."""

    method: Method
    training: Figures
    flops: Figures = ()
    time: Figures = ()
    notices: tuple[Notice, ...] = ()


class LoopParts(msgspec.Struct, frozen=True, kw_only=True):
    """FLOPs, or seconds, of the parts of one step of the loop."""

    prefill: float
    generation: float
    reference: float
    old_log_probs: float
    critic_and_reward: float
    training: float

    @property
    def rollout(self) -> float:
        """What generating answers takes."""
        return self.prefill + self.generation

    @property
    def total(self) -> float:
        """All parts."""
        return self.rollout + self.reference + self.old_log_probs + self.critic_and_reward + self.training


def post_training(scenario: Scenario, plan: PlanSpec, result: Result) -> PostTraining:
    """Fine-tuning, or one step of GRPO or PPO, of the scenario's model; ``result`` is its evaluation."""
    spec, model = plan.post_training, scenario.model
    training = fine_tuning(model, scenario.run)
    if spec.method == "sft":
        return PostTraining(method="sft", training=training)
    if not generates(model):
        return PostTraining(method=spec.method, training=training,
                            notices=(Notice("inference_does_not_generate", "model"),))
    flops = loop_flops(model, scenario.run, spec)
    notices: list[Notice] = []
    time = _time(scenario, plan, result, flops, notices)
    if flops.critic_and_reward:
        notices.append(Notice("post_training_counts_parameters", "plan.post_training.critic_parameters"))
    return PostTraining(method=spec.method, training=training, flops=_flops(model, spec, flops), time=time,
                        notices=tuple(notices))


def fine_tuning(model: ModelSpec, run: RunSpec) -> Figures:
    """FLOPs of a trained token as the run trains it, beside those of training everything."""
    causal = find("matmul-causal")
    everything = replace(run, trainable="full")
    here, full = flops_per_token(causal, model, run), flops_per_token(causal, model, everything)
    counted = ledger(model, 0, False, run.trainable)
    figures = [
        Figure(key="trained_parameters", label=N_("Parameters trained"), value=counted.trained),
        Figure(key="flops_per_token", label=N_("FLOPs of a trained token"), value=here, unit="FLOP",
               expression=N_("2 forward, 2 for each gradient that is needed; causal attention")),
        Figure(key="flops_over_full", label=N_("Against training everything"), value=here / full if full else None,
               expression=N_("FLOPs per token ÷ those of training all parameters"),
               numbers={"here": here, "full": full}),
    ]
    if isinstance(run.trainable, Trainable) and run.trainable.lora_rank is not None:
        share = counted.trained / ledger(model, 0, False).parameters.total
        figures.append(finetune.lora_over_full.figure("rule_of_thumb", N_("By the rule for adapters"),
                                                      adapter_share=share))
    return tuple(figures)


def loop_flops(model: ModelSpec, run: RunSpec, spec: PostTrainingSpec) -> LoopParts:
    """FLOPs of one step of the loop, by the ledger; critic and reward model by their parameters."""
    sequences = spec.prompts_per_step * spec.group_size
    length = spec.prompt_tokens + spec.generated_tokens
    prompt, whole = forward_flops(model, run, spec.prompt_tokens), forward_flops(model, run, length)
    one = replace(run, sequence_length=length, document_lengths=None, multi_token_prediction=0)
    trained = flops_per_token(find("matmul-causal"), model, one) * length * sequences * spec.inner_epochs
    read = spec.prompts_per_step if spec.shared_prefill else sequences
    return LoopParts(
        prefill=prompt * read, generation=(whole - prompt) * sequences,
        reference=whole * sequences if spec.reference else 0,
        old_log_probs=whole * sequences if spec.old_log_probs else 0,
        critic_and_reward=_others(model, spec, length * sequences), training=trained)


def _others(model: ModelSpec, spec: PostTrainingSpec, tokens: int) -> float:
    """Critic (run once, trained each epoch) and reward model (run once), 2 FLOPs a parameter and pass."""
    critic = 0.0
    if spec.method == "ppo":
        critic = ledger(model, 0, False).parameters.active if spec.critic_parameters is None else spec.critic_parameters
    return tokens * (critic * (2.0 + 6.0 * spec.inner_epochs) + 2.0 * spec.reward_parameters)


def _flops(model: ModelSpec, spec: PostTrainingSpec, parts: LoopParts) -> Figures:
    active = ledger(model, 0, False).parameters.active
    prompts = spec.prompts_per_step
    linear = rl.linear_loop(active, spec.prompt_tokens, spec.generated_tokens, spec.group_size,
                            inner_epochs=spec.inner_epochs, reference=spec.reference,
                            old_log_probs=spec.old_log_probs, shared_prefill=spec.shared_prefill)
    return (
        *_parts(parts, "FLOP"),
        Figure(key="rollout_share", label=N_("Rollout's share of the FLOPs"), value=parts.rollout / parts.total,
               expression=N_("rollout ÷ step of the loop"), numbers={"rollout": parts.rollout, "total": parts.total}),
        Figure(key="linear", label=N_("By parameters alone"), unit="FLOP", basis="model", formula=rl.grpo_flops.id,
               value=linear.total * prompts + _others(model, spec, prompts * spec.group_size * (
                   spec.prompt_tokens + spec.generated_tokens)),
               expression=rl.grpo_flops.expression, numbers={"parameters": active, "prompts": prompts}),
    )


PART_LABELS = {
    "rollout": N_("Rollout"), "prefill": N_("of it reading prompts"), "generation": N_("of it generating"),
    "reference": N_("Reference model"), "old_log_probs": N_("Old log-probabilities"),
    "critic_and_reward": N_("Critic and reward model"), "training": N_("Training"), "total": N_("Step of the loop")}


def _parts(parts: LoopParts, unit: str) -> Figures:
    """The parts as figures: FLOPs are exact but for critic and reward model, seconds rest on assumptions."""
    others = bool(parts.critic_and_reward)

    def basis(key: str) -> Basis:
        if unit == "s":
            return "assumption"
        return "model" if others and key in ("critic_and_reward", "total") else "exact"

    return tuple(Figure(key=key, label=label, value=getattr(parts, key), unit=unit, basis=basis(key))
                 for key, label in PART_LABELS.items())


def _time(scenario: Scenario, plan: PlanSpec, result: Result, flops: LoopParts, notices: list[Notice]) -> Figures:
    """Seconds of each part on all devices, one part after the other."""
    spec = plan.post_training
    device = serving_device(scenario, plan)
    devices = plan.devices if plan.devices is not None else scenario.run.devices
    mfu = _training_mfu(scenario, plan, result)
    if devices is None or mfu is None or device.bandwidth is None:
        notices.append(Notice("plan_needs_devices" if devices is None else "plan_needs_speed" if mfu is None
                              else "inference_bandwidth_missing", "run.devices" if devices is None else "plan.mfu"))
        return (missing("total", N_("Step of the loop"), "s"),)
    rate = devices * result.peak_tflops_per_device * TERA
    forward = rate * (spec.forward_mfu or mfu)
    generation = _generation_s(scenario, plan, device, devices, notices)
    parts = LoopParts(
        prefill=flops.prefill / (devices * device.peak * TERA * plan.inference.compute_efficiency),
        generation=generation, reference=flops.reference / forward, old_log_probs=flops.old_log_probs / forward,
        critic_and_reward=flops.critic_and_reward / (rate * mfu), training=flops.training / (rate * mfu))
    return (
        *_parts(parts, "s"),
        Figure(key="rollout_share", label=N_("Rollout's share of the time"), value=parts.rollout / parts.total,
               basis="assumption", expression=N_("rollout ÷ step of the loop"),
               numbers={"rollout": parts.rollout, "total": parts.total}),
        Figure(key="rollout_mfu", label=N_("Rollout MFU"), value=flops.rollout / (parts.rollout * rate),
               basis="assumption", expression=N_("FLOPs ÷ (time × peak × devices)")),
        Figure(key="training_mfu", label=N_("Training MFU"), value=mfu, basis="assumption",
               expression=N_("causal count, at the run's own length")),
        Figure(key="loop_mfu", label=N_("MFU of the whole loop"), value=flops.total / (parts.total * rate),
               basis="assumption", expression=N_("FLOPs ÷ (time × peak × devices)")),
    )


def _training_mfu(scenario: Scenario, plan: PlanSpec, result: Result) -> float | None:
    """MFU of the training steps by the causal count; the plan's own where it has one."""
    if plan.mfu is not None:
        return plan.mfu
    tflops = result.throughput.tflops_per_device
    if tflops is None or not result.flops.per_token:
        return None
    causal = flops_per_token(find("matmul-causal"), scenario.model, scenario.run)
    return tflops * causal / (result.flops.per_token * result.peak_tflops_per_device)


def _generation_s(scenario: Scenario, plan: PlanSpec, device: ServingDevice, devices: int,
                  notices: list[Notice]) -> float:
    """Seconds until all answers are written: rounds of decode steps at the mean context length.

    Copies of the model share the answers evenly; a copy writes as many at once as asked for and as fit.
    """
    spec, model = plan.post_training, scenario.model
    copies = max(1, devices // device.devices)
    each = ceil(spec.prompts_per_step * spec.group_size / copies)
    length = spec.prompt_tokens + spec.generated_tokens
    fitting = most_sequences(model, device, plan.inference, length)
    together = min(each, spec.rollout_concurrency)
    if fitting is not None and 0 < fitting < together:
        notices.append(Notice("rollout_concurrency_cut", "plan.post_training.rollout_concurrency",
                              {"asked": together, "fitting": fitting}))
        together = fitting
    rounds = each / together
    return rounds * spec.generated_tokens * _step_s(model, plan, device, together)


def _step_s(model: ModelSpec, plan: PlanSpec, device: ServingDevice, together: int) -> float:
    """Seconds of one decode step at half of the answer: the longer of reading and computing."""
    spec, serving = plan.post_training, plan.inference
    context = spec.prompt_tokens + spec.generated_tokens // 2
    weights = weights_read(model, together)
    read = (weights.dense + weights.experts) * serving.weight_bytes
    read += cache_of(model, context, serving.kv_bytes).read * together
    reading = read / (device.devices * (device.bandwidth or 0.0) * 1e9 * spec.rollout_mbu)
    computing = decode_flops(model, context) * together / (
        device.devices * device.peak * TERA * serving.compute_efficiency)
    return max(reading, computing) + serving.collectives_s
