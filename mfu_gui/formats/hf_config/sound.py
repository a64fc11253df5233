"""Towers for sound beside a text model.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from typing import Any

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import (
    Attention,
    Connector,
    Convolution,
    Dense,
    FrameFrontEnd,
    Layer,
    Letter,
    Stack,
    Vector,
)
from mfu_gui.formats.hf_config.access import Config
from mfu_gui.formats.hf_config.bridges import Sound

WHISPER: dict[str, Any] = {
    "num_mel_bins": 128, "hidden_size": 1280, "intermediate_size": 5120, "num_hidden_layers": 32,
    "num_attention_heads": 20, "max_source_positions": 1500,
}
WHISPER_NAMES: dict[str, tuple[str, ...]] = {
    "hidden_size": ("d_model", "hidden_size"), "intermediate_size": ("encoder_ffn_dim", "intermediate_size"),
    "num_hidden_layers": ("encoder_layers", "num_hidden_layers"),
    "num_attention_heads": ("encoder_attention_heads", "num_attention_heads"),
}


def _encoder(audio: Config, *, positions: bool, chunk: int | None = None, final_norm: bool = True) -> Stack:
    """Whisper's encoder on clips of its whole length: two convolutions that halve the frames, no bias on keys."""
    hidden, heads = audio.integer("hidden_size"), audio.integer("num_attention_heads")
    if hidden % heads:
        raise InputError("config_head_dim", audio.place("num_attention_heads"), hidden=hidden, heads=heads)
    letters: tuple[Letter, ...] = ("q", "v", "o")
    mixer = Attention(heads=heads, kv_heads=heads, head_dim=hidden // heads, biases=letters, mask="bidirectional",
                      chunk=chunk)
    layer = Layer(mixers=(mixer,), ffns=(Dense(width=audio.integer("intermediate_size"), matrices=2, biases=True),))
    length = audio.integer("max_source_positions")
    front = FrameFrontEnd(frames=2 * length, convolutions=(
        Convolution(inputs=audio.integer("num_mel_bins"), outputs=hidden, kernel=3),
        Convolution(inputs=hidden, outputs=hidden, kernel=3, stride=2)))
    return Stack(name="encoder", axis="frame", hidden_size=hidden, kinds=(layer,),
                 order=((layer.name, audio.layers()),), norm_vectors=2, final_norm=final_norm, front_end=front,
                 position_table=length if positions else 0)


def qwen2_audio(wrapper: Config, audio: Config, hidden: int) -> Sound:
    """Two positions become one token, through one matrix."""
    stack = _encoder(audio, positions=True)
    return Sound(stack, audio.integer("max_source_positions", 2) // 2,
                 (Connector(widths=(stack.hidden_size, hidden), axis="sound"),))


def voxtral(wrapper: Config, audio: Config, hidden: int) -> Sound:
    """Positions side by side until they are as wide as the MLP, through two matrices without biases."""
    stack = _encoder(audio, positions=True)
    inner = audio.integer("intermediate_size")
    tokens = max(1, audio.integer("max_source_positions") * stack.hidden_size // inner)
    return Sound(stack, tokens, (Connector(widths=(inner, hidden, hidden), bias=False, axis="sound"),))


def qwen2_5_omni(wrapper: Config, audio: Config, hidden: int) -> Sound:
    """Blocks of positions that see each other only; two become one token. Marks for begin and end."""
    stack = _encoder(audio, positions=False, chunk=audio.integer("n_window", 1, default=100))
    out = audio.integer("output_dim", default=3584)
    return Sound(stack, audio.integer("max_source_positions", 2) // 2,
                 (Connector(widths=(stack.hidden_size, out), axis="sound"),),
                 (Vector(name="sound_marks", size=2 * out),))


def qwen3_omni(wrapper: Config, audio: Config, hidden: int) -> Sound:
    """Three convolutions over mel bands and frames; how many positions blocks of odd length leave is not counted,
    so the tower's parameters are counted and its FLOPs are not."""
    width, inner = audio.integer("hidden_size"), audio.integer("downsample_hidden_size", default=480)
    out, bands, layers = audio.integer("output_dim", default=3584), audio.integer("num_mel_bins"), audio.layers()
    ffn = audio.integer("intermediate_size")
    for _ in range(3):
        bands = (bands + 1) // 2
    layer = 4 * width * (width + 1) + 2 * width * ffn + ffn + width + 4 * width
    convolutions = 10 * inner + 2 * (9 * inner + 1) * inner + inner * bands * width
    ends = 2 * width + (width + 1) * width + (width + 1) * out
    wrapper.remark("config_parameters_only", "audio_config")
    return Sound(Stack(hidden_size=1, kinds=(), order=()), 0, (),
                 (Vector(name="sound_tower", size=layers * layer + convolutions + ends),))
