"""PlanSpec: what a planner types, as it stands under ``plan`` in a scenario file.

Everything is optional.  A name ends in its unit; fractions are fractions.  What is absent is taken from
the scenario (devices, MFU, the accelerator's memory, power and price) or from a usual value that the
result marks as an assumption.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.run import RecomputeName
from mfu_gui.engine.scenario import Scenario

Positive = Annotated[float, msgspec.Meta(gt=0, le=1e30)]
NotNegative = Annotated[float, msgspec.Meta(ge=0, le=1e18)]
PositiveInt = Annotated[int, msgspec.Meta(ge=1, le=10**12)]
Share = Annotated[float, msgspec.Meta(gt=0, le=1)]
BytesPerValue = Annotated[float, msgspec.Meta(ge=0, le=64)]

Unknown = Literal["days", "devices", "budget", "tokens", "mfu"]
UNKNOWNS: tuple[Unknown, ...] = ("days", "devices", "budget", "tokens", "mfu")
Fit = Literal["hoffmann", "epoch_replication"]
Schedule = Literal["gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2", "dualpipe"]
SCHEDULES: tuple[Schedule, ...] = ("gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2", "dualpipe")
CrossEntropy = Literal["unfused", "fused", "chunked"]
Offload = Literal["none", "optimizer", "optimizer+parameters"]
Method = Literal["sft", "grpo", "ppo"]
ContextExchange = Literal["ring", "all-to-all"]
"""How context parallelism moves keys and values: around the ring, or heads for positions."""


class PlanRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of the parts of a plan: immutable, unknown keys refused."""


class MemorySpec(PlanRecord, frozen=True, kw_only=True):
    """How memory is spent beyond what the run says."""

    optimizer: str = "mixed-adam-18"
    """Name of a recipe; the three byte counts below change it."""
    weight_bytes: BytesPerValue | None = None
    gradient_bytes: BytesPerValue | None = None
    optimizer_bytes: BytesPerValue | None = None
    """Optimizer states with the fp32 master copy, per trained parameter."""
    frozen_weight_bytes: BytesPerValue | None = None
    """Per parameter that is not trained; 0.5 for 4-bit base weights."""
    shard_devices: PositiveInt | None = None
    """Devices that ZeRO or FSDP shards over; all replicas × context ranks when absent."""
    live_units: Annotated[int, msgspec.Meta(ge=0, le=64)] = 2
    """Layers whose weights ZeRO stage 3 holds gathered at a time."""
    offload: Offload = "none"
    sequence_parallel: bool | None = None
    """Norms and dropout sharded with tensor parallelism; on when absent and tensor parallelism is."""
    expert_tensor: PositiveInt | None = None
    """Tensor parallelism inside experts; as outside when absent."""
    schedule: Schedule | None = None
    """1F1B when absent, interleaved with virtual stages."""
    layers_per_stage: tuple[Annotated[int, msgspec.Meta(ge=0, le=100_000)], ...] | None = None
    """Layers of each stage (of each virtual stage, in the order of the model) where they are not even."""
    activation_bytes: BytesPerValue | None = None
    """Bytes of one kept activation; 2, or 4 when the run computes in fp32 or tf32."""
    dropout: bool = False
    """Keep the masks of dropout, as models did until about 2021."""
    recompute_norms: bool = False
    recompute_mlp_product: bool = False
    recompute_mla_projection: bool = False
    """Compute keys, values and queries of latent attention again from the latents."""
    expert_imbalance: Annotated[float, msgspec.Meta(ge=1, le=1000)] = 1.0
    """Tokens of the fullest expert rank over the mean."""
    cross_entropy: CrossEntropy = "unfused"
    gradient_scratch: bool | None = None
    """One layer's 16-bit weight gradients beside fp32 main gradients; on when those are kept."""
    framework_gib: NotNegative | None = None
    communication_gib: NotNegative | None = None
    fragmentation: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    """What the allocator reserves beyond what is allocated, as a fraction."""
    other_gib: dict[str, NotNegative] = {}
    """Anything else, by name."""
    device_memory_gib: Positive | None = None
    """Memory of one device, where it is not the accelerator's."""


class EnergySpec(PlanRecord, frozen=True, kw_only=True):
    """Power and electricity."""

    power_w: Positive | None = None
    """Rated power of one device."""
    draw: Annotated[float, msgspec.Meta(gt=0, le=2)] | None = None
    """Share of the rated power that is drawn, usually 0.6 to 0.9."""
    host_factor: Annotated[float, msgspec.Meta(ge=1, le=10)] = 1.0
    """Hosts and network, as a factor on the devices' power."""
    pue: Annotated[float, msgspec.Meta(ge=1, le=10)] | None = None
    grid_kg_per_kwh: NotNegative | None = None


class FailureSpec(PlanRecord, frozen=True, kw_only=True):
    """What interrupts a run.  At most one of the three rates; without one, goodput is 1 unless it is given."""

    device_mtbf_hours: Positive | None = None
    """Device-hours between failures."""
    mtbf_hours: Positive | None = None
    """Hours between failures of the whole run, whatever its size."""
    failures_per_node_day: Positive | None = None
    checkpoint_s: NotNegative = 60.0
    """Time that a checkpoint stops training; only the stall of an asynchronous one."""
    restart_s: NotNegative = 300.0
    """From a failure to the first step after it."""
    interval_s: Positive | None = None
    """Work between two checkpoints; Young's optimum when absent."""


class InferenceSpec(PlanRecord, frozen=True, kw_only=True):
    """Serving the model."""

    prompt_tokens: PositiveInt | None = None
    prefix_tokens: Annotated[int, msgspec.Meta(ge=0, le=10**12)] = 0
    """Tokens of the prompt whose cache is used again."""
    output_tokens: PositiveInt = 256
    batch: PositiveInt = 1
    """Sequences decoded together."""
    devices: PositiveInt | None = None
    """Devices that serve one copy of the model."""
    weight_bytes: BytesPerValue = 2.0
    kv_bytes: BytesPerValue = 2.0
    head: Literal["last", "all"] = "last"
    """Whether a prompt's logits are computed at its last position only, as serving engines do."""
    compute_efficiency: Share = 0.7
    bandwidth_efficiency: Share = 0.9
    collectives_s: NotNegative = 0.0
    """Time of collectives in one decode step."""
    prefill_s: Positive | None = None
    """Measured time to the first token."""
    time_per_token_s: Positive | None = None
    """Measured time of one decode step."""


class PostTrainingSpec(PlanRecord, frozen=True, kw_only=True):
    """Fine-tuning or reinforcement learning."""

    method: Method = "sft"
    prompt_tokens: PositiveInt = 512
    generated_tokens: PositiveInt = 2048
    group_size: PositiveInt = 16
    prompts_per_step: PositiveInt = 1
    inner_epochs: PositiveInt = 1
    reference: bool = True
    """A forward pass of a frozen reference model."""
    old_log_probs: bool = True
    """Log-probabilities computed again before training; false where those of the rollout are used."""
    shared_prefill: bool = True
    critic_parameters: NotNegative | None = None
    """PPO; as many as the model when absent."""
    reward_parameters: NotNegative = 0.0
    rollout_concurrency: PositiveInt = 64
    """Sequences decoded together on one copy of the model."""
    rollout_mbu: Share = 0.5
    """Bandwidth utilization of decoding."""
    forward_mfu: Share | None = None
    """MFU of the passes for log-probabilities; the training's when absent."""


class StepSpec(PlanRecord, frozen=True, kw_only=True):
    """How fast a device and its links really are, where it is not the usual for its kind.

    Efficiencies are shares of the dense peak, of the memory bandwidth and of the links' bandwidths.
    """

    matmul_efficiency: Share | None = None
    expert_efficiency: Share | None = None
    attention_efficiency: Share | None = None
    memory_efficiency: Share | None = None
    scale_up_efficiency: Share | None = None
    scale_out_efficiency: Share | None = None
    latency_s: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    """Of one hop of a collective."""
    layer_s: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    """Of one layer in one pass, whatever its size: launches and small kernels."""
    tensor_overlap: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    """Share of the collectives of tensor parallelism that runs beside matrix products."""
    expert_overlap: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    data_overlap: bool | None = None
    """Gradients are reduced beside the last backward pass."""
    context_exchange: ContextExchange = "ring"
    gradient_bytes: BytesPerValue = 2.0
    """Bytes of one gradient between replicas."""
    loading_s: NotNegative = 0.0
    """Time in which the host prepares the data of one step; what is longer than the step is waited for."""


class StepParts(PlanRecord, frozen=True, kw_only=True):
    """Where the user's own profile says that a step went, in seconds; together they are the step."""

    data_s: NotNegative = 0.0
    forward_backward_s: Positive | None = None
    """What the other parts leave when absent."""
    optimizer_s: NotNegative = 0.0
    communication_s: NotNegative = 0.0
    """Collectives that nothing else runs beside."""
    post_processing_s: NotNegative = 0.0
    scheduling_s: NotNegative = 0.0


class StepAnchor(PlanRecord, frozen=True, kw_only=True):
    """A second measured step of the same run, with another global batch; of use when both are given."""

    global_batch: PositiveInt | None = None
    step_time_s: Positive | None = None


class WhatIf(PlanRecord, frozen=True, kw_only=True):
    """Another run to be predicted from the measured one; what is absent stays as it is."""

    devices: PositiveInt | None = None
    global_batch: PositiveInt | None = None
    micro_batch: PositiveInt | None = None
    sequence_length: PositiveInt | None = None
    recompute: RecomputeName | None = None
    tensor: PositiveInt | None = None
    pipeline: PositiveInt | None = None
    virtual_pipeline: PositiveInt | None = None
    context: PositiveInt | None = None
    expert: PositiveInt | None = None
    zero_stage: Annotated[int, msgspec.Meta(ge=0, le=3)] | None = None


class PlanSpec(PlanRecord, frozen=True, kw_only=True):
    """Inputs of the planning views."""

    unknown: Unknown = "days"
    """What is to be found; the others are given, or follow."""
    tokens: Positive | None = None
    tokens_per_parameter: Positive | None = None
    """Tokens for each (active) parameter."""
    compute_optimal: Fit | None = None
    """As many tokens as this fit of Chinchilla's finds best for the model's size."""
    days: Positive | None = None
    """Wall time, failures and checkpoints included."""
    budget: Positive | None = None
    devices: PositiveInt | None = None
    """In place of run.devices."""
    mfu: Share | None = None
    """MFU of the steps, in place of the run's."""
    start_date: Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")] | None = None
    price_per_device_hour: NotNegative | None = None
    currency: Annotated[str, msgspec.Meta(min_length=1, max_length=16)] = "USD"
    billed_device_hours: Positive | None = None
    """Device-hours that a finished run was billed: gives its whole-run utilization."""
    goodput: Share | None = None
    """Share of the wall time that steps take, in place of a model of failures."""
    failures: FailureSpec | None = None
    energy: EnergySpec = EnergySpec()
    memory: MemorySpec = MemorySpec()
    inference: InferenceSpec = InferenceSpec()
    post_training: PostTrainingSpec = PostTrainingSpec()
    step: StepSpec = StepSpec()
    step_parts: StepParts | None = None
    step_anchor: StepAnchor | None = None
    what_if: WhatIf = WhatIf()


TOKEN_RULES = ("tokens", "tokens_per_parameter", "compute_optimal")
"""At most one of these says how many tokens there are."""
FAILURE_RATES = ("device_mtbf_hours", "mtbf_hours", "failures_per_node_day")
"""At most one of these says how often a run fails."""


def plan_spec(scenario: Scenario) -> PlanSpec:
    """The plan of a scenario; the usual one where it has none.

    InputError as ``check_plan``, and ``wrong_type`` for a plan that was put together in memory and has no
    such form (a file with one is refused when it is read).
    """
    if not scenario.plan:
        return PlanSpec()
    try:
        spec = msgspec.convert(scenario.plan, PlanSpec)
    except msgspec.ValidationError as error:
        raise InputError("wrong_type", "plan", expected="object", detail=str(error)) from error
    check_plan(spec)
    return spec


def with_plan(scenario: Scenario, spec: PlanSpec) -> Scenario:
    """The scenario with this plan; what is usual in it is left out."""
    return replace(scenario, plan=msgspec.to_builtins(spec) or None)


def check_plan(spec: PlanSpec) -> None:
    """Raise InputError for inputs that contradict each other (``contradiction``) and for a day that the
    calendar does not have (``bad_date``)."""
    _at_most_one(spec, TOKEN_RULES, "plan")
    if spec.failures is not None:
        _at_most_one(spec.failures, FAILURE_RATES, "plan.failures")
    if spec.start_date is not None:
        try:
            date.fromisoformat(spec.start_date)
        except ValueError:
            raise InputError("bad_date", "plan.start_date", value=spec.start_date) from None


def _at_most_one(record: PlanRecord, keys: tuple[str, ...], place: str) -> None:
    found = [key for key in keys if getattr(record, key) is not None]
    if len(found) > 1:
        raise InputError("contradiction", place, key=found[0], other=found[1])
