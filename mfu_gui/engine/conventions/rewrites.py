"""What frameworks fail to see of a model: changes of its main stack that conventions are made of.

Each change returns the model itself where there is nothing to change, so that its ledger is found
again; ``Rewrite`` pairs it with the sentence that says what is not seen.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from mfu_gui.engine.conventions.base import Rewrite
from mfu_gui.engine.conventions.predicates import is_moe as is_moe
from mfu_gui.engine.conventions.predicates import is_not_decoder_only
from mfu_gui.engine.field import N_
from mfu_gui.engine.model import MLA, Attention, Dense, Ffn, Layer, Mamba2, Mixer, ModelSpec, MoE

MixerChange = Callable[[Mixer], Mixer]
FfnChange = Callable[[Ffn], Ffn]


def _keep_mixer(mixer: Mixer) -> Mixer:
    return mixer


def _keep_ffn(ffn: Ffn) -> Ffn:
    return ffn


def _change_layer(layer: Layer, mixer: MixerChange, ffn: FfnChange) -> Layer:
    mixers, ffns = tuple(map(mixer, layer.mixers)), tuple(map(ffn, layer.ffns))
    shared = layer.shared
    if shared is not None:
        shared = replace(shared, mixers=tuple(map(mixer, shared.mixers)), ffns=tuple(map(ffn, shared.ffns)))
    if mixers == layer.mixers and ffns == layer.ffns and shared == layer.shared:
        return layer
    return replace(layer, mixers=mixers, ffns=ffns, shared=shared)


def change_parts(model: ModelSpec, mixer: MixerChange = _keep_mixer, ffn: FfnChange = _keep_ffn) -> ModelSpec:
    """The model with every mixer and ffn of its main stack changed; itself when none is."""
    main = model.main
    kinds = tuple(_change_layer(kind, mixer, ffn) for kind in main.kinds)
    if all(new is old for new, old in zip(kinds, main.kinds, strict=True)):
        return model
    stack = replace(main, kinds=kinds)
    return replace(model, stacks=tuple(stack if part is main else part for part in model.stacks))


def _core_width_h(model: ModelSpec) -> ModelSpec:
    hidden = model.main.hidden_size

    def change(mixer: Mixer) -> Mixer:
        if not isinstance(mixer, Attention) or mixer.heads * mixer.head_dim == hidden:
            return mixer
        if hidden % mixer.heads == 0:
            return replace(mixer, head_dim=hidden // mixer.heads, value_dim=None)
        return replace(mixer, heads=1, kv_heads=1, head_dim=hidden, value_dim=None)

    return change_parts(model, change)


def _head_dim_floor(model: ModelSpec) -> ModelSpec:
    hidden = model.main.hidden_size

    def change(mixer: Mixer) -> Mixer:
        if not isinstance(mixer, Attention) or mixer.head_dim == hidden // mixer.heads:
            return mixer
        return replace(mixer, head_dim=max(1, hidden // mixer.heads), value_dim=None)

    return change_parts(model, change)


def _all_kv_heads(model: ModelSpec) -> ModelSpec:
    def change(mixer: Mixer) -> Mixer:
        if isinstance(mixer, Attention) and mixer.kv_heads != mixer.heads:
            return replace(mixer, kv_heads=mixer.heads)
        return mixer

    return change_parts(model, change)


def _plain_attention(model: ModelSpec) -> ModelSpec:
    hidden = model.main.hidden_size

    def change(mixer: Mixer) -> Mixer:
        if isinstance(mixer, MLA):
            return Attention(heads=mixer.heads, kv_heads=mixer.heads, head_dim=max(1, hidden // mixer.heads))
        if isinstance(mixer, Attention) and (mixer.gate != "none" or mixer.biases):
            return replace(mixer, gate="none")
        return mixer

    return change_parts(model, change)


def _no_gate(model: ModelSpec) -> ModelSpec:
    def change(mixer: Mixer) -> Mixer:
        if isinstance(mixer, Attention | MLA) and mixer.gate != "none":
            return replace(mixer, gate="none")
        return mixer

    return change_parts(model, change)


def _mlp_matrices(model: ModelSpec, matrices: int) -> ModelSpec:
    def change(ffn: Ffn) -> Ffn:
        if isinstance(ffn, Dense) and ffn.matrices != matrices:
            return replace(ffn, matrices=matrices)
        if isinstance(ffn, MoE) and (ffn.matrices != matrices or ffn.shared_matrices not in (None, matrices)):
            return replace(ffn, matrices=matrices, shared_matrices=None)
        return ffn

    return change_parts(model, ffn=change)


def _expert_matrices(model: ModelSpec, matrices: int) -> ModelSpec:
    def change(ffn: Ffn) -> Ffn:
        if isinstance(ffn, MoE) and ffn.matrices != matrices:
            return replace(ffn, matrices=matrices)
        return ffn

    return change_parts(model, ffn=change)


def _mlp_of_4h(model: ModelSpec) -> ModelSpec:
    width = 4 * model.main.hidden_size

    def change(ffn: Ffn) -> Ffn:
        if isinstance(ffn, Dense) and (ffn.width != width or ffn.matrices != 2):
            return Dense(width=width, matrices=2)
        return Dense(width=width, matrices=2) if isinstance(ffn, MoE) else ffn

    return change_parts(model, ffn=change)


def dense_width(model: ModelSpec) -> int:
    """``intermediate_size`` of config.json: as stated, else the first dense MLP's width, else one expert's, else 1."""
    return model.intermediate_size or model.mlp_width or 1


def _dense_formula(model: ModelSpec, width: int = 0) -> ModelSpec:
    width = width or dense_width(model)

    def change(ffn: Ffn) -> Ffn:
        if isinstance(ffn, MoE):
            return Dense(width=width, matrices=ffn.matrices)
        return replace(ffn, width=width) if isinstance(ffn, Dense) and ffn.width != width else ffn

    return change_parts(model, ffn=change)


def _one_expert(model: ModelSpec) -> ModelSpec:
    def change(ffn: Ffn) -> Ffn:
        return Dense(width=ffn.width, matrices=ffn.matrices) if isinstance(ffn, MoE) else ffn

    return change_parts(model, ffn=change)


def _no_router(model: ModelSpec) -> ModelSpec:
    def change(ffn: Ffn) -> Ffn:
        return replace(ffn, router=False) if isinstance(ffn, MoE) and ffn.router else ffn

    return change_parts(model, ffn=change)


def _no_local_experts(model: ModelSpec) -> ModelSpec:
    """Drop the experts of models that call them ``num_local_experts`` in config.json: those without
    shared experts and without norms on queries and keys (Mixtral, gpt-oss)."""
    normed = any(isinstance(m, Attention) and m.qk_norm != "none" for k in model.main.kinds for m in k.mixers)
    if normed or not all(isinstance(m, Attention) for k in model.main.kinds for m in k.mixers):
        return model
    main = model.main
    kinds = tuple(replace(kind, ffns=tuple(f for f in kind.ffns if not isinstance(f, MoE) or f.shared_width))
                  for kind in main.kinds)
    stack = replace(main, kinds=kinds)
    return replace(model, stacks=tuple(stack if part is main else part for part in model.stacks))


def _padded_vocabulary(model: ModelSpec, multiple: int) -> ModelSpec:
    padded = -(-model.vocabulary // multiple) * multiple
    return model if padded == model.vocabulary else replace(model, vocabulary=padded)


def _fixed_vocabulary(model: ModelSpec, vocabulary: int) -> ModelSpec:
    return model if vocabulary == model.vocabulary else replace(model, vocabulary=vocabulary)


def _cookbook_mlp(model: ModelSpec, expansion: int) -> ModelSpec:
    """Every layer an MLP of ``expansion``·h; in a mixture, top-k such MLPs and a router."""
    width = expansion * model.main.hidden_size
    mixture = next((f for kind in model.main.kinds for f in kind.ffns if isinstance(f, MoE)), None)

    def change(ffn: Ffn) -> Ffn:
        if mixture is not None and isinstance(ffn, Dense | MoE):
            return MoE(experts=mixture.experts, top_k=mixture.top_k, width=width, matrices=mixture.matrices)
        return replace(ffn, width=width) if isinstance(ffn, Dense) and ffn.width != width else ffn

    return change_parts(model, ffn=change)


def _no_windows(model: ModelSpec) -> ModelSpec:
    def change(mixer: Mixer) -> Mixer:
        if isinstance(mixer, Attention) and (mixer.window is not None or mixer.chunk is not None):
            return replace(mixer, window=None, chunk=None)
        return mixer

    return change_parts(model, change)


def _mamba_of_2h(model: ModelSpec) -> ModelSpec:
    width = 2 * model.main.hidden_size

    def change(mixer: Mixer) -> Mixer:
        if isinstance(mixer, Mamba2) and mixer.heads * mixer.head_dim != width and width % mixer.heads == 0:
            return replace(mixer, head_dim=width // mixer.heads)
        return mixer

    return change_parts(model, change)


def language_part(model: ModelSpec) -> ModelSpec:
    """A language model without its vision tower; other models as they are."""
    if len(model.stacks) == 1 or is_not_decoder_only(model):
        return model
    return replace(model, stacks=(model.main,), connectors=(), image_tokens=None)


LANGUAGE_PART = Rewrite(N_("leaves out the vision tower"), language_part)
NO_ROUTER = Rewrite(N_("does not see the router"), _no_router)
CORE_OF_WIDTH_H = Rewrite(N_("takes the width of attention as the hidden size"), _core_width_h)
HEAD_DIM_FLOOR = Rewrite(N_("takes head_dim as hidden size ÷ heads, rounded down"), _head_dim_floor)
ALL_KV_HEADS = Rewrite(N_("counts as many key and value heads as query heads"), _all_kv_heads)
PLAIN_ATTENTION = Rewrite(N_("takes every attention for plain multi-head attention without a gate"), _plain_attention)
NO_GATE = Rewrite(N_("does not see the output gate of attention"), _no_gate)
THREE_MATRICES = Rewrite(N_("counts three matrices in every MLP"), _mlp_matrices, (("matrices", 3),))
TWO_MATRICES = Rewrite(N_("counts two matrices in every MLP"), _mlp_matrices, (("matrices", 2),))
TWO_EXPERT_MATRICES = Rewrite(N_("counts two matrices in every expert"), _expert_matrices, (("matrices", 2),))
MLP_OF_4H = Rewrite(N_("counts every MLP as two matrices of width 4h"), _mlp_of_4h)
DENSE_FORMULA = Rewrite(N_("counts a dense MLP in place of the experts"), _dense_formula)
ONE_EXPERT = Rewrite(N_("counts one expert and no router"), _one_expert)
NO_LOCAL_EXPERTS = Rewrite(N_("does not find the experts under the names it looks for"), _no_local_experts)
MAMBA_OF_2H = Rewrite(N_("takes Mamba as twice as wide as the hidden size"), _mamba_of_2h)
NO_WINDOWS = Rewrite(N_("does not see sliding windows"), _no_windows)


def padded_vocabulary(multiple: int) -> Rewrite:
    """Vocabulary rounded up to a multiple."""
    return Rewrite(N_("rounds the vocabulary up to a multiple of {multiple}"), _padded_vocabulary,
                   (("multiple", multiple),))


def fixed_vocabulary(vocabulary: int) -> Rewrite:
    """A vocabulary that a framework keeps in a table of its own."""
    return Rewrite(N_("takes the vocabulary as {vocabulary}"), _fixed_vocabulary, (("vocabulary", vocabulary),))


def dense_formula(width: int) -> Rewrite:
    """A dense MLP of a given width in every layer."""
    return Rewrite(N_("counts a dense MLP of width {width} in every layer"), _dense_formula, (("width", width),))


def cookbook_mlp(expansion: int) -> Rewrite:
    """MLPs and experts of ``expansion`` hidden sizes."""
    return Rewrite(N_("counts every MLP and expert as {expansion}h wide"), _cookbook_mlp, (("expansion", expansion),))


def _nemo_families(model: ModelSpec) -> ModelSpec:
    """gpt-oss and DeepSeek have formulas with their own head sizes; the others take a·d as h, know no
    window, and the hybrid one counts three matrices in every MLP."""
    main = model.main
    mixers = [m for kind in main.kinds for m in kind.mixers]
    if any(isinstance(m, Attention) and m.sinks for m in mixers):
        return model
    model = _no_windows(_core_width_h(model))
    if any(not isinstance(m, Attention | MLA) for m in mixers):
        return _mlp_matrices(model, 3)
    return model


def _two_matrices_of_biased_experts(model: ModelSpec) -> ModelSpec:
    def change(ffn: Ffn) -> Ffn:
        return replace(ffn, matrices=2) if isinstance(ffn, MoE) and ffn.biases and ffn.matrices == 3 else ffn

    return change_parts(model, ffn=change)


NEMO_FAMILIES = Rewrite(N_("takes the width of attention as the hidden size"), _nemo_families)
TWO_MATRICES_OF_BIASED_EXPERTS = Rewrite(N_("counts two matrices in every expert"), _two_matrices_of_biased_experts)
