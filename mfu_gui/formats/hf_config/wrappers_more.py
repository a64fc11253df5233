"""More wrappers: query resamplers, towers of remote code, what stands beside text and tower.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import Connector, Vector
from mfu_gui.formats.hf_config import beside
from mfu_gui.formats.hf_config import bridges_queries as queries
from mfu_gui.formats.hf_config.access import Config, shortened
from mfu_gui.formats.hf_config.bridges import Bridge
from mfu_gui.formats.hf_config.wrapper_kind import Wrapper

if TYPE_CHECKING:
    from mfu_gui.formats.hf_config.families.vision import Tower

_FLAT: tuple[str, ...] = ()


def _internvl_chat(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """A norm and two matrices on neighbouring patches; counted for an image of one tile."""
    wrapper.assume("tiles", 1)
    ratio = wrapper.number("downsample_ratio", 0.01, 1) or 0.5
    width = int(tower.stack.hidden_size / (ratio * ratio))
    return Bridge((Connector(widths=(width, hidden, hidden), norm_parameters=2 * width),),
                  max(1, int(tower.tokens * ratio * ratio)))


def _janus(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """As many matrices as the aligner is deep."""
    width, depth = vision.integer("projection_dim"), vision.integer("depth", 1, 7)
    return Bridge((Connector(widths=(tower.stack.hidden_size, *[width] * depth)),), tower.tokens)


def _hybrid(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """Half of a token from each tower, one matrix on both."""
    return Bridge((Connector(widths=(tower.stack.hidden_size, max(1, hidden // 2))),
                   Connector(widths=(hidden, hidden))), tower.tokens)


def _phi4(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """Four patches pooled; rows end with a learned vector: counted for one crop beside the whole image."""
    wrapper.assume("tiles", 2)
    width = tower.stack.hidden_size
    side = max(1, (vision.integer("image_size") // vision.integer("patch_size") + 1) // 2)
    return Bridge((Connector(widths=(width, hidden, hidden)),), 2 * side * (side + 1) + 1,
                  (Vector(name="separators", size=2 * width),))


def _phi3(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """Four patches side by side, two matrices; rows end with a learned vector: counted for one crop beside the whole
    image."""
    kind = wrapper.section("embd_layer", {"projection_cls": "mlp", "use_hd_transform": True,
                                          "with_learnable_separator": True})
    named = {"name": (vision, "clip_vision_model"), "model_name": (vision, "openai/clip-vit-large-patch14-336"),
             "projection_cls": (kind, "mlp")}
    for key, (level, known) in named.items():
        if level.has(key) and level.text(key) != known:
            raise InputError("unknown_choice", level.place(key), value=shortened(level.text(key)), allowed=known)
    for key in ("use_hd_transform", "with_learnable_separator"):
        if not kind.flag(key):
            raise InputError("config_unsupported", kind.place(key), value=False)
    wrapper.assume("tiles", 2)
    side, width = 12, 4 * tower.stack.hidden_size
    return Bridge((Connector(widths=(width, hidden, hidden)),), 2 * side * (side + 1) + 1,
                  (Vector(name="separators", size=2 * width),))


MORE: dict[str, Wrapper] = {
    "internvl_chat": Wrapper(("llm_config",), "internlm2", tower="intern_vit_6b", bridge=_internvl_chat),
    "blip-2": Wrapper(text_type="opt", tower="blip_2_vision_model", bridge=queries.blip2),
    "instructblip": Wrapper(text_type="opt", tower="blip_2_vision_model", bridge=queries.instructblip),
    "kosmos-2": Wrapper(text_type="kosmos_2_text_model", tower="kosmos_2_vision_model", bridge=queries.kosmos2,
                        tied=True),
    "granite4_vision": Wrapper(text_type="granite", tower="clip_vision_model", bridge=queries.granite4),
    "janus": Wrapper(tower="janus_vision_model", bridge=_janus, left_out=(), beside=beside.janus, tied=True),
    "fuyu": Wrapper(text_type="persimmon", left_out=(), beside=beside.fuyu),
    "gemma4_unified": Wrapper(text_type="gemma4_unified_text", left_out=(), beside=beside.gemma4_unified, tied=True),
    "got_ocr2": Wrapper(text_type="qwen2", left_out=(), beside=beside.got_ocr2, tied=True, text_defaults={
        "vocab_size": 151860, "hidden_size": 1024, "intermediate_size": 2816, "num_hidden_layers": 24,
        "num_attention_heads": 16, "num_key_value_heads": 16}),
    "deepseek_vl_hybrid": Wrapper(tower="siglip_vision_model", bridge=_hybrid, beside=beside.deepseek_vl_hybrid,
                                  tied=True),
    "phi4_multimodal": Wrapper(_FLAT, "phi4_multimodal_text", tower="phi4_multimodal_vision", bridge=_phi4,
                               beside=beside.phi4_sound),
    "florence2": Wrapper(text_type="bart", left_out=(), beside=beside.florence2, tied=True),
    "emu3": Wrapper(text_type="emu3_text_model", left_out=("vq_config",)),
    "qianfan_ocr": Wrapper(text_type="qwen3", tower="qianfan_ocr_vision", bridge=_internvl_chat, tied=False),
    "phi3_v": Wrapper(_FLAT, "phi3", tower="phi3_clip", bridge=_phi3, vision_key="img_processor",
                      left_out=("img_processor",)),
}
MORE_TOWER_NAMES = {
    "instructblip_vision_model": "blip_2_vision_model",
}
