"""Parameters and FLOPs, forward and backward, by component, of every kind of model: equal to what counting
the operators of real model code gives.

``as_executed`` throughout: the reference code forms CBᵀ once a head instead of once a group, pads the last
chunk of a state-space core and carries chunk states by a product, convolves kernel − 1 positions that it then
cuts off, and in Llama 4 multiplies every token by every expert.  ``test_model_count.py`` holds the count
without these.
"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.run import Trainable
from mfu_gui.formats.hf_config import read_config
from tests.engine_models.ground_truth import CASES, MEASURED, counted, measured, run_of, sees_everything

FULL = [case for case in CASES if sees_everything(case) and case["train_mode"] == "full"]
UNFUSED = [case for case in FULL if "attention_sdpa" not in case["flops_forward_breakdown"]]
FUSED = [case for case in FULL if "attention_sdpa" in case["flops_forward_breakdown"]]


@pytest.mark.parametrize("case", UNFUSED, ids=lambda case: case["id"])
def test_forward_and_backward_by_component(case: dict[str, Any]) -> None:
    forward, backward, _ = counted(read_config(case["config"]).spec, run_of(case), as_executed=True)
    assert (forward, backward) == measured(case)
    assert sum(forward.values()) + sum(backward.values()) == case["flops_forward_backward"]


@pytest.mark.parametrize("case", FUSED, ids=lambda case: case["id"])
def test_a_fused_kernel_computes_the_scores_once_more(case: dict[str, Any]) -> None:
    """Its backward has five products for two: 2.5 times the forward, 2.6 times with DeepSeek's 192 / 128 heads."""
    run = run_of(case, attention_kernel="flash")
    forward, backward, repeated = counted(read_config(case["config"]).spec, run, as_executed=True)
    scores = repeated.pop("attention_qk")
    assert repeated == {}
    for parts, extra in ((forward, 0), (backward, scores)):
        parts["attention_sdpa"] = parts.pop("attention_qk") + parts.pop("attention_av") + extra
    assert (forward, backward) == measured(case)


@pytest.mark.parametrize("case", MEASURED, ids=lambda case: case["id"])
def test_small_models_of_every_kind(case: dict[str, Any]) -> None:
    model = read_config(case["config"]).spec
    assert ledger(model).parameters.total == case["params_total"]
    trainable = "full" if case["trainable"] is None else msgspec.convert(case["trainable"], Trainable)
    forward, backward, _ = counted(model, run_of(case, trainable=trainable), as_executed=True)
    assert (forward, backward) == measured(case)
