"""Closed forms for memory that papers print.  The program's own count is in ``memory.py``; these are
what it is held against, and what the formulas behind its terms are called.

Sources: Rajbhandari et al. 2019, arXiv 1910.02054 (ZeRO); Korthikanti et al. 2022, arXiv 2205.05198
(activations).  16-bit activations, h→4h MLP without a gate, as many KV heads as heads, dropout kept.
"""

from __future__ import annotations

from typing import Literal

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.fields import N_
from mfu_gui.planning import memory_domains as domains
from mfu_gui.planning.formula import formula

KORTHIKANTI = "Korthikanti et al. 2022, arXiv 2205.05198, tables 2 and 5, figures 1 and 7"
ANALYTIC = N_("The paper's figures are computed, not measured; they come out exactly.")

RelativeMode = Literal["seq", "sel", "seqsel", "full"]


@formula("M1.block_states", expression=N_("12·h²·layers × bytes per parameter ÷ (tensor × pipeline)"), unit="bytes",
         basis="model", source=KORTHIKANTI, accuracy=ANALYTIC, domain=domains.width_and_stages)
def block_states(hidden_size: int, layers: int, tensor: int, pipeline: int, bytes_per_parameter: float) -> float:
    """Parameters, gradients and optimizer of the layers of a GPT, embeddings left out."""
    return 12.0 * hidden_size**2 * layers * bytes_per_parameter / (tensor * pipeline)


@formula("M1.zero_paper", expression=N_("parameters × (2 + 2 + K), parts of it ÷ replicas by ZeRO stage"),
         unit="bytes", basis="exact", source="Rajbhandari et al. 2019, arXiv 1910.02054, figure 1",
         domain=domains.zero_of_replicas)
def zero_states(parameters: float, replicas: int, stage: int, optimizer_bytes: float = 12.0) -> float:
    """States of mixed-precision Adam under ZeRO ``stage`` 0 to 3 over ``replicas``."""
    return state_bytes(parameters, 2.0, 2.0, optimizer_bytes, replicas, stage)


@formula("M1.state_bytes", expression=N_("parameters × (weight + gradient + optimizer bytes), sharded by ZeRO stage"),
         unit="bytes", basis="exact", source="Rajbhandari et al. 2019, arXiv 1910.02054, section 5",
         domain=domains.zero_of_shards)
def state_bytes(parameters: float, weight_bytes: float, gradient_bytes: float, optimizer_bytes: float, shards: float,
                stage: int) -> float:
    """Weights, gradients and optimizer of the parameters on one device.

    Stage 0 shards nothing over ``shards`` devices, 1 the optimizer, 2 gradients too, 3 weights too.
    """
    optimizer = optimizer_bytes / (shards if stage >= 1 else 1)
    gradient = gradient_bytes / (shards if stage >= 2 else 1)
    weight = weight_bytes / (shards if stage >= 3 else 1)
    return parameters * (weight + gradient + optimizer)


@formula("M1.bytes_per_parameter", expression=N_("sum of the bytes of every copy"), unit=N_("bytes/parameter"),
         basis="exact", source="sum of the named copies")
def bytes_per_parameter(weight_bytes: float = 0.0, master_bytes: float = 0.0, gradient_bytes: float = 0.0,
                        main_gradient_bytes: float = 0.0, moment_bytes: float = 0.0) -> float:
    """Bytes of model states for one parameter: 16, 18 and 20 are all called mixed-precision Adam."""
    return weight_bytes + master_bytes + gradient_bytes + main_gradient_bytes + moment_bytes


@formula("M1.gpt_parameters", expression=N_("layers·(12h² + 13h) + V·h"), unit=N_("parameters"), basis="exact",
         source="GPT-3 shapes with all biases and norms, tied head, no position table")
def gpt_parameters(hidden_size: int, layers: int, vocabulary: int) -> int:
    """Parameters of a GPT without its position table and final norm."""
    return layers * (12 * hidden_size**2 + 13 * hidden_size) + vocabulary * hidden_size


@formula("M1.parameters_12lh2", expression=N_("12·layers·h²"), unit=N_("parameters"), basis="model",
         source="layers of a GPT, all smaller parts left out")
def approximate_parameters(hidden_size: int, layers: int) -> int:
    """Parameters in the layers of a GPT, or of a Llama with a gated MLP of 8h/3."""
    return 12 * layers * hidden_size**2


@formula("M1.parameters_llama_8h3", expression=N_("(8 + 2 + 2·KV heads ÷ heads)·layers·h² + 2·V·h"),
         unit=N_("parameters"), basis="model", source="Llama shapes with an MLP of exactly 8h/3, norms left out")
def llama_parameters(hidden_size: int, layers: int, vocabulary: int, heads: int = 1, kv_heads: int = 1) -> int:
    """Parameters of a Llama-like model whose gated MLP is 8h/3 wide."""
    attention = 2 * hidden_size**2 + 2 * hidden_size**2 * kv_heads // heads
    return layers * (8 * hidden_size**2 + attention) + 2 * vocabulary * hidden_size


def _core_bytes(sequence_length: int, micro_batch: int, heads: int) -> float:
    """5as²b: softmax, its dropout mask and its output."""
    return 5.0 * heads * sequence_length**2 * micro_batch


def _interleaving(pipeline: int, virtual_pipeline: int) -> float:
    """Layers' worth of activations on the first stage over the layers there are."""
    return 1.0 + (pipeline - 1) / (pipeline * virtual_pipeline) if virtual_pipeline > 1 else 1.0


@formula("M2.korthikanti", expression=N_("s·b·h·layers·(34 + 5·heads·s/h)"), unit="bytes", basis="model",
         source=KORTHIKANTI, accuracy=ANALYTIC, domain=domains.heads_and_stages)
def activations(sequence_length: int, micro_batch: int, hidden_size: int, heads: int, layers: int) -> float:
    """Activations of a GPT without any parallelism or recomputation."""
    linear = 34.0 * sequence_length * micro_batch * hidden_size
    return layers * (linear + _core_bytes(sequence_length, micro_batch, heads))


@formula("M2.korthikanti_tp", expression=N_("s·b·h·layers·(10 + 24/t + 5·heads·s/(h·t)), in flight on stage 0"),
         unit="bytes", basis="model", source=KORTHIKANTI, accuracy=ANALYTIC, domain=domains.heads_and_stages)
def activations_tensor(sequence_length: int, micro_batch: int, hidden_size: int, heads: int, layers: int, tensor: int,
                       pipeline: int = 1, virtual_pipeline: int = 1) -> float:
    """Activations on the first stage with tensor parallelism alone."""
    linear = sequence_length * micro_batch * hidden_size * (10.0 + 24.0 / tensor)
    core = _core_bytes(sequence_length, micro_batch, heads) / tensor
    return layers * _interleaving(pipeline, virtual_pipeline) * (linear + core)


@formula("M2.korthikanti_tp_sp_selective", expression=N_("34·s·b·h·layers/t, in flight on stage 0"), unit="bytes",
         basis="model", source=KORTHIKANTI, accuracy=ANALYTIC, domain=domains.heads_and_stages)
def activations_sequence_selective(sequence_length: int, micro_batch: int, hidden_size: int, heads: int, layers: int,
                                   tensor: int, pipeline: int = 1, virtual_pipeline: int = 1) -> float:
    """Activations on the first stage with sequence parallelism, the attention core recomputed.

    ``heads`` does not matter here; it is taken so that the three forms can be called alike.
    """
    linear = 34.0 * sequence_length * micro_batch * hidden_size / tensor
    return layers * _interleaving(pipeline, virtual_pipeline) * linear


def _known_mode(hidden_size: int, heads: int, sequence_length: int, tensor: int, mode: RelativeMode,
                ) -> tuple[Notice, ...]:
    return domains.does_not_divide("heads_by_tensor", "run.parallel.tensor", heads, tensor)


@formula("M2.relative_per_layer", expression=N_("activations of one layer ÷ those with tensor parallelism alone"),
         unit="%", basis="model", source=KORTHIKANTI, domain=_known_mode,
         accuracy=N_("Within 1.1% of the figures read off the paper's chart."))
def relative_per_layer(hidden_size: int, heads: int, sequence_length: int, tensor: int, mode: RelativeMode) -> float:
    """Percent of the tensor-parallel baseline that a layer keeps under sequence parallelism (``seq``),
    selective recomputation (``sel``), both, or full recomputation."""
    core = 5.0 * heads * sequence_length / (hidden_size * tensor)
    kept = {"seq": 34.0 / tensor + core, "sel": 10.0 + 24.0 / tensor, "seqsel": 34.0 / tensor, "full": 2.0}[mode]
    return 100.0 * kept / (10.0 + 24.0 / tensor + core)
