"""More wrappers: what joins their towers to the text, resamplers among them.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mfu_gui.engine.model import Connector, Stack, Vector
from mfu_gui.formats.hf_config.access import Config

if TYPE_CHECKING:
    from mfu_gui.formats.hf_config.families.vision import Tower


class Bridge(NamedTuple):
    """What joins tower and text: connectors, places of one image in the text, vectors of its own."""

    connectors: tuple[Connector, ...]
    image_tokens: int
    vectors: tuple[Vector, ...] = ()


class Sound(NamedTuple):
    """A tower for sound, the places of one clip in the text, what joins them, vectors of its own."""

    stack: Stack
    tokens: int
    connectors: tuple[Connector, ...]
    vectors: tuple[Vector, ...] = ()


BRIDGE_DEFAULTS: dict[str, Any] = {
    "deepstack_visual_indexes": [8, 16, 24], "intermediate_layers_indices": [3, 7, 15, 23, 30],
    "projector_input_dim": 4096, "projector_output_dim": 4096,
}
WRAPPER_DEFAULTS: dict[str, Any] = {
    "mm_tokens_per_image": 256, "multimodal_projector_bias": True, "spatial_merge_size": 2, "scale_factor": 2,
    "downsample_ratio": 0.5, "downsample_factor": 2, "alignment_intermediate_size": 36864,
}
_PERCEIVER: dict[str, Any] = {"resampler_n_latents": 64, "resampler_depth": 3, "resampler_n_heads": 16,
                              "resampler_head_dim": 96, "num_key_value_heads": 4}


def patches_to_text(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """Two matrices with biases on each patch."""
    return Bridge((Connector(widths=(tower.stack.hidden_size, hidden, hidden)),), tower.tokens)


def merged_to_text(norms: int, before: bool, bias: bool = True) -> Any:
    """A norm of ``norms`` vectors, before or behind the merger of neighbouring patches, and two matrices."""
    def bridge(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
        merge = vision.integer("spatial_merge_size", 1, 64)
        width = tower.stack.hidden_size * merge**2
        norm = norms * (tower.stack.hidden_size if before else width)
        return Bridge((Connector(widths=(width, width, hidden), bias=bias, norm_parameters=norm),), tower.tokens)
    return bridge


def vipllava(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """States of several layers side by side, a norm, two matrices."""
    levels = wrapper.value("vision_feature_layer", [-2, -5, -8, -11, 6])
    width = tower.stack.hidden_size * (len(levels) if isinstance(levels, list | tuple) and levels else 1)
    return Bridge((Connector(widths=(width, hidden, hidden), norm_parameters=2 * width),), tower.tokens)


def lfm2(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """Neighbouring patches side by side, a norm, two matrices."""
    factor, inner = wrapper.integer("downsample_factor", 1, 64), wrapper.integer("projector_hidden_size", default=2560)
    width = tower.stack.hidden_size * factor**2
    norm = 2 * width if wrapper.flag("projector_use_layernorm", True) else 0
    return Bridge((Connector(widths=(width, inner, hidden), bias=wrapper.flag("projector_bias", True),
                             norm_parameters=norm),), max(1, tower.tokens // factor**2))


def aya(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """Patches side by side, a norm, a matrix whose output gates itself, and one into the text."""
    factor = wrapper.integer("downsample_factor", 1, 64)
    inner = wrapper.optional_integer("alignment_intermediate_size", 2) if wrapper.has(
        "alignment_intermediate_size") else hidden
    width = tower.stack.hidden_size * factor**2
    return Bridge((Connector(widths=(width, inner or hidden), norm_parameters=2 * width),
                   Connector(widths=((inner or hidden) // 2, hidden))), max(1, tower.tokens // factor**2))


def minimax(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """Two matrices on each patch, two more on four of them."""
    inner = wrapper.integer("projector_hidden_size", default=6144)
    merged = wrapper.integer("merged_hidden_size", default=hidden * vision.integer("spatial_merge_size", 1, 64) ** 2)
    return Bridge((Connector(widths=(tower.stack.hidden_size, inner, hidden), axis="patch"),
                   Connector(widths=(merged, inner, hidden))), tower.tokens)


def ernie(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """Four patches, then two frames of them (of an image the same one twice), each by two matrices and a norm."""
    width = tower.stack.hidden_size * vision.integer("spatial_merge_size", 1, 64) ** 2
    frames = vision.integer("temporal_merge_size", 1, 64, default=2)
    return Bridge((Connector(widths=(width, width, width), norm_parameters=2 * width),
                   Connector(widths=(width * frames, width, width), norm_parameters=2 * width),
                   Connector(widths=(width, hidden), norm_parameters=hidden)), tower.tokens)


def glm_ocr(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """A convolution over four patches, a matrix with a norm, a gated MLP."""
    width = tower.stack.hidden_size * vision.integer("spatial_merge_size", 1, 64) ** 2
    out = vision.integer("out_hidden_size")
    inner = out * vision.integer("num_channels")
    return Bridge((
        Connector(widths=(width, out)), Connector(widths=(out, out), bias=False, norm_parameters=2 * out),
        Connector(widths=(out, inner), bias=False, copies=2), Connector(widths=(inner, out), bias=False),
    ), tower.tokens)


def ovis2(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """Each patch becomes a distribution over a visual vocabulary, which weighs the rows of a table."""
    words, marks = vision.integer("vocab_size"), vision.integer("num_visual_indicator_tokens", 0)
    stride = vision.integer("hidden_stride", 1, 64)
    seen = max(1, words - marks)
    table = wrapper.integer("hidden_size", default=1536)
    return Bridge((Connector(widths=(tower.stack.hidden_size * stride**2, seen), bias=False, norm_parameters=2 * seen),
                   Connector(widths=(words, table), bias=False)), max(1, tower.tokens // stride**2))


def idefics2(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """A gated MLP into the text's width, then latents that look at patches and at themselves, layer by layer."""
    perceiver = wrapper.section("perceiver_config", _PERCEIVER)
    latents, depth = perceiver.integer("resampler_n_latents"), perceiver.integer("resampler_depth", 1, 1000)
    dim = perceiver.integer("resampler_head_dim")
    core, kv = perceiver.integer("resampler_n_heads") * dim, 2 * perceiver.integer("num_key_value_heads") * dim
    inner = wrapper.section("text_config", {"intermediate_size": 14336}).integer("intermediate_size")
    width = tower.stack.hidden_size

    def plain(*widths: int, **more: Any) -> Connector:
        return Connector(widths=widths, bias=False, **more)

    return Bridge((
        plain(width, inner, axis="patch", copies=2), plain(inner, hidden, axis="patch"),
        plain(hidden, core, copies=depth, norm_parameters=3 * hidden),
        plain(hidden, kv, copies=depth, axis="patch"), plain(hidden, kv, copies=depth, stored=False),
        plain(core, hidden, copies=depth, core_width=core, core_keys=tower.tokens + latents),
        plain(hidden, 4 * hidden, copies=2 * depth), plain(4 * hidden, hidden, copies=depth),
    ), latents, (Vector(name="latents", size=latents * hidden), Vector(name="resampler_norm", size=hidden,
                                                                       store="norms")))


def aria(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """Queries, fewer for smaller images, that look at the patches once, then two matrices."""
    width = tower.stack.hidden_size
    counts = wrapper.value("projector_patch_to_query_dict", None) or {"1225": 128, "4900": 256}
    counts = {str(patches): wrapper.changed("queries", count).integer("queries") for patches, count in counts.items()}
    most = max(counts.values())
    queries = counts.get(str(tower.tokens), most)

    def square(bias: bool, axis: Any = "image", **more: Any) -> Connector:
        return Connector(widths=(width, width), bias=bias, axis=axis, **more)

    return Bridge((
        square(False, norm_parameters=4 * width), square(True),
        square(False, "patch", copies=2), square(True, "patch", copies=2),
        square(True, core_width=width, core_keys=tower.tokens), square(True),
        Connector(widths=(width, hidden, hidden), bias=False, norm_parameters=2 * width),
    ), queries, (Vector(name="queries", size=most * width),))
