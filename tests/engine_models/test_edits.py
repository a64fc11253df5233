"""Small edits of models with shared blocks, towers and states: what the edit does not name stays."""

from __future__ import annotations

import json

from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import Attention, Mamba2, ModelSpec
from mfu_gui.engine.model_edit import mixers_of, with_heads, with_hidden_size, with_layer_count
from mfu_gui.formats.hf_config import read_config
from tests.engine_models.ground_truth import BY_ID, DATA, MEASURED


def _zamba2() -> ModelSpec:
    return read_config(next(case["config"] for case in MEASURED if case["id"] == "zamba2")).spec


def test_heads_of_a_shared_block_are_edited() -> None:
    model = with_heads(_zamba2(), 8)
    assert [mixer.heads for mixer in mixers_of(model, Attention)] == [8]
    assert {mixer.heads for mixer in mixers_of(model, Mamba2)} == {4}


def test_a_shared_block_reads_two_hidden_sizes_after_an_edit() -> None:
    shared = with_hidden_size(_zamba2(), 96).main.kinds[-1].shared
    assert shared is not None
    assert shared.input_width == 192


def test_a_connector_still_ends_in_the_hidden_size() -> None:
    config = json.loads((DATA / "hf_configs" / "llava-1.5-7b.json").read_text("utf-8"))
    model = with_hidden_size(read_config(config).spec, 2048)
    assert [connector.widths[-1] for connector in model.connectors] == [2048]


def test_more_layers_repeat_the_pattern_and_share_the_same_blocks() -> None:
    """Zamba2's blocks stay two however often they are called."""
    model = _zamba2()
    longer = with_layer_count(model, 16)
    assert longer.main.layer_count() == 16
    shared = [term for term in ledger(longer).terms if term.part == "q" and term.component == "attention_proj"]
    assert [(term.stored, term.executed > 3) for term in shared] == [(2, True)]


def test_jamba_keeps_its_period_of_eight() -> None:
    model = read_config(BY_ID["Jamba-v0.1__s256__b1__eager__batched_mm"]["config"]).spec
    longer = with_layer_count(model, 64)
    assert [count for _, count in longer.main.order] == 2 * [count for _, count in model.main.order]


def test_100000_layers_that_alternate_are_a_few_runs_in_memory() -> None:
    model = read_config(BY_ID["Jamba-v0.1__s256__b1__eager__batched_mm"]["config"]).spec
    longer = with_layer_count(model, 100_000)
    assert longer.main.layer_count() == 100_000
    assert len({id(run) for run in longer.main.order}) == len(set(longer.main.order)) < 10 < len(longer.main.order)
