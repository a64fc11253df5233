"""Configs that hold another config: models of images and text, read as a text model with a tower beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import Connector, ModelSpec, Vector
from mfu_gui.formats.hf_config import bridges, sound
from mfu_gui.formats.hf_config.access import Config, Family, kind_of, shortened
from mfu_gui.formats.hf_config.bridges import BRIDGE_DEFAULTS, WRAPPER_DEFAULTS, Bridge
from mfu_gui.formats.hf_config.refuse import check_architectures, quantization
from mfu_gui.formats.hf_config.registry import MODULES
from mfu_gui.formats.hf_config.wrapper_kind import Bridging, Data, Hearing, Wrapper
from mfu_gui.formats.hf_config.wrappers_more import MORE, MORE_TOWER_NAMES

if TYPE_CHECKING:
    from mfu_gui.formats.hf_config.families.vision import Tower

# What these are depends on the class their file names; their readers look at it.
_BY_CLASS = ("encoders", "encoders_more", "bert_like", "squeezebert", "vision", "vision_more")
READ_ARCHITECTURES = frozenset(
    name for name, module in MODULES.items() if module in _BY_CLASS) - {"modernbert-decoder"}

def _merged(widths: int, config: Config, tower: Tower) -> int:
    """Width of a token made of neighbouring patches."""
    return tower.stack.hidden_size * widths**2


def _mlp(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """Two matrices with a bias (LLaVA); the class token is left out."""
    bias = wrapper.flag("multimodal_projector_bias", True)
    return Bridge((Connector(widths=(tower.stack.hidden_size, hidden, hidden), bias=bias),), tower.tokens)


def _llava_next(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """LLaVA with a learned end of a row of patches; counted for an image of one tile."""
    wrapper.assume("tiles", 1)
    return _mlp(wrapper, vision, tower, hidden)._replace(vectors=(Vector(name="image_newline", size=hidden),))


def _video_llava(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """LLaVA with a second tower of the same kind for videos, which is stored and not run on images."""
    size = ledger(ModelSpec(stacks=(tower.stack,), head=None)).parameters.total
    return _mlp(wrapper, vision, tower, hidden)._replace(vectors=(Vector(name="video_tower", size=size),))


def _gemma3(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """A norm and one matrix on pooled patches."""
    tokens = wrapper.integer("mm_tokens_per_image", default=256)
    width = tower.stack.hidden_size
    return Bridge((Connector(widths=(width, hidden), bias=False, norm_parameters=width),), tokens)


def _gemma4(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """One matrix without a bias on pooled patches."""
    return Bridge((Connector(widths=(tower.stack.hidden_size, hidden), bias=False),), tower.tokens)


def _linear(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """One matrix with a bias (PaliGemma)."""
    return Bridge((Connector(widths=(tower.stack.hidden_size, hidden)),), tower.tokens)


def _qwen(norms: int, levels: bool = False) -> Bridging:
    """A norm on patches, then two matrices on four of them; with deep levels, one more of the kind for each."""
    def bridge(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
        width = _merged(vision.integer("spatial_merge_size"), vision, tower)
        if vision.has("out_hidden_size") or vision.knows("out_hidden_size"):
            hidden = vision.integer("out_hidden_size")
        own = Connector(widths=(width, width, hidden), norm_parameters=norms * tower.stack.hidden_size)
        deep = len(vision.items("deepstack_visual_indexes") or ()) if levels else 0
        more = (Connector(widths=(width, width, hidden), norm_parameters=2 * width, copies=deep),) if deep else ()
        return Bridge((own, *more), tower.tokens)
    return bridge


def _kimi(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    merge = vision.integers("merge_kernel_size", 2, 1) or [2, 2]
    width = tower.stack.hidden_size * merge[0] * merge[1]
    return Bridge((Connector(widths=(width, width, hidden), norm_parameters=2 * tower.stack.hidden_size),),
                  tower.tokens)


def _mistral3(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """A norm, the merger of neighbouring patches, two matrices."""
    merge, width = wrapper.integer("spatial_merge_size"), tower.stack.hidden_size
    bias = wrapper.has("multimodal_projector_bias") and wrapper.flag("multimodal_projector_bias")
    merger = Connector(widths=(width * merge**2, width), bias=False, norm_parameters=width)
    return Bridge((merger, Connector(widths=(width, hidden, hidden), bias=bias)), max(1, tower.tokens // merge**2))


def _llama4(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """Patches shuffled together, two matrices, then one into the text; no biases."""
    ratio = vision.number("pixel_shuffle_ratio", 0.01, 1) or 0.5
    width = int(tower.stack.hidden_size / (ratio * ratio))
    inner, outer = vision.integer("projector_input_dim"), vision.integer("projector_output_dim")
    return Bridge((Connector(widths=(width, inner, outer, hidden), bias=False),), tower.tokens)


def _mllama(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """The last and some middle states side by side, through one matrix; read by cross-attention."""
    levels = len(vision.items("intermediate_layers_indices") or ()) + 1
    return Bridge((Connector(widths=(tower.stack.hidden_size * levels, hidden)),), tower.tokens)


def _glm4v(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """A convolution over four patches, a matrix with a norm, a gated MLP."""
    width = _merged(vision.integer("spatial_merge_size"), vision, tower)
    inner = vision.integer("intermediate_size")
    return Bridge((
        Connector(widths=(width, hidden)), Connector(widths=(hidden, hidden), bias=False, norm_parameters=2 * hidden),
        Connector(widths=(hidden, inner), bias=False, copies=2), Connector(widths=(inner, hidden), bias=False),
    ), tower.tokens)


def _internvl(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """A norm and two matrices on four patches."""
    ratio = wrapper.number("downsample_ratio", 0.01, 1) or 0.5
    width = int(tower.stack.hidden_size / (ratio * ratio))
    return Bridge((Connector(widths=(width, hidden, hidden), norm_parameters=2 * width),),
                  max(1, int(tower.tokens * ratio * ratio)))


def _idefics3(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """One matrix without a bias on patches shuffled together."""
    scale = wrapper.integer("scale_factor", 1, 64)
    return Bridge((Connector(widths=(tower.stack.hidden_size * scale**2, hidden), bias=False),),
                  max(1, tower.tokens // scale**2))


def _cohere2(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """Patches shuffled together, a matrix whose output gates itself, and one into the text."""
    factor = wrapper.integer("downsample_factor", 1, 64)
    inner = wrapper.integer("alignment_intermediate_size", 2)
    return Bridge((Connector(widths=(tower.stack.hidden_size * factor**2, inner)),
                   Connector(widths=(inner // 2, hidden))), max(1, tower.tokens // factor**2))


_SPEECH = ("talker_config", "token2wav_config", "code2wav_config")
_OTHER = ("vision_config", "audio_config", "talker_config", "token2wav_config", "code2wav_config")

WRAPPERS: dict[str, Wrapper] = {
    "llava": Wrapper(tower="clip_vision_model", bridge=_mlp),
    "vipllava": Wrapper(tower="clip_vision_model", bridge=bridges.vipllava),
    "llava_next_video": Wrapper(tower="clip_vision_model", bridge=_llava_next),
    "video_llava": Wrapper(tower="clip_vision_model", bridge=_video_llava),
    "llava_next": Wrapper(tower="clip_vision_model", bridge=_llava_next),
    "llava_onevision": Wrapper(text_type="qwen2", tower="siglip_vision_model", bridge=_llava_next),
    "gemma3": Wrapper(text_type="gemma3_text", tower="siglip_vision_model", bridge=_gemma3),
    "gemma3n": Wrapper(text_type="gemma3n_text", left_out=("vision_config", "audio_config"), tied=True),
    "paligemma": Wrapper(text_type="gemma", tower="siglip_vision_model", bridge=_linear),
    "llama4": Wrapper(text_type="llama4_text", tower="llama4_vision_model", bridge=_llama4),
    "mllama": Wrapper(text_type="mllama_text_model", tower="mllama_vision_model", bridge=_mllama),
    "mistral3": Wrapper(text_type="mistral", tower="pixtral", bridge=_mistral3),
    "qwen2_vl": Wrapper(text_type="qwen2_vl_text", tower="qwen2_vl_vision", bridge=_qwen(2), same_name=True),
    "qwen2_5_vl": Wrapper(text_type="qwen2_5_vl_text", tower="qwen2_5_vl_vision", bridge=_qwen(1), same_name=True),
    "qwen3_vl": Wrapper(text_type="qwen3_vl_text", tower="qwen3_vl_vision", bridge=_qwen(2, True)),
    "qwen3_vl_moe": Wrapper(text_type="qwen3_vl_moe_text", tower="qwen3_vl_vision", bridge=_qwen(2, True)),
    "qwen3_5": Wrapper(text_type="qwen3_5_text", tower="qwen3_vl_vision", bridge=_qwen(2)),
    "qwen3_5_moe": Wrapper(text_type="qwen3_5_moe_text", tower="qwen3_vl_vision", bridge=_qwen(2)),
    "kimi_k25": Wrapper(text_type="deepseek_v3", tower="kimi_k25_vision", bridge=_kimi),
    "glm4v": Wrapper(text_type="glm4v_text", tower="glm4v_vision", bridge=_glm4v),
    "glm4v_moe": Wrapper(text_type="glm4v_moe_text", tower="glm4v_vision", bridge=_glm4v),
    "glm46v": Wrapper(text_type="glm4v_text", tower="glm4v_vision", bridge=_glm4v),
    "internvl": Wrapper(text_type="qwen2", tower="internvl_vision", bridge=_internvl),
    "idefics3": Wrapper(tower="idefics3_vision", bridge=_idefics3),
    "smolvlm": Wrapper(tower="smolvlm_vision", bridge=_idefics3),
    "idefics2": Wrapper(text_type="mistral", tower="idefics2_vision", bridge=bridges.idefics2),
    "aria": Wrapper(text_type="aria_text", tower="idefics3_vision", bridge=bridges.aria),
    "aya_vision": Wrapper(text_type="cohere2", tower="siglip_vision_model", bridge=bridges.aya, tied=True),
    "deepseek_vl": Wrapper(tower="siglip_vision_model", bridge=bridges.patches_to_text, tied=True),
    "exaone4_5": Wrapper(text_type="exaone4", tower="exaone4_5_vision", bridge=_qwen(1), tied=False),
    "glm_ocr": Wrapper(text_type="glm_ocr_text", tower="glm_ocr_vision", bridge=bridges.glm_ocr, tied=False),
    "lighton_ocr": Wrapper(text_type="qwen3", tower="pixtral", bridge=_mistral3, tied=True),
    "ovis2": Wrapper(text_type="qwen2", tower="ovis2_vision", bridge=bridges.ovis2, tied=True),
    "paddleocr_vl": Wrapper(text_type="paddleocr_vl_text", tower="paddleocr_vl_vision",
                            bridge=bridges.merged_to_text(2, True), tied=True),
    "video_llama_3": Wrapper(text_type="qwen2", tower="video_llama_3_vision", bridge=bridges.patches_to_text,
                             tied=False),
    "voxtral": Wrapper(hearing=sound.voxtral, left_out=(), text_defaults={
        "vocab_size": 131072, "hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 30,
        "num_key_value_heads": 8, "head_dim": 128}),
    "cohere2_vision": Wrapper(text_type="cohere2", tower="siglip_vision_model", bridge=_cohere2),
    "deepseek_vl_v2": Wrapper(("language_config",), "deepseek_v2"),
    "kimi_k3": Wrapper(text_type="kimi_linear", tied=False, text_defaults={
        "hidden_size": 7168, "intermediate_size": 33792, "num_hidden_layers": 93, "num_attention_heads": 96,
        "moe_intermediate_size": 3072, "num_experts": 896, "num_experts_per_tok": 16, "num_shared_experts": 2,
        "routed_expert_hidden_size": 3584, "latent_moe_use_norm": True, "q_lora_rank": 1536,
        "mla_use_output_gate": True, "attn_res_block_size": 12}),
    "lfm2_vl": Wrapper(text_type="lfm2", tower="siglip2_vision_model", bridge=bridges.lfm2, tied=True),
    "multi_modality": Wrapper(("language_config",), "llama"),
    "qwen2_audio": Wrapper(text_type="qwen2", hearing=sound.qwen2_audio, left_out=()),
    "qwen2_5_omni": Wrapper(("thinker_config", "text_config"), "qwen2_5_omni_text", tower="qwen2_5_vl_vision",
                            bridge=_qwen(1), hearing=sound.qwen2_5_omni, left_out=_SPEECH, tied=False),
    "qwen2_5_omni_thinker": Wrapper(text_type="qwen2_5_omni_text", tower="qwen2_5_vl_vision", bridge=_qwen(1),
                                    hearing=sound.qwen2_5_omni, left_out=_SPEECH, tied=False),
    "qwen3_omni_moe": Wrapper(("thinker_config", "text_config"), "qwen3_omni_moe_text", tower="qwen3_vl_vision",
                              bridge=_qwen(2, True), hearing=sound.qwen3_omni, left_out=_SPEECH, tied=False),
    "qwen3_omni_moe_thinker": Wrapper(text_type="qwen3_omni_moe_text", tower="qwen3_vl_vision",
                                      bridge=_qwen(2, True), hearing=sound.qwen3_omni, left_out=_SPEECH, tied=False),
    "gemma4": Wrapper(text_type="gemma4_text", tower="gemma4_vision", bridge=_gemma4),
    "minimax_m3_vl": Wrapper(text_type="minimax_m3_vl_text", tower="minimax_m3_vl_vision", bridge=bridges.minimax),
    "step3p7": Wrapper(text_type="step3p5", left_out=_OTHER),
    "ernie4_5_vl_moe": Wrapper(text_type="ernie4_5_vl_moe_text", tower="ernie4_5_vl_moe_vision", bridge=bridges.ernie,
                               tied=True),
    **MORE,
}
# Kinds of tower under other names.
_TOWER_ALIASES = {
    "qwen2_vl": "qwen2_vl_vision", "qwen2_5_vl": "qwen2_5_vl_vision", "qwen3_vl": "qwen3_vl_vision",
    "qwen3_vl_moe": "qwen3_vl_vision", "qwen3_vl_moe_vision": "qwen3_vl_vision", "qwen3_5": "qwen3_vl_vision",
    "qwen3_5_vision": "qwen3_vl_vision", "qwen3_5_moe": "qwen3_vl_vision", "qwen3_5_moe_vision": "qwen3_vl_vision",
    "qwen2_5_omni_vision_encoder": "qwen2_5_vl_vision", "qwen3_omni_moe_vision_encoder": "qwen3_vl_vision",
    "kimi_k25": "kimi_k25_vision", "glm4v_moe_vision": "glm4v_vision", "glm46v_vision": "glm4v_vision",
    **MORE_TOWER_NAMES,
}


def read_model(data: Data, model_type: str) -> tuple[ModelSpec, tuple[Notice, ...]]:
    """The model of a config with a ``model_type``, and everything assumed about it."""
    from mfu_gui.formats.hf_config import read_text_model

    has_head, notices = (True, ()) if model_type in READ_ARCHITECTURES else check_architectures(data, model_type)
    notices += quantization(data)
    wrapper = WRAPPERS.get(model_type)
    if wrapper is not None:
        spec, assumed, more = _read_wrapped(data, model_type, wrapper, has_head)
        return spec, (*notices, *more, *assumed.values())
    spec, assumed = read_text_model(data, model_type, has_head=has_head)
    return spec, (*notices, *assumed.values())


def _object(data: Data, key: str, path: str) -> Data | None:
    value = data.get(key)
    if value is not None and not isinstance(value, Mapping):
        raise InputError("wrong_type", path, expected="object", found=kind_of(value), value=shortened(value))
    return value


def _text_of(data: Data, model_type: str, wrapper: Wrapper) -> tuple[Data, str, str]:
    """The text's level, its place and its type."""
    text, path = data, ""
    for key in wrapper.text_keys:
        path = f"{path}.{key}" if path else key
        found = _object(text, key, path)
        if found is None:
            if "num_hidden_layers" in data or "hidden_size" in data:
                text, path = data, ""  # an older file: the text stands flat beside the tower
            else:
                text = {}
            break
        text = found
    own = text.get("model_type") if text is not data else None
    if own is not None and not isinstance(own, str):
        raise InputError("wrong_type", f"{path}.model_type", expected="str", found=kind_of(own), value=shortened(own))
    text_type = wrapper.text_type if own is None or (wrapper.same_name and own == model_type) else own
    outer = _outer(data, wrapper)
    tie = outer.get("tie_word_embeddings", wrapper.tied if outer is data or wrapper.tied is not None else None)
    if tie is not None and text is not data:
        text = {**text, "tie_word_embeddings": tie}
    return text, path, text_type


def _outer(data: Data, wrapper: Wrapper) -> Data:
    """The level that the text and the towers stand in."""
    level = data
    for key in wrapper.text_keys[:-1]:
        found = level.get(key)
        level = found if isinstance(found, Mapping) else {}
    return level


def _read_wrapped(data: Data, model_type: str, wrapper: Wrapper, has_head: bool) -> tuple[
        ModelSpec, dict[str, Notice], tuple[Notice, ...]]:
    from mfu_gui.formats.hf_config import read_text_model

    text, path, text_type = _text_of(data, model_type, wrapper)
    notices: tuple[Notice, ...] = ()
    if text is not data:
        own_head, notices = check_architectures(text, text_type, path)
        has_head = has_head and own_head
        notices += quantization(text, path)
    spec, assumed = read_text_model(text, text_type, path, has_head=has_head, defaults=wrapper.text_defaults)
    prefix = ".".join(wrapper.text_keys[:-1])
    outer = _outer(data, wrapper)
    context = _Context(model_type, wrapper, outer, prefix + "." if prefix else "", assumed)
    kept = [key for key in wrapper.left_out if data.get(key) is not None or outer.get(key) is not None]
    if wrapper.bridge is not None:
        kept = [key for key in kept if key != wrapper.vision_key]
        if _object(outer, wrapper.vision_key, context.prefix + wrapper.vision_key) is None:
            kept.append(wrapper.vision_key)
        else:
            spec = _with_tower(context, wrapper.bridge, spec)
    if wrapper.hearing is not None:
        if _object(outer, "audio_config", context.prefix + "audio_config") is None:
            kept.append("audio_config")
        else:
            spec = _with_sound(context, wrapper.hearing, spec)
    if wrapper.beside is not None:
        spec = wrapper.beside(context.wrapping(spec), spec)
    return spec, assumed, notices + tuple(Notice("config_text_only", key, {"key": key}) for key in kept)


class _Context(NamedTuple):
    """Where a wrapper's towers are read from."""

    model_type: str
    wrapper: Wrapper
    outer: Data
    prefix: str
    assumed: dict[str, Notice]

    def wrapping(self, spec: ModelSpec) -> Config:
        """The wrapper's own level."""
        return Config(self.outer, self.model_type, Family(lambda _: spec, WRAPPER_DEFAULTS), self.prefix.rstrip("."),
                      self.assumed)


def _with_tower(context: _Context, bridging: Bridging, spec: ModelSpec) -> ModelSpec:
    from mfu_gui.formats.hf_config.towers import TOWERS

    wrapper = context.wrapper
    section = context.outer[wrapper.vision_key]
    name = section.get("model_type")
    key = context.prefix + wrapper.vision_key
    place = f"{key}.model_type"
    if name is not None and not isinstance(name, str):
        raise InputError("wrong_type", place, expected="str", found=kind_of(name), value=shortened(name))
    name = wrapper.tower if name is None or name == context.model_type else _TOWER_ALIASES.get(name, name)
    kind = TOWERS.get(name)
    if kind is None:
        raise InputError("unknown_model_type", place, model_type=shortened(name), supported=", ".join(sorted(TOWERS)))
    vision = Config(section, name, Family(lambda _: spec, {**BRIDGE_DEFAULTS, **kind.defaults}, kind.names), key,
                    context.assumed)
    tower = kind.read(vision)
    bridge = bridging(context.wrapping(spec), vision, tower, spec.main.hidden_size)
    return replace(spec, stacks=(*spec.stacks, tower.stack), connectors=bridge.connectors,
                   image_tokens=bridge.image_tokens, tables=(*spec.tables, *tower.tables),
                   parts=(*spec.parts, *tower.parts, *bridge.vectors))


def _with_sound(context: _Context, hearing: Hearing, spec: ModelSpec) -> ModelSpec:
    section = context.outer["audio_config"]
    audio = Config(section, context.model_type, Family(lambda _: spec, sound.WHISPER, sound.WHISPER_NAMES),
                   context.prefix + "audio_config", context.assumed)
    heard = hearing(context.wrapping(spec), audio, spec.main.hidden_size)
    more = replace(spec, parts=(*spec.parts, *heard.vectors))
    if not heard.tokens:
        return more
    return replace(more, stacks=(*spec.stacks, heard.stack), connectors=(*spec.connectors, *heard.connectors),
                   sound_tokens=heard.tokens)
