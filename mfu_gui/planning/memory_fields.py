"""The table of fields of the memory estimate: what can be edited, in which unit, and what it means.

They stand under ``plan.memory`` of a scenario.  An empty field takes its usual value, which
``usual_value`` tells.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from mfu_gui.engine.fields import BY_KEY as RUN_BY_KEY
from mfu_gui.engine.fields import N_, Field, Kind
from mfu_gui.engine.model import MLA, MoE
from mfu_gui.engine.model_edit import ffns_of, mixers_of
from mfu_gui.engine.run import Parallel
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.formula import GIB
from mfu_gui.planning.memory import capacity_of
from mfu_gui.planning.memory_terms import COMMUNICATION_GIB, FRAGMENTATION, FRAMEWORK_GIB
from mfu_gui.planning.optimizers import BY_ID as RECIPES_BY_ID
from mfu_gui.planning.optimizers import RECIPES
from mfu_gui.planning.spec import MemorySpec, plan_spec, with_plan

PREFIX = "plan.memory."
Applies = Callable[[Scenario], bool]
YES_NO = (("off", N_("no")), ("on", N_("yes")))
SCHEDULE_CHOICES = (
    ("", N_("1F1B or interleaved")), ("gpipe", N_("GPipe")), ("zb-h1", N_("zero bubble H1")),
    ("zb-h2", N_("zero bubble H2")), ("dualpipe", N_("DualPipe")),
)


def memory_spec(scenario: Scenario) -> MemorySpec:
    """The inputs of the estimate; InputError as ``plan_spec``."""
    return plan_spec(scenario).memory


def with_memory(scenario: Scenario, key: str, value: Any) -> Scenario:
    """The scenario with another value of one input; what is usual is not written down."""
    spec = plan_spec(scenario)
    changed = with_plan(scenario, replace(spec, memory=replace(spec.memory, **{key: value})))
    plan = {name: part for name, part in (changed.plan or {}).items() if name != "memory" or part}
    return replace(changed, plan=plan or None)


def _get(key: str) -> Callable[[Scenario], Any]:
    return lambda scenario: getattr(memory_spec(scenario), key)


def _set(key: str) -> Callable[[Scenario, Any], Scenario]:
    return lambda scenario, value: with_memory(scenario, key, value)


def _always(scenario: Scenario) -> bool:
    return True


def _amount(key: str, label: str, unit: str, maximum: float, help_: str, kind: Kind = "real", step: float = 0.5,
            minimum: float = 0.0, optional: bool = True, applies: Applies = _always) -> Field:
    return Field(key=PREFIX + key, panel="run", label=label, kind=kind, unit=unit, minimum=minimum, maximum=maximum,
                 step=step, optional=optional, get=_get(key), set=_set(key), help=help_, applies=applies)


def _choice(key: str, label: str, choices: tuple[tuple[str, str], ...], help_: str, applies: Applies = _always,
            empty: bool = False) -> Field:
    """``empty``: the choice "" stands for what is usual."""
    if choices is YES_NO:
        return Field(key=PREFIX + key, panel="run", label=label, kind="choice", choices=choices,
                     get=lambda s: "on" if getattr(memory_spec(s), key) else "off",
                     set=lambda s, value: with_memory(s, key, value == "on"), help=help_, applies=applies)
    return Field(key=PREFIX + key, panel="run", label=label, kind="choice", choices=choices,
                 get=lambda s: getattr(memory_spec(s), key) or ("" if empty else None),
                 set=lambda s, value: with_memory(s, key, value or None), help=help_, applies=applies)


def _pipelined(scenario: Scenario) -> bool:
    return (scenario.run.parallel or Parallel()).pipeline > 1


def _sharded(scenario: Scenario) -> bool:
    return (scenario.run.parallel or Parallel()).zero_stage > 0


def _gathers(scenario: Scenario) -> bool:
    return (scenario.run.parallel or Parallel()).zero_stage >= 3


def _has_experts(scenario: Scenario) -> bool:
    return bool(ffns_of(scenario.model, MoE))


def _has_latents(scenario: Scenario) -> bool:
    return bool(mixers_of(scenario.model, MLA))


def _frozen(scenario: Scenario) -> bool:
    return scenario.run.trainable != "full"


BYTES = N_("bytes each")
MEMORY_FIELDS: tuple[Field, ...] = (
    _choice("optimizer", N_("Optimizer"), tuple((recipe.id, recipe.label) for recipe in RECIPES),
            N_("How weights, gradients and optimizer states are kept. Mixed-precision Adam has 16-bit gradients "
               "(16 bytes), fp32 main gradients (18, Megatron) or both (20, DeepSpeed). Muon treats matrices apart.")),
    _amount("weight_bytes", N_("Weights"), BYTES, 64, N_("Bytes of the working copies of one trained parameter.")),
    _amount("gradient_bytes", N_("Gradients"), BYTES, 64, N_("Bytes of all gradients of one trained parameter.")),
    _amount("optimizer_bytes", N_("Optimizer states"), BYTES, 64,
            N_("Bytes of moments and master copy of one trained parameter.")),
    _amount("frozen_weight_bytes", N_("Frozen weights"), BYTES, 64,
            N_("Bytes of one parameter that is not trained; about 0.5 in 4 bits."), applies=_frozen),
    _amount("shard_devices", N_("Sharded over"), N_("devices"), 10**7,
            N_("Devices that ZeRO or FSDP shards over; empty for all replicas and context ranks."), "integer", 8, 1,
            applies=_sharded),
    _amount("live_units", N_("Gathered layers"), N_("layers"), 64,
            N_("Layers whose weights are whole at a time under FSDP: the one in use and those fetched ahead."),
            "integer", 1, optional=False, applies=_gathers),
    _choice("offload", N_("Offload"), (("none", N_("nothing")), ("optimizer", N_("optimizer")),
                                       ("optimizer+parameters", N_("and weights"))),
            N_("What is kept in the host's memory instead.")),
    _choice("schedule", N_("Schedule"), SCHEDULE_CHOICES,
            N_("Order of the passes in a pipeline: it says how many micro-batches wait on a stage. Interleaved with "
               "virtual stages, else 1F1B."),
            _pipelined, empty=True),
    _amount("activation_bytes", N_("Activations"), BYTES, 64,
            N_("Bytes of one kept activation: 2 in 16 bits, 4 in fp32, less where they are kept in fp8.")),
    _choice("recompute_norms", N_("Recompute norms"), YES_NO,
            N_("Norms are computed again from their inputs instead of being kept.")),
    _choice("recompute_mlp_product", N_("Recompute MLP product"), YES_NO,
            N_("The activation function and the gate's product are computed again.")),
    _choice("recompute_mla_projection", N_("Recompute MLA up"), YES_NO,
            N_("Queries, keys and values of latent attention are computed again from the latents."), _has_latents),
    _choice("dropout", N_("Dropout masks"), YES_NO, N_("Masks of dropout are kept, as in models until about 2021.")),
    _amount("expert_imbalance", N_("Expert imbalance"), "×", 1000,
            N_("Tokens of the fullest expert rank over the mean; 1 where they are even."), step=0.1, minimum=1.0,
            optional=False, applies=_has_experts),
    _amount("expert_tensor", N_("Tensor in experts"), N_("devices"), 10**6,
            N_("Tensor parallelism inside each expert; empty for the same as outside."), "integer", 1, 1,
            applies=_has_experts),
    _choice("cross_entropy", N_("Cross entropy"),
            (("unfused", N_("logits and fp32 copy")), ("fused", N_("fused, logits kept")),
             ("chunked", N_("chunked, none kept"))), N_("What the loss keeps of the logits.")),
    _amount("framework_gib", N_("Framework"), "GiB", 10**6,
            N_("Context of the device and libraries, outside of the allocator; 0.5 to 2 GiB is usual.")),
    _amount("communication_gib", N_("NCCL buffers"), "GiB", 10**6,
            N_("Buffers of the communication library; 1 to 2 GiB is usual, more with many groups.")),
    _amount("fragmentation", N_("Fragmentation"), "%", 1,
            N_("What the allocator reserves beyond what is allocated; 3 to 8% is usual."), "fraction", 0.01),
    _amount("device_memory_gib", N_("Memory of a device"), "GiB", 10**6,
            N_("Where it is not the accelerator's own."), minimum=1e-6, step=8),
)
BY_KEY: dict[str, Field] = {field.key: field for field in MEMORY_FIELDS}


def with_offer(scenario: Scenario, key: str, value: int) -> Scenario:
    """The scenario with the field ``key`` (of the run or of its memory) set to a value that a check offers."""
    field = BY_KEY.get(key) or RUN_BY_KEY[key]
    return field.set(scenario, str(value) if field.kind == "choice" else value)


def usual_value(field: Field, scenario: Scenario) -> float | None:
    """What an empty field stands for; None where that is no number."""
    spec = memory_spec(scenario)
    name = field.key.removeprefix(PREFIX)
    recipe = RECIPES_BY_ID.get(spec.optimizer, RECIPES_BY_ID[MemorySpec().optimizer])
    parallel, devices = scenario.run.parallel or Parallel(), scenario.run.devices
    capacity = capacity_of(scenario.hardware, replace(spec, device_memory_gib=None), scenario.peak)
    several = parallel != Parallel() if devices is None else devices > 1
    usual: dict[str, float | None] = {
        "weight_bytes": recipe.weight, "gradient_bytes": recipe.gradient, "optimizer_bytes": recipe.optimizer,
        "frozen_weight_bytes": recipe.frozen_weight, "framework_gib": FRAMEWORK_GIB, "fragmentation": FRAGMENTATION,
        "communication_gib": COMMUNICATION_GIB if several else 0.0, "expert_tensor": parallel.tensor,
        "activation_bytes": 4.0 if scenario.run.precision in ("fp32", "tf32") else 2.0,
        "device_memory_gib": None if capacity is None else capacity / GIB,
    }
    return usual.get(name)
