"""What fine-tuning a part of a model costs beside training all of it.

The exact count is the ledger's (``RunSpec.trainable``); these are the rules of thumb.
"""

from __future__ import annotations

from mfu_gui.engine.fields import N_
from mfu_gui.planning.formula import formula


@formula("L1.lora_over_full", expression=N_("(4 + 6·N_adapters/N) ÷ 6"), basis="model",
         source="frozen matrices keep the forward pass and the gradient of their input, 4 of 6",
         accuracy=N_("0.642 was measured for Llama 70B on H100: 4% less than the rule."))
def lora_over_full(adapter_share: float = 0.0) -> float:
    """FLOPs of a token with low-rank adapters over those of full training.  ``adapter_share`` is the
    adapters' parameters over the model's."""
    return (4.0 + 6.0 * adapter_share) / 6.0


@formula("L2.passes_per_parameter", expression=N_("2 forward, 2 for each gradient that is needed"), basis="model",
         source="2 FLOPs a parameter for each product")
def passes(trains_weights: bool, passes_gradient: bool) -> float:
    """FLOPs a parameter and token: 6 trained, 4 frozen with something trained before, 2 frozen prefix."""
    return 2.0 + 2.0 * trains_weights + 2.0 * passes_gradient


@formula("L3.forward_only_utilization", expression=N_("tokens/s × 2 × parameters ÷ peak"), basis="model",
         source="a frozen backbone that nothing trained stands before, forward pass alone")
def forward_only_utilization(tokens_per_s_per_device: float, parameters: float, peak_tflops: float) -> float:
    """Utilization of a run whose backbone runs forward only."""
    return tokens_per_s_per_device * 2.0 * parameters / (peak_tflops * 1e12)
