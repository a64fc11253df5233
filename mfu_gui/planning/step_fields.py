"""The tables of fields of the step-time views: what can be edited, in which unit, and what it means.

They stand under ``plan`` of a scenario: ``step_parts`` the user's own profile, ``step`` how fast the device
really is, ``what_if`` the run that is predicted, ``step_anchor`` a second measured step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from msgspec.structs import replace

from mfu_gui.engine.fields import N_, RECOMPUTE_CHOICES, Field, Kind
from mfu_gui.engine.model import MoE
from mfu_gui.engine.model_edit import ffns_of
from mfu_gui.engine.run import Parallel
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.spec import StepAnchor, StepParts, StepSpec, WhatIf, plan_spec, with_plan

Part = Literal["step_parts", "step", "what_if", "step_anchor"]
Applies = Callable[[Scenario], bool]
RUN_KEYS = ("devices", "global_batch", "micro_batch", "sequence_length", "recompute")
LAYOUT_KEYS = ("tensor", "pipeline", "virtual_pipeline", "context", "expert", "zero_stage")


def _always(scenario: Scenario) -> bool:
    return True


def _has_experts(scenario: Scenario) -> bool:
    return bool(ffns_of(scenario.model, MoE))


def _get(part: Part, key: str) -> Callable[[Scenario], Any]:
    def get(scenario: Scenario) -> Any:
        holder = getattr(plan_spec(scenario), part)
        return None if holder is None else getattr(holder, key)

    return get


def _put(scenario: Scenario, **changes: Any) -> Scenario:
    """The scenario with another plan, in which parts that say nothing are not written down."""
    changed = with_plan(scenario, replace(plan_spec(scenario), **changes))
    plan = {name: part for name, part in (changed.plan or {}).items() if part != {}}
    return replace(changed, plan=plan or None)


def _field(part: Part, key: str, label: str, kind: Kind, help_: str, put: Callable[[Scenario, Any], Scenario], *,
           unit: str = "", least: float = 0.0, most: float = 1e9, step: float | Literal["double"] = "double",
           applies: Applies = _always, main: bool = True) -> Field:
    return Field(key=f"plan.{part}.{key}", panel="run", label=label, kind=kind, unit=unit, minimum=least, maximum=most,
                 step=step, optional=True, get=_get(part, key), set=put, help=help_, applies=applies, main=main)


# Parts of a measured step

def _set_part(key: str) -> Callable[[Scenario, Any], Scenario]:
    def put(scenario: Scenario, value: Any) -> Scenario:
        parts = plan_spec(scenario).step_parts or StepParts()
        usual = None if key == "forward_backward_s" else 0.0
        parts = replace(parts, **{key: usual if value is None else value})
        return _put(scenario, step_parts=None if parts == StepParts() else parts)

    return put


def _get_part(key: str) -> Callable[[Scenario], Any]:
    return lambda scenario: getattr(plan_spec(scenario).step_parts or StepParts(), key) or None


def _part(key: str, label: str, help_: str) -> Field:
    least = 1e-9 if key == "forward_backward_s" else 0.0
    return replace(_field("step_parts", key, label, "time", help_, _set_part(key), unit=N_("s"), least=least, most=1e9),
                   get=_get_part(key))


PART_FIELDS: tuple[Field, ...] = (
    _part("data_s", N_("Data"), N_("Time in which the devices wait for the next batch.")),
    _part("forward_backward_s", N_("Both passes"),
          N_("Forward and backward with all that runs inside them. Empty: what the other parts leave of the step.")),
    _part("communication_s", N_("Communication"), N_("Collectives that nothing else runs beside.")),
    _part("optimizer_s", N_("Optimizer"), N_("The update of the weights.")),
    _part("post_processing_s", N_("Post-processing"), N_("Metrics, logging, clipping: what follows the update.")),
    _part("scheduling_s", N_("Scheduling"), N_("Time in which nothing is started: the host, other jobs.")),
)


# How fast the device is

def _set_step(key: str) -> Callable[[Scenario, Any], Scenario]:
    def put(scenario: Scenario, value: Any) -> Scenario:
        usual = getattr(StepSpec(), key)
        return _put(scenario, step=replace(plan_spec(scenario).step, **{key: usual if value is None else value}))

    return put


def _share(key: str, label: str, help_: str, *, least: float = 1.0, main: bool = True,
           applies: Applies = _always) -> Field:
    return _field("step", key, label, "fraction", help_, _set_step(key), unit="%", least=least / 100, most=1.0,
                  step=0.01, main=main, applies=applies)


SPEED_FIELDS: tuple[Field, ...] = (
    _share("matmul_efficiency", N_("Products"), N_("Share of the dense peak that large matrix products reach.")),
    _share("attention_efficiency", N_("Attention"), N_("Share of the dense peak that attention reaches.")),
    _share("expert_efficiency", N_("Experts"), N_("Share of the dense peak that grouped products of experts reach."),
           applies=_has_experts),
    _share("memory_efficiency", N_("Memory"), N_("Share of the memory bandwidth that streams reach.")),
    _share("scale_up_efficiency", N_("Node link"), N_("Share of the scale-up bandwidth that collectives reach.")),
    _share("scale_out_efficiency", N_("Network"), N_("Share of the network bandwidth that collectives reach.")),
    _share("tensor_overlap", N_("TP hidden"), N_("Share of the tensor-parallel collectives that runs beside products."),
           least=0.0),
    _share("expert_overlap", N_("EP hidden"), N_("Share of the exchange of tokens that runs beside products."),
           least=0.0, applies=_has_experts),
    _field("step", "loading_s", N_("Data of a step"), "time",
           N_("Time in which the host prepares the data of one step. Only what is longer than the step is waited for."),
           _set_step("loading_s"), unit=N_("s"), most=1e6),
)


# What is predicted

def _set_what_if(key: str) -> Callable[[Scenario, Any], Scenario]:
    def put(scenario: Scenario, value: Any) -> Scenario:
        kept = None if value == "" else value  # the choice "as it is"
        return _put(scenario, what_if=replace(plan_spec(scenario).what_if, **{key: kept}))

    return put


def _count(key: str, label: str, help_: str, *, unit: str = "", most: float = 1e9, least: float = 1.0,
           step: float | Literal["double"] = "double", applies: Applies = _always) -> Field:
    return _field("what_if", key, label, "integer", help_, _set_what_if(key), unit=unit, least=least, most=most,
                  step=step, applies=applies)


AS_IT_IS = N_("Empty: as it is.")
WHAT_IF_FIELDS: tuple[Field, ...] = (
    _count("devices", N_("Devices"), AS_IT_IS),
    _count("global_batch", N_("Global batch"), AS_IT_IS),
    _count("micro_batch", N_("Micro-batch"), AS_IT_IS),
    _count("sequence_length", N_("Sequence"), AS_IT_IS, unit=N_("tokens"), most=10**9),
    Field(key="plan.what_if.recompute", panel="run", label=N_("Recompute"), kind="choice",
          choices=(("", N_("as it is")), *RECOMPUTE_CHOICES), get=lambda s: plan_spec(s).what_if.recompute or "",
          set=_set_what_if("recompute"), help=N_("What is computed again in the backward pass.")),
    _count("tensor", N_("Tensor (TP)"), AS_IT_IS, most=4096),
    _count("pipeline", N_("Pipeline (PP)"), AS_IT_IS, most=4096),
    _count("virtual_pipeline", N_("Virtual (VP)"), AS_IT_IS, most=4096),
    _count("context", N_("Context (CP)"), AS_IT_IS, most=4096),
    _count("expert", N_("Expert (EP)"), AS_IT_IS, most=4096, applies=_has_experts),
    _count("zero_stage", N_("ZeRO stage"), AS_IT_IS, most=3, least=0, step=1),
)


def _set_anchor(key: str) -> Callable[[Scenario, Any], Scenario]:
    def put(scenario: Scenario, value: Any) -> Scenario:
        anchor = plan_spec(scenario).step_anchor or StepAnchor()
        anchor = replace(anchor, **{key: value})
        return _put(scenario, step_anchor=None if anchor == StepAnchor() else anchor)

    return put


ANCHOR_FIELDS: tuple[Field, ...] = (
    _field("step_anchor", "global_batch", N_("Second batch"), "integer",
           N_("Global batch of a second measured step: with two of them other batches need no model."),
           _set_anchor("global_batch"), least=1),
    _field("step_anchor", "step_time_s", N_("Its step"), "time", N_("What that step took."), _set_anchor("step_time_s"),
           unit=N_("s"), least=1e-9),
)
FIELDS: tuple[Field, ...] = (*PART_FIELDS, *SPEED_FIELDS, *WHAT_IF_FIELDS, *ANCHOR_FIELDS)


def what_if(scenario: Scenario) -> Scenario:
    """The run that the form describes: the scenario with everything that is filled in."""
    asked: WhatIf = plan_spec(scenario).what_if
    run = scenario.run
    changes = {key: value for key in RUN_KEYS if (value := getattr(asked, key)) is not None}
    sizes = {key: value for key in LAYOUT_KEYS if (value := getattr(asked, key)) is not None}
    if sizes:
        changes["parallel"] = replace(run.parallel or Parallel(), **sizes)
    return replace(scenario, run=replace(run, **changes)) if changes else scenario
