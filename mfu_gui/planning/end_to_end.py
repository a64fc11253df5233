"""From tokens to FLOPs, days, device-hours and money.

Sources: Kaplan et al. 2020, arXiv 2001.08361 (6ND); Narayanan et al. 2021, arXiv 2104.04473, section 5.1
(8ND with full recomputation); Chowdhery et al. 2022, arXiv 2204.02311, appendix B (MFU).
"""

from __future__ import annotations

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.fields import N_
from mfu_gui.planning.formula import SECONDS_PER_DAY, SECONDS_PER_HOUR, TERA, formula

LARGE_ATTENTION_SHARE = 0.05
"""Above this, 6ND leaves out too much."""


@formula("E1.6ND", expression=N_("6 × active parameters × tokens"), unit="FLOP", basis="model",
         source="Kaplan et al. 2020, arXiv 2001.08361",
         accuracy=N_("Within 5% of the published FLOPs of 18 of 25 models; "
                     "elsewhere those come from logs or device-hours."))
def six_nd(active_parameters: float, tokens: float) -> float:
    """Training FLOPs without attention scores; ``active_parameters`` are those a token passes through."""
    return 6.0 * active_parameters * tokens


@formula("E4.causal_flops_per_token", expression=N_("6·N + 6·layers·h·s"), unit=N_("FLOP/token"), basis="model",
         source="Chowdhery et al. 2022, arXiv 2204.02311, appendix B, with half of the pairs",
         accuracy=N_("0.5 to 6% above what performance tables of Megatron-Bridge imply."))
def causal_flops_per_token(parameters: float, layers: int, hidden_size: int, sequence_length: int) -> float:
    """Training FLOPs of one token, attention over the causal half."""
    return 6.0 * parameters + 6.0 * layers * hidden_size * sequence_length


@formula("E5.deepseek_v3_per_token", expression=N_("6·N + 6·layers·heads·(qk + v)·s, half of it when causal"),
         unit=N_("FLOP/token"), basis="model", source="DeepSeek-AI 2025, arXiv 2505.09343, table 2")
def latent_flops_per_token(active_parameters: float, layers: int, heads: int, qk_dim: int, value_dim: int,
                           sequence_length: int, causal: bool = True) -> float:
    """Training FLOPs of one token of a model with latent attention."""
    core = 6.0 * layers * heads * (qk_dim + value_dim) * sequence_length
    return 6.0 * active_parameters + core * (0.5 if causal else 1.0)


@formula("E6.attention_share", expression=N_("2·layers·heads·head dimension·s·γ ÷ N"), basis="model",
         source="ratio of 12·layers·h·s·γ to 6·N")
def attention_share(active_parameters: float, attention_width: float, sequence_length: int,
                    pairs: float = 0.5) -> float:
    """What attention scores add to 6ND, as a fraction of it.

    ``attention_width`` is Σ over layers of heads × head dimension, ``pairs`` γ: 1 for the full square.
    """
    return 2.0 * attention_width * sequence_length * pairs / active_parameters


def _recompute_is_full(parameters: float, tokens: float, devices: float, tflops_per_device: float,
                       ) -> tuple[Notice, ...]:
    return (Notice("assumes_full_recompute", "run.recompute"),)


@formula("E2.time_8ND_full_recompute", expression=N_("8 × parameters × tokens ÷ (devices × hardware FLOP/s)"), unit="s",
         basis="model", source="Narayanan et al. 2021, arXiv 2104.04473, section 5.1", domain=_recompute_is_full,
         accuracy=N_("Within 3.5% of 11 published rows."))
def time_with_full_recompute_s(parameters: float, tokens: float, devices: float, tflops_per_device: float) -> float:
    """Seconds of training when every layer is computed again; ``tflops_per_device`` counts that work too."""
    return 8.0 * parameters * tokens / (devices * tflops_per_device * TERA)


@formula("E2.time", expression=N_("FLOPs ÷ (devices × peak × MFU × goodput)"), unit="s", basis="model",
         source="Chowdhery et al. 2022, arXiv 2204.02311, appendix B, solved for time")
def training_time_s(flops: float, devices: float, peak_tflops: float, mfu: float, goodput: float = 1.0) -> float:
    """Seconds of wall time for ``flops`` model FLOPs; ``mfu`` is that of the steps, ``goodput`` the share
    of the wall time that steps take."""
    return flops / (devices * peak_tflops * TERA * mfu * goodput)


@formula("E2.time_from_throughput", expression=N_("tokens ÷ (tokens per second × goodput)"), unit="s", basis="exact",
         source="definition")
def time_from_throughput_s(tokens: float, tokens_per_s: float, goodput: float = 1.0) -> float:
    """Seconds of wall time for ``tokens`` at a throughput."""
    return tokens / (tokens_per_s * goodput)


@formula("E2.time_from_steps", expression=N_("steps × step time"), unit="s", basis="exact", source="definition")
def time_from_steps_s(steps: float, step_time_s: float) -> float:
    """Seconds that ``steps`` take, nothing else counted."""
    return steps * step_time_s


@formula("E3.device_hours", expression=N_("devices × seconds ÷ 3600"), unit="h", basis="exact", source="definition")
def device_hours(devices: float, seconds: float) -> float:
    """Device-hours of a wall time."""
    return devices * seconds / SECONDS_PER_HOUR


@formula("E3.cost", expression=N_("device-hours × price"), basis="exact",
         source="definition; DeepSeek-AI 2024, arXiv 2412.19437, table 1")
def cost(device_hours: float, price_per_device_hour: float) -> float:
    """Money, in the currency of the price."""
    return device_hours * price_per_device_hour


@formula("E3.days_per_T", expression=N_("device-hours per trillion tokens ÷ (devices × 24)"), unit=N_("days"),
         basis="exact", source="DeepSeek-AI 2024, arXiv 2412.19437")
def days_per_trillion(device_hours_per_trillion: float, devices: int) -> float:
    """Days for a trillion tokens."""
    return device_hours_per_trillion / devices / 24.0


@formula("E3.hours_per_T", expression=N_("device-hours ÷ tokens × 10¹²"), unit="h", basis="exact", source="definition")
def hours_per_trillion(device_hours: float, tokens: float) -> float:
    """Device-hours for a trillion tokens."""
    return device_hours / tokens * 1e12


@formula("E3.utilization_from_hours", expression=N_("FLOPs ÷ (device-hours × 3600 × peak)"), basis="exact",
         source="definition; contains downtime, restarts and everything else that was billed")
def utilization_from_hours(flops: float, device_hours: float, peak_tflops: float) -> float:
    """Whole-run utilization: model FLOPs over what the billed hours could have done.  Not an MFU of steps."""
    return flops / (device_hours * SECONDS_PER_HOUR * peak_tflops * TERA)


@formula("E3.mfu_from_gpu_hours", expression=N_("6 × parameters × tokens ÷ (device-hours × 3600 × peak)"),
         basis="model", source="6ND over device-hours; contains downtime, and leaves out attention scores")
def utilization_from_hours_6nd(active_parameters: float, tokens: float, device_hours: float,
                               peak_tflops: float) -> float:
    """Whole-run utilization by 6ND.  Below the MFU of the steps, because it contains downtime."""
    return six_nd(active_parameters, tokens) / (device_hours * SECONDS_PER_HOUR * peak_tflops * TERA)


@formula("T6.tokens_per_day", expression=N_("86400 ÷ step time × batch × sequence length"), unit=N_("tokens/day"),
         basis="exact", source="definition")
def tokens_per_day(step_time_s: float, global_batch: int, sequence_length: int) -> float:
    """Tokens of a day at a step time."""
    return SECONDS_PER_DAY / step_time_s * global_batch * sequence_length
