"""What other tools print for memory, so that their figures can be explained.

Each function states the tool's rule as it is, its slips included; the program's own count is in
``memory.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.fields import N_
from mfu_gui.planning.formula import formula


class MegatronArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Megatron-LM's arguments that its memory report reads, with its defaults."""

    hidden_size: int
    num_attention_heads: int
    num_layers: int
    world_size: int
    ffn_hidden_size: int | None = None
    num_query_groups: int | None = None
    group_query_attention: bool = False
    kv_channels: int | None = None
    swiglu: bool = False
    normalization: Literal["LayerNorm", "RMSNorm"] = "LayerNorm"
    untie_embeddings_and_output_weights: bool = False
    padded_vocab_size: int = 51200
    seq_length: int = 2048
    micro_batch_size: int = 1
    num_microbatches: int | None = None
    tensor_model_parallel_size: int = 1
    pipeline_model_parallel_size: int = 1
    virtual_pipeline_model_parallel_size: int | None = None
    expert_model_parallel_size: int = 1
    expert_tensor_parallel_size: int | None = None
    context_parallel_size: int = 1
    use_distributed_optimizer: bool = False
    num_experts: int | None = None
    moe_ffn_hidden_size: int = 0
    moe_router_topk: int = 2
    moe_shared_expert_intermediate_size: int = 0
    moe_layer_freq: tuple[int, ...] | None = None
    multi_latent_attention: bool = False
    q_lora_rank: int | None = None
    kv_lora_rank: int = 0
    qk_head_dim: int = 0
    qk_pos_emb_head_dim: int = 0
    v_head_dim: int = 0

    @property
    def ffn(self) -> int:
        """Width of the dense MLP."""
        return self.ffn_hidden_size or 4 * self.hidden_size

    @property
    def norm_vectors(self) -> int:
        """Learned vectors of one norm."""
        return 1 if self.normalization == "RMSNorm" else 2


MEGATRON = "Megatron-LM, theoretical_memory_usage, commit d98e8a64dd"


@formula("M1.megatron_report_theoretical_memory.weights_opt",
         expression=N_("parameters of the fullest stage × (18, or 6 + 12 ÷ replicas)"), unit="bytes", basis="model",
         source=MEGATRON)
def megatron_states(arguments: MegatronArguments) -> float:
    """Weights and optimizer as Megatron-LM reports them: experts, sharded and replicated parts apart."""
    a = arguments
    tensor, pipeline = a.tensor_model_parallel_size, a.pipeline_model_parallel_size
    sharded, replicated, routed = _megatron_layers(a)
    embedding = a.hidden_size * a.padded_vocab_size
    tables = embedding * (2 if a.untie_embeddings_and_output_weights and pipeline == 1 else 1)
    dense = (sharded / pipeline + tables) / tensor + replicated / pipeline
    expert_shards = (a.expert_tensor_parallel_size or tensor) * a.expert_model_parallel_size
    replicas = a.world_size // (tensor * pipeline * a.context_parallel_size)
    expert_replicas = a.world_size // (expert_shards * pipeline)
    return (dense * _megatron_bytes(a, replicas)
            + routed / (expert_shards * pipeline) * _megatron_bytes(a, expert_replicas))


def _megatron_bytes(a: MegatronArguments, replicas: int) -> float:
    return 6.0 + 12.0 / replicas if a.use_distributed_optimizer else 18.0


def _megatron_layers(a: MegatronArguments) -> tuple[float, float, float]:
    """(sharded by tensor parallelism, replicated, routed experts) of all layers."""
    h, matrices = a.hidden_size, 3 if a.swiglu else 2
    moe = sum(a.moe_layer_freq) if a.moe_layer_freq is not None else a.num_layers if a.num_experts else 0
    experts = a.num_experts or 0
    sharded = a.num_layers * _megatron_attention(a) + (a.num_layers - moe) * matrices * h * a.ffn
    sharded += moe * matrices * h * a.moe_shared_expert_intermediate_size
    replicated = a.num_layers * 2 * h * a.norm_vectors + moe * h * experts + h * a.norm_vectors
    return sharded, replicated, moe * matrices * h * a.moe_ffn_hidden_size * experts


def _megatron_attention(a: MegatronArguments) -> float:
    h, heads = a.hidden_size, a.num_attention_heads
    if not a.multi_latent_attention:
        groups = a.num_query_groups if a.group_query_attention and a.num_query_groups else heads
        width = (a.kv_channels or h // heads) * heads
        return 2.0 * h * width * (1.0 + groups / heads)
    qk = heads * (a.qk_head_dim + a.qk_pos_emb_head_dim)
    query = h * qk if a.q_lora_rank is None else a.q_lora_rank * (h + qk + a.norm_vectors)
    latent = a.kv_lora_rank * (h + heads * (a.qk_head_dim + a.v_head_dim) + a.norm_vectors)
    return float(query + latent + h * a.qk_pos_emb_head_dim + heads * a.v_head_dim * h)


def _known_to_megatron(arguments: MegatronArguments) -> tuple[Notice, ...]:
    """What the report leaves out although the model has it."""
    a = arguments
    heads = a.num_query_groups or a.num_attention_heads
    unknown = {"gated_mlp": a.swiglu, "experts": bool(a.num_experts), "latent_attention": a.multi_latent_attention,
               "grouped_queries": a.group_query_attention and heads != a.num_attention_heads}
    left_out = [name for name, present in unknown.items() if present]
    return (Notice("peer_leaves_out", "model", {"parts": left_out}),) if left_out else ()


@formula("M2.megatron_report_theoretical_memory.activations_sp",
         expression=N_("s·b·h·(18 + 4·MLP width/h)·layers ÷ t, in flight on stage 0, with embedding and logits"),
         unit="bytes", basis="model", source=MEGATRON,
         accuracy=N_("Knows no grouped queries, gated MLPs or experts."), domain=_known_to_megatron)
def megatron_activations(arguments: MegatronArguments) -> float:
    """Activations as Megatron-LM reports them with sequence parallelism and selective recomputation."""
    a = arguments
    positions = a.seq_length * a.micro_batch_size
    pipeline, virtual = a.pipeline_model_parallel_size, a.virtual_pipeline_model_parallel_size
    total = positions * a.hidden_size * (18.0 + 4.0 * a.ffn / a.hidden_size) * a.num_layers
    total += positions * pipeline * (8 + a.hidden_size)
    if virtual is not None:
        total *= 1.0 + (pipeline - 1) / (pipeline * virtual)
    elif pipeline > 1 and a.num_microbatches is not None:
        total *= min(1.0, a.num_microbatches / pipeline)
    if pipeline == 1:
        total += 4.0 * positions * (a.hidden_size + a.padded_vocab_size)
    return total / a.tensor_model_parallel_size


DEEPSPEED = "DeepSpeed, estimate_zero2/zero3_model_states_mem_needs"
BUFFER_FACTOR = 1.5
"""DeepSpeed's allowance for buffers; the printed estimates of GPU memory do not contain it."""


@formula("M1.deepspeed_zero2", expression=N_("2·N + 18·N ÷ devices; with the optimizer offloaded 2·N"), unit="bytes",
         basis="model", source=DEEPSPEED)
def deepspeed_zero2(parameters: float, devices: int, optimizer_offload: bool = False) -> float:
    """States on one device under ZeRO-2, as DeepSpeed estimates them."""
    return 2.0 * parameters + (0.0 if optimizer_offload else 18.0 * parameters / devices)


Offload = Literal["none", "optimizer", "optimizer+param"]


@formula("M1.deepspeed_zero3", expression=N_("4·N of the largest layer + (18 | 2 | 0)·N ÷ devices"), unit="bytes",
         basis="model", source=DEEPSPEED)
def deepspeed_zero3(parameters: float, largest_layer: float, devices: int, offload: Offload = "none") -> float:
    """States on one device under ZeRO-3, as DeepSpeed estimates them; offloading leaves 2 or 0 of 18 bytes."""
    left = {"none": 18.0, "optimizer": 2.0, "optimizer+param": 0.0}[offload]
    return 4.0 * largest_layer + left * parameters / devices


class CookbookMemory(msgspec.Struct, frozen=True, kw_only=True):
    """What EleutherAI's calculator prints; bytes on one device."""

    parameters: float
    activation_bytes: float
    model_bytes: float
    gradient_bytes: float
    optimizer_bytes: float


@formula("M3.eleuther_calc_transformer_mem",
         expression=N_("gradients divided by ZeRO alone, ZeRO by all devices, activations only if partitioned"),
         basis="model", source="EleutherAI cookbook, calc_transformer_mem, commit 827ee3b",
         accuracy=N_("Gradients are not divided by tensor or pipeline parallelism, so large models come out "
                     "far too high."))
def cookbook_memory(hidden_size: int, layers: int, heads: int, sequence_length: int, micro_batch: int,
                    vocabulary: int = 51200, devices: int = 1, tensor: int = 1, pipeline: int = 1, zero_stage: int = 1,
                    checkpointing: bool = False, partition_activations: bool = False, expansion: float = 4.0,
                    mlp_matrices: int = 2, kv_ratio: float = 1.0) -> CookbookMemory:
    """Memory as the calculator prints it, its slips included."""
    h = hidden_size
    parameters = (2 * vocabulary * h + h * sequence_length + 8 * h * layers + 2 * h
                  + 2 * (1 + kv_ratio) * layers * h**2 + mlp_matrices * layers * expansion * h**2)
    linear = 34.0 * sequence_length * micro_batch * h * layers
    core = 0.0 if checkpointing else 5.0 * heads * sequence_length**2 * micro_batch * layers
    shards = _shards(devices, zero_stage)
    return CookbookMemory(
        parameters=parameters, activation_bytes=(linear + core) / (tensor if partition_activations else 1),
        model_bytes=2.0 * parameters / (tensor * pipeline) / shards[2],
        gradient_bytes=4.0 * parameters / shards[1], optimizer_bytes=12.0 * parameters / shards[0])


def _shards(devices: int, zero_stage: int) -> Sequence[int]:
    """What optimizer, gradients and weights are divided by."""
    return [devices if zero_stage >= stage else 1 for stage in (1, 2, 3)]
