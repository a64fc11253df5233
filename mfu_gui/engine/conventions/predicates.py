"""Questions about a model that decide whether a convention fits it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from mfu_gui.engine.model import (
    MLA,
    RWKV,
    Attention,
    Dense,
    Ffn,
    GatedDeltaNet,
    KimiDeltaAttention,
    Layer,
    Mamba1,
    Mamba2,
    Mixer,
    ModelSpec,
    MoE,
)

Predicate = Callable[[ModelSpec], bool]


def mixers_in(layer: Layer) -> tuple[Mixer, ...]:
    """All mixers of a layer, those of its shared block included."""
    return layer.mixers + layer.shared.mixers if layer.shared is not None else layer.mixers


def ffns_in(layer: Layer) -> tuple[Ffn, ...]:
    """All ffns of a layer, those of its shared block included."""
    return layer.ffns + layer.shared.ffns if layer.shared is not None else layer.ffns


@lru_cache(maxsize=64)
def mixers(model: ModelSpec) -> tuple[Mixer, ...]:
    """All mixers of the main stack, kind by kind.  A hundred questions about a model ask for them."""
    return tuple(mixer for layer in model.main.kinds for mixer in mixers_in(layer))


def attentions(model: ModelSpec) -> Iterator[Attention]:
    """All plain attention mixers of the main stack."""
    return (m for m in mixers(model) if isinstance(m, Attention))


@lru_cache(maxsize=64)
def ffns(model: ModelSpec) -> tuple[Ffn, ...]:
    """All ffns of the main stack, kind by kind."""
    return tuple(ffn for layer in model.main.kinds for ffn in ffns_in(layer))


def experts(model: ModelSpec) -> Iterator[MoE]:
    """All mixtures of experts of the main stack."""
    return (f for f in ffns(model) if isinstance(f, MoE))


def is_moe(model: ModelSpec) -> bool:
    """Some layer has routed experts."""
    return any(True for _ in experts(model))


def is_tied(model: ModelSpec) -> bool:
    """The head is the embedding's matrix."""
    return model.head is not None and model.head.tied


def is_untied(model: ModelSpec) -> bool:
    """Embedding and head are two matrices."""
    return model.head is not None and not model.head.tied


def has_window(model: ModelSpec) -> bool:
    """Some layer has a sliding window or chunks."""
    return any(m.window is not None or m.chunk is not None for m in attentions(model)) or any(
        isinstance(m, MLA) and m.window is not None for m in mixers(model))


def has_chunks(model: ModelSpec) -> bool:
    """Some layer attends in chunks."""
    return any(m.chunk is not None for m in attentions(model))


def has_sparse_attention(model: ModelSpec) -> bool:
    """Some layer attends to the best keys of an indexer only."""
    return any(isinstance(m, Attention | MLA) and m.indexer is not None for m in mixers(model))


def has_mla(model: ModelSpec) -> bool:
    """Some layer has latent attention."""
    return any(isinstance(m, MLA) for m in mixers(model))


def has_grouped_heads(model: ModelSpec) -> bool:
    """Fewer key and value heads than query heads."""
    return any(m.kv_heads < m.heads for m in attentions(model))


def has_other_head_dim(model: ModelSpec) -> bool:
    """head_dim × heads is not the hidden size."""
    hidden = model.main.hidden_size
    return any(m.heads * m.head_dim != hidden for m in attentions(model))


def has_other_output(model: ModelSpec) -> bool:
    """The output projection of attention is not h × h."""
    hidden = model.main.hidden_size
    return has_other_head_dim(model) or any(isinstance(m, MLA) and m.heads * m.value_dim != hidden
                                            for m in mixers(model))


def has_output_gate(model: ModelSpec) -> bool:
    """Attention with a gate on its output."""
    return any(isinstance(m, Attention | MLA) and m.gate != "none" for m in mixers(model))


def has_plain_mlp(model: ModelSpec) -> bool:
    """Some MLP or expert has two matrices."""
    return any(isinstance(f, Dense | MoE) and f.matrices == 2 for f in ffns(model))


def has_gated_mlp(model: ModelSpec) -> bool:
    """Some MLP or expert has three matrices."""
    return any(isinstance(f, Dense | MoE) and f.matrices == 3 for f in ffns(model))


def has_other_mlp_width(model: ModelSpec) -> bool:
    """Some MLP is not four times as wide as the hidden size."""
    return any(isinstance(f, Dense) and f.width != 4 * model.main.hidden_size for f in ffns(model))


def has_shared_experts(model: ModelSpec) -> bool:
    """Some mixture has experts that always run."""
    return any(f.shared_width for f in experts(model))


def has_mtp(model: ModelSpec) -> bool:
    """The model has depths of multi-token prediction."""
    return model.multi_token_prediction is not None


def has_states(model: ModelSpec) -> bool:
    """Some mixer carries a state along the sequence: state space, linear attention, recurrence."""
    return any(not isinstance(m, Attention | MLA) for m in mixers(model))


def has_states_beside(*known: type) -> Predicate:
    """Some mixer carries a state and is none of ``known``."""
    return _StatesBeside(known)


class _StatesBeside:
    """A predicate with a parameter; equal ones compare equal."""

    def __init__(self, known: tuple[type, ...]) -> None:
        self.known: tuple[type, ...] = (Attention, MLA, *known)

    def __call__(self, model: ModelSpec) -> bool:
        return any(not isinstance(m, self.known) for m in mixers(model))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _StatesBeside) and other.known == self.known

    def __hash__(self) -> int:
        return hash((_StatesBeside, self.known))


def has_mamba2(model: ModelSpec) -> bool:
    """Some layer is Mamba-2."""
    return any(isinstance(m, Mamba2) for m in mixers(model))


def has_other_mamba_width(model: ModelSpec) -> bool:
    """Some Mamba layer is not twice as wide as the hidden size."""
    hidden = model.main.hidden_size
    return any(m.heads * m.head_dim != 2 * hidden for m in mixers(model) if isinstance(m, Mamba2)) or any(
        m.inner != 2 * hidden for m in mixers(model) if isinstance(m, Mamba1))


def has_delta_net(model: ModelSpec) -> bool:
    """Some layer is a gated delta net."""
    return any(isinstance(m, GatedDeltaNet | KimiDeltaAttention) for m in mixers(model))


def has_rwkv(model: ModelSpec) -> bool:
    """Some layer is RWKV."""
    return any(isinstance(m, RWKV) for m in mixers(model))


@lru_cache(maxsize=64)
def is_hybrid(model: ModelSpec) -> bool:
    """Layers that carry a state beside layers of attention or of MLPs alone: written as a pattern."""
    return any(isinstance(m, Mamba1 | Mamba2) for m in mixers(model))


@lru_cache(maxsize=64)
def is_decoder_only(model: ModelSpec) -> bool:
    """Tokens with a causal mask, a vocabulary and a head: a language model, perhaps with a vision tower
    whose output takes places among the tokens."""
    return (all(stack.name == "vision" for stack in model.stacks if stack is not model.main)
            and not model.contrastive and model.main.axis == "text" and model.vocabulary > 0
            and model.head is not None and model.head.classes is None
            and all(m.keys_from == "self" and m.mask == "causal" for m in attentions(model)))


def is_not_decoder_only(model: ModelSpec) -> bool:
    """Encoders, towers, classifiers: anything but one causal language model."""
    return not is_decoder_only(model)


def has_several_stacks(model: ModelSpec) -> bool:
    """An encoder or a tower beside the main stack."""
    return len(model.stacks) > 1


def is_plain_gpt(model: ModelSpec) -> bool:
    """Multi-head attention with a·d = h, f = 4h and two matrices throughout."""
    return not (has_states(model) or has_mla(model) or is_moe(model) or has_grouped_heads(model)
                or has_other_head_dim(model) or has_gated_mlp(model) or has_other_mlp_width(model))


def is_not_plain_gpt(model: ModelSpec) -> bool:
    """Anything that is not shaped as GPT-3 is."""
    return not is_plain_gpt(model)


def has_other_attention_layers(model: ModelSpec) -> bool:
    """Layers of attention that are not shaped as GPT-3's are."""
    return any(isinstance(m, Attention | MLA) for m in mixers(model)) and not is_plain_gpt(model)


def has_no_vocabulary(model: ModelSpec) -> bool:
    """No token embedding and no LM head."""
    return not model.vocabulary


def has_biased_gated_experts(model: ModelSpec) -> bool:
    """Experts of three matrices with biases (gpt-oss)."""
    return any(f.biases and f.matrices == 3 for f in experts(model))


def has_sinks(model: ModelSpec) -> bool:
    """Attention with learned sinks (gpt-oss)."""
    return any(m.sinks for m in attentions(model))


def is_plain_hybrid(model: ModelSpec) -> bool:
    """State-space layers beside an MLP of two matrices (Nemotron-H)."""
    return has_states(model) and has_plain_mlp(model)


def has_guessed_head_dim_nemo(model: ModelSpec) -> bool:
    """head_dim × heads is not the hidden size, and the family's formula does not ask (gpt-oss's does)."""
    return has_other_head_dim(model) and not has_sinks(model)


def has_window_nemo_ignores(model: ModelSpec) -> bool:
    """Windows in a family whose formula knows none (gpt-oss's does)."""
    return has_window(model) and not has_sinks(model)


def _normed(model: ModelSpec) -> bool:
    return any(m.qk_norm != "none" for m in attentions(model))


def is_mixtral_like(model: ModelSpec) -> bool:
    """Experts without shared ones under plain attention without norms or sinks: config.json calls them
    ``num_local_experts`` and has no ``moe_intermediate_size``."""
    return (is_moe(model) and not has_shared_experts(model) and not has_mla(model) and not _normed(model)
            and not has_sinks(model) and not has_chunks(model))


def mixes_window_and_full(model: ModelSpec) -> bool:
    """Some attention layers have a window and some have none."""
    windows = {m.window is not None for m in attentions(model)}
    return len(windows) > 1


def is_unknown_to_verl(model: ModelSpec) -> bool:
    """Shapes whose model type is not in verl's table: Mixtral, Gemma 2, Llama 4, and plain MLPs of two
    matrices (GPT-2, GPT-NeoX) other than with norms on queries and keys (Apertus)."""
    if has_plain_mlp(model) and not _normed(model):
        return True
    if mixes_window_and_full(model) and not _normed(model) and not has_sinks(model):
        return True
    return is_mixtral_like(model) or has_chunks(model)


def is_unknown_to_trl(model: ModelSpec) -> bool:
    """Mixtures other than Qwen's: Mixtral, gpt-oss, DeepSeek, Llama 4."""
    return (is_moe(model) and (is_mixtral_like(model) or has_sinks(model) or has_mla(model) or has_chunks(model))) \
        or has_mla(model)
