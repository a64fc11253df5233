"""Configs that hold another config: models of images and text, read as a text model with a tower beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.model import Connector, ModelSpec, Vector
from mfu_gui.formats.hf_config.access import Config, Family, kind_of, shortened
from mfu_gui.formats.hf_config.refuse import check_architectures, quantization
from mfu_gui.formats.hf_config.registry import MODULES

if TYPE_CHECKING:
    from mfu_gui.formats.hf_config.families.vision import Tower

# What these are depends on the class their file names; their readers look at it.
READ_ARCHITECTURES = frozenset(
    name for name, module in MODULES.items() if module in ("encoders", "bert_like", "vision")) - {"modernbert-decoder"}
Data = Mapping[str, Any]


class Bridge(NamedTuple):
    """What joins tower and text: connectors, places of one image in the text, vectors of its own."""

    connectors: tuple[Connector, ...]
    image_tokens: int
    vectors: tuple[Vector, ...] = ()


Bridging = Callable[[Config, Config, "Tower", int], Bridge]
"""(wrapper, vision, tower, hidden size of the text) -> bridge"""


class Wrapper(NamedTuple):
    """How one wrapper is read: where its text is and of which type, and the tower with its bridge.

    ``text_keys`` is a path; a text that stands flat beside the tower has none. Without a tower only the text
    is read, and ``left_out`` names what is not.
    """

    text_keys: tuple[str, ...] = ("text_config",)
    text_type: str = "llama"
    tower: str = ""
    bridge: Bridging | None = None
    vision_key: str = "vision_config"
    left_out: tuple[str, ...] = ("vision_config",)
    same_name: bool = False
    """The text's own ``model_type`` is that of its wrapper, or missing."""


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
    bias = wrapper.flag("multimodal_projector_bias", False)
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


_FLAT: tuple[str, ...] = ()
_OTHER = ("vision_config", "audio_config", "talker_config", "token2wav_config", "code2wav_config")

WRAPPERS: dict[str, Wrapper] = {
    "llava": Wrapper(tower="clip_vision_model", bridge=_mlp),
    "vipllava": Wrapper(left_out=("vision_config",)),
    "llava_next": Wrapper(tower="clip_vision_model", bridge=_llava_next),
    "llava_onevision": Wrapper(text_type="qwen2", tower="siglip_vision_model", bridge=_llava_next),
    "gemma3": Wrapper(text_type="gemma3_text", tower="siglip_vision_model", bridge=_gemma3),
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
    "internvl_chat": Wrapper(("llm_config",), "internlm2"),
    "idefics2": Wrapper(text_type="mistral"),
    "aria": Wrapper(text_type="aria_text"),
    "cohere2_vision": Wrapper(text_type="cohere2", tower="siglip_vision_model", bridge=_cohere2),
    "deepseek_vl_v2": Wrapper(("language_config",), "deepseek_v2"),
    "janus": Wrapper(left_out=("vision_config", "vq_config")),
    "lfm2_vl": Wrapper(text_type="lfm2"),
    "multi_modality": Wrapper(("language_config",), "llama"),
    "qwen2_audio": Wrapper(text_type="qwen2", left_out=_OTHER),
    "qwen2_5_omni": Wrapper(("thinker_config", "text_config"), "qwen2_5_omni_text", left_out=_OTHER),
    "qwen2_5_omni_thinker": Wrapper(text_type="qwen2_5_omni_text", left_out=_OTHER),
    "qwen3_omni_moe": Wrapper(("thinker_config", "text_config"), "qwen3_vl_moe_text", left_out=_OTHER),
    "gemma4": Wrapper(text_type="gemma4_text", tower="gemma4_vision", bridge=_gemma4),
    "minimax_m3_vl": Wrapper(text_type="minimax_m3_vl_text"),
    "step3p7": Wrapper(text_type="step3p5", left_out=_OTHER),
    "ernie4_5_vl_moe": Wrapper(text_type="ernie4_5_vl_moe_text"),
    "phi3_v": Wrapper(_FLAT, "phi3", left_out=("img_processor",)),
}
# Kinds of tower under other names.
_TOWER_ALIASES = {
    "qwen2_vl": "qwen2_vl_vision", "qwen2_5_vl": "qwen2_5_vl_vision", "qwen3_vl": "qwen3_vl_vision",
    "qwen3_vl_moe": "qwen3_vl_vision", "qwen3_vl_moe_vision": "qwen3_vl_vision", "qwen3_5": "qwen3_vl_vision",
    "qwen3_5_vision": "qwen3_vl_vision", "qwen3_5_moe": "qwen3_vl_vision", "qwen3_5_moe_vision": "qwen3_vl_vision",
    "kimi_k25": "kimi_k25_vision", "glm4v_moe_vision": "glm4v_vision", "glm46v_vision": "glm4v_vision",
}
_WRAPPER_DEFAULTS: dict[str, Any] = {
    "mm_tokens_per_image": 256, "multimodal_projector_bias": True, "spatial_merge_size": 2, "scale_factor": 2,
    "downsample_ratio": 0.5, "downsample_factor": 2, "alignment_intermediate_size": 36864,
}
_BRIDGE_DEFAULTS: dict[str, Any] = {
    "deepstack_visual_indexes": [8, 16, 24], "intermediate_layers_indices": [3, 7, 15, 23, 30],
    "projector_input_dim": 4096, "projector_output_dim": 4096,
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
    tie = data.get("tie_word_embeddings")
    if tie is not None and text is not data:
        text = {**text, "tie_word_embeddings": tie}
    return text, path, text_type


def _read_wrapped(data: Data, model_type: str, wrapper: Wrapper, has_head: bool) -> tuple[
        ModelSpec, dict[str, Notice], tuple[Notice, ...]]:
    from mfu_gui.formats.hf_config import read_text_model

    text, path, text_type = _text_of(data, model_type, wrapper)
    notices: tuple[Notice, ...] = ()
    if text is not data:
        own_head, notices = check_architectures(text, text_type, path)
        has_head = has_head and own_head
        notices += quantization(text, path)
    spec, assumed = read_text_model(text, text_type, path, has_head=has_head)
    if wrapper.bridge is None or _object(data, wrapper.vision_key, wrapper.vision_key) is None:
        kept = [key for key in wrapper.left_out if _nested(data, wrapper, key)] or (
            [] if wrapper.bridge is None else [wrapper.vision_key])
        left = tuple(Notice("config_text_only", key, {"key": key}) for key in kept)
        return spec, assumed, notices + left
    return _with_tower(data, model_type, wrapper, spec, assumed), assumed, notices


def _nested(data: Data, wrapper: Wrapper, key: str) -> bool:
    """Whether the key stands at the top or beside the text."""
    level: Any = data
    for step in wrapper.text_keys[:-1]:
        level = level.get(step) if isinstance(level, Mapping) else None
    return data.get(key) is not None or (isinstance(level, Mapping) and level.get(key) is not None)


def _with_tower(data: Data, model_type: str, wrapper: Wrapper, spec: ModelSpec,
                assumed: dict[str, Notice]) -> ModelSpec:
    from mfu_gui.formats.hf_config.towers import TOWERS

    section = data[wrapper.vision_key]
    name = section.get("model_type")
    place = f"{wrapper.vision_key}.model_type"
    if name is not None and not isinstance(name, str):
        raise InputError("wrong_type", place, expected="str", found=kind_of(name), value=shortened(name))
    name = wrapper.tower if name is None or name == model_type else _TOWER_ALIASES.get(name, name)
    kind = TOWERS.get(name)
    if kind is None:
        raise InputError("unknown_model_type", place, model_type=shortened(name), supported=", ".join(sorted(TOWERS)))
    vision = Config(section, name, Family(lambda _: spec, {**_BRIDGE_DEFAULTS, **kind.defaults}, kind.names),
                    wrapper.vision_key, assumed)
    outer = Config(data, model_type, Family(lambda _: spec, _WRAPPER_DEFAULTS), "", assumed)
    tower = kind.read(vision)
    bridge = (wrapper.bridge or _mlp)(outer, vision, tower, spec.main.hidden_size)
    return replace(spec, stacks=(*spec.stacks, tower.stack), connectors=bridge.connectors,
                   image_tokens=bridge.image_tokens, tables=(*spec.tables, *tower.tables),
                   parts=(*spec.parts, *tower.parts, *bridge.vectors))
