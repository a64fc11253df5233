"""What would make a run need less memory, each change tried with the same estimate."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.batch import devices_of_replica
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import N_
from mfu_gui.engine.model import MoE
from mfu_gui.engine.model_edit import ffns_of
from mfu_gui.engine.run import Parallel, RunSpec
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.layout_checks import tensor_sizes
from mfu_gui.planning.memory import Memory, Verdict, memory
from mfu_gui.planning.memory_fields import with_memory
from mfu_gui.planning.spec import plan_spec

USUAL_NODE = 8
LEAST_SAVING = 0.02
"""Changes that save less than this share of the fullest stage are not worth naming."""

LABELS: dict[str, str] = {
    "recompute_full": N_("recompute all layers"), "zero_1": N_("ZeRO stage 1"), "zero_3": N_("ZeRO stage 3 (FSDP)"),
    "micro_batch": N_("micro-batch {size}"), "tensor": N_("tensor parallel {size}"),
    "pipeline": N_("pipeline parallel {size}"), "expert": N_("expert parallel {size}"),
    "cross_entropy": N_("chunked cross entropy"),
}


class Advice(msgspec.Struct, frozen=True):
    """A change: the scenario with it, and what its fullest stage would take."""

    key: str
    size: int | None
    scenario: Scenario
    total: float
    verdict: Verdict


def advice(scenario: Scenario, now: Memory) -> tuple[Advice, ...]:
    """Single changes that save memory: those that make it fit first, then those that save most."""
    found = []
    for key, size, changed in _changes(scenario):
        try:
            made = memory_of(changed)
        except InputError:
            continue
        if made.worst.total < (1 - LEAST_SAVING) * now.worst.total:
            found.append(Advice(key, size, changed, made.worst.total, made.verdict))
    return tuple(sorted(found, key=lambda each: (each.verdict != "fits", each.total)))


def memory_of(scenario: Scenario) -> Memory:
    """Memory of a scenario with the inputs of its plan.  InputError as ``memory`` and ``plan_spec``."""
    plan = plan_spec(scenario)
    return memory(scenario.model, scenario.run, scenario.hardware, plan.memory, scenario.peak, plan.devices)


def _changes(scenario: Scenario) -> Iterator[tuple[str, int | None, Scenario]]:
    run, parallel = scenario.run, scenario.run.parallel or Parallel()
    several = run.devices is not None and run.devices > devices_of_replica(run)
    if run.recompute in ("none", "selective"):
        yield "recompute_full", None, _with(scenario, replace(run, recompute="full"))
    if several and parallel.zero_stage == 0:
        yield "zero_1", None, _with_layout(scenario, replace(parallel, zero_stage=1))
    if several and parallel.zero_stage < 3 and parallel.pipeline == 1:
        yield "zero_3", None, _with_layout(scenario, replace(parallel, zero_stage=3))
    if run.micro_batch is not None and run.micro_batch % 2 == 0:
        yield "micro_batch", run.micro_batch // 2, _with(scenario, replace(run, micro_batch=run.micro_batch // 2))
    yield from _wider(scenario, parallel)
    if plan_spec(scenario).memory.cross_entropy != "chunked":
        yield "cross_entropy", None, with_memory(scenario, "cross_entropy", "chunked")


def _wider(scenario: Scenario, parallel: Parallel) -> Iterator[tuple[str, int | None, Scenario]]:
    """Twice the tensor, pipeline or expert parallelism, where it divides and stays inside the devices."""
    model, run = scenario.model, scenario.run
    node = scenario.hardware.devices_per_node or USUAL_NODE
    tensor, pipeline, expert = 2 * parallel.tensor, 2 * parallel.pipeline, 2 * parallel.expert
    layers, per_stage = model.main.layer_count(), 2 * parallel.pipeline * parallel.virtual_pipeline
    wider = []
    if tensor <= node and tensor in tensor_sizes(model):
        wider.append(("tensor", tensor, replace(parallel, tensor=tensor)))
    if per_stage <= layers and plan_spec(scenario).memory.layers_per_stage is None:
        wider.append(("pipeline", pipeline, replace(parallel, pipeline=pipeline)))
    for key, size, layout in wider:
        changed = _with_layout(scenario, layout)
        if run.devices is not None and run.devices % devices_of_replica(changed.run) == 0:
            yield key, size, changed
    experts = [ffn.experts for ffn in ffns_of(model, MoE)]
    if experts and all(count % expert == 0 for count in experts) and run.devices is not None:
        in_stage, rest = divmod(run.devices, parallel.pipeline)
        if rest == 0 and in_stage % (expert * (plan_spec(scenario).memory.expert_tensor or parallel.tensor)) == 0:
            yield "expert", expert, _with_layout(scenario, replace(parallel, expert=expert))


def _with(scenario: Scenario, run: RunSpec) -> Scenario:
    return replace(scenario, run=run)


def _with_layout(scenario: Scenario, parallel: Parallel) -> Scenario:
    return _with(scenario, replace(scenario.run, parallel=parallel))
