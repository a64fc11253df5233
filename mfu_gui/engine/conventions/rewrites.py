"""What frameworks fail to see of a model: rewrites and questions that conventions are made of."""

from __future__ import annotations

from msgspec.structs import replace

from mfu_gui.engine.model import Attention, Dense, Ffn, Layer, Mixer, ModelSpec, MoE, Stack
from mfu_gui.engine.model_edit import ffns_of, map_ffns, map_mixers, mixers_of, replace_main


def _core_of_width_h(stack: Stack, layer: Layer) -> Layer:
    """Attention with h × h projections and an h-wide core, MLP of two h × 4h matrices."""
    hidden = stack.hidden_size
    attention = Attention(heads=1, kv_heads=1, head_dim=hidden)
    mixers: tuple[Mixer, ...] = tuple(attention for _ in layer.mixers)
    ffns: tuple[Ffn, ...] = tuple(Dense(width=4 * hidden, matrices=2) for _ in layer.ffns)
    return replace(layer, mixers=mixers, ffns=ffns)


def plain_gpt(model: ModelSpec) -> ModelSpec:
    """Every layer as GPT-3 has it: no GQA, a·d = h, f = 4h, two matrices, no experts."""
    main = model.main
    return replace_main(model, replace(main, kinds=tuple(_core_of_width_h(main, kind) for kind in main.kinds)))


def no_router(model: ModelSpec) -> ModelSpec:
    """The same model with its routers out of sight."""
    return map_ffns(model, lambda f: replace(f, router=False) if isinstance(f, MoE) else f)


def core_from_hidden(model: ModelSpec) -> ModelSpec:
    """head_dim = hidden ÷ heads, whatever the model states."""

    def change(mixer: Mixer) -> Mixer:
        if isinstance(mixer, Attention):
            return replace(mixer, head_dim=model.main.hidden_size // mixer.heads, value_dim=None)
        return mixer

    return map_mixers(model, change)


def padded_vocabulary(multiple: int) -> _Pad:
    """Vocabulary rounded up to a multiple."""
    return _Pad(multiple)


class _Pad:
    """A rewrite with a parameter; equal multiples are equal, so that compiled readings are found again."""

    def __init__(self, multiple: int) -> None:
        self.multiple = multiple

    def __call__(self, model: ModelSpec) -> ModelSpec:
        return replace(model, vocabulary=-(-model.vocabulary // self.multiple) * self.multiple)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Pad) and other.multiple == self.multiple

    def __hash__(self) -> int:
        return hash((_Pad, self.multiple))


def is_moe(model: ModelSpec) -> bool:
    """Some layer has routed experts."""
    return bool(ffns_of(model, MoE))


def has_window(model: ModelSpec) -> bool:
    """Some layer has a sliding window or chunks."""
    return any(m.window is not None or m.chunk is not None for m in mixers_of(model, Attention))


def is_plain_gpt(model: ModelSpec) -> bool:
    """Multi-head attention with a·d = h, f = 4h and two matrices throughout."""
    hidden = model.main.hidden_size
    for kind in model.main.kinds:
        for mixer in kind.mixers:
            if not isinstance(mixer, Attention) or mixer.kv_heads != mixer.heads:
                return False
            if mixer.heads * mixer.head_dim != hidden:
                return False
        for ffn in kind.ffns:
            if not isinstance(ffn, Dense) or ffn.width != 4 * hidden or ffn.matrices != 2:
                return False
    return True


def has_no_vocabulary(model: ModelSpec) -> bool:
    """No token embedding and no LM head."""
    return not model.vocabulary
