"""What some wrappers have beside text and tower: matrices on raw patches, tokenizers, towers of other kinds.

Where the ledger has no rule for a tower's FLOPs, its parameters alone are counted, and a notice says so.
Shapes and class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mfu_gui.engine.model import Connector, ModelSpec, Vector
from mfu_gui.formats.hf_config.access import Config
from mfu_gui.formats.hf_config.vector_quantizers import JANUS, janus_size

_SAM: dict[str, Any] = {
    "hidden_size": 768, "output_channels": 256, "num_hidden_layers": 12, "num_attention_heads": 12, "num_channels": 3,
    "image_size": 1024, "patch_size": 16, "qkv_bias": True, "use_abs_pos": True, "use_rel_pos": True,
    "window_size": 14, "global_attn_indexes": [2, 5, 8, 11], "mlp_dim": None, "mlp_ratio": 4.0,
}


def stored(spec: ModelSpec, name: str, size: int) -> ModelSpec:
    """``spec`` with ``size`` parameters whose FLOPs are not counted."""
    return replace(spec, parts=(*spec.parts, Vector(name=name, size=size)))


def fuyu(config: Config, spec: ModelSpec) -> ModelSpec:
    """One matrix on raw patches."""
    patch, image = config.integer("patch_size", default=30), config.integer("image_size", default=300)
    channels = config.integer("num_channels", default=3)
    patches = max(1, image // patch) ** 2
    return replace(spec, image_tokens=patches,
                   connectors=(Connector(widths=(channels * patch**2, spec.main.hidden_size)),))


def gemma4_unified(config: Config, spec: ModelSpec) -> ModelSpec:
    """A matrix on raw patches with norms and a table for each axis, one more into the text; one matrix on sound.

    An image is taken to fill as many places as Gemma 4's towers make of one, 280.
    """
    hidden = spec.main.hidden_size
    connectors: list[Connector] = []
    if config.has("vision_config"):
        vision = config.section("vision_config", {
            "patch_size": 16, "pooling_kernel_size": 3, "mm_embed_dim": 3840, "mm_posemb_size": 1120,
            "output_proj_dims": 3840})
        raw = 3 * (vision.integer("patch_size") * vision.integer("pooling_kernel_size", 1, 64)) ** 2
        width, out = vision.integer("mm_embed_dim"), vision.integer("output_proj_dims")
        connectors += [Connector(widths=(raw, width), norm_parameters=2 * raw + 4 * width),
                       Connector(widths=(out, hidden), bias=False)]
        spec = stored(spec, "position_tables", 2 * vision.integer("mm_posemb_size") * width)
    if config.has("audio_config"):
        audio = config.section("audio_config", {"audio_embed_dim": 640})
        config.remark("config_parameters_only", "audio_config")
        spec = stored(spec, "sound_projection", audio.integer("audio_embed_dim") * hidden)
    if not connectors:
        return spec
    return replace(spec, connectors=tuple(connectors),
                   image_tokens=config.integer("vision_soft_tokens_per_image", default=280))


def janus(config: Config, spec: ModelSpec) -> ModelSpec:
    """The tokenizer and the head for images that the model makes."""
    config.remark("config_parameters_only", "vq_config")
    return stored(spec, "image_maker", janus_size(config.section("vq_config", JANUS)))


def _neck(width: int, out: int) -> int:
    return width * out + 9 * out * out + 4 * out


def _sam(config: Config) -> int:
    """SAM's tower (arXiv 2304.02643): windows with relative positions, some layers over the whole image, a neck."""
    hidden, heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    patch, layers = config.integer("patch_size"), config.layers()
    grid, window = max(1, config.integer("image_size") // patch), config.integer("window_size", 0)
    ffn = config.optional_integer("mlp_dim") or int(hidden * (config.number("mlp_ratio", 0.01, 1000) or 4))
    whole = set(config.integers("global_attn_indexes", maximum=layers - 1) or ())
    size = hidden * (config.integer("num_channels") * patch**2 + 1)
    size += grid * grid * hidden if config.flag("use_abs_pos") else 0
    layer = 4 * hidden + 4 * hidden * hidden + hidden + (3 * hidden if config.flag("qkv_bias") else 0)
    size += layers * (layer + 2 * hidden * ffn + ffn + hidden)
    if config.flag("use_rel_pos"):
        size += sum(2 * (2 * (grid if index in whole or not window else window) - 1) * (hidden // heads)
                    for index in range(layers))
    return size + _neck(hidden, config.integer("output_channels"))


def got_ocr2(config: Config, spec: ModelSpec) -> ModelSpec:
    """SAM's tower, two convolutions, one matrix."""
    vision, hidden = config.section("vision_config", _SAM), spec.main.hidden_size
    config.remark("config_parameters_only", "vision_config")
    out = vision.integer("output_channels")
    bridge = 9 * out * 2 * out + 9 * 2 * out * hidden + hidden * (hidden + 1)
    return stored(spec, "vision_tower", _sam(vision) + bridge)


def deepseek_vl_hybrid(config: Config, spec: ModelSpec) -> ModelSpec:
    """SAM's tower beside SigLIP's, with a second neck and two convolutions."""
    vision = config.section("high_res_vision_config", _SAM)
    config.remark("config_parameters_only", "high_res_vision_config")
    hidden, out = vision.integer("hidden_size"), vision.integer("output_channels")
    text = spec.main.hidden_size // 2
    size = _sam(vision) + _neck(hidden, out) + 9 * out * 2 * out + 9 * 2 * out * 4 * out + 1
    return stored(spec, "high_resolution_tower", size + (4 * out + 1) * text)


def phi4_sound(config: Config, spec: ModelSpec) -> ModelSpec:
    """A conformer for sound with two ways into the text."""
    audio = config.section("audio_config", {
        "hidden_size": 1024, "intermediate_size": 1536, "num_blocks": 24, "num_attention_heads": 16,
        "input_size": 80, "time_reduction": 8, "kernel_size": 3, "ext_pw_out_channel": 1024,
        "depthwise_separable_out_channel": 1024, "depthwise_multiplier": 1, "nemo_conv_channels": 1024,
        "bias_max_distance": 1000, "bias_symmetric": False, "downsample_rate": 1})
    config.remark("config_parameters_only", "audio_config")
    width, ffn, out = audio.integer("hidden_size"), audio.integer("intermediate_size"), spec.main.hidden_size
    channels, inner = audio.integer("nemo_conv_channels"), audio.integer("depthwise_multiplier") * width
    reduction, bands = audio.integer("time_reduction", 2, 1024), audio.integer("input_size")
    halvings = reduction.bit_length() - 1
    size = 10 * channels + (halvings - 1) * (10 * channels + channels * (channels + 1))
    for _ in range(halvings):
        bands = (bands + 1) // 2
    size += (channels * bands + 1) * width
    distance = audio.integer("bias_max_distance")
    size += (distance if audio.flag("bias_symmetric") else 2 * distance) * audio.integer("num_attention_heads")
    mlp = 2 * width + 3 * width * ffn + 2 * ffn + width
    extended, separable = audio.integer("ext_pw_out_channel"), audio.integer("depthwise_separable_out_channel")
    convolution = (2 * width + 2 * extended + (width + 1) * 2 * extended
                   + (audio.integer("kernel_size") + 1) * inner + (inner + 1) * separable + (separable + 1) * extended)
    size += audio.layers("num_blocks") * (2 * mlp + 4 * width * (width + 1) + convolution + 4 * width)
    size += 2 * ((width * audio.integer("downsample_rate") + 1) * out + (out + 1) * out)
    spec = replace(spec, parts=(*spec.parts, Vector(name="sound_scales", size=2 * audio.integer("input_size"),
                                                    buffer=True)))
    return stored(spec, "sound_tower", size)


def florence2(config: Config, spec: ModelSpec) -> ModelSpec:
    """DaViT (arXiv 2204.03645): stages of blocks with attention in windows and attention over channels, each with
    two convolutions by channel; one matrix into the encoder's width."""
    vision = config.section("vision_config", {
        "in_channels": 3, "depths": [1, 1, 9, 1], "patch_size": [7, 3, 3, 3], "embed_dim": [128, 256, 512, 1024],
        "patch_prenorm": [False, True, True, True], "mlp_ratio": 4.0, "qkv_bias": True, "projection_dim": 1024,
        "max_temporal_embeddings": 100, "max_position_embeddings": 50})
    config.remark("config_parameters_only", "vision_config")
    depths = vision.integers("depths", minimum=1, maximum=1000) or [1]
    widths = vision.integers("embed_dim", len(depths), 1) or [1]
    patches = vision.integers("patch_size", len(depths), 1, 1024) or [1]
    before = vision.items("patch_prenorm", len(depths)) or [False] * len(depths)
    ratio, inputs, size = vision.number("mlp_ratio", 0.01, 1000) or 4, vision.integer("in_channels"), 0
    for depth, width, patch, first in zip(depths, widths, patches, before, strict=True):
        ffn = int(width * ratio)
        block = 2 * 10 * width + 4 * width + 4 * width * width + width + 2 * width * ffn + ffn + width
        block += 3 * width if vision.flag("qkv_bias") else 0
        size += inputs * patch**2 * width + width + 2 * (inputs if first else width) + 2 * depth * block
        inputs = width
    out = vision.integer("projection_dim")
    size += inputs * out + 2 * out + vision.integer("max_position_embeddings") * inputs
    times = Vector(name="times", size=vision.integer("max_temporal_embeddings") * inputs, buffer=True)
    # Its head has no bias, unlike that of the text's own class.
    head = spec.head and replace(spec.head, bias_buffer=False)
    return stored(replace(spec, parts=(*spec.parts, times), head=head), "vision_tower", size)
