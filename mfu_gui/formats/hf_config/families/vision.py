"""Vision encoders, alone or as towers of other models, and CLIP's pair of towers.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import (
    Attention,
    Dense,
    Head,
    Layer,
    Letter,
    Linear,
    ModelSpec,
    PatchFrontEnd,
    Projection,
    Stack,
    Table,
    Vector,
)
from mfu_gui.formats.hf_config.access import Config, Family, shortened
from mfu_gui.formats.hf_config.parts import QKVO


class Tower(NamedTuple):
    """A vision stack, the places one image fills after it, and what belongs to neither layer nor front end."""

    stack: Stack
    tokens: int
    parts: tuple[Linear | Vector, ...] = ()
    projections: tuple[Projection, ...] = ()
    tables: tuple[Table, ...] = ()


def side(config: Config, key: str, default: object = ...) -> int:
    """The length of a square's side: a number, or a list of two equal ones."""
    value = config.value(key, default)
    if isinstance(value, list | tuple) and len(value) == 2 and value[0] == value[1]:
        value = value[0]
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError("wrong_type", config.place(key), expected="int", found="array" if isinstance(
            value, list | tuple) else "object", value=shortened(value))
    if not 1 <= value <= 65536:
        raise InputError("out_of_range", config.place(key), value=value, minimum=1, maximum=65536)
    return value


def patches_of(config: Config) -> tuple[int, int]:
    """Patches of one image and their side; what does not fill a patch is cut off."""
    image, patch = side(config, "image_size"), side(config, "patch_size")
    if patch > image:
        raise InputError("out_of_range", config.place("patch_size"), value=patch, minimum=1, maximum=image)
    return (image // patch) ** 2, patch


def vision_attention(config: Config, biases: tuple[Letter, ...], **more: Any) -> Attention:
    """Bidirectional attention over patches."""
    hidden, heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    if hidden % heads:
        raise InputError("config_head_dim", config.place("num_attention_heads"), hidden=hidden, heads=heads)
    return Attention(heads=heads, kv_heads=heads, head_dim=hidden // heads, mask="bidirectional", biases=biases, **more)


def vision_stack(config: Config, front: PatchFrontEnd, positions: int, ffn: Dense, biases: tuple[Letter, ...] = QKVO,
                 *, extra: int = 0, mixer: Attention | None = None, **more: Any) -> Stack:
    """A stack of equal layers over patches; LayerNorm unless told otherwise."""
    layer = Layer(mixers=(mixer or vision_attention(config, biases),), ffns=(ffn,), extra_parameters=extra)
    return Stack(name="vision", axis="patch", hidden_size=config.integer("hidden_size"), kinds=(layer,),
                 order=((layer.name, config.layers()),), position_table=positions, front_end=front,
                 **{"norm_vectors": 2, **more})


def plain(config: Config) -> Dense:
    """MLP without a gate, with biases."""
    return Dense(width=config.integer("intermediate_size"), matrices=2, biases=True)


def clip_tower(config: Config) -> Tower:
    """Class token, patches without a bias, a norm before and after the layers."""
    patches, patch = patches_of(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"), bias=False,
                          class_tokens=1)
    return Tower(vision_stack(config, front, patches + 1, plain(config), embedding_norm=True), patches)


def siglip_tower(config: Config) -> Tower:
    """No class token; a pooling head of its own where ``vision_use_head``."""
    patches, patch = patches_of(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"))
    tower = Tower(vision_stack(config, front, patches, plain(config)), patches)
    if not (config.knows("vision_use_head") and config.flag("vision_use_head")):
        return tower
    return with_pooling_head(config, tower)


def with_pooling_head(config: Config, tower: Tower) -> Tower:
    """``tower`` with SigLIP's head: one learned query that looks at all patches, and an MLP."""
    hidden, width = config.integer("hidden_size"), config.integer("intermediate_size")
    patches = tower.tokens
    query = Projection(stack="vision", inputs=hidden, outputs=hidden, bias=True, core_keys=patches)
    keys = Projection(stack="vision", inputs=hidden, outputs=2 * hidden, bias=True, rows=patches)
    rest = tuple(Projection(stack="vision", inputs=rows, outputs=columns, bias=True)
                 for rows, columns in ((hidden, hidden), (hidden, width), (width, hidden)))
    return tower._replace(parts=(Vector(name="probe", size=hidden),
                                 Vector(name="pool_norm", size=2 * hidden, store="norms")),
                          projections=(query, keys, *rest))


def siglip_head_size(config: Config) -> tuple[Vector, ...]:
    """The numbers of SigLIP's pooling head where it is stored and not run."""
    hidden, width = config.integer("hidden_size"), config.integer("intermediate_size")
    unused = 4 * hidden * (hidden + 1) + 3 * hidden + 2 * hidden * width + hidden + width
    return (Vector(name="unused_pooling_head", size=unused),)


def vit_tower(config: Config) -> Tower:
    """The first vision transformer."""
    patches, patch = patches_of(config)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"), class_tokens=1)
    biases: tuple[Letter, ...] = QKVO if config.flag("qkv_bias") else ("o",)
    return Tower(vision_stack(config, front, patches + 1, plain(config), biases), patches)


def dinov2_tower(config: Config) -> Tower:
    """A mask token, scales on both branches of each layer, registers in its later form."""
    patches, patch = patches_of(config)
    hidden = config.integer("hidden_size")
    registers = config.integer("num_register_tokens", 0)
    front = PatchFrontEnd(patches=patches, patch_size=patch, channels=config.integer("num_channels"),
                          class_tokens=1 + registers, mask_token=True)
    width = int(hidden * (config.number("mlp_ratio", 0.01, 1000) or 4))
    gated = config.flag("use_swiglu_ffn")
    ffn = Dense(width=(int(width * 2 / 3) + 7) // 8 * 8 if gated else max(width, 1), matrices=3 if gated else 2,
                biases=True)
    biases: tuple[Letter, ...] = QKVO if config.flag("qkv_bias") else ("o",)
    return Tower(vision_stack(config, front, patches + 1, ffn, biases, extra=2 * hidden), patches)


def classifier(config: Config, absent: str, **more: Any) -> Head | None:
    """The classes of ``id2label`` or ``num_labels``; none for the bare body or where no class is named."""
    from mfu_gui.formats.hf_config.families.encoders import architecture_of

    name = architecture_of(config, absent)
    if name.endswith("Model"):
        return None
    labels = config.value("id2label", None)
    classes = len(labels) if isinstance(labels, Mapping) and labels else config.integer("num_labels", 1, 10**7, 2)
    return Head(classes=classes, pooled=True, bias=True, stack="vision", **more)


def _vit(config: Config) -> ModelSpec:
    tower = vit_tower(config)
    head = classifier(config, "ViTModel")
    if head is None and config.names_architectures:
        head = Head(classes=config.integer("hidden_size"), pooled=True, bias=True, stack="vision")  # the pooler
    return ModelSpec(stacks=(tower.stack,), head=head)


def _deit(config: Config) -> ModelSpec:
    """ViT with a distillation token."""
    from msgspec.structs import replace

    tower = vit_tower(config)
    front = tower.stack.front_end
    assert isinstance(front, PatchFrontEnd)  # noqa: S101 - vit_tower makes one
    stack = replace(tower.stack, front_end=replace(front, class_tokens=2), position_table=front.patches + 2)
    return ModelSpec(stacks=(stack,), head=classifier(config, "DeiTForImageClassification"))


def _dinov2(config: Config) -> ModelSpec:
    """Its classifier reads the class token beside the mean of the patches."""
    tower = dinov2_tower(config)
    return ModelSpec(stacks=(tower.stack,),
                     head=classifier(config, "Dinov2Model", inputs=2 * config.integer("hidden_size")))


def _clip_vision(config: Config) -> ModelSpec:
    tower = clip_tower(config)
    projected = architecture_of_tower(config).endswith("WithProjection")
    projections = (Projection(stack="vision", outputs=config.integer("projection_dim")),) if projected else ()
    return ModelSpec(stacks=(tower.stack,), head=None, projections=projections)


def architecture_of_tower(config: Config) -> str:
    """The class a tower's file names, or nothing."""
    names = config.items("architectures") if config.names_architectures else None
    return names[0] if names and isinstance(names[0], str) else ""


def _siglip_vision(config: Config) -> ModelSpec:
    tower = siglip_tower(config)
    return ModelSpec(stacks=(tower.stack,), head=None, parts=tower.parts, projections=tower.projections)


def _text_tower(config: Config, mask: Any) -> Stack:
    hidden, heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    if hidden % heads:
        raise InputError("config_head_dim", config.place("num_attention_heads"), hidden=hidden, heads=heads)
    mixer = Attention(heads=heads, kv_heads=heads, head_dim=hidden // heads, biases=QKVO, mask=mask)
    layer = Layer(mixers=(mixer,), ffns=(plain(config),))
    return Stack(name="encoder", hidden_size=hidden, kinds=(layer,), order=((layer.name, config.layers()),),
                 norm_vectors=2, position_table=config.integer("max_position_embeddings"))


def _pair(config: Config, vision: Tower, text: Config, mask: Any, projections: tuple[Projection, ...],
          scalars: int) -> ModelSpec:
    return ModelSpec(vocabulary=text.integer("vocab_size"), stacks=(_text_tower(text, mask), vision.stack), head=None,
                     projections=projections, contrastive=True,
                     parts=(*vision.parts, Vector(name="logit_scale", size=scalars)))


def clip_pair(config: Config) -> ModelSpec:
    """Both pooled outputs go into one space and are compared over the whole batch."""
    text, vision = config.section("text_config", _CLIP_TEXT), config.section("vision_config", _CLIP_VISION)
    width = config.integer("projection_dim")
    projections = (Projection(stack="vision", outputs=width), Projection(stack="encoder", outputs=width))
    return _pair(config, clip_tower(vision), text, "causal", projections, 1)


def _siglip(config: Config) -> ModelSpec:
    return siglip_pair(config, siglip_tower(config.section("vision_config", _SIGLIP_VISION)))


def siglip_pair(config: Config, tower: Tower) -> ModelSpec:
    """SigLIP's text tower beside ``tower``."""
    text = config.section("text_config", _SIGLIP_TEXT)
    width = text.optional_integer("projection_size") or text.integer("hidden_size")
    head = Projection(stack="encoder", outputs=width, bias=True)
    return _pair(config, tower, text, "bidirectional", (*tower.projections, head), 2)


_VIT: dict[str, Any] = {
    "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12,
    "image_size": 224, "patch_size": 16, "num_channels": 3, "qkv_bias": True,
}
_CLIP_VISION: dict[str, Any] = _VIT | {"patch_size": 32, "projection_dim": 512}
_SIGLIP_VISION: dict[str, Any] = _VIT | {"vision_use_head": True}
_CLIP_TEXT: dict[str, Any] = {
    "vocab_size": 49408, "hidden_size": 512, "intermediate_size": 2048, "num_hidden_layers": 12,
    "num_attention_heads": 8, "max_position_embeddings": 77,
}
_SIGLIP_TEXT: dict[str, Any] = {
    "vocab_size": 32000, "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
    "num_attention_heads": 12, "max_position_embeddings": 64, "projection_size": None,
}
_DINOV2: dict[str, Any] = _VIT | {"patch_size": 14, "mlp_ratio": 4, "use_swiglu_ffn": False, "num_register_tokens": 0}

READERS: dict[str, Family] = {
    "vit": Family(_vit, _VIT),
    "deit": Family(_deit, _VIT),
    "dinov2": Family(_dinov2, _DINOV2),
    "dinov2_with_registers": Family(_dinov2, _DINOV2 | {"patch_size": 16, "num_register_tokens": 4}),
    "clip": Family(clip_pair, {"projection_dim": 512}),
    "clip_vision_model": Family(_clip_vision, _CLIP_VISION),
    "siglip": Family(_siglip, {}),
    "siglip_vision_model": Family(_siglip_vision, _SIGLIP_VISION),
}


def side_of(patches: int) -> int:
    """The side of a square of patches."""
    return math.isqrt(patches)


TowerReader = Callable[[Config], Tower]
