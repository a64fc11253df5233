"""A plan as data for other programs: the ``mfu-plan`` object, one shape for every way out.

Each section is a flat object of figures by key, in the units their names say or SI units; what is not known
is null.  Beside them ``basis`` tells what is exact, a model or an assumption, and ``formulas`` which formula
gave it.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.formats.result_json import Document, notices_list
from mfu_gui.planning.formula import Figure
from mfu_gui.planning.inference import Inference, inference
from mfu_gui.planning.memory import Memory, StageMemory, memory
from mfu_gui.planning.post_training import PostTraining, post_training
from mfu_gui.planning.run_plan import RunPlan, plan_run
from mfu_gui.planning.spec import PlanSpec, plan_spec
from mfu_gui.texts import Translator

KIND = "mfu-plan"
SCHEMA = 1


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is planned of one scenario."""

    spec: PlanSpec
    memory: Memory
    run: RunPlan
    inference: Inference
    post_training: PostTraining

    @property
    def notices(self) -> tuple[Notice, ...]:
        """All remarks, each once."""
        found: list[Notice] = []
        for notice in (*self.run.notices, *self.memory.notices, *self.inference.notices,
                       *self.post_training.notices):
            if notice not in found:
                found.append(notice)
        return tuple(found)


def plan_of_scenario(scenario: Scenario, result: Result | None = None) -> Plan:
    """Memory, time, cost, energy, goodput and serving of ``scenario``; InputError for inputs that do not fit."""
    spec, result = plan_spec(scenario), result or evaluate(scenario)
    run = plan_run(scenario, spec, result)
    devices = run.solution.devices if spec.unknown == "devices" else spec.devices
    return Plan(
        spec=spec, run=run,
        memory=memory(scenario.model, scenario.run, scenario.hardware, spec.memory, scenario.peak, devices),
        inference=inference(scenario, spec), post_training=post_training(scenario, spec, result))


def plan_document(scenario: Scenario, plan: Plan, tr: Translator, notices: Iterable[Notice] = ()) -> Document:
    """The ``mfu-plan`` object; messages in the language of ``tr``.  ``notices`` are those of the reading."""
    run = plan.run
    return {
        "kind": KIND, "schema": SCHEMA, "name": scenario.name,
        "memory": _memory(plan.memory),
        "time": {"unknown": plan.spec.unknown, **_section(run.time),
                 "start_date": run.dates[0] if run.dates else plan.spec.start_date,
                 "finish_date": run.dates[1] if run.dates else None,
                 "scaling": _section(run.scaling)},
        "cost": {"currency": run.currency, **_section(run.cost)},
        "energy": _section(run.energy),
        "goodput": _section(run.goodput),
        "inference": {
            "prefill": _section(plan.inference.prefill), "decode": _section(plan.inference.decode),
            "cache": _section(plan.inference.cache), "post_training": _post_training(plan.post_training)},
        "warnings": notices_list([*notices, *plan.notices], tr),
    }


def _section(figures: Iterable[Figure]) -> Document:
    known = list(figures)
    return {**{figure.key: figure.value for figure in known},
            "basis": {figure.key: figure.basis for figure in known if figure.value is not None},
            "formulas": {figure.key: figure.formula for figure in known if figure.formula}}


def _memory(found: Memory) -> Document:
    stages = [_stage(stage) for stage in found.stages]
    return {"verdict": found.verdict, "capacity_bytes": found.capacity, "worst": stages[0] if stages else None,
            "stages": stages}


def _stage(stage: StageMemory) -> Document:
    return {"stage": stage.stage, "layers": stage.layers, "in_flight": stage.in_flight,
            "total_bytes": stage.total, "allocated_bytes": stage.allocated,
            "terms": {term.key: term.value for term in stage.terms},
            "basis": {term.key: term.basis for term in stage.terms}}


def _post_training(found: PostTraining) -> Document:
    return {"method": found.method, "training": _section(found.training), "flops": _section(found.flops),
            "time": _section(found.time)}
