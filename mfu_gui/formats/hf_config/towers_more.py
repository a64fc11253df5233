"""More vision towers of models that read images and text.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import Attention, Dense, PatchFrontEnd
from mfu_gui.formats.hf_config.access import Config
from mfu_gui.formats.hf_config.families.vision import (
    Tower,
    clip_tower,
    patches_of,
    plain,
    side,
    siglip_head_size,
    vision_attention,
    vision_stack,
)
from mfu_gui.formats.hf_config.parts import QKVO, checked_kv_heads

ASSUMED_IMAGE = 448
"""Side of the image where a tower takes any size and its file names none."""


def any_size(config: Config) -> tuple[int, int]:
    """Patches and patch side of a tower that takes images of any size."""
    if not config.has("image_size"):
        config.assume("image_size", ASSUMED_IMAGE)
        patch = side(config, "patch_size")
        return max(1, ASSUMED_IMAGE // patch) ** 2, patch
    return patches_of(config)


def merged(config: Config, patches: int) -> int:
    """Tokens of neighbouring patches."""
    return max(1, patches // config.integer("spatial_merge_size", 1, 64) ** 2)


def siglip2(config: Config) -> Tower:
    """A matrix on flattened patches, a table for a grid that is scaled to the image; a head that is stored."""
    patches, patch = config.integer("num_patches"), side(config, "patch_size")
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"))
    tower = Tower(vision_stack(config, front, patches, plain(config)), patches)
    return tower._replace(parts=siglip_head_size(config)) if config.flag("vision_use_head") else tower


def merged_siglip(config: Config) -> Tower:
    """SigLIP whose patches are merged behind it."""
    patches, patch = patches_of(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"))
    return Tower(vision_stack(config, front, patches, plain(config)), merged(config, patches))


def rotary_siglip(config: Config) -> Tower:
    """SigLIP without a table of positions, for images of any size."""
    patches, patch = any_size(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"))
    return Tower(vision_stack(config, front, 0, plain(config)), patches)


def rotary_clip(config: Config) -> Tower:
    """CLIP's layers without class token, positions or last norm; frames in pairs."""
    patches, patch = patches_of(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"), bias=False,
                          temporal=config.integer("temporal_patch_size", 1, 64))
    return Tower(vision_stack(config, front, 0, plain(config), embedding_norm=True, final_norm=False),
                 merged(config, patches))


def ernie(config: Config) -> Tower:
    """Rotary positions, images of any size, one norm behind the layers."""
    patches, patch = any_size(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"), bias=False)
    return Tower(vision_stack(config, front, 0, plain(config)), merged(config, patches))


def glm_ocr(config: Config) -> Tower:
    """RMSNorm, norms on queries and keys, a gated MLP with biases."""
    patches, patch = patches_of(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"),
                          temporal=config.integer("temporal_patch_size", 1, 64))
    biases = config.flag("attention_bias")
    mixer = vision_attention(config, QKVO if biases else (), qk_norm="per_head_dim")
    ffn = Dense(width=config.integer("intermediate_size"), biases=biases)
    return Tower(vision_stack(config, front, 0, ffn, mixer=mixer, norm_vectors=1), merged(config, patches))


def ovis2(config: Config) -> Tower:
    """RMSNorm before, in and behind the layers, a gated MLP, a table of positions."""
    patches, patch = patches_of(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"))
    biases = QKVO if config.flag("qkv_bias") else ()
    ffn = Dense(width=config.integer("intermediate_size"), biases=config.flag("mlp_bias"))
    return Tower(vision_stack(config, front, patches, ffn, biases, norm_vectors=1, embedding_norm=True), patches)


def grouped(tower: Tower, config: Config) -> Tower:
    """``tower`` with fewer heads for keys and values than for queries."""
    heads = config.integer("num_attention_heads")
    kv_heads = checked_kv_heads(config, heads, config.integer("num_key_value_heads"))
    kinds: list[Any] = []
    for layer in tower.stack.kinds:
        mixer = layer.mixers[0]
        if not isinstance(mixer, Attention):
            raise InputError("config_unsupported", config.place("num_key_value_heads"), value=kv_heads)
        kinds.append(replace(layer, mixers=(replace(mixer, kv_heads=kv_heads),)))
    return tower._replace(stack=replace(tower.stack, kinds=tuple(kinds)))


def blip2(config: Config) -> Tower:
    """Class token, biases, a norm behind the layers."""
    patches, patch = patches_of(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, class_tokens=1)
    biases = QKVO if config.flag("qkv_bias") else ("o",)
    return Tower(vision_stack(config, front, patches + 1, plain(config), biases), patches)


def janus(config: Config) -> Tower:
    """SigLIP with biases that can be left out, perhaps with norms on queries and keys."""
    patches, patch = patches_of(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"))
    width = int(config.integer("hidden_size") * (config.number("mlp_ratio", 0.01, 1000) or 4))
    normed = config.flag("use_qk_norm")
    mixer = vision_attention(config, QKVO if config.flag("attention_bias") else ("o",), qk_norm_bias=normed,
                             qk_norm="full" if normed else "none")
    ffn = Dense(width=max(width, 1), matrices=2, biases=True)
    return Tower(vision_stack(config, front, patches, ffn, mixer=mixer), patches)


def intern_vit(config: Config) -> Tower:
    """InternViT (arXiv 2312.14238): class token, scales on both branches, no norm at the end."""
    patches, patch = patches_of(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"), class_tokens=1)
    mixer = vision_attention(config, QKVO if config.flag("qkv_bias") else ("o",),
                             qk_norm="full" if config.flag("qk_normalization") else "none")
    norm = config.text("norm_type")
    if norm not in ("rms_norm", "layer_norm"):
        raise InputError("unknown_choice", config.place("norm_type"), value=norm, allowed="rms_norm, layer_norm")
    return Tower(vision_stack(config, front, patches + 1, plain(config), mixer=mixer,
                              extra=2 * config.integer("hidden_size"), final_norm=False,
                              norm_vectors=1 if norm == "rms_norm" else 2), patches)


def phi4(config: Config) -> Tower:
    """SigLIP's tower over an image and one crop of it; its pooling head is stored and not run."""
    patches, patch = patches_of(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"), tiles=2,
                          attention_tiles="apart")
    return Tower(vision_stack(config, front, patches, plain(config)), patches, siglip_head_size(config))


def phi3(config: Config) -> Tower:
    """The CLIP tower that Phi-3-vision's code names, over an image and one crop of it."""
    tower = clip_tower(config)
    front = tower.stack.front_end
    assert isinstance(front, PatchFrontEnd)  # noqa: S101 - clip_tower makes one
    return tower._replace(stack=replace(tower.stack, front_end=replace(front, tiles=2, attention_tiles="apart")))
