"""Which layouts a model can have on so many devices: only those in which everything divides but the layers.

Frameworks give stages unequal numbers of layers where they do not divide (61 on 16 stages, DeepSeek-V3,
arXiv 2412.19437), so that is searched too; virtual stages only where they are all equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import gcd
from typing import Any

import msgspec
import numpy as np

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import MLA, Attention, MoE
from mfu_gui.engine.model_edit import ffns_of, mixers_of
from mfu_gui.engine.run import Parallel, Recompute
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.communication import Array
from mfu_gui.planning.layout_checks import tensor_sizes
from mfu_gui.planning.spec import plan_spec

USUAL_NODE = 8
USUAL_RECOMPUTE = ("none", "selective", "full")
ZERO_STAGES = (0, 1, 2, 3)
DIMENSIONS = ("devices", "tensor", "pipeline", "virtual_pipeline", "context", "expert", "micro_batch", "zero_stage",
              "recompute")
"""What is searched, in the order of an index."""
KEYS = {"run.devices": "devices", "run.micro_batch": "micro_batch", "run.recompute": "recompute",
        **{f"run.parallel.{name}": name for name in Parallel.__struct_fields__}}
"""Dimension of each field that may limit a search."""
MOST_UNEVEN = 1.25
"""Layers of the fullest stage over the mean, beyond which a number of stages is not tried unless it is given."""
MOST_LAYOUTS = 5_000_000
Given = Mapping[str, Sequence[Any]]
"""Values that a dimension is limited to, by its name."""


class Space(msgspec.Struct, frozen=True, kw_only=True):
    """All layouts of a search, an array for each dimension; ``recompute`` numbers ``recomputes``."""

    devices: Array
    tensor: Array
    pipeline: Array
    virtual_pipeline: Array
    context: Array
    expert: Array
    micro_batch: Array
    zero_stage: Array
    recompute: Array
    recomputes: tuple[str | Recompute, ...]

    @property
    def count(self) -> int:
        """Number of layouts."""
        return int(self.devices.size)


def divisors(value: int) -> list[int]:
    """All divisors, in order."""
    small = [d for d in range(1, int(value**0.5) + 1) if value % d == 0]
    return sorted({*small, *(value // d for d in small)})


def space_of(scenario: Scenario, given: Given | None = None) -> Space:
    """Every layout in which all divides but perhaps the layers, within what is ``given``.

    Tensor parallelism stays inside a node and context parallelism is for attention unless they are given.
    InputError ``required`` without devices or batch, ``layouts_none`` where nothing divides, and
    ``layouts_too_many``.
    """
    given = dict(given or {})
    run = scenario.run
    if run.devices is None and "devices" not in given:
        raise InputError("required", "run.devices")
    if run.global_batch is None:
        raise InputError("required", "run.global_batch")
    recomputes = tuple(given.get("recompute", _recomputes(scenario)))
    parts: list[list[Array]] = []
    count = 0
    for devices in given.get("devices", (run.devices,)):
        for part in _of_devices(scenario, int(devices), given, len(recomputes)):
            count += part[0].size
            if count > MOST_LAYOUTS:
                raise InputError("layouts_too_many", "", maximum=MOST_LAYOUTS)
            parts.append(part)
    if not parts:
        raise InputError("layouts_none", "run.devices", devices=run.devices, batch=run.global_batch)
    columns: dict[str, Any] = {name: np.concatenate([part[index] for part in parts])
                               for index, name in enumerate(DIMENSIONS)}
    return Space(**columns, recomputes=recomputes)


def _recomputes(scenario: Scenario) -> tuple[str | Recompute, ...]:
    """The usual ones, and the scenario's own."""
    own = scenario.run.recompute
    return USUAL_RECOMPUTE if own in USUAL_RECOMPUTE else (*USUAL_RECOMPUTE, own)


def _of_devices(scenario: Scenario, devices: int, given: Given, recomputes: int) -> Iterator[list[Array]]:
    """Layouts of one number of devices, an array of each dimension at a time."""
    batch = scenario.run.global_batch or 1
    parallel = scenario.run.parallel or Parallel()
    sizes = divisors(devices)
    tensors = _allowed(given, "tensor", _tensors(scenario, parallel), sizes)
    layers = scenario.model.main.layer_count()
    pipelines = _allowed(given, "pipeline", _pipelines(layers, sizes), sizes)
    contexts = _allowed(given, "context", _contexts(scenario, parallel), sizes)
    for tensor, pipeline, context in product(tensors, pipelines, contexts):
        replica = tensor * pipeline * context
        if devices % replica or not _length_divides(scenario, tensor, context) or pipeline > layers:
            continue
        data = devices // replica
        if batch % data:
            continue
        micro = _allowed(given, "micro_batch", divisors(batch // data))
        virtual = _allowed(given, "virtual_pipeline", _virtual(layers, pipeline))
        virtual = [v for v in virtual if v in _virtual(layers, pipeline)]
        expert = _experts(scenario, given, devices // pipeline, tensor)
        zero = _allowed(given, "zero_stage", [z for z in ZERO_STAGES if _shards(z, pipeline, data * context, expert)])
        pairs = [(v, b) for v, b in product(virtual, micro)
                 if (batch // data) % b == 0 and (v == 1 or (batch // data // b) % pipeline == 0)]
        if pairs and expert and zero:
            yield _columns((devices, tensor, pipeline, context), pairs, expert, zero, recomputes)


def _columns(fixed: tuple[int, ...], pairs: list[tuple[int, int]], expert: list[int], zero: list[int],
             recomputes: int) -> list[Array]:
    """Every combination, in the order of DIMENSIONS."""
    devices, tensor, pipeline, context = fixed
    virtual, micro = np.array(pairs, dtype=np.float64).T
    grid = np.meshgrid(np.arange(len(pairs)), np.array(expert, dtype=np.float64), np.array(zero, dtype=np.float64),
                       np.arange(float(recomputes)), indexing="ij")
    index, experts, zeros, again = (part.reshape(-1) for part in grid)
    index = index.astype(np.intp)
    whole = np.ones(index.shape)
    return [devices * whole, tensor * whole, pipeline * whole, virtual[index], context * whole, experts, micro[index],
            zeros, again]


def _allowed(given: Given, name: str, usual: list[int], sizes: list[int] | None = None) -> list[int]:
    values = [int(value) for value in given.get(name, usual)]
    return values if sizes is None else [value for value in values if value in sizes]


def node_of(scenario: Scenario) -> int:
    """Devices that share a fast link."""
    hardware = scenario.hardware
    return hardware.devices_per_node or hardware.scale_up_domain or USUAL_NODE


def _tensors(scenario: Scenario, parallel: Parallel) -> list[int]:
    most = max(node_of(scenario), parallel.tensor)
    return [size for size in tensor_sizes(scenario.model) if size <= most]


def _pipelines(layers: int, sizes: list[int]) -> list[int]:
    """Numbers of stages: even ones, and those whose fullest stage is not much more than the mean."""
    return [size for size in sizes if size <= layers and -(-layers // size) * size <= MOST_UNEVEN * layers]


def _virtual(layers: int, pipeline: int) -> list[int]:
    """Numbers of virtual stages: more than one only where all stages are alike."""
    return divisors(layers // pipeline) if pipeline > 1 and layers % pipeline == 0 else [1]


def _contexts(scenario: Scenario, parallel: Parallel) -> list[int]:
    attends = bool(mixers_of(scenario.model, Attention)) or bool(mixers_of(scenario.model, MLA))
    length = scenario.run.sequence_length
    if not attends or length % 2:
        return [1] if parallel.context == 1 else [1, parallel.context]
    return divisors(length // 2)


def _length_divides(scenario: Scenario, tensor: int, context: int) -> bool:
    length, spec = scenario.run.sequence_length, plan_spec(scenario).memory
    if length % (2 * context if context > 1 else 1):
        return False
    shared = tensor > 1 if spec.sequence_parallel is None else spec.sequence_parallel
    return not shared or (length // context) % tensor == 0


def _experts(scenario: Scenario, given: Given, in_stage: int, tensor: int) -> list[int]:
    """Sizes of expert parallelism in a stage of ``in_stage`` devices."""
    moes = ffns_of(scenario.model, MoE)
    if not moes:
        return [size for size in _allowed(given, "expert", [1]) if size == 1]
    inside = plan_spec(scenario).memory.expert_tensor or tensor
    if any(ffn.width % inside for ffn in moes):
        return []
    together = gcd(*(ffn.experts for ffn in moes))
    return [size for size in _allowed(given, "expert", divisors(together))
            if together % size == 0 and in_stage % (size * inside) == 0]


def _shards(stage: int, pipeline: int, shards: int, expert: list[int]) -> bool:
    """Whether a ZeRO stage is another layout: there is something to share, and no pipeline that forbids it."""
    if stage == 0:
        return True
    return shards > 1 and (stage == 1 or pipeline == 1)
