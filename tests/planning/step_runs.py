"""Measured steps with their layouts, as scenarios: A100 Megatron runs, B200 runs, published rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.model_edit import replace_main
from mfu_gui.engine.run import Measured, Parallel, RunSpec
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.published import PublishedRow, published
from mfu_gui.planning.step_peers import calculon_step_s
from mfu_gui.planning.step_time import A100, gpt_model

DATA = Path(__file__).parent.parent / "data"
RUNS: dict[str, Any] = json.loads((DATA / "step_runs.json").read_text(encoding="utf-8"))
LETTERS = ("h", "L", "a", "n", "t", "p", "v", "B", "b", "s")
MEGATRON_2021, MT_NLG = ("megatron-t1", "megatron-t2"), "mt-nlg"
Run = dict[str, Any]


def printed_step_s(run: Run) -> float:
    """Seconds as printed, or those of a printed rate by the paper's own formula (arXiv 2104.04473, section 5.1)."""
    if "step_s" in run:
        return float(run["step_s"])
    h, layers, s = run["h"], run["L"], run["s"]
    flops = 96 * run["B"] * s * layers * h**2 * (1 + s / (6 * h) + run["V"] / (16 * layers * h))
    return float(flops / (run["n"] * run["tflops_per_device"] * 1e12))


def megatron(run: Run) -> Scenario:
    """An A100 run as it was measured."""
    spec = RunSpec(
        sequence_length=run["s"], devices=run["n"], global_batch=run["B"], precision="fp16", micro_batch=run["b"],
        attention_kernel="unfused", recompute="full" if run["rc"] == "full" else "selective",
        measured=Measured(step_time_s=printed_step_s(run)),
        parallel=Parallel(tensor=run["t"], pipeline=run["p"], virtual_pipeline=run["v"]))
    return Scenario(name=run["name"], model=gpt_model(run["h"], run["L"], run["a"], run["s"], run["V"]), hardware=A100,
                    run=spec, plan={"memory": {"sequence_parallel": run["rc"] == "sel"}})


def of_set(*names: str) -> list[Run]:
    """A100 runs of these sets."""
    return [run for run in RUNS["megatron"] if run["set"] in names]


def calculon(run: Run) -> float:
    """calculon's step of an A100 run."""
    return float(calculon_step_s(**{letter: run[letter] for letter in LETTERS}, rc=run["rc"]))


def megatron_pairs() -> Iterator[tuple[Run, Run]]:
    """Pairs of A100 runs of one model that differ in devices, recomputation or replicas, both ways."""
    groups = [of_set(MT_NLG)]
    groups += [[run for run in of_set("megatron-t2") if run["name"].startswith(size)] for size in ("175B", "530B")]
    for size in ("22B", "175B", "530B", "1T"):
        groups.append([run for run in of_set("korthikanti") if run["name"].startswith(f"{size} ")])
    groups.append([run for run in of_set("korthikanti", "korthikanti-dp8") if run["name"].startswith("530B sel")])
    for group in groups:
        yield from permutations(group, 2)


B200_MODELS = {"llama3_70b": "llama-3.1-70b", "llama3_405b": "llama-3.1-405b", "deepseekv2": "deepseek-v2",
               "deepseekv3": "deepseek-v3"}
B200_DEVICES = 8


def _first_layers(model: ModelSpec, layers: int) -> ModelSpec:
    """One layer of the first kind, the rest of the last: how those runs cut DeepSeek models."""
    main = model.main
    first, last = main.order[0][0], main.order[-1][0]
    order = ((first, 1), (last, layers - 1)) if first != last else ((first, layers),)
    return replace_main(model, replace(main, order=order))


@cache
def _b200_parts() -> tuple[dict[str, ModelSpec], Any]:
    store = PresetStore()
    models = {name: store.model(preset).spec for name, preset in B200_MODELS.items()}
    return models, store.hardware("nvidia-b200-sxm").spec


def b200(case: str, step_s: float | None = None) -> Scenario:
    """A B200 run from its name: model, layers (l), tensor, pipeline, context and expert sizes, micro-batches (mbc)."""
    models, hardware = _b200_parts()
    name = next(name for name in models if case.startswith(name))

    def number(letters: str, usual: int = 1) -> int:
        found = re.search(rf"_{letters}(\d+)", case)
        return int(found[1]) if found else usual

    tensor, pipeline, context, expert = (number(letters) for letters in ("tp", "pp", "cp", "ep"))
    replicas = B200_DEVICES // (tensor * pipeline * context)
    run = RunSpec(
        sequence_length=number("seq", 4096), devices=B200_DEVICES, global_batch=number("mbc") * replicas,
        micro_batch=1, attention_kernel="flash", measured=None if step_s is None else Measured(step_time_s=step_s),
        parallel=Parallel(tensor=tensor, pipeline=pipeline, context=context, expert=expert, zero_stage=1))
    # As their launcher has it: no overlap, gradients in fp32, heads for positions (docs/b200/b200_real_repro_guide).
    step = {"context_exchange": "all-to-all", "gradient_bytes": 4.0, "tensor_overlap": 0.0, "expert_overlap": 0.0,
            "data_overlap": False}
    return Scenario(name=case, model=_first_layers(models[name], number("l")), hardware=hardware, run=run,
                    plan={"memory": {"expert_tensor": 1}, "step": step})


def published_scenario(row: PublishedRow) -> tuple[Scenario, bool] | None:
    """(scenario, whether the source prints the layout); None where no step time follows from the row.

    Without a printed layout only products and memory are counted.
    """
    scenario = published().scenario(row)
    if scenario is None or row.measured is None or row.devices is None or row.global_batch is None:
        return None
    if row.hardware is None:
        return None
    layout: dict[str, int] | None = RUNS["layouts"].get(row.id)
    if layout is None:
        return scenario, False
    sizes = {name: size for name, size in layout.items() if name != "micro_batch"}
    run = replace(scenario.run, micro_batch=layout.get("micro_batch"), parallel=Parallel(**sizes))
    return replace(scenario, run=run), True
