"""Memory of a dense model given by its sizes alone, as published measurements name them."""

from __future__ import annotations

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.fields import N_
from mfu_gui.engine.model import Attention, Dense, Head, Layer, ModelSpec, Stack
from mfu_gui.engine.run import Parallel, RecomputeName, RunSpec
from mfu_gui.planning.formula import GIB, formula
from mfu_gui.planning.layout_checks import layout_notices
from mfu_gui.planning.memory import Memory, memory
from mfu_gui.planning.memory_rules import ACCURACY
from mfu_gui.planning.spec import MemorySpec


def dense_model(hidden_size: int, ffn: int, kv_ratio: float, vocabulary: int, layers: int, head_dim: int = 128,
                mlp_matrices: int = 3) -> ModelSpec:
    """A decoder with separate head whose heads are ``head_dim`` wide; ``kv_ratio`` KV heads a head."""
    heads = max(1, hidden_size // head_dim)
    attention = Attention(heads=heads, kv_heads=max(1, round(heads * kv_ratio)), head_dim=head_dim)
    layer = Layer(name="layer", mixers=(attention,), ffns=(Dense(width=ffn, matrices=2 if mlp_matrices == 2 else 3),))
    stack = Stack(hidden_size=hidden_size, kinds=(layer,), order=(("layer", layers),))
    return ModelSpec(stacks=(stack,), vocabulary=vocabulary, head=Head(tied=False))


def _dense_memory(hidden_size: int, ffn: int, kv_ratio: float, vocabulary: int, layers: int, sequence_length: int,
                  micro_batch: int = 1, tensor: int = 1, pipeline: int = 1, context: int = 1, data: int = 1,
                  zero_stage: int = 1, sequence_parallel: bool = True, flash: bool = True,
                  recompute: RecomputeName = "none", head_dim: int = 128) -> tuple[ModelSpec, RunSpec, Memory]:
    model = dense_model(hidden_size, ffn, kv_ratio, vocabulary, layers, head_dim)
    run = RunSpec(sequence_length=sequence_length, devices=tensor * pipeline * context * data, micro_batch=micro_batch,
                  recompute=recompute, attention_kernel="flash" if flash else "unfused",
                  parallel=Parallel(tensor=tensor, pipeline=pipeline, context=context, zero_stage=zero_stage))
    return model, run, memory(model, run, spec=MemorySpec(sequence_parallel=sequence_parallel))


def _divides(*args: float, **kwargs: float) -> tuple[Notice, ...]:
    model, run, made = _dense_memory(*args, **kwargs)  # type: ignore[arg-type]
    return layout_notices(model, run, MemorySpec(), made.layout)


@formula("M4.dense_full_stack",
         expression=N_("states + activations in flight + logits + buffers of the fullest stage, as allocated"),
         unit="GiB", basis="model", accuracy=ACCURACY, domain=_divides,
         source="sum of the program's own terms; measured peaks of SimuMax 1.2 on B200")
def dense_full_stack(hidden_size: int, ffn: int, kv_ratio: float, vocabulary: int, layers: int, sequence_length: int,
                     micro_batch: int = 1, tensor: int = 1, pipeline: int = 1, context: int = 1, data: int = 1,
                     zero_stage: int = 1, sequence_parallel: bool = True, flash: bool = True,
                     recompute: RecomputeName = "none", head_dim: int = 128) -> float:
    """Allocated GiB on the fullest device: mixed-precision Adam with fp32 main gradients."""
    *_, made = _dense_memory(hidden_size, ffn, kv_ratio, vocabulary, layers, sequence_length, micro_batch, tensor,
                             pipeline, context, data, zero_stage, sequence_parallel, flash, recompute, head_dim)
    return max(stage.allocated for stage in made.stages) / GIB
