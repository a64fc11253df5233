"""What does not divide in a layout, by name, with the nearest values that would."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from msgspec.structs import replace

from mfu_gui.engine.batch import identity_notices, nearest_multiples
from mfu_gui.engine.errors import Notice
from mfu_gui.engine.model import MLA, Attention, Dense, ModelSpec, MoE
from mfu_gui.engine.model_edit import ffns_of, mixers_of
from mfu_gui.engine.run import Parallel, RunSpec
from mfu_gui.planning.layout import Layout, has_experts
from mfu_gui.planning.spec import MemorySpec

MOST_TRIED = 1_000_000
VOCABULARY_MULTIPLE = 128
"""What vocabularies are padded to a multiple of, for each rank of tensor parallelism."""


def nearest_divisors(value: int, wanted: int) -> tuple[int, ...]:
    """Divisors of ``value`` nearest to ``wanted``: at most two below and two above it."""
    return _around(sorted(_divisors(value)), wanted)


def _divisors(value: int) -> set[int]:
    found: set[int] = set()
    candidate = 1
    while candidate * candidate <= value and candidate <= MOST_TRIED:
        if value % candidate == 0:
            found |= {candidate, value // candidate}
        candidate += 1
    return found


def layout_notices(model: ModelSpec, run: RunSpec, spec: MemorySpec, layout: Layout) -> tuple[Notice, ...]:
    """Everything that does not fit in ``layout``; ``values["offers"]`` holds values for the field."""
    if layout.devices is not None:
        run = replace(run, devices=layout.devices)
    return (*identity_notices(run), *_about_tensor(model, layout), *_about_length(run, layout),
            *_about_pipeline(model, run, spec, layout), *_about_experts(model, layout), *_about_zero(layout))


def _notice(code: str, field: str, value: int, divisor: int, offers: tuple[int, ...] | list[int]) -> Notice:
    return Notice(code, field, {"value": value, "divisor": divisor, "offers": list(offers)})


def _around(allowed: list[int], wanted: int) -> tuple[int, ...]:
    """The two entries just below ``wanted`` and the two just above it."""
    return tuple([d for d in allowed if d < wanted][-2:] + [d for d in allowed if d > wanted][:2])


def tensor_sizes(model: ModelSpec) -> list[int]:
    """Sizes of tensor parallelism that divide heads, widths and hidden size of all layers."""
    attention = mixers_of(model, Attention)
    whole = [model.main.hidden_size, *(m.heads for m in attention), *(m.heads for m in mixers_of(model, MLA)),
             *(ffn.width for ffn in ffns_of(model, Dense)),
             *(ffn.shared_width for ffn in ffns_of(model, MoE) if ffn.shared_width)]
    groups = {m.kv_heads for m in attention}
    return [d for d in sorted(_divisors(gcd(*whole))) if all(g % d == 0 or d % g == 0 for g in groups)]


def _about_tensor(model: ModelSpec, layout: Layout) -> Iterator[Notice]:
    tensor, field = layout.tensor, "run.parallel.tensor"
    if tensor == 1:
        return
    attention, offers = mixers_of(model, Attention), _around(tensor_sizes(model), tensor)
    heads = {mixer.heads for mixer in attention} | {mixer.heads for mixer in mixers_of(model, MLA)}
    for value in sorted(heads):
        if value % tensor:
            yield _notice("heads_by_tensor", field, value, tensor, offers)
    for value in sorted({mixer.kv_heads for mixer in attention}):
        if value % tensor and tensor % value:
            yield _notice("kv_heads_by_tensor", field, value, tensor, offers)
        elif tensor > value:
            yield Notice("kv_heads_copied", field, {"value": value, "divisor": tensor, "copies": tensor // value})
    for value in sorted({ffn.width for ffn in ffns_of(model, Dense)}):
        if value % tensor:
            yield _notice("mlp_by_tensor", field, value, tensor, offers)
    if model.main.hidden_size % tensor:
        yield _notice("hidden_by_tensor", field, model.main.hidden_size, tensor, offers)
    padded = -(-model.vocabulary // (VOCABULARY_MULTIPLE * tensor)) * VOCABULARY_MULTIPLE * tensor
    if model.vocabulary % tensor:
        yield Notice("vocabulary_padded", field, {"value": model.vocabulary, "padded": padded})


def _about_length(run: RunSpec, layout: Layout) -> Iterator[Notice]:
    pieces = 2 * layout.context if layout.context > 1 else 1
    if layout.context > 1 and run.sequence_length % pieces:
        offers = nearest_divisors(run.sequence_length // 2, layout.context) if run.sequence_length % 2 == 0 else (1,)
        yield _notice("sequence_by_context", "run.parallel.context", run.sequence_length, pieces, offers)
    elif layout.sequence_parallel and (run.sequence_length // layout.context) % layout.tensor:
        length = run.sequence_length // layout.context
        yield _notice("sequence_by_tensor", "run.parallel.tensor", length, layout.tensor,
                      nearest_divisors(length, layout.tensor))


def _about_pipeline(model: ModelSpec, run: RunSpec, spec: MemorySpec, layout: Layout) -> Iterator[Notice]:
    parallel = run.parallel or Parallel()
    layers, stages, virtual = model.main.layer_count(), layout.pipeline, parallel.virtual_pipeline
    if stages == 1:
        if virtual > 1:
            yield Notice("virtual_without_pipeline", "run.parallel.virtual_pipeline", {"value": virtual, "offers": [1]})
        return
    if stages * virtual > layers:
        yield Notice("more_stages_than_layers", "run.parallel.pipeline",
                     {"value": layers, "divisor": stages * virtual, "offers": _stages_offered(layers, stages, virtual)})
    elif layers % (stages * virtual) and spec.layers_per_stage is None:
        base, more = divmod(layers, stages * virtual)
        yield Notice("layers_by_stages", "run.parallel.pipeline",
                     {"value": layers, "divisor": stages * virtual, "base": base, "most": base + 1, "more": more,
                      "fewer": stages * virtual - more, "offers": _stages_offered(layers, stages, virtual)})
    if spec.schedule == "dualpipe" and stages % 2:
        yield Notice("dualpipe_needs_even", "run.parallel.pipeline",
                     {"value": stages, "offers": nearest_multiples(stages, 2)})
    batches = layout.micro_batches
    if batches is None:
        return
    if layout.schedule == "interleaved" and batches % stages:
        yield _batch_notice("micro_batches_by_stages", batches, stages, layout)
    elif batches < stages:
        yield Notice("fewer_micro_batches_than_stages", "run.global_batch",
                     {"value": batches, "divisor": stages,
                      "offers": [stages * layout.micro_batch * layout.data]})


def _batch_notice(code: str, batches: int, stages: int, layout: Layout) -> Notice:
    per_batch = layout.micro_batch * layout.data
    offers = [count * per_batch for count in nearest_multiples(batches, stages)]
    return Notice(code, "run.global_batch", {"value": batches, "divisor": stages, "offers": offers})


def _stages_offered(layers: int, stages: int, virtual: int) -> list[int]:
    """Numbers of stages near ``stages`` with which ``virtual`` chunks each divide the layers."""
    allowed = sorted(d for d in _divisors(layers) if layers % (d * virtual) == 0)
    return list(_around(allowed, stages))


def _about_experts(model: ModelSpec, layout: Layout) -> Iterator[Notice]:
    field = "run.parallel.expert"
    if not has_experts(model):
        if layout.expert > 1:
            yield Notice("expert_parallel_without_experts", field, {"value": layout.expert, "offers": [1]})
        return
    for value in sorted({ffn.experts for ffn in ffns_of(model, MoE)}):
        if value % layout.expert:
            yield _notice("experts_by_expert_parallel", field, value, layout.expert,
                          nearest_divisors(value, layout.expert))
    for value in sorted({ffn.width for ffn in ffns_of(model, MoE)}):
        if value % layout.expert_tensor:
            yield _notice("expert_width_by_tensor", "plan.memory.expert_tensor", value, layout.expert_tensor,
                          nearest_divisors(value, layout.expert_tensor))
    if layout.devices is None:
        return
    group = layout.expert * layout.expert_tensor
    if layout.devices % layout.pipeline == 0 and (layout.devices // layout.pipeline) % group:
        in_stage = layout.devices // layout.pipeline
        both = gcd(in_stage // gcd(in_stage, layout.expert_tensor), *(ffn.experts for ffn in ffns_of(model, MoE)))
        offers = [d for d in _around(sorted(_divisors(both)), layout.expert)
                  if in_stage % (d * layout.expert_tensor) == 0]
        yield Notice("devices_by_experts", field, {"value": in_stage, "divisor": group, "offers": offers})


def _about_zero(layout: Layout) -> Iterator[Notice]:
    if layout.zero_stage >= 2 and layout.pipeline > 1:
        yield Notice("zero_with_pipeline", "run.parallel.zero_stage", {"value": layout.zero_stage, "offers": [0, 1]})
