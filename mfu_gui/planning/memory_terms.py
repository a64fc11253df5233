"""The terms of one device's memory, each with its formula and the numbers behind it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import msgspec

from mfu_gui.engine.fields import N_
from mfu_gui.engine.model import MLA, Attention, ModelSpec
from mfu_gui.engine.run import RunSpec
from mfu_gui.planning import memory_rules as rules
from mfu_gui.planning.activations import (
    LayerBytes,
    Positions,
    keep_options,
    layer_bytes,
    positions_of,
    recomputed_layers,
)
from mfu_gui.planning.formula import Figure, Formula
from mfu_gui.planning.layout import Layout, in_flight, is_there, largest, least, pick
from mfu_gui.planning.optimizers import Copy, Recipe, recipe_of
from mfu_gui.planning.shapes import Bucket, Buckets, Group, Holdings, holdings, merged, multiplied
from mfu_gui.planning.spec import MemorySpec
from mfu_gui.planning.stages import StageLayers

FRAMEWORK_GIB = 1.0
COMMUNICATION_GIB = 1.0
FRAGMENTATION = 0.05
SCRATCH_BYTES = 2.0
LOGIT_BYTES: dict[str, float] = {"unfused": 6.0, "fused": 2.0, "chunked": 0.0}
"""16-bit logits with fp32 softmax or gradient; the logits alone; neither."""
FP32_GRADIENT = 4.0


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What all stages of a run have in common."""

    model: ModelSpec
    run: RunSpec
    spec: MemorySpec
    layout: Layout
    recipe: Recipe
    held: Holdings
    positions: Positions
    layers: dict[Group, LayerBytes]
    """Activations of one layer of each group for one micro-batch."""
    outside: tuple[Figure, ...]
    """Terms that no tensor of the run accounts for, the same on every device."""


def context_of(model: ModelSpec, run: RunSpec, spec: MemorySpec, layout: Layout) -> Context:
    """What all stages of ``run`` share.  InputError as ``memory``."""
    held = holdings(model, run.trainable, run.multi_token_prediction, recomputed_layers(run))
    positions = positions_of(model, run, layout)
    groups = dict.fromkeys([*held.own, *(group for group, _ in held.prediction_groups)])
    return Context(model=model, run=run, spec=spec, layout=layout, recipe=recipe_of(spec), held=held,
                   positions=positions,
                   layers={group: layer_bytes(model, run, spec, layout, group, positions) for group in groups},
                   outside=tuple(_outside(spec, layout)))


class Resting(msgspec.Struct, frozen=True):
    """Terms of a device that do not depend on how many micro-batches it holds."""

    states: tuple[Figure, ...]
    working_set: tuple[Figure, ...]
    buffers: tuple[Figure, ...]


Alike = dict[Hashable, Resting]
"""What devices have in common by what they hold: a pipeline can have a thousand that hold the same."""


def stage_terms(context: Context, stage: StageLayers, alike: Alike | None = None) -> tuple[list[Figure], float]:
    """All terms of the device, and how many micro-batches it holds at its fullest."""
    flight = in_flight(context.layout, stage.stage)
    resting = _resting(context, stage, {} if alike is None else alike)
    terms = [*resting.states, *_there(_activations(context, stage, flight)), *resting.working_set,
             *_there(_embedding(context, stage, flight)), *resting.buffers]
    allocated = sum(1.0 * term.value for term in terms if term.value is not None)
    return [*terms, _fragmentation(context, allocated), *context.outside], flight


def _resting(context: Context, stage: StageLayers, alike: Alike) -> Resting:
    found = alike.get(stage.holds)
    if found is None:
        found = alike[stage.holds] = Resting(
            states=tuple(_there(state_terms(context, stage_buckets(context, stage)))),
            working_set=tuple(_there(_working_set(context, stage))),
            buffers=tuple(_there([*_logits(context, stage), *_buffer_terms(context, stage)])))
    return found


def _there(terms: Iterable[Figure]) -> Iterator[Figure]:
    return (term for term in terms if term.value is not None and is_there(term.value))


# --- parameters ------------------------------------------------------------------------------------

def stage_buckets(context: Context, stage: StageLayers) -> Buckets:
    """All parameters that the device holds a part of, before tensor and expert parallelism cut them."""
    held = context.held
    found: list[Bucket] = []
    for group, count in stage.counts.items():
        found += multiplied(held.own[group], count)
        if group in held.shared:
            blocks, stored = held.shared[group]
            found += multiplied(blocks, min(stored, count))
    if stage.first:
        found += held.first
    if stage.last:
        found += [*held.last, *held.prediction]
        if not stage.first:
            found += held.tied
    return merged(found)


def local_elements(bucket: Bucket, layout: Layout) -> float:
    """Parameters of a bucket on one device."""
    return bucket.elements / _cut(bucket, layout)


def _cut(bucket: Bucket, layout: Layout) -> int:
    if bucket.sharding == "experts":
        return layout.expert_tensor * layout.expert
    if bucket.sharding == "keys":
        shards: int = least(layout.tensor, bucket.limit)
        return shards
    return layout.tensor if bucket.sharding == "tensor" else 1


SHARDED_FROM: dict[Copy, int] = {"weight": 3, "gradient": 2, "optimizer": 1}
LABELS: dict[str, str] = {
    "weights": N_("Weights"), "frozen_weights": N_("Frozen weights"), "gradients": N_("Gradients"),
    "optimizer": N_("Optimizer"), "activations": N_("Activations"), "working_set": N_("Layer being recomputed"),
    "logits": N_("Logits and head input"), "embedding": N_("Embedding input"), "key_blocks": N_("Key and value blocks"),
    "gathered": N_("Gathered units"), "gradient_scratch": N_("Weight-gradient scratch"),
    "fragmentation": N_("Fragmentation"), "framework": N_("Framework and context"),
    "communication": N_("Communication buffers"),
}
def state_terms(context: Context, buckets: Buckets) -> Iterator[Figure]:
    """Weights, gradients and optimizer of the device."""
    recipe, spec = context.recipe, context.spec
    trained = tuple(bucket for bucket in buckets if bucket.trained)
    frozen = tuple(bucket for bucket in buckets if not bucket.trained)
    if spec.offload != "optimizer+parameters":
        yield _state(context, "weights", trained, recipe.weight, "weight")
        yield _state(context, "frozen_weights", frozen, recipe.frozen_weight, "weight")
    if spec.offload == "none":
        # Offloading moves reduced gradients to the host as well.
        yield _state(context, "gradients", trained, recipe.gradient, "gradient")
        yield _optimizer(context, trained)


def _shards(layout: Layout, copy: Copy) -> tuple[int, int]:
    """(of the dense part, of experts) that ZeRO cuts this copy into."""
    sharded = layout.zero_stage >= SHARDED_FROM[copy]
    return pick(sharded, layout.shards, 1), pick(sharded, layout.expert_shards, 1)


def _state(context: Context, key: str, buckets: Buckets, each: float, copy: Copy) -> Figure:
    layout = context.layout
    shards, expert_shards = _shards(layout, copy)
    return _term(key, rules.sharded_states,
                 dense_parameters=sum(local_elements(b, layout) for b in buckets if b.sharding != "experts"),
                 dense_shards=shards,
                 expert_parameters=sum(local_elements(b, layout) for b in buckets if b.sharding == "experts"),
                 expert_shards=expert_shards, bytes_per_parameter=each)


def _optimizer(context: Context, trained: Buckets) -> Figure:
    recipe, layout = context.recipe, context.layout
    if recipe.matrix_optimizer is None and not recipe.factored:
        return _state(context, "optimizer", trained, recipe.optimizer, "optimizer")
    shards, expert_shards = _shards(layout, "optimizer")
    parts = {True: 0.0, False: 0.0}
    factored = 0.0
    for bucket in trained:
        cut = expert_shards if bucket.sharding == "experts" else shards
        parts[bucket.matrix] += local_elements(bucket, layout) / cut
        factored += bucket.factored / _cut(bucket, layout) / cut
    each = recipe.optimizer if recipe.matrix_optimizer is None else recipe.matrix_optimizer
    return _term("optimizer", rules.optimizer_by_kind, matrix_parameters=parts[True], matrix_bytes=each,
                 other_parameters=parts[False], other_bytes=recipe.optimizer,
                 rows_and_columns=factored if recipe.factored else 0.0)


# --- activations -----------------------------------------------------------------------------------

def _activations(context: Context, stage: StageLayers, flight: float) -> Iterator[Figure]:
    one = sum(count * context.layers[group].kept for group, count in stage.counts.items())
    yield _term("activations", rules.layers_in_flight, in_flight=flight, bytes_of_one_micro_batch=one)


def _working_set(context: Context, stage: StageLayers) -> Iterator[Figure]:
    layers = [context.layers[group] for group in stage.counts]
    yield _term("working_set", rules.working_set, bytes_of_one_layer=largest(each.full - each.kept for each in layers))


def activations_by_component(context: Context, stage: StageLayers, flight: float) -> dict[str, float]:
    """Bytes of the activations of the device by component, ``flight`` micro-batches in flight."""
    found: dict[str, float] = {}
    for group, count in stage.counts.items():
        for name, size in context.layers[group].by_component.items():
            found[name] = found.get(name, 0.0) + flight * count * size
    return found


def _embedding(context: Context, stage: StageLayers, flight: float) -> Iterator[Figure]:
    """Token ids at the first stage."""
    if stage.first and context.model.vocabulary:
        mask = context.model.main.hidden_size / _spread(context.layout) if context.spec.dropout else 0.0
        yield _term("embedding", rules.embedding_input, in_flight=flight, positions=_main_positions(context),
                    mask_bytes=mask)


def _logits(context: Context, stage: StageLayers) -> Iterator[Figure]:
    """The head's input, logits and prediction layers at the last stage."""
    layout, model, main = context.layout, context.model, context.model.main
    head = model.head
    outputs = 0 if head is None else head.classes or model.vocabulary
    if not stage.last or not outputs:
        return
    value = keep_options(context.run, context.spec).value
    groups = context.held.prediction_groups
    yield _term("logits", rules.logits, positions=_main_positions(context),
                logit_bytes=LOGIT_BYTES[context.spec.cross_entropy], vocabulary=outputs, tensor=layout.tensor,
                head_input_bytes=2 * value * main.hidden_size / _spread(layout),
                predictions=1 + context.run.multi_token_prediction * bool(groups),
                prediction_layer_bytes=sum(count * context.layers[group].kept for group, count in groups))


def _main_positions(context: Context) -> float:
    positions: float = context.positions.counts[context.model.main.axis] * context.layout.micro_batch
    return positions


def _spread(layout: Layout) -> int:
    return layout.tensor if layout.sequence_parallel else 1


# --- buffers ---------------------------------------------------------------------------------------

def _buffer_terms(context: Context, stage: StageLayers) -> Iterator[Figure]:
    layout, spec, recipe = context.layout, context.spec, context.recipe
    if is_there(layout.context > 1):
        block = largest(_key_block(context, group) for group in stage.counts)
        yield _term("key_blocks", rules.key_blocks, bytes_of_a_block=block * (layout.context > 1))
    whole_offloaded = spec.offload == "optimizer+parameters"
    if whole_offloaded or is_there(layout.zero_stage >= 3):
        units = [_local(context.held.own[group], layout) for group in stage.counts]
        units += [_local(context.held.first, layout)] * stage.first + [_local(context.held.last, layout)] * stage.last
        live = spec.live_units * (whole_offloaded or layout.zero_stage >= 3)
        yield _term("gathered", rules.gathered_units, units=live, parameters=largest(units),
                    bytes_per_parameter=recipe.gathered)
    wanted = spec.gradient_scratch
    if recipe.gradient >= FP32_GRADIENT if wanted is None else wanted:
        layer = largest(_trained(context.held.own[group], layout) for group in stage.counts)
        yield _term("gradient_scratch", rules.gradient_scratch, parameters=layer, bytes_per_parameter=SCRATCH_BYTES)


def _trained(buckets: Iterable[Bucket], layout: Layout) -> float:
    return sum(local_elements(b, layout) for b in buckets if b.trained and b.matrix)


def _local(buckets: Buckets, layout: Layout) -> float:
    return sum(local_elements(b, layout) for b in buckets)


def _key_block(context: Context, group: Group) -> float:
    """Keys and values of one layer for this rank's positions."""
    layout, positions = context.layout, _main_positions(context)
    value = keep_options(context.run, context.spec).value
    widths = [0.0]
    for mixer in context.model.stacks[group.stack].kind(group.kind).mixers:
        if isinstance(mixer, Attention):
            width = mixer.kv_heads * (mixer.head_dim + (mixer.value_dim or mixer.head_dim))
            widths.append(width / least(layout.tensor, mixer.kv_heads))
        elif isinstance(mixer, MLA):
            width = mixer.heads * (mixer.qk_nope_head_dim + mixer.qk_rope_head_dim + mixer.value_dim)
            widths.append(width / layout.tensor)
    block: float = largest(widths) * positions * value
    return block


def _fragmentation(context: Context, allocated: float) -> Figure:
    share = FRAGMENTATION if context.spec.fragmentation is None else context.spec.fragmentation
    return _term("fragmentation", rules.fragmentation, allocated=allocated, share=share)


def _outside(spec: MemorySpec, layout: Layout) -> Iterator[Figure]:
    """What no tensor of the run accounts for, the same on every device."""
    many = (layout.replica if layout.devices is None else layout.devices) > 1
    framework = FRAMEWORK_GIB if spec.framework_gib is None else spec.framework_gib
    usual = COMMUNICATION_GIB * many
    communication = usual if spec.communication_gib is None else spec.communication_gib
    yield _term("framework", rules.amount, gib=framework)
    yield _term("communication", rules.amount, gib=communication)
    for name, gib in spec.other_gib.items():
        yield rules.amount.figure(f"other.{name}", name, gib=gib)


def _term(key: str, rule: Formula[..., float], **numbers: Any) -> Figure:
    return rule.figure(key, LABELS[key], **numbers)
