"""Vision encoders that differ from ViT in tokens, biases or positions: BEiT, DINOv3, I-JEPA, VideoMAE, SigLIP 2, …

A file that names a class for pretraining by masks is refused: its decoder is not read.
Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import Dense, Letter, ModelSpec, PatchFrontEnd, Stack, Table
from mfu_gui.formats.hf_config.access import Config, Family, shortened
from mfu_gui.formats.hf_config.families.encoders import architecture_of
from mfu_gui.formats.hf_config.families.vision import (
    Tower,
    classifier,
    clip_pair,
    patches_of,
    plain,
    side,
    siglip_pair,
    vision_attention,
    vision_stack,
    vit_tower,
    with_pooling_head,
)
from mfu_gui.formats.hf_config.parts import QKVO


def _front(stack: Stack) -> PatchFrontEnd:
    front = stack.front_end
    assert isinstance(front, PatchFrontEnd)  # noqa: S101 - vision stacks have one
    return front


def _checked(config: Config, body: str) -> str:
    """The class that the file names; pretraining by masks is refused."""
    name = architecture_of(config, body)
    if "PreTraining" in name or "Masked" in name:
        raise InputError("config_other_head", config.place("architectures"), architecture=shortened(name))
    return name


def _vit_msn(config: Config) -> ModelSpec:
    _checked(config, "ViTMSNModel")
    return ModelSpec(stacks=(vit_tower(config).stack,), head=classifier(config, "ViTMSNModel"))


def _ijepa(config: Config) -> ModelSpec:
    """ViT without a class token."""
    _checked(config, "IJepaModel")
    stack = vit_tower(config).stack
    front = _front(stack)
    stack = replace(stack, front_end=replace(front, class_tokens=0), position_table=front.patches)
    return ModelSpec(stacks=(stack,), head=classifier(config, "IJepaModel"))


def _vit_mae(config: Config) -> ModelSpec:
    """A share of the patches is left out behind the front end; the class for images sees them all."""
    name = _checked(config, "ViTMAEModel")
    stack = vit_tower(config).stack
    front = _front(stack)
    if name.endswith("Model"):
        ratio = config.number("mask_ratio", 0, 1) or 0
        kept = max(1, int(front.patches * (1 - ratio)))
        stack = replace(stack, front_end=replace(front, padded_positions=kept + 1))
    return ModelSpec(stacks=(stack,), head=classifier(config, "ViTMAEModel"))


def _videomae(config: Config) -> ModelSpec:
    """Tubes of frames; fixed positions; biases on queries, values and outputs."""
    name = _checked(config, "VideoMAEModel")
    patches, patch = patches_of(config)
    tube = config.integer("tubelet_size", 1, 65536)
    frames = config.integer("num_frames", tube, 65536) // tube
    front = PatchFrontEnd(patches=patches * frames, patch_size=patch, channels=config.integer("num_channels"),
                          temporal=tube)
    biases: tuple[Letter, ...] = ("q", "v", "o") if config.flag("qv_bias") else ("o",)
    mean = config.flag("use_mean_pooling")
    stack = vision_stack(config, front, 0, plain(config), biases, final_norm=not (mean and name.endswith("Model")))
    return ModelSpec(stacks=(stack,), head=classifier(config, "VideoMAEModel"))


def _beit(config: Config) -> ModelSpec:
    """No bias on keys, scales on both branches, tables of relative positions for each layer or for all."""
    name = _checked(config, "BeitModel")
    # Data2Vec's body has no pooler; both have one norm behind the layers otherwise.
    bare = config.model_type == "data2vec-vision" and config.flag("use_mean_pooling") and name.endswith("Model")
    if "Segmentation" in name or "Backbone" in name:
        raise InputError("config_other_head", config.place("architectures"), architecture=shortened(name))
    patches, patch = patches_of(config)
    hidden, heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    side_ = side(config, "image_size") // patch
    rows = (2 * side_ - 1) ** 2 + 3
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"), class_tokens=1,
                          mask_token=config.flag("use_mask_token"))
    mixer = vision_attention(config, ("q", "v", "o"),
                             relative_buckets=rows if config.flag("use_relative_position_bias") else 0)
    positions = patches + 1 if config.flag("use_absolute_position_embeddings") else 0
    # Scales on both branches, and one norm: behind the layers, or in the pooler.
    extra = 2 * hidden if (config.number("layer_scale_init_value", -1) or 0) > 0 else 0
    stack = vision_stack(config, front, positions, plain(config), mixer=mixer, extra=extra, final_norm=not bare)
    tables: tuple[Table, ...] = ()
    if config.flag("use_shared_relative_position_bias"):
        tables = (Table(name="relative", rows=rows, width=heads, store="position_embedding"),)
    return ModelSpec(stacks=(stack,), head=classifier(config, "BeitModel"), tables=tables)


def _dinov3(config: Config) -> ModelSpec:
    """Rotary positions, registers, a mask token, scales on both branches; each bias has its flag."""
    patches, patch = patches_of(config)
    hidden = config.integer("hidden_size")
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"),
                          class_tokens=1 + config.integer("num_register_tokens", 0), mask_token=True)
    flags = zip(QKVO, ("query_bias", "key_bias", "value_bias", "proj_bias"), strict=True)
    biases = tuple(letter for letter, key in flags if config.flag(key))
    ffn = Dense(width=config.integer("intermediate_size"), matrices=3 if config.flag("use_gated_mlp") else 2,
                biases=config.flag("mlp_bias"))
    stack = vision_stack(config, front, 0, ffn, biases, extra=2 * hidden)
    return ModelSpec(stacks=(stack,), head=classifier(config, "DINOv3ViTModel"))


def siglip2_tower(config: Config) -> Tower:
    """A matrix on flattened patches and a table for a grid that is scaled to the image."""
    patches, patch = config.integer("num_patches"), side(config, "patch_size")
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"))
    tower = Tower(vision_stack(config, front, patches, plain(config)), patches)
    return with_pooling_head(config, tower) if config.flag("vision_use_head") else tower


def _siglip2(config: Config) -> ModelSpec:
    vision = config.section("vision_config", _SIGLIP2_VISION)
    return siglip_pair(config, siglip2_tower(vision))


def _siglip2_vision(config: Config) -> ModelSpec:
    tower = siglip2_tower(config)
    return ModelSpec(stacks=(tower.stack,), head=None, parts=tower.parts, projections=tower.projections)


_VIT: dict[str, Any] = {
    "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12,
    "image_size": 224, "patch_size": 16, "num_channels": 3, "qkv_bias": True,
}
_BEIT = _VIT | {
    "use_mask_token": False, "use_absolute_position_embeddings": False, "use_relative_position_bias": False,
    "use_shared_relative_position_bias": False, "layer_scale_init_value": 0.1, "use_mean_pooling": True}
_SIGLIP2_VISION = _VIT | {"num_patches": 256, "vision_use_head": True}

READERS: dict[str, Family] = {
    "vit_msn": Family(_vit_msn, _VIT),
    "ijepa": Family(_ijepa, _VIT),
    "vit_mae": Family(_vit_mae, _VIT | {"mask_ratio": 0.75}),
    "videomae": Family(_videomae, _VIT | {"num_frames": 16, "tubelet_size": 2, "qv_bias": True,
                                          "use_mean_pooling": True}),
    "beit": Family(_beit, _BEIT),
    "data2vec-vision": Family(_beit, _BEIT),
    "dinov3_vit": Family(_dinov3, _VIT | {
        "hidden_size": 384, "intermediate_size": 1536, "num_attention_heads": 6, "num_register_tokens": 0,
        "query_bias": True, "key_bias": False, "value_bias": True, "proj_bias": True, "mlp_bias": True,
        "use_gated_mlp": False}),
    "siglip2": Family(_siglip2, {}),
    "siglip2_vision_model": Family(_siglip2_vision, _SIGLIP2_VISION),
    "metaclip_2": Family(clip_pair, {"projection_dim": 512}),
}
