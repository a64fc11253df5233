"""Prefill, decode and the KV cache in closed form.

Sources: Pope et al. 2022, arXiv 2211.05102; kipply 2022, "Transformer inference arithmetic"; Databricks
2023, "LLM inference performance engineering" (MBU); DeepSeek-AI 2025, arXiv 2505.09343, table 1.
The exact counts of a model are in ``inference.py``.
"""

from __future__ import annotations

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.fields import N_
from mfu_gui.planning.formula import TERA, formula

KIPPLY = "kipply 2022, Transformer inference arithmetic"
MEASURED = N_("For 13B on A100-40GB, prefill came out 5 to 34% and decoding 32% faster than measured: "
              "collectives are not counted.")


@formula("I1.kv_bytes_per_token", expression=N_("layers × cached width × bytes"), unit="bytes", basis="exact",
         source="DeepSeek-AI 2025, arXiv 2505.09343, table 1")
def kv_bytes_per_token(layers: int, cached_width: int, bytes_per_value: float = 2.0) -> float:
    """Bytes the cache keeps of one token.  ``cached_width`` is 2·KV heads·head dimension, or latent plus
    rotary width of latent attention."""
    return layers * cached_width * bytes_per_value


@formula("I1.kv_cache_bytes", expression=N_("bytes per token × tokens × sequences"), unit="bytes", basis="exact",
         source="every layer keeps keys and values of every token")
def kv_cache_bytes(bytes_per_token: float, tokens: float, sequences: float) -> float:
    """Bytes of the cache of ``sequences`` that are ``tokens`` long."""
    return bytes_per_token * tokens * sequences


@formula("I2.mbu", expression=N_("(weights + KV cache) ÷ (time per token × bandwidth × devices)"), basis="exact",
         source="Databricks 2023, LLM inference performance engineering: best practices")
def bandwidth_utilization(bytes_read: float, time_per_token_s: float, bandwidth_gb_s: float,
                          devices: float = 1) -> float:
    """Model bandwidth utilization, a fraction: bytes that had to be read over those that could have been."""
    return bytes_read / (time_per_token_s * bandwidth_gb_s * 1e9 * devices)


@formula("I3.decode_lower_bound", expression=N_("bytes read ÷ (devices × bandwidth × efficiency)"), unit="s",
         basis="model", source=KIPPLY, accuracy=MEASURED)
def decode_time_s(bytes_read: float, devices: float, bandwidth_gb_s: float, efficiency: float = 1.0) -> float:
    """Least time of one decode step: what reading weights and cache takes.  Collectives are not in it."""
    return bytes_read / (devices * bandwidth_gb_s * 1e9 * efficiency)


@formula("I4.prefill_bound", expression=N_("2 × parameters × tokens ÷ (devices × peak × efficiency)"), unit="s",
         basis="model", source=KIPPLY, accuracy=MEASURED)
def prefill_time_s(parameters: float, tokens: float, devices: float, peak_tflops: float,
                   efficiency: float = 1.0) -> float:
    """Least time to read a prompt: what its products with parameters take."""
    return 2.0 * parameters * tokens / (devices * peak_tflops * TERA * efficiency)


@formula("I5.prefill_flops", expression=N_("2·N·s + 2·layers·h·s²"), unit="FLOP", basis="model",
         source="2 FLOPs a parameter and token; half of the pairs of 4·layers·h·s²")
def prefill_flops(parameters: float, layers: int, hidden_size: int, tokens: int) -> float:
    """FLOPs of reading a prompt, causal, the head at every position (``parameters`` contain it)."""
    return 2.0 * parameters * tokens + 2.0 * layers * hidden_size * float(tokens) ** 2


@formula("I6.decode_flops", expression=N_("2·N + 4·layers·h·context"), unit="FLOP", basis="model",
         source="2 FLOPs a parameter; scores and values of one query against the context")
def decode_flops(parameters: float, layers: int, hidden_size: int, context: int) -> float:
    """FLOPs of one generated token."""
    return 2.0 * parameters + 4.0 * layers * hidden_size * context


def _enough_tokens(tokens: float, experts: int, top_k: int) -> tuple[Notice, ...]:
    return (Notice("experts_assumed_even", "plan.inference.batch"),)


@formula("I7.experts_touched", expression="E·(1 − (1 − k/E)^batch)", basis="model", domain=_enough_tokens,
         source="expected number of distinct experts when each token chooses evenly and by itself")
def experts_touched(tokens: float, experts: int, top_k: int) -> float:
    """Experts of one layer whose weights a decode step of ``tokens`` tokens has to read, on average."""
    return float(experts * (1.0 - (1.0 - min(top_k, experts) / experts) ** tokens))


@formula("I8.ridge_batch", expression=N_("peak × bytes per parameter ÷ (2 × bandwidth)"), unit=N_("sequences"),
         basis="model", source="batch at which products with weights take as long as reading them")
def ridge_batch(peak_tflops: float, bandwidth_gb_s: float, weight_bytes: float = 2.0) -> float:
    """Batch above which decoding is bound by FLOPs and not by reading weights (the cache left out)."""
    return peak_tflops * TERA * weight_bytes / (2.0 * bandwidth_gb_s * 1e9)


@formula("I9.mfu", expression=N_("FLOPs ÷ (time × peak × devices)"), basis="exact", source="definition")
def utilization(flops: float, time_s: float, peak_tflops: float, devices: float = 1) -> float:
    """FLOPs utilization of a prefill or of decoding, a fraction."""
    return flops / (time_s * peak_tflops * TERA * devices)
