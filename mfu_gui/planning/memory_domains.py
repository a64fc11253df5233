"""For which numbers the closed forms of ``memory_formulas`` and ``memory_peers`` were made."""

from __future__ import annotations

from mfu_gui.engine.errors import Notice

HIGHEST_ZERO_STAGE = 3


def does_not_divide(code: str, field: str, value: float, divisor: float) -> tuple[Notice, ...]:
    """A notice unless ``divisor`` divides ``value``."""
    if value % divisor == 0:
        return ()
    return (Notice(code, field, {"value": value, "divisor": divisor}),)


def heads_and_stages(sequence_length: int = 0, micro_batch: int = 0, hidden_size: int = 0, heads: int = 1,
                     layers: int = 1, tensor: int = 1, pipeline: int = 1, virtual_pipeline: int = 1,
                     ) -> tuple[Notice, ...]:
    """Even layers: heads are divided by tensor parallelism, layers by stages and virtual stages."""
    return (*does_not_divide("heads_by_tensor", "run.parallel.tensor", heads, tensor),
            *does_not_divide("layers_by_stages", "run.parallel.pipeline", layers, pipeline * virtual_pipeline),
            *does_not_divide("hidden_by_heads", "model.heads", hidden_size, heads))


def width_and_stages(hidden_size: int, layers: int, tensor: int, pipeline: int, bytes_per_parameter: float,
                     ) -> tuple[Notice, ...]:
    """Even layers: width divided by tensor parallelism, layers by stages."""
    return (*does_not_divide("hidden_by_tensor", "run.parallel.tensor", hidden_size, tensor),
            *does_not_divide("layers_by_stages", "run.parallel.pipeline", layers, pipeline))


def _known_stage(stage: int) -> tuple[Notice, ...]:
    """ZeRO has the stages 0 to 3."""
    if 0 <= stage <= HIGHEST_ZERO_STAGE:
        return ()
    return (Notice("out_of_range", "run.parallel.zero_stage",
                   {"value": stage, "minimum": 0, "maximum": HIGHEST_ZERO_STAGE}),)


def zero_of_replicas(parameters: float, replicas: int, stage: int, optimizer_bytes: float = 12.0,
                     ) -> tuple[Notice, ...]:
    """As ``zero_states``."""
    return _known_stage(stage)


def zero_of_shards(parameters: float, weight_bytes: float, gradient_bytes: float, optimizer_bytes: float,
                   shards: float, stage: int) -> tuple[Notice, ...]:
    """As ``state_bytes``."""
    return _known_stage(stage)
