"""What is trained: which matrices and activations need a gradient.

A backward pass computes, for each forward product, the gradient of either factor that is needed.  A
frozen matrix needs none; an activation needs one only if something trained stands before it.  So
LoRA pays the input gradients of all frozen matrices but those of the first layer, frozen lower
layers cost nothing at all, and convolutions on pixels have no input gradient.  Measured with
operator counting on real model code; the tests hold the cases.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Literal

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import MLA, Attention, Dense, Layer, ModelSpec, MoE, Stack
from mfu_gui.engine.run import Trainable

FIELD = "run.trainable"
FROZEN_PARTS = ("embedding", "head", "encoder", "vision")
_LAYERS = re.compile(r"layers\[(\d*):(\d*)\]")
_ATTENTION_PARTS = {
    "q": ("q", "q_a", "q_b"), "k": ("k", "kv_a", "kv_b"), "v": ("v", "kv_a", "kv_b"), "o": ("o",),
}
_MLP_COMPONENTS = ("mlp", "shared_experts")


class Policy(msgspec.Struct, frozen=True, cache_hash=True):
    """What is trained in one group of layers: their own weights, or adapters of ``rank`` beside them."""

    weights: bool = True
    rank: int = 0
    targets: tuple[str, ...] = ()

    def adapts(self, component: str, part: str) -> bool:
        """Whether the matrix has a low-rank adapter."""
        if component == "attention_proj":
            return any(part in _ATTENTION_PARTS.get(target, ()) for target in self.targets)
        if component in _MLP_COMPONENTS:
            return part in self.targets
        if component == "experts":
            return "experts" in self.targets
        return component == "lm_head" and "head" in self.targets


FULL = Policy()
FROZEN = Policy(weights=False)


class Plan(msgspec.Struct, frozen=True):
    """A checked ``trainable``: the policy of each part of one model."""

    adapters: Policy | None = None
    frozen: frozenset[str] = frozenset()
    layers: tuple[tuple[int, int], ...] = ()
    """Frozen layers of the main stack, as half-open ranges."""

    def of(self, part: Literal["embedding", "head", "encoder", "vision", "decoder", "connector"]) -> Policy:
        """The policy of a part of the model outside the main stack's layers, or of a stack."""
        if self.adapters is not None:
            return FROZEN if part in ("embedding", "vision", "connector") else self.adapters
        return FROZEN if part in self.frozen else FULL

    def segments(self, stack: Stack, main: bool) -> list[tuple[str, int, Policy]]:
        """(layer kind, count, policy) in the order of execution."""
        whole = self.of(stack.name)
        if not main or not self.layers:
            return [(name, count, whole) for name, count in stack.order]
        found: list[tuple[str, int, Policy]] = []
        position = 0
        for name, count in stack.order:
            end = position + count
            cuts = sorted({position, end, *(c for cut in self.layers for c in cut if position < c < end)})
            for first, last in pairwise(cuts):
                frozen = any(a <= first < b for a, b in self.layers)
                found.append((name, last - first, FROZEN if frozen else whole))
            position = end
        return found


@lru_cache(maxsize=64)
def plan_of(model: ModelSpec, trainable: Trainable) -> Plan:
    """``trainable`` checked against ``model``; InputError for a part that the model does not have."""
    if trainable.lora_rank is not None:
        return Plan(adapters=_adapters(model, trainable))
    if trainable.targets:
        raise InputError("required", "run.trainable.lora_rank")
    frozen: set[str] = set()
    layers: list[tuple[int, int]] = []
    for entry in trainable.frozen:
        if entry.startswith("layers"):
            layers.append(_layer_range(entry, model.main))
        elif entry in FROZEN_PARTS:
            _check_part(entry, model)
            frozen.add(entry)
        else:
            raise InputError("unknown_choice", f"{FIELD}.frozen", value=entry,
                             allowed=", ".join((*FROZEN_PARTS, "layers[a:b]")))
    if model.head is not None and model.head.tied and frozen & {"embedding", "head"}:
        frozen |= {"embedding", "head"}
    return Plan(frozen=frozenset(frozen), layers=tuple(layers))


def fitting(trainable: Trainable, model: ModelSpec) -> Literal["full"] | Trainable:
    """``trainable`` without what ``model`` lacks: a convention that does not see the vision tower, or takes
    experts for a dense MLP, cannot tell that they are frozen or adapted.  What it sees is frozen as before.
    """
    if trainable.lora_rank is not None:
        possible = adaptable_parts(model)
        targets = tuple(target for target in trainable.targets if target in possible)
        if targets:
            return replace(trainable, targets=targets)
        there = _parts_of(model)
        return Trainable(frozen=(*(name for name in FROZEN_PARTS if there[name]), "layers[:]"))
    there, total = _parts_of(model), model.main.layer_count()
    kept: list[str] = []
    for entry in trainable.frozen:
        match = _LAYERS.fullmatch(entry.replace(" ", ""))
        if match is not None:
            first, last = int(match[1] or 0), min(int(match[2] or total), total)
            kept += [f"layers[{first}:{last}]"] if first < last else []
        elif there.get(entry, True):
            kept.append(entry)
    return Trainable(frozen=tuple(kept)) if kept else "full"


def _parts_of(model: ModelSpec) -> dict[str, bool]:
    """Which of the parts that can be frozen by name a model has."""
    return {
        "embedding": bool(model.vocabulary), "head": model.head is not None,
        "encoder": model.stack("encoder") is not None, "vision": model.stack("vision") is not None,
    }


def _check_part(name: str, model: ModelSpec) -> None:
    there = _parts_of(model)
    if not there[name]:
        raise InputError("unknown_choice", f"{FIELD}.frozen", value=name,
                         allowed=", ".join([n for n, exists in there.items() if exists] + ["layers[a:b]"]))


def _layer_range(entry: str, stack: Stack) -> tuple[int, int]:
    """``layers[a:b]`` as Python's slices, without negative numbers."""
    match = _LAYERS.fullmatch(entry.replace(" ", ""))
    total = stack.layer_count()
    if match is None:
        raise InputError("layers_out_of_range", f"{FIELD}.frozen", value=entry, layers=total)
    first, last = int(match[1] or 0), int(match[2] or total)
    if not first < last <= total:
        raise InputError("layers_out_of_range", f"{FIELD}.frozen", value=entry, layers=total)
    return first, last


def _adapters(model: ModelSpec, trainable: Trainable) -> Policy:
    if trainable.frozen:
        raise InputError("exactly_one", FIELD, allowed="lora_rank, frozen", found="lora_rank, frozen")
    if not trainable.targets:
        raise InputError("required", "run.trainable.targets")
    possible = adaptable_parts(model)
    for target in trainable.targets:
        if target not in possible:
            raise InputError("unknown_choice", "run.trainable.targets", value=target, allowed=", ".join(possible))
    return Policy(weights=False, rank=trainable.lora_rank or 0, targets=tuple(sorted(set(trainable.targets))))


def adaptable_parts(model: ModelSpec) -> list[str]:
    """Targets that some layer outside the vision tower has a matrix for."""
    found: set[str] = {"head"} if model.head is not None else set()
    for stack in model.stacks:
        if stack.name == "vision":
            continue
        for layer in stack.kinds:
            found |= _layer_targets(layer)
    return [name for name in ("q", "k", "v", "o", "gate", "up", "down", "experts", "head") if name in found]


def _layer_targets(layer: Layer) -> set[str]:
    found: set[str] = set()
    block = layer.shared
    mixers = layer.mixers + (block.mixers if block is not None else ())
    ffns = layer.ffns + (block.ffns if block is not None else ())
    if any(isinstance(mixer, Attention | MLA) for mixer in mixers):
        found |= {"q", "k", "v", "o"}
    for ffn in ffns:
        if isinstance(ffn, MoE):
            found.add("experts")
        matrices = ffn.matrices if isinstance(ffn, Dense) else 0
        if isinstance(ffn, MoE) and ffn.shared_width:
            matrices = ffn.shared_matrices or ffn.matrices
        if matrices:
            found |= {"up", "down"} | ({"gate"} if matrices == 3 else set())
    return found
