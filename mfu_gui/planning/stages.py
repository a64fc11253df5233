"""Which layers each device of a pipeline holds."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import msgspec

from mfu_gui.engine.errors import InputError
from mfu_gui.planning.layout import Layout
from mfu_gui.planning.shapes import Group, Holdings


class StageLayers(msgspec.Struct, frozen=True):
    """Layers of one device: how many of each group, and which ends of the model it has."""

    stage: int
    counts: dict[Group, int]
    first: bool
    last: bool

    @property
    def layers(self) -> int:
        """Number of layers."""
        return sum(self.counts.values())

    @property
    def holds(self) -> Hashable:
        """Equal for devices with the same layers and the same ends."""
        return frozenset(self.counts.items()), self.first, self.last


MOST_CHUNKS = 1024
"""Stages times virtual stages; each is computed by itself, and somebody may well type a million."""


def layers_of_chunks(layers: int, chunks: int, given: Sequence[int] | None = None) -> list[int]:
    """Layers of each of ``chunks`` consecutive parts of the model.

    Even where that is possible; else the rest goes to chunks in the middle, because the ends have the
    embedding and the head, as Llama 3 405B was trained (arXiv 2407.21783, 3.3.2: 126 layers on 16 stages).
    ``given`` says it instead: InputError ``stage_layers_sum`` unless it fits; ``out_of_range`` for more parts
    than MOST_CHUNKS.
    """
    if chunks > MOST_CHUNKS:
        raise InputError("out_of_range", "run.parallel.pipeline", value=chunks, minimum=1, maximum=MOST_CHUNKS)
    if given is not None:
        if len(given) != chunks or sum(given) != layers:
            raise InputError("stage_layers_sum", "plan.memory.layers_per_stage", found_length=len(given), length=chunks,
                             total=sum(given), layers=layers)
        return list(given)
    base, rest = divmod(layers, chunks)
    order = [*range(1, chunks - 1), 0, chunks - 1] if chunks > 1 else [0]
    more = set(order[:rest])
    return [base + (index in more) for index in range(chunks)]


def layers_of_stages(layers: int, stages: int, virtual: int = 1, given: Sequence[int] | None = None) -> list[int]:
    """Layers of each stage of a pipeline, over all of its chunks.  InputError as ``layers_of_chunks``."""
    chunks = layers_of_chunks(layers, stages * virtual, given)
    return [sum(chunks[stage::stages]) for stage in range(stages)]


def stages_of(held: Holdings, layout: Layout, given: Sequence[int] | None = None) -> list[StageLayers]:
    """Layers of each device of one pipeline.

    Chunk c of the model is on device c mod p; under DualPipe each device has a stage and its mirror image.
    Towers run on the first device.
    """
    stages, chunks = layout.pipeline, layout.pipeline * layout.virtual_pipeline
    total = sum(count for _, count in held.sequence)
    cut = _cut(held.sequence, layers_of_chunks(total, chunks, given))
    found = []
    for stage in range(stages):
        mine = list(range(stage, chunks, stages))
        first, last = stage == 0, stage == stages - 1
        if layout.schedule == "dualpipe":
            mirror = stages - 1 - stage
            mine = sorted({stage, mirror})
            first = last = stage in (0, stages - 1)
        counts: dict[Group, int] = {}
        for group, count in [*(held.towers if first else ()), *(pair for chunk in mine for pair in cut[chunk])]:
            counts[group] = counts.get(group, 0) + count
        found.append(StageLayers(stage, counts, first, last))
    return found


def _cut(sequence: Sequence[tuple[Group, int]], sizes: Sequence[int]) -> list[list[tuple[Group, int]]]:
    """A run-length sequence cut into parts of these sizes."""
    parts: list[list[tuple[Group, int]]] = []
    waiting = list(reversed(sequence))
    for size in sizes:
        part: list[tuple[Group, int]] = []
        while size:
            group, count = waiting.pop()
            take = min(size, count)
            part.append((group, take))
            size -= take
            if take < count:
                waiting.append((group, count - take))
        parts.append(part)
    return parts
