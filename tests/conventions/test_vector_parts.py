"""Rows of ``convention_vectors.json`` that are parts or variants of a convention's output."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest

from mfu_gui.engine.axes import axes_of
from mfu_gui.engine.conventions import chosen, find
from mfu_gui.engine.conventions.reading import Number, compile_reading, total2, units2_of
from mfu_gui.engine.model import GatedDeltaNet, Layer, ModelSpec, Stack
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.scenario import ConventionChoice

from .test_vectors import ROWS
from .vector_cases import case_of, per_step
from .vector_models import build, model_of

RowData = dict[str, Any]


def parts(row: RowData, convention_id: str, options: dict[str, Any] | None = None,
          model: ModelSpec | None = None) -> dict[str, tuple[Number, Number]]:
    """Forward and backward FLOPs of one step by component; products over pairs also under ``pairs``."""
    model = model or model_of(row["config"])
    run = RunSpec(sequence_length=row["seq_len"])
    axes = axes_of(model, run)
    convention = chosen(ConventionChoice(id=convention_id, options=options or {}))
    found: dict[str, tuple[Number, Number]] = {}
    for part in compile_reading(convention, model, row["config"].get("mtp_num_layers", 0)):
        units = Fraction(units2_of(part, axes, {}), 2)
        for name in (part.component, "pairs" if part.measure.kind == "pairs" else "positions", "all"):
            old = found.get(name, (0, 0))
            found[name] = (old[0] + part.forward * units, old[1] + part.backward * units)
    return found


def rows(label: str, output: str = "") -> list[RowData]:
    """Rows of one label whose output name begins so; there must be some."""
    found = [row for row in ROWS if row["convention"] == label and row["output_name"].startswith(output)]
    assert found
    return found


def close(ours: Number, theirs: Number, relative: float = 1e-6) -> bool:
    return abs(ours - theirs) <= abs(theirs) * Fraction(relative)


@pytest.mark.parametrize("row", rows("maxtext", "attention_tflops"), ids=lambda row: row["id"])
def test_maxtext_attention(row: RowData) -> None:
    found = parts(row, "maxtext")
    core = [found[name] for name in ("pairs", "linear_attention_core") if name in found]
    assert close(sum(sum(part) for part in core), per_step(row))


@pytest.mark.parametrize("row", rows("maxtext", "learnable_weight_tflops"), ids=lambda row: row["id"])
def test_maxtext_weights(row: RowData) -> None:
    found = parts(row, "maxtext")
    weights = sum(found["positions"]) - sum(found.get("linear_attention_core", (0, 0)))
    assert close(weights, per_step(row))


@pytest.mark.parametrize("row", rows("kaplan-2020", "C_fwd"), ids=lambda row: row["id"])
def test_kaplan_forward_counts_the_scores_once(row: RowData) -> None:
    # C_forward = 2N + 2·L·T·h: the 6N without embeddings forward, plus QKᵀ of the full square alone.
    scores = parts(row, "matmul-full")["attention_qk"][0]
    assert parts(row, "kaplan-2020")["all"][0] + scores == Fraction(row["value"]) * row["seq_len"]


@pytest.mark.parametrize("row", rows("colossalai-evaluator", "flop"), ids=lambda row: row["id"])
def test_colossalai_evaluator_has_the_form_of_gpt_neox_and_6n(row: RowData) -> None:
    recompute = row["config"]["enable_grad_checkpoint"]
    if row["output_name"] == "flop_megatron":
        ours = sum(parts(row, "gpt-neox-actual", {"recompute": recompute})["all"])
    else:
        ours = sum(parts(row, "6n")["all"]) * (Fraction(4, 3) if recompute else 1)
    assert ours == row["value"] or close(ours, Fraction(row["value"]), 1e-15)


@pytest.mark.parametrize("row", rows("lightning-measure_flops", "measure_flops(fwd only)"), ids=lambda row: row["id"])
def test_lightning_forward(row: RowData) -> None:
    assert parts(row, "lightning")["all"][0] == row["value"]


@pytest.mark.parametrize("row", rows("litgpt-estimate_flops", "estimate_flops(training=False)"),
                         ids=lambda row: row["id"])
def test_litgpt_inference_counts_attention_twice(row: RowData) -> None:
    # In training its attention has five passes instead of three, in inference two instead of one.
    found = parts(row, "litgpt")
    assert found["parameters_term"][0] + 2 * found["attention_term"][0] == row["value"]


@pytest.mark.parametrize("row", rows("hf-floating_point_ops", "floating_point_ops(exclude_embeddings=False)"),
                         ids=lambda row: row["id"])
def test_hugging_face_with_embeddings_is_6n(row: RowData) -> None:
    assert sum(parts(row, "6n")["all"]) == row["value"]


@pytest.mark.parametrize("row", rows("nanotron-starcoder2"), ids=lambda row: row["id"])
def test_starcoder2_is_the_exact_count_of_one_kv_head(row: RowData) -> None:
    model = build(row["config"] | {"kv_heads": 1})
    assert sum(parts(row, "matmul-full", model=model)["all"]) == row["value"]


@pytest.mark.parametrize("row", rows("eleuther-cookbook"), ids=lambda row: row["id"])
def test_cookbook_terms(row: RowData) -> None:
    terms = {name: Fraction(value) for name, value in re.findall(r'"(\w+)_flops": ([\d.]+)', row["note"])}
    found = parts(row, "eleuther-cookbook", {"recompute": row["config"]["checkpoint_activations"]})
    sums = {name: sum(part) for name, part in found.items()}
    assert sums["attention_proj"] == terms["qkv"] + terms["linear_projection"]
    assert sums["attention_qk"] == terms["attention_matrix"]
    assert sums["attention_av"] == terms["attention_over_values"]
    assert sums.get("mlp", 0) + sums.get("experts", 0) == terms["ffn"]
    assert sums["lm_head"] + sums["other"] == terms["embedding"]
    assert sums.get("router", 0) == terms.get("gating", 0)


@pytest.mark.parametrize("row", rows("prime-rl"), ids=lambda row: row["id"])
def test_prime_rl_active_weights(row: RowData) -> None:
    stated = re.search(r"active_mm_params=(\d+)", row["note"])
    assert stated is not None
    _, options = case_of(row) or ("", {})
    weights = parts(row, "prime-rl", options)["parameters_term"][0]
    assert weights == 2 * int(stated[1]) * row["seq_len"]


def _delta_net(config: dict[str, Any]) -> ModelSpec:
    mixer = GatedDeltaNet(key_heads=config["key_heads"], value_heads=config["value_heads"],
                          key_dim=config["head_dim"], value_dim=config["head_dim"], conv=config["conv"])
    stack = Stack(hidden_size=config["hidden"], kinds=(Layer(mixers=(mixer,), norms=0),), order=(("layer", 1),),
                  final_norm=False)
    return ModelSpec(stacks=(stack,), head=None)


@pytest.mark.parametrize("label", ["megatron-lm", "olmo-core"])
def test_one_delta_net_layer(label: str) -> None:
    # OLMo-core counts the forward pass only: exactly a third of Megatron's.
    row = next(row for row in rows(label) if row["model"].startswith("one GDN layer"))
    model = _delta_net(row["config"])
    run = RunSpec(sequence_length=row["seq_len"])
    total = Fraction(total2(find(label), model, run, axes_of(model, run), {})) / 2
    assert total / row["seq_len"] == row["value"]


def test_every_row_is_used() -> None:
    used = {"maxtext", "kaplan-2020", "colossalai-evaluator", "lightning-measure_flops", "litgpt-estimate_flops",
            "hf-floating_point_ops", "nanotron-starcoder2"}
    for row in ROWS:
        assert case_of(row) is not None or row["convention"] in used or row["model"].startswith("one GDN layer")
