"""The model presets: made from the table, each with the count that was published or expected."""

from __future__ import annotations

import json
from typing import Any

import catalogue_models
import pytest

from mfu_gui.engine.ledger import ledger
from mfu_gui.formats.preset_file import ModelPreset, decode_model
from mfu_gui.resources import resource_path

ROWS: dict[str, Any] = {row["id"]: row for row in catalogue_models.table()["models"]}


def _preset(preset_id: str) -> ModelPreset:
    return decode_model(resource_path("presets", "models", f"{preset_id}.json").read_bytes())


def _shipped() -> list[str]:
    return sorted(path.stem for path in resource_path("presets", "models").glob("*.json"))


@pytest.mark.parametrize("preset_id", _shipped())
def test_each_preset_has_the_count_of_its_row(preset_id: str) -> None:
    preset, row = _preset(preset_id), ROWS[preset_id]
    parameters = ledger(preset.spec).parameters
    problem = catalogue_models.deviation(row, preset.spec)
    reason = catalogue_models.exceptions().get(preset_id)
    assert (problem is None) == (reason is None)
    if problem is not None and reason is not None:
        assert problem == {key: reason[key] for key in problem}
        assert reason["reason"] in preset.notes
    elif row["expected_total"] is not None:
        assert row["expected_total"] in (parameters.total, parameters.checkpoint_total)


def test_exceptions_name_only_presets_that_are_shipped() -> None:
    assert set(catalogue_models.exceptions()) <= set(_shipped())


@pytest.mark.parametrize(
    ("preset_id", "total"),
    [
        # Hub file totals and papers, as the table cites them.
        ("llama-3.1-405b", 405_853_388_800),
        ("qwen3-235b-a22b", 235_093_634_560),
        ("gpt-oss-120b", 116_829_156_672),
        ("mixtral-8x7b", 46_702_792_704),
        ("gemma-3-27b", 27_432_406_640),
        ("llama-3.2-11b-vision", 10_670_220_835),
        ("whisper-large-v3", 1_543_490_560),
        ("t5-v1.1-xl", 2_849_757_184),
        ("bloom-176b", 176_247_271_424),
    ],
)
def test_known_totals(preset_id: str, total: int) -> None:
    assert ledger(_preset(preset_id).spec).parameters.total == total


@pytest.mark.parametrize(
    ("preset_id", "shape"),
    [
        # (layers, hidden, heads, KV heads, head size, MLP width, vocabulary), from the papers' tables.
        ("palm-540b", (118, 18432, 48, 1, 256, 73728, 256000)),
        ("palm-62b", (64, 8192, 32, 1, 256, 32768, 256000)),
        ("palm-8b", (32, 4096, 16, 1, 256, 16384, 256000)),
        ("gpt-3-175b-megatron", (96, 12288, 96, 96, 128, 49152, 51200)),
        ("gpt-175b-megascale", (96, 12288, 128, 128, 96, 49152, 64000)),
        ("megatron-2022-22b", (48, 6144, 64, 64, 96, 24576, 51200)),
        ("megatron-2022-1t", (128, 25600, 160, 160, 160, 102400, 51200)),
        ("mt-nlg-530b", (105, 20480, 128, 128, 160, 81920, 50304)),
        ("gopher-280b", (80, 16384, 128, 128, 128, 65536, 32000)),
        ("glm-130b", (70, 12288, 96, 96, 128, 32768, 150000)),
        ("nemotron-4-340b", (96, 18432, 96, 8, 192, 73728, 256000)),
        ("mpt-30b", (48, 7168, 64, 64, 112, 28672, 50432)),
    ],
)
def test_shapes_of_papers(preset_id: str, shape: tuple[int, ...]) -> None:
    spec = _preset(preset_id).spec
    layer = spec.main.kinds[0]
    mixer, mlp = layer.mixers[0], layer.ffns[0]
    assert (spec.main.layer_count(), spec.main.hidden_size, mixer.heads, mixer.kv_heads, mixer.head_dim, mlp.width,
            spec.vocabulary) == shape


def test_grok_1_has_eight_experts_of_which_two_run() -> None:
    moe = _preset("grok-1").spec.main.kinds[0].ffns[0]
    assert (moe.experts, moe.top_k, moe.width) == (8, 2, 32768)


def test_deepseek_v3_keeps_its_router_correction_and_prediction_depth() -> None:
    spec = _preset("deepseek-v3").spec
    assert spec.main.order == (("dense", 3), ("moe", 58))
    assert spec.main.kind("moe").ffns[0].router_buffer
    assert spec.multi_token_prediction is not None
    assert (spec.multi_token_prediction.depths, spec.multi_token_prediction.layer) == (1, "moe")
    assert ledger(spec).parameters.checkpoint_total == 671_026_419_200


@pytest.mark.parametrize(
    ("preset_id", "alias"),
    [("llama-3.1-405b", "405B"), ("llama-3.1-405b", "llama 3.1 405b"), ("qwen3-32b", "通义千问"), ("glm-4.5", "智谱"),
     ("internlm2-7b", "书生"), ("baichuan2-7b", "百川"), ("yi-34b", "零一万物"), ("mixtral-8x7b", "8x7B"),
     ("gpt-oss-20b", "gpt oss 20b"), ("deepseek-v3", "深度求索")],
)
def test_names_people_look_for(preset_id: str, alias: str) -> None:
    preset = _preset(preset_id)
    assert alias in (preset.name, *preset.aliases)


def test_every_preset_says_where_it_comes_from() -> None:
    for preset_id in _shipped():
        preset = _preset(preset_id)
        assert preset.source
        assert preset.date == catalogue_models.table()["date"]
        assert preset.confidence in ("high", "medium", "low")


def test_table_is_one_row_a_model() -> None:
    rows = json.loads(resource_path("catalogue", "models.json").read_bytes())["models"]
    assert len(rows) == len({row["id"] for row in rows}) == 303
