"""Hypothesis strategies for models, runs and conventions with their options."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from mfu_gui.engine.conventions import CONVENTIONS, Convention, Option, chosen
from mfu_gui.engine.model import (
    MLA,
    Attention,
    Dense,
    GatedDeltaNet,
    Head,
    Layer,
    Mamba2,
    ModelSpec,
    MoE,
    MultiTokenPrediction,
    Stack,
)
from mfu_gui.engine.run import RunSpec, Trainable
from mfu_gui.engine.scenario import ConventionChoice

widths = st.integers(1, 96)


@st.composite
def attentions(draw: st.DrawFn) -> Attention:
    kv_heads = draw(st.integers(1, 4))
    return Attention(
        heads=kv_heads * draw(st.integers(1, 4)), kv_heads=kv_heads, head_dim=draw(widths),
        window=draw(st.none() | st.integers(1, 300)), gate=draw(st.sampled_from(["none", "elementwise"])),
        qk_norm=draw(st.sampled_from(["none", "per_head_dim"])), sinks=draw(st.booleans()),
        biases=draw(st.sampled_from([(), ("q", "k", "v")])))


mlas = st.builds(MLA, heads=st.integers(1, 8), q_lora_rank=st.none() | widths, kv_lora_rank=widths,
                 qk_nope_head_dim=widths, qk_rope_head_dim=widths, value_dim=widths)
states = st.builds(Mamba2, heads=st.integers(1, 8), head_dim=widths, state=widths) | st.builds(
    GatedDeltaNet, key_heads=st.integers(1, 4), value_heads=st.integers(1, 4), key_dim=widths, value_dim=widths)
matrices = st.sampled_from([2, 3])
denses = st.builds(Dense, width=widths, matrices=matrices, biases=st.booleans())
mixtures = st.builds(MoE, experts=st.integers(2, 8), top_k=st.integers(1, 2), width=widths, matrices=matrices,
                     shared_width=st.integers(0, 64), biases=st.booleans(), router_buffer=st.booleans())


@st.composite
def models(draw: st.DrawFn) -> ModelSpec:
    """Decoders of one or two kinds of layers."""
    mixers = st.one_of(attentions(), attentions(), mlas, states)
    kinds = tuple(Layer(name=f"kind{index}", mixers=(draw(mixers),), ffns=(draw(denses | mixtures),))
                  for index in range(draw(st.integers(1, 2))))
    stack = Stack(hidden_size=draw(st.integers(8, 128)), kinds=kinds, norm_vectors=draw(st.sampled_from([1, 2])),
                  order=tuple((kind.name, draw(st.integers(1, 5))) for kind in kinds),
                  position_table=draw(st.sampled_from([0, 128])))
    mtp = MultiTokenPrediction(depths=draw(st.integers(1, 2)), layer=kinds[-1].name)
    return ModelSpec(vocabulary=draw(st.integers(1, 2000)), stacks=(stack,), head=Head(tied=draw(st.booleans())),
                     multi_token_prediction=draw(st.none() | st.just(mtp)))


@st.composite
def runs(draw: st.DrawFn) -> RunSpec:
    """Runs of one sequence, packed or not, trained fully or partly."""
    documents = draw(st.none() | st.lists(st.integers(1, 200), min_size=1, max_size=4).map(tuple))
    length = sum(documents) if documents else draw(st.integers(1, 2000))
    return RunSpec(
        sequence_length=length, document_lengths=documents, multi_token_prediction=draw(st.integers(0, 2)),
        trainable=draw(st.sampled_from(["full", Trainable(frozen=("embedding",)), Trainable(frozen=("layers[0:1]",))])))


def _values(option: Option) -> st.SearchStrategy[Any]:
    return st.integers(option.minimum, min(option.maximum, 512)) if option.maximum else st.sampled_from(option.values)


@st.composite
def conventions(draw: st.DrawFn) -> Convention:
    """Any convention with any of its options."""
    convention = draw(st.sampled_from(CONVENTIONS))
    options = {option.name: draw(_values(option)) for option in convention.options if draw(st.booleans())}
    return chosen(ConventionChoice(id=convention.id, options=options))
