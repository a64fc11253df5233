"""Vision towers of models that read images and text: one reader for each kind of ``vision_config``.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from mfu_gui.engine.model import Dense, Layer, PatchFrontEnd, Stack, Table, Vector
from mfu_gui.engine.model_edit import run_lengths
from mfu_gui.formats.hf_config import towers_more as others
from mfu_gui.formats.hf_config.access import Config, Values
from mfu_gui.formats.hf_config.families.vision import (
    Tower,
    clip_tower,
    patches_of,
    plain,
    side,
    siglip_head_size,
    siglip_tower,
    vision_attention,
    vision_stack,
)
from mfu_gui.formats.hf_config.parts import QKVO
from mfu_gui.formats.hf_config.towers_more import any_size, merged


class TowerKind(NamedTuple):
    """How one kind of tower is read."""

    read: Callable[[Config], Tower]
    defaults: Values
    names: Mapping[str, tuple[str, ...]] = {}


def _siglip(config: Config) -> Tower:
    """In a larger model the pooling head is stored but not run."""
    tower = siglip_tower(config)
    if not tower.projections:
        return tower
    return Tower(tower.stack, tower.tokens, siglip_head_size(config))


def _qwen2(config: Config) -> Tower:
    """No positions to learn; pairs of frames; four patches become one token."""
    patches, patch = any_size(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"),
                          temporal=config.integer("temporal_patch_size"), bias=False)
    width = int(config.integer("hidden_size") * (config.number("mlp_ratio", 0.01, 1000) or 4))
    stack = vision_stack(config, front, 0, Dense(width=width, matrices=2, biases=True), final_norm=False)
    return Tower(stack, merged(config, patches))


def _qwen2_5(config: Config) -> Tower:
    """RMSNorm and a gated MLP. Most layers see windows of ``window_size`` pixels, some the whole image."""
    config.remark("config_tower_windows", "window_size")
    patches, patch = any_size(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"),
                          temporal=config.integer("temporal_patch_size"), bias=False)
    ffn = Dense(width=config.integer("intermediate_size"), biases=True)
    stack = vision_stack(config, front, 0, ffn, final_norm=False, norm_vectors=1)
    layers = config.layers()
    whole = set(config.integers("fullatt_block_indexes", maximum=layers - 1) or ())
    chunk = max(1, config.integer("window_size") // patch) ** 2
    full = replace(stack.kinds[0], name="full")
    window = replace(full, name="window", mixers=(vision_attention(config, QKVO, chunk=chunk),))
    kinds = ["full" if index in whole or chunk >= patches else "window" for index in range(layers)]
    named = {"full": full, "window": window}
    return Tower(replace(stack, kinds=tuple(named[kind] for kind in dict.fromkeys(kinds)), order=run_lengths(kinds)),
                 merged(config, patches))


def _exaone4_5(config: Config) -> Tower:
    """Qwen2.5's tower with fewer key heads."""
    return others.grouped(_qwen2_5(config), config)


def _qwen3(config: Config) -> Tower:
    """A table of positions, a square of them; without a size in the file an image of that many patches."""
    rows = config.integer("num_position_embeddings")
    patch = side(config, "patch_size")
    if config.has("image_size"):
        patches = patches_of(config)[0]
    else:
        patches = math.isqrt(rows) ** 2
        config.assume("image_size", math.isqrt(rows) * patch)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"),
                          temporal=config.integer("temporal_patch_size"))
    stack = vision_stack(config, front, rows, plain(config), final_norm=False)
    return Tower(stack, merged(config, patches))


def _pixtral(config: Config) -> Tower:
    """RMSNorm, gated MLP, no biases, one norm before the layers."""
    patches, patch = patches_of(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"), bias=False)
    stack = vision_stack(config, front, 0, Dense(width=config.integer("intermediate_size")), (), norm_vectors=1,
                         embedding_norm=True, final_norm=False)
    return Tower(stack, patches)


def _moonvit(config: Config) -> Tower:
    """A grid of positions; without a size in the file an image of that grid."""
    height, width = config.integer("grid_height"), config.integer("grid_width")
    patch = side(config, "patch_size")
    config.assume("image_size", [height * patch, width * patch])
    front = PatchFrontEnd(patches=height * width, patch_size=patch, channels=3)
    merge = config.integers("merge_kernel_size", 2, 1) or [2, 2]
    stack = vision_stack(config, front, height * width, plain(config))
    return Tower(stack, max(1, height * width // (merge[0] * merge[1])))


def _llama4(config: Config) -> Tower:
    """Class token, norms before and after; a quarter of the patches become tokens."""
    patches, patch = patches_of(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"), bias=False,
                          class_tokens=1)
    ratio = config.number("pixel_shuffle_ratio", 0.01, 1) or 0.5
    return Tower(vision_stack(config, front, patches + 1, plain(config), embedding_norm=True),
                 max(1, int(patches * ratio * ratio)))


def _mllama(config: Config) -> Tower:
    """Tiles of one image seen together: local layers, then gated global ones; tables for tiles and positions."""
    patches, patch = patches_of(config)
    tiles, hidden = config.integer("max_num_tiles", 1, 64), config.integer("hidden_size")
    positions = patches + 1
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"), bias=False,
                          class_tokens=1, tiles=tiles, padded_positions=-(-positions // 8) * 8)
    mixer, ffn = vision_attention(config, ()), plain(config)
    kinds = (Layer(name="local", mixers=(mixer,), ffns=(ffn,)),
             Layer(name="global", mixers=(mixer,), ffns=(ffn,), extra_parameters=2))
    order = (("local", config.layers()), ("global", config.layers("num_global_layers")))
    stack = Stack(name="vision", axis="patch", hidden_size=hidden, kinds=kinds, order=order, norm_vectors=2,
                  embedding_norm=True, position_table=positions, front_end=front)
    ratios = len(config.items("supported_aspect_ratios") or ()) + 1
    tables = tuple(Table(name=name, rows=ratios, width=tiles * width, store="position_embedding")
                   for name, width in (("tile_positions", positions * hidden), ("before_tiles", hidden),
                                       ("after_tiles", hidden)))
    return Tower(stack, tiles * positions, (Vector(name="gates", size=3),), (), tables)


def _glm4v(config: Config) -> Tower:
    """RMSNorm, gated MLP as wide as the language model, a norm after the patches and one at the end."""
    patches, patch = patches_of(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"),
                          temporal=config.integer("temporal_patch_size"))
    biases = QKVO if config.flag("attention_bias") else ()
    ffn = Dense(width=config.integer("out_hidden_size"))
    stack = vision_stack(config, front, patches, ffn, biases, norm_vectors=1, embedding_norm=True)
    return Tower(stack, merged(config, patches))


def _gemma4(config: Config) -> Tower:
    """RMSNorm four times a layer, gated MLP, norms on queries and keys; patches are pooled to a fixed number of
    tokens, which says how many patches there are."""
    patch, pool = side(config, "patch_size"), config.integer("pooling_kernel_size", 1, 64)
    tokens = config.integer("default_output_length")
    hidden = config.integer("hidden_size")
    front = PatchFrontEnd(patches=tokens * pool**2, patch_size=patch, bias=False)
    mixer = vision_attention(config, QKVO if config.flag("attention_bias") else (), qk_norm="per_head_dim")
    stack = vision_stack(config, front, 2 * config.integer("position_embedding_size"),
                         Dense(width=config.integer("intermediate_size")), mixer=mixer, norm_vectors=1,
                         final_norm=False)
    layer = replace(stack.kinds[0], norms=4)
    stack = replace(stack, kinds=(layer,))
    scales = (Vector(name="standard", size=2 * hidden, buffer=True),) if config.flag("standardize") else ()
    return Tower(stack, tokens, scales)


def _internvl(config: Config) -> Tower:
    """Class token, scales on both branches, no norm at the end."""
    patches, patch = patches_of(config)
    hidden = config.integer("hidden_size")
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"), class_tokens=1)
    mixer = vision_attention(config, QKVO if config.flag("attention_bias") else ("o",),
                             qk_norm="full" if config.flag("use_qk_norm") else "none")
    stack = vision_stack(config, front, patches + 1, plain(config), mixer=mixer, extra=2 * hidden, final_norm=False)
    if config.text("norm_type") == "rms_norm":
        stack = replace(stack, norm_vectors=1)
    return Tower(stack, patches)


def _sizes(hidden: int, width: int | None, layers: int, heads: int, image: int | None, patch: int,
           **more: Any) -> dict[str, Any]:
    found = {"hidden_size": hidden, "intermediate_size": width, "num_hidden_layers": layers,
             "num_attention_heads": heads, "patch_size": patch, "num_channels": 3}
    return found | ({} if image is None else {"image_size": image}) | more


_QWEN_NAMES = {"num_hidden_layers": ("depth", "num_hidden_layers"),
               "num_attention_heads": ("num_heads", "num_attention_heads"),
               "num_channels": ("in_channels", "in_chans", "num_channels")}
_MOON_NAMES = {"hidden_size": ("vt_hidden_size", "hidden_size"),
               "intermediate_size": ("vt_intermediate_size", "intermediate_size"),
               "num_hidden_layers": ("vt_num_hidden_layers", "num_hidden_layers"),
               "num_attention_heads": ("vt_num_attention_heads", "num_attention_heads"),
               "grid_height": ("init_pos_emb_height", "pos_emb_height"),
               "grid_width": ("init_pos_emb_width", "pos_emb_width")}
_QWEN3 = TowerKind(_qwen3, _sizes(1152, 4304, 27, 16, None, 16, spatial_merge_size=2, temporal_patch_size=2,
                                  num_position_embeddings=2304, out_hidden_size=3584), _QWEN_NAMES)
_SMALL_SIGLIP = TowerKind(_siglip, _sizes(1152, 3072, 12, 16, 224, 32))

TOWERS: dict[str, TowerKind] = {
    "clip_vision_model": TowerKind(clip_tower, _sizes(768, 3072, 12, 12, 224, 32)),
    "kosmos_2_vision_model": TowerKind(clip_tower, _sizes(1024, 4096, 24, 16, 224, 14)),
    "siglip_vision_model": TowerKind(_siglip, _sizes(768, 3072, 12, 12, 224, 16, vision_use_head=True)),
    "idefics2_vision": TowerKind(_siglip, _sizes(768, 3072, 12, 12, 224, 32)),
    "idefics3_vision": _SMALL_SIGLIP,
    "smolvlm_vision": _SMALL_SIGLIP,
    "pixtral": TowerKind(_pixtral, _sizes(1024, 4096, 24, 16, 1024, 16)),
    "qwen2_vl_vision": TowerKind(_qwen2, _sizes(1280, None, 32, 16, None, 14, mlp_ratio=4, spatial_merge_size=2,
                                                temporal_patch_size=2, out_hidden_size=3584),
                                _QWEN_NAMES | {"hidden_size": ("embed_dim",), "out_hidden_size": ("hidden_size",)}),
    "qwen2_5_vl_vision": TowerKind(_qwen2_5, _sizes(3584, 3420, 32, 16, None, 14, spatial_merge_size=2,
                                                    temporal_patch_size=2, window_size=112,
                                                    out_hidden_size=3584,
                                                    fullatt_block_indexes=[7, 15, 23, 31]), _QWEN_NAMES),
    "qwen3_vl_vision": _QWEN3,
    "kimi_k25_vision": TowerKind(_moonvit, _sizes(1152, 4304, 27, 16, None, 14, grid_height=64, grid_width=64,
                                                  merge_kernel_size=[2, 2]), _MOON_NAMES),
    "llama4_vision_model": TowerKind(_llama4, _sizes(768, 5632, 34, 16, 448, 14, pixel_shuffle_ratio=0.5)),
    "mllama_vision_model": TowerKind(_mllama, _sizes(
        1280, 5120, 32, 16, 448, 14, num_global_layers=8, max_num_tiles=4,
        supported_aspect_ratios=[[1, 1], [1, 2], [1, 3], [1, 4], [2, 1], [2, 2], [3, 1], [4, 1]]),
        {"num_attention_heads": ("attention_heads", "num_attention_heads")}),
    "glm4v_vision": TowerKind(_glm4v, _sizes(1536, 13696, 24, 12, 336, 14, out_hidden_size=4096, attention_bias=False,
                                             spatial_merge_size=2, temporal_patch_size=2), _QWEN_NAMES),
    "gemma4_vision": TowerKind(_gemma4, _sizes(768, 3072, 16, 12, None, 16, attention_bias=False, standardize=False,
                                               pooling_kernel_size=3, default_output_length=280,
                                               position_embedding_size=10240)),
    "exaone4_5_vision": TowerKind(_exaone4_5, _sizes(3584, 3420, 32, 16, None, 14, spatial_merge_size=2,
                                                     temporal_patch_size=2, window_size=112, num_key_value_heads=8,
                                                     fullatt_block_indexes=[7, 15, 23, 31]), _QWEN_NAMES),
    "siglip2_vision_model": TowerKind(others.siglip2, _sizes(768, 3072, 12, 12, None, 16, num_patches=256,
                                                           vision_use_head=True)),
    "paddleocr_vl_vision": TowerKind(others.merged_siglip, _sizes(1152, 4304, 27, 16, 384, 14, spatial_merge_size=2)),
    "video_llama_3_vision": TowerKind(others.rotary_siglip, _sizes(768, 3072, 12, 12, None, 16)),
    "minimax_m3_vl_vision": TowerKind(others.rotary_clip, _sizes(1280, 5120, 32, 16, 2016, 14, temporal_patch_size=2,
                                                               spatial_merge_size=2)),
    "ernie4_5_vl_moe_vision": TowerKind(others.ernie, _sizes(1280, 5120, 32, 16, None, 14, spatial_merge_size=2,
                                                           temporal_merge_size=2), _QWEN_NAMES),
    "glm_ocr_vision": TowerKind(others.glm_ocr, _sizes(1024, 4096, 24, 16, 336, 14, attention_bias=True,
                                                     spatial_merge_size=2, temporal_patch_size=2,
                                                     out_hidden_size=1536), _QWEN_NAMES),
    "ovis2_vision": TowerKind(others.ovis2, _sizes(1024, 2816, 24, 8, 224, 14, qkv_bias=False, mlp_bias=False,
                                                 vocab_size=16384, hidden_stride=1, num_visual_indicator_tokens=5)),
    "blip_2_vision_model": TowerKind(others.blip2, _sizes(1408, 6144, 39, 16, 224, 14, qkv_bias=True)),
    "janus_vision_model": TowerKind(others.janus, _sizes(1024, None, 24, 16, 384, 16, mlp_ratio=4.0, use_qk_norm=False,
                                                         attention_bias=True, projection_dim=2048, depth=2)),
    "phi3_clip": TowerKind(others.phi3, _sizes(1024, 4096, 24, 16, 336, 14)),
    "intern_vit_6b": TowerKind(others.intern_vit, _sizes(3200, 12800, 48, 25, 224, 14, qkv_bias=False,
                                                         qk_normalization=True, norm_type="rms_norm")),
    "phi4_multimodal_vision": TowerKind(others.phi4, _sizes(1152, 4304, 27, 16, 448, 14)),
    "qianfan_ocr_vision": TowerKind(_internvl, _sizes(1024, 4096, 24, 16, 448, 14, attention_bias=True,
                                                      use_qk_norm=False, norm_type="layer_norm")),
    "internvl_vision": TowerKind(_internvl, _sizes(1024, 4096, 24, 16, 448, 14, attention_bias=False,
                                                   use_qk_norm=False, norm_type="layer_norm")),
}
