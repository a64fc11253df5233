"""Configs inside configs: which level is read, what stands in for what, and towers beside the text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import Attention, PatchFrontEnd
from mfu_gui.formats.hf_config import read_config

CONFIGS = Path(__file__).resolve().parents[2] / "data" / "hf_configs"
TEXT: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100, "attention_bias": False, "mlp_bias": False,
}
VISION: dict[str, Any] = {
    "model_type": "clip_vision_model", "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
    "num_attention_heads": 2, "image_size": 28, "patch_size": 14,
}
LLAVA = {"model_type": "llava", "text_config": TEXT, "vision_config": VISION, "tie_word_embeddings": False,
         "multimodal_projector_bias": True}


def _config(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((CONFIGS / f"{name}.json").read_text("utf-8"))
    return found


def _refusal(config: dict[str, Any]) -> InputError:
    with pytest.raises(InputError) as caught:
        read_config(config)
    return caught.value


def _codes(config: dict[str, Any]) -> set[str]:
    return {notice.code for notice in read_config(config).assumptions}


def _tied(config: dict[str, Any]) -> bool:
    head = read_config(config).spec.head
    assert head is not None
    return head.tied


def test_text_and_tower_are_read_each_from_its_level() -> None:
    spec = read_config(LLAVA).spec
    assert [(stack.name, stack.hidden_size, stack.layer_count()) for stack in spec.stacks] == [
        ("decoder", 64, 2), ("vision", 32, 2)]
    assert [connector.widths for connector in spec.connectors] == [(32, 64, 64)]
    assert spec.image_tokens == 4  # 2 × 2 patches, the class token left out


def test_places_of_assumptions_and_errors_name_the_level() -> None:
    fields = {notice.field for notice in read_config({"model_type": "llava", "vision_config": {}}).assumptions}
    assert {"text_config.hidden_size", "vision_config.hidden_size"} <= fields
    broken = {**LLAVA, "vision_config": VISION | {"num_attention_heads": 3}}
    assert _refusal(broken).field == "vision_config.num_attention_heads"
    broken = {**LLAVA, "text_config": TEXT | {"hidden_size": -1}}
    assert _refusal(broken).field == "text_config.hidden_size"


@pytest.mark.parametrize(
    ("outer", "inner", "tied"),
    [(True, False, True), (False, True, False), (None, True, True), (None, None, False), (True, None, True)],
)
def test_the_wrappers_tie_wins_over_the_texts(outer: bool | None, inner: bool | None, tied: bool) -> None:
    text = TEXT if inner is None else TEXT | {"tie_word_embeddings": inner}
    config = {**LLAVA, "text_config": text}
    del config["tie_word_embeddings"]
    assert _tied(config if outer is None else config | {"tie_word_embeddings": outer}) is tied


def test_an_almost_empty_text_has_the_defaults_of_its_type() -> None:
    # Gemma 3 4B leaves out heads, KV heads, head size and vocabulary: 8, 4, 256, 262208.
    spec = read_config(_config("gemma-3-4b")).spec
    mixer = spec.main.kinds[0].mixers[0]
    assert isinstance(mixer, Attention)
    assert (mixer.heads, mixer.kv_heads, mixer.head_dim, spec.vocabulary) == (8, 4, 256, 262208)
    assert ledger(spec).parameters.total == 4_300_079_472


def test_a_flat_text_beside_a_tower() -> None:
    spec = read_config(_config("qwen2-vl-2b")).spec
    assert spec.main.hidden_size == 1536
    assert spec.stacks[1].hidden_size == 1280  # embed_dim; the tower's hidden_size is the text's
    assert spec.connectors[0].widths == (5120, 5120, 1536)


def test_without_a_tower_in_the_file_the_text_is_read_and_said_to_be_alone() -> None:
    config = {key: value for key, value in LLAVA.items() if key != "vision_config"}
    assert "config_text_only" in _codes(config)
    assert len(read_config(config).spec.stacks) == 1
    assert "config_text_only" in _codes(_config("llava-v1.5-7b-original"))


def test_what_cannot_be_read_beside_the_text_is_named() -> None:
    notices = read_config(_config("default-qwen2_5_omni")).assumptions
    assert {notice.field for notice in notices if notice.code == "config_text_only"} >= {"talker_config"}


def test_an_unknown_tower_or_text_is_refused_by_name() -> None:
    error = _refusal({**LLAVA, "vision_config": VISION | {"model_type": "eva"}})
    assert (error.code, error.field, error.values["model_type"]) == (
        "unknown_model_type", "vision_config.model_type", "eva")
    error = _refusal({**LLAVA, "text_config": TEXT | {"model_type": "lama"}})
    assert (error.code, error.field) == ("unknown_model_type", "text_config.model_type")
    assert error.values["nearest"] == "llama"


@pytest.mark.parametrize(
    ("config", "code", "field"),
    [
        ({**LLAVA, "text_config": [TEXT]}, "wrong_type", "text_config"),
        ({**LLAVA, "vision_config": "clip"}, "wrong_type", "vision_config"),
        ({**LLAVA, "vision_config": VISION | {"patch_size": 29}}, "out_of_range", "vision_config.patch_size"),
        ({**LLAVA, "vision_config": VISION | {"image_size": [28, 14]}}, "wrong_type", "vision_config.image_size"),
        ({**LLAVA, "vision_config": VISION | {"model_type": 3}}, "wrong_type", "vision_config.model_type"),
        ({**LLAVA, "text_config": TEXT | {"model_type": None, "num_hidden_layers": "2"}}, "wrong_type",
         "text_config.num_hidden_layers"),
        ({"model_type": "mllama", "text_config": {"cross_attention_layers": [40]}}, "out_of_range",
         "text_config.cross_attention_layers[0]"),
        ({"model_type": "t5", "feed_forward_proj": "glued-gelu"}, "unknown_choice", "feed_forward_proj"),
        ({"model_type": "t5", "num_decoder_layers": 10**9}, "out_of_range", "num_decoder_layers"),
        ({"model_type": "bart", "decoder_attention_heads": 15}, "config_head_dim", "decoder_attention_heads"),
        ({"model_type": "longt5", "encoder_attention_type": "transient-global"}, "config_unsupported",
         "encoder_attention_type"),
        ({"model_type": "albert", "num_hidden_groups": 2}, "config_unsupported", "num_hidden_groups"),
    ],
)
def test_bad_input(config: dict[str, Any], code: str, field: str) -> None:
    error = _refusal(config)
    assert (error.code, error.field) == (code, field)


def test_images_of_any_size_are_assumed_to_have_one() -> None:
    model = read_config({"model_type": "qwen2_vl", "vision_config": {}})
    assert [notice.values["value"] for notice in model.assumptions if notice.field.endswith(".image_size")] == [448]
    front = model.spec.stacks[1].front_end
    assert isinstance(front, PatchFrontEnd)
    assert (front.patches, front.temporal, model.spec.image_tokens) == (1024, 2, 256)


def test_llama_vision_pads_its_tiles_and_offers_all_patches_to_the_text() -> None:
    # 560 / 14 = 40: 1600 patches and a class token a tile, padded to a multiple of 8, four tiles at once.
    spec = read_config(_config("llama-3.2-11b-vision")).spec
    front = spec.stacks[1].front_end
    assert isinstance(front, PatchFrontEnd)
    assert (front.patches, front.padded_positions, front.tiles, spec.image_tokens) == (1600, 1608, 4, 6404)


class TestEncoders:
    """What an encoder is depends on the class its file names."""


    @pytest.mark.parametrize(
        ("architectures", "total"),
        [
            (["BertForMaskedLM"], 109_514_298),
            (None, 109_514_298),  # as transformers writes it for a class by itself
            (["BertModel"], 109_482_240),  # with its pooler
        ],
    )
    def test_bert(self, architectures: list[str] | None, total: int) -> None:
        spec = read_config({"model_type": "bert", "architectures": architectures}).spec
        assert ledger(spec).parameters.total == total

    def test_bert_without_the_key_is_the_body_and_says_so(self) -> None:
        model = read_config({"model_type": "bert"})
        assert ledger(model.spec).parameters.total == 109_482_240
        assert any(notice.field == "architectures" for notice in model.assumptions)

    @pytest.mark.parametrize(
        ("more", "total"),
        [
            ({"architectures": ["ViTForImageClassification"], "num_labels": 1000}, 86_567_656),
            ({"architectures": None, "id2label": {str(n): "x" for n in range(1000)}}, 86_567_656),
            ({"architectures": ["ViTModel"]}, 86_389_248),
            ({}, 85_798_656),
        ],
    )
    def test_vit_base(self, more: dict[str, Any], total: int) -> None:
        assert ledger(read_config({"model_type": "vit", **more}).spec).parameters.total == total

    def test_modernbert_sees_a_window_but_in_every_third_layer(self) -> None:
        stack = read_config({"model_type": "modernbert", "architectures": ["ModernBertForMaskedLM"]}).spec.main
        windows = {kind.name: kind.mixers[0].window for kind in stack.kinds}  # type: ignore[union-attr]
        assert windows == {"first-global": None, "local": 128, "global": None}
        assert stack.order[:3] == (("first-global", 1), ("local", 2), ("global", 1))
        assert stack.kind("first-global").norms == 1
