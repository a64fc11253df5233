"""Models and runs for laws that must hold for all of them."""

from __future__ import annotations

from hypothesis import strategies as st

from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.model import MLA, Attention, Dense, Ffn, Head, Layer, Mixer, ModelSpec, MoE, Stack
from mfu_gui.engine.run import Measured, RunSpec
from mfu_gui.engine.scenario import ConventionChoice, Scenario

SIZES = st.integers(1, 64)


@st.composite
def attentions(draw: st.DrawFn) -> Attention:
    """Grouped-query attention, with a window or chunks in some."""
    kv_heads, group = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    limit = draw(st.sampled_from(["", "window", "chunk"]))
    length = draw(st.integers(1, 300))
    return Attention(heads=kv_heads * group, kv_heads=kv_heads, head_dim=draw(SIZES),
                     window=length if limit == "window" else None, chunk=length if limit == "chunk" else None)


@st.composite
def latent_attentions(draw: st.DrawFn) -> MLA:
    """Multi-head latent attention."""
    return MLA(heads=draw(SIZES), q_lora_rank=draw(st.none() | SIZES), kv_lora_rank=draw(SIZES),
               qk_nope_head_dim=draw(SIZES), qk_rope_head_dim=draw(SIZES), value_dim=draw(SIZES))


@st.composite
def ffns(draw: st.DrawFn) -> Ffn:
    """A dense MLP or a mixture of experts."""
    matrices = draw(st.sampled_from([2, 3]))
    if draw(st.booleans()):
        return Dense(width=draw(st.integers(1, 256)), matrices=matrices)
    top_k = draw(st.integers(1, 4))
    return MoE(experts=top_k + draw(st.integers(0, 12)), top_k=top_k, width=draw(SIZES), matrices=matrices,
               shared_width=draw(st.integers(0, 64)))


@st.composite
def models(draw: st.DrawFn, mixers: st.SearchStrategy[Mixer] | None = None) -> ModelSpec:
    """A decoder of up to three kinds of layers."""
    mixers = mixers if mixers is not None else attentions() | latent_attentions()
    count = draw(st.integers(1, 3))
    kinds = tuple(Layer(name=f"kind{number}", mixers=(draw(mixers),), ffns=(draw(ffns()),)) for number in range(count))
    order = tuple((kind.name, draw(st.integers(1, 6))) for kind in kinds)
    stack = Stack(hidden_size=draw(st.integers(1, 256)), kinds=kinds, order=order,
                  position_table=draw(st.sampled_from([0, 512])))
    return ModelSpec(vocabulary=draw(st.integers(1, 5000)), stacks=(stack,), head=Head(tied=draw(st.booleans())))


def runs(**fixed: object) -> st.SearchStrategy[RunSpec]:
    """Runs with devices and a batch."""
    return st.builds(RunSpec, sequence_length=st.integers(1, 4096), devices=st.integers(1, 100_000),
                     global_batch=st.integers(1, 10_000), **{k: st.just(v) for k, v in fixed.items()})


def scenario(model: ModelSpec, run: RunSpec, peak: float = 1e9, convention: str = "matmul-causal",
             measured: Measured | None = None) -> Scenario:
    """A scenario on hardware of which only the peak is known."""
    from msgspec.structs import replace

    return Scenario(model=model, hardware=HardwareSpec(peak_tflops={"bf16": peak}),
                    run=replace(run, measured=measured) if measured is not None else run,
                    convention=ConventionChoice(id=convention))
