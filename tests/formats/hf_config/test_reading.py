"""Absent, null and given values; what is assumed, noticed and named; files without a model type."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import MLA, Attention
from mfu_gui.formats.hf_config import read_config
from mfu_gui.formats.hf_config.access import Family
from mfu_gui.formats.hf_config.named_size import size_in_name
from mfu_gui.formats.hf_config.registry import ALIASES, MODULES, family_of

LLAMA: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": False,
    "attention_bias": False, "mlp_bias": False,
}


def _assumed(config: dict[str, Any]) -> dict[str, Any]:
    return {notice.field: notice.values["value"] for notice in read_config(config).assumptions
            if notice.code == "assumed_default"}


def _codes(config: dict[str, Any]) -> list[str]:
    return [notice.code for notice in read_config(config).assumptions]


def _attention(config: dict[str, Any]) -> Attention:
    mixer = read_config(config).spec.main.kinds[0].mixers[0]
    assert isinstance(mixer, Attention)
    return mixer


def _total(config: dict[str, Any]) -> int:
    return ledger(read_config(config).spec).parameters.total


def test_a_complete_file_needs_no_assumptions() -> None:
    assert _assumed(LLAMA) == {}


def test_each_default_that_changes_a_count_is_listed() -> None:
    assert _assumed({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32}) == {
        "intermediate_size": 11008, "num_hidden_layers": 32, "num_key_value_heads": 32, "vocab_size": 32000,
        "tie_word_embeddings": False, "attention_bias": False, "mlp_bias": False,
    }


def test_absent_is_not_null() -> None:
    mistral = {**LLAMA, "model_type": "mistral"}
    del mistral["num_key_value_heads"]
    assert _attention(mistral).kv_heads == 8  # the class default
    assert _attention(mistral | {"num_key_value_heads": None}).kv_heads == 32  # one for each head
    assert _attention(mistral).window == 4096
    assert _attention(mistral | {"sliding_window": None}).window is None


def test_absent_query_rank_is_not_null() -> None:
    absent = read_config({"model_type": "deepseek_v3"}).spec.main.kinds[0].mixers[0]
    null = read_config({"model_type": "deepseek_v3", "q_lora_rank": None}).spec.main.kinds[0].mixers[0]
    assert isinstance(absent, MLA)
    assert isinstance(null, MLA)
    assert (absent.q_lora_rank, null.q_lora_rank) == (1536, None)


def test_explicit_head_dim_is_kept_although_it_is_not_hidden_by_heads() -> None:
    assert _attention(LLAMA | {"head_dim": 64}).head_dim == 64


def test_window_counts_only_where_the_flag_is_set() -> None:
    qwen = {"model_type": "qwen2", "num_hidden_layers": 4, "sliding_window": 1024, "max_window_layers": 3}
    assert read_config(qwen | {"use_sliding_window": False}).spec.main.order == (("layer", 4),)
    assert read_config(qwen | {"use_sliding_window": True}).spec.main.order == (("full", 3), ("sliding", 1))


def test_gemma2_alternates_without_a_field() -> None:
    stack = read_config({"model_type": "gemma2", "num_hidden_layers": 3}).spec.main
    assert stack.order == (("sliding", 1), ("full", 1), ("sliding", 1))
    assert [kind.mixers[0].window for kind in stack.kinds] == [4096, None]  # type: ignore[union-attr]


def test_listed_layer_types_win_over_the_pattern() -> None:
    config = {"model_type": "gemma3_text", "num_hidden_layers": 3, "sliding_window_pattern": 2,
              "layer_types": ["full_attention", "sliding_attention", "sliding_attention"]}
    assert read_config(config).spec.main.order == (("full", 1), ("sliding", 2))


def test_llama4_chunks_and_experts() -> None:
    # Maverick: chunks of 8192 but in every fourth layer, experts in every second.
    stack = read_config({"model_type": "llama4_text", "num_hidden_layers": 4, "interleave_moe_layer_step": 2,
                         "no_rope_layers": []}).spec.main
    assert [name for name, _ in stack.order] == ["chunked-dense", "chunked-moe", "chunked-dense", "full-moe"]


def test_prediction_depth_is_kept_beside_the_layers() -> None:
    spec = read_config({"model_type": "deepseek_v3", "num_nextn_predict_layers": 1}).spec
    assert spec.multi_token_prediction is not None
    assert (spec.multi_token_prediction.depths, spec.multi_token_prediction.layer) == (1, "moe")
    assert spec.main.order == (("dense", 3), ("moe", 58))
    assert read_config({"model_type": "kimi_k2", "num_nextn_predict_layers": 0}).spec.multi_token_prediction is None


def test_corrections_follow_the_routing_method() -> None:
    old = ledger(read_config({"model_type": "deepseek_v3", "topk_method": "greedy"}).spec).parameters
    new = ledger(read_config({"model_type": "deepseek_v3", "topk_method": "noaux_tc"}).spec).parameters
    assert (old.checkpoint_total - old.total, new.checkpoint_total - new.total) == (0, 58 * 256)


def test_quantized_files_keep_their_shapes() -> None:
    quantized = LLAMA | {"quantization_config": {"quant_method": "fp8"}}
    assert _codes(quantized) == ["config_quantized"]
    assert read_config(quantized).assumptions[0].values == {"method": "fp8"}
    assert _total(quantized) == _total(LLAMA) == 8_030_261_248  # Llama 3 8B


def test_a_body_without_a_head_is_noticed() -> None:
    # E5-Mistral-7B-Instruct is published with 7,110,660,096 parameters: Mistral 7B without its head.
    config = {"model_type": "mistral", "architectures": ["MistralModel"]}
    assert "config_without_head" in _codes(config)
    assert _total(config) == 7_110_660_096


def test_chatglm_names_the_bare_class_but_has_a_head() -> None:
    config = {"model_type": "chatglm", "architectures": ["ChatGLMModel"], "num_layers": 28, "hidden_size": 4096,
              "num_attention_heads": 32, "ffn_hidden_size": 13696, "padded_vocab_size": 65024, "kv_channels": 128,
              "multi_query_attention": True, "multi_query_group_num": 2, "add_qkv_bias": True}
    assert _total(config) == 6_243_584_000  # ChatGLM3-6B
    assert "config_without_head" not in _codes(config)


def test_both_spellings_of_a_key_may_stand_together_if_they_agree() -> None:
    assert _total({"model_type": "gpt2", "n_embd": 768, "hidden_size": 768}) == 124_439_808


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (LLAMA | {"_name_or_path": "meta-llama/Meta-Llama-3-8B"}, "Meta-Llama-3-8B"),
        (LLAMA | {"_name_or_path": "C:\\models\\mine\\"}, "mine"),
        (LLAMA | {"_name_or_path": ""}, "given"),
        (LLAMA | {"_name_or_path": "a\x00b\u202ec"}, "abc"),
        (LLAMA | {"_name_or_path": ["x"]}, "given"),
    ],
)
def test_names(data: dict[str, Any], name: str) -> None:
    model = read_config(data, "given")
    assert model.name == model.spec.name == name


def test_name_without_any_source_is_the_type() -> None:
    assert read_config(LLAMA).name == "llama"


class TestFilesWithoutModelType:
    """Original releases."""

    def test_llama_3_8b(self) -> None:
        data = {"dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8, "vocab_size": 128256,
                "multiple_of": 1024, "ffn_dim_multiplier": 1.3, "norm_eps": 1e-05, "rope_theta": 500000.0}
        assert _total(data) == 8_030_261_248

    def test_llama_2_70b_leaves_its_vocabulary_to_the_tokenizer(self) -> None:
        data = {"dim": 8192, "multiple_of": 4096, "ffn_dim_multiplier": 1.3, "n_heads": 64, "n_kv_heads": 8,
                "n_layers": 80, "norm_eps": 1e-05, "vocab_size": -1}
        assert _total(data) == 68_976_648_192
        assert _assumed(data)["vocab_size"] == 32000

    def test_mixtral(self) -> None:
        data = {"dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14336, "n_heads": 32, "n_kv_heads": 8,
                "norm_eps": 1e-05, "vocab_size": 32000, "moe": {"num_experts_per_tok": 2, "num_experts": 8}}
        assert _total(data) == 46_702_792_704

    def test_mistral_7b_with_its_window(self) -> None:
        data = {"dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14336, "n_heads": 32, "n_kv_heads": 8,
                "norm_eps": 1e-05, "sliding_window": 4096, "vocab_size": 32000}
        assert _total(data) == 7_241_732_096
        assert _attention(data).window == 4096

    def test_deepseek_v3(self) -> None:
        data = {"vocab_size": 129280, "dim": 7168, "inter_dim": 18432, "moe_inter_dim": 2048, "n_layers": 61,
                "n_dense_layers": 3, "n_heads": 128, "n_routed_experts": 256, "n_shared_experts": 1,
                "n_activated_experts": 8, "score_func": "sigmoid", "q_lora_rank": 1536, "kv_lora_rank": 512,
                "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "dtype": "fp8"}
        assert ledger(read_config(data).spec).parameters.checkpoint_total == 671_026_419_200


@pytest.mark.parametrize("model_type", sorted(MODULES))
def test_registry_and_families_agree(model_type: str) -> None:
    assert isinstance(family_of(model_type), Family)


def test_every_reader_is_registered() -> None:
    from importlib import import_module

    for module in set(MODULES.values()):
        readers = import_module(f"mfu_gui.formats.hf_config.families.{module}").READERS
        assert set(readers) == {name for name, where in MODULES.items() if where == module}
    assert set(ALIASES.values()) <= set(MODULES)


class TestSizeInName:
    """A model far from the size in its name is noticed."""

    def test_a_wrong_copy(self) -> None:
        config = LLAMA | {"_name_or_path": "meta-llama/Meta-Llama-3-8B", "num_hidden_layers": 48}
        notice = next(notice for notice in read_config(config).assumptions if notice.code == "config_size_differs")
        assert notice.values == {"name": "Meta-Llama-3-8B", "promised": 8 * 10**9, "total": _total(config)}

    @pytest.mark.parametrize(
        ("name", "size"),
        [("Llama-3.1-8B-Instruct", 8_000_000_000), ("Mixtral-8x7B-v0.1", 56_000_000_000), ("pythia-160m", 160_000_000),
         ("Qwen3-30B-A3B", 30_000_000_000), ("smollm2-1.7b", 1_700_000_000), ("Yi-34B-200K", 34_000_000_000),
         ("gpt2-xl", None), ("llama-7b-to-13b", None), ("Kimi-K2", None), ("step-1t", 10**12), ("v100b2", None)],
    )
    def test_reading_it(self, name: str, size: int | None) -> None:
        found = size_in_name(name)
        assert (found and found[0]) == size

    def test_real_models_are_near_enough(self) -> None:
        for path in sorted((Path(__file__).resolve().parents[2] / "data" / "hf_configs").glob("*.json")):
            if path.stem.startswith(("default-", "index", "internlm2-reward")):
                continue
            codes = [notice.code for notice in read_config(json.loads(path.read_text("utf-8")), path.stem).assumptions]
            assert "config_size_differs" not in codes, path.stem


def test_what_is_counted_as_if_it_were_whole_is_noticed() -> None:
    sparse = {"model_type": "phi3small", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
              "num_key_value_heads": 8, "ff_intermediate_size": 14336, "vocab_size": 100352}
    assert "config_block_sparse" in _codes(sparse)
    assert "config_block_sparse" not in _codes(sparse | {"dense_attention_every_n_layers": 1})
    assert "config_tower_windows" in _codes({"model_type": "qwen2_5_vl", "vision_config": {}})


def test_a_width_that_no_layer_has_is_kept_beside_the_layers() -> None:
    mixtral = {**LLAMA, "model_type": "mixtral", "num_local_experts": 8, "num_experts_per_tok": 2}
    assert read_config(mixtral).spec.intermediate_size is None  # its experts have that width
    assert read_config(LLAMA).spec.intermediate_size is None
    qwen = {**LLAMA, "model_type": "qwen3_moe", "num_experts": 8, "moe_intermediate_size": 512}
    assert read_config(qwen).spec.intermediate_size == 14336
    for unusable in ("wide", -1, True, 10**12, None):
        assert read_config(qwen | {"intermediate_size": unusable}).spec.intermediate_size is None
    assert _total(qwen) == _total(qwen | {"intermediate_size": 1})


# transformers 5.24.0, modeling_<family>.py: `create_causal_mask` where `config.is_decoder`, else
# `create_bidirectional_mask`.
DECODERS = ("bert", "roberta", "xlm-roberta", "camembert", "ernie", "electra", "data2vec-text", "megatron-bert",
            "roberta-prelayernorm", "xlm-roberta-xl", "bert-generation", "big_bird", "xmod", "esm", "roformer",
            "rembert")
# There, modeling_<family>.py has `create_bidirectional_mask` alone, or no mask but that of padding.
ALWAYS_BOTH_SIDES = ("albert", "distilbert", "ibert", "splinter", "longformer", "mpnet", "layoutlm", "modernbert")


def _masks(config: dict[str, Any]) -> set[str]:
    return {mixer.mask for kind in read_config(config).spec.main.kinds
            for mixer in (*kind.mixers, *(kind.shared.mixers if kind.shared else ())) if isinstance(mixer, Attention)}


@pytest.mark.parametrize("model_type", DECODERS)
def test_an_encoder_that_is_a_decoder_looks_back_only(model_type: str) -> None:
    config = {"model_type": model_type, "architectures": None, "vocab_size": 1000}
    assert _masks(config) == _masks(config | {"is_decoder": False}) == {"bidirectional"}
    assert _masks(config | {"is_decoder": True}) == {"causal"}
    assert _total(config | {"is_decoder": True}) == _total(config)
    with pytest.raises(InputError) as refused:
        read_config(config | {"is_decoder": True, "add_cross_attention": True})
    assert (refused.value.code, refused.value.field) == ("config_unsupported", "add_cross_attention")


@pytest.mark.parametrize("model_type", ALWAYS_BOTH_SIDES)
def test_an_encoder_whose_class_knows_no_decoder_stays_one(model_type: str) -> None:
    assert _masks({"model_type": model_type, "architectures": None, "is_decoder": True}) == {"bidirectional"}


@pytest.mark.parametrize(("model_type", "code"), [
    ("funnel", "config_positions_change"), ("swin", "config_positions_change"), ("hiera", "config_positions_change"),
    ("moshi", "config_codebook_decoder"), ("nobody-knows", "unknown_model_type")])
def test_a_known_type_that_is_not_read_says_why(model_type: str, code: str) -> None:
    with pytest.raises(InputError) as refused:
        read_config({"model_type": model_type, "hidden_size": 64})
    assert (refused.value.code, refused.value.field) == (code, "model_type")
    assert refused.value.values["model_type"] == model_type
    assert family_of(model_type) is None
