"""Parameters of convolutional image tokenizers (VQGAN, arXiv 2012.09841) that some models store beside their text.

They are run once to make data, not in a training step: their parameters are counted, their FLOPs are not.
Shapes as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mfu_gui.formats.hf_config.access import Config

JANUS: dict[str, Any] = {
    "embed_dim": 8, "num_embeddings": 16384, "double_latent": False, "latent_channels": 256, "num_patches": 32,
    "in_channels": 3, "out_channels": 3, "base_channels": 128, "channel_multiplier": [1, 1, 2, 2, 4],
    "num_res_blocks": 2, "projection_dim": 2048, "num_hidden_layers": 2, "image_token_embed_dim": 2048,
}


CHAMELEON: dict[str, Any] = {
    "embed_dim": 256, "num_embeddings": 8192, "double_latent": False, "latent_channels": 256, "resolution": 512,
    "in_channels": 3, "base_channels": 128, "channel_multiplier": [1, 1, 2, 2, 4], "num_res_blocks": 2,
    "attn_resolutions": None, "attn_type": "vanilla",
}


def _convolution(inputs: int, outputs: int, kernel: int = 3) -> int:
    return inputs * outputs * kernel * kernel + outputs


def _residual(inputs: int, outputs: int) -> int:
    """Two norms, two convolutions, one more of a pixel where the width changes."""
    size = 2 * inputs + _convolution(inputs, outputs) + 2 * outputs + _convolution(outputs, outputs)
    return size + (_convolution(inputs, outputs, 1) if inputs != outputs else 0)


def _attention(width: int) -> int:
    return 2 * width + 4 * _convolution(width, width, 1)


def _middle(width: int) -> int:
    return 2 * _residual(width, width) + _attention(width)


def encoder_size(channels: int, base: int, factors: Sequence[int], blocks: int, latent: int,
                 attentive: frozenset[int], middle: bool = True) -> int:
    """Levels of residual blocks, each half as large as the one before; attention on the ``attentive`` ones and,
    with ``middle``, behind the last."""
    size, width = _convolution(channels, base), base
    for level, factor in enumerate(factors):
        last = level == len(factors) - 1
        for _ in range(blocks):
            size += _residual(width, base * factor) + (_attention(base * factor) if level in attentive else 0)
            width = base * factor
        size += 0 if last else _convolution(width, width)
    return size + _middle(width) - (0 if middle else _attention(width)) + 2 * width + _convolution(width, latent)


def decoder_size(channels: int, base: int, factors: Sequence[int], blocks: int, latent: int) -> int:
    """The way back: one block more a level, attention on the first."""
    width = base * factors[-1]
    size = _convolution(latent, width) + _middle(width)
    for level in reversed(range(len(factors))):
        for _ in range(blocks + 1):
            size += _residual(width, base * factors[level])
            width = base * factors[level]
            size += _attention(width) if level == len(factors) - 1 else 0
        size += _convolution(width, width) if level else 0
    return size + 2 * width + _convolution(width, channels)


def janus_size(config: Config) -> int:
    """Tokenizer, table, aligner and head for images that Janus makes."""
    base, blocks = config.integer("base_channels"), config.integer("num_res_blocks", 1, 64)
    factors = config.integers("channel_multiplier", minimum=1) or [1]
    latent, embed = config.integer("latent_channels"), config.integer("embed_dim")
    words, width = config.integer("num_embeddings"), config.integer("projection_dim")
    made = latent * (2 if config.flag("double_latent") else 1)
    size = encoder_size(config.integer("in_channels"), base, factors, blocks, made, frozenset((len(factors) - 1,)))
    size += decoder_size(config.integer("out_channels"), base, factors, blocks, latent)
    size += 2 * words * embed + _convolution(latent, embed, 1) + _convolution(embed, latent, 1)
    aligner = (embed + 1) * width + (config.layers() - 1) * (width + 1) * width
    head = (config.integer("image_token_embed_dim") + 1) * width + (width + 1) * words
    return size + aligner + head


def chameleon_size(config: Config) -> int:
    """The encoder alone: its words are the text's."""
    base, blocks = config.integer("base_channels"), config.integer("num_res_blocks", 1, 64)
    factors = config.integers("channel_multiplier", minimum=1) or [1]
    latent, embed = config.integer("latent_channels"), config.integer("embed_dim")
    made = latent * (2 if config.flag("double_latent") else 1)
    vanilla = config.text("attn_type") == "vanilla"
    seen = set(config.integers("attn_resolutions") or ()) if vanilla else set()
    resolution = config.integer("resolution")
    attentive = frozenset(level for level in range(len(factors)) if resolution // 2**level in seen)
    size = encoder_size(config.integer("in_channels"), base, factors, blocks, made, attentive, vanilla)
    return size + config.integer("num_embeddings") * embed + _convolution(latent, embed, 1) + _convolution(
        embed, latent, 1)
