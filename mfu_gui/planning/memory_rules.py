"""The formulas behind the terms of a device's memory."""

from __future__ import annotations

from mfu_gui.engine.fields import N_
from mfu_gui.planning.formula import GIB, formula

ACCURACY = N_("11 measured peaks of dense models on B200 are met within 2.4%, 1.2% on the mean.")
ROUGH = N_("Half to twice as much is usual.")
RAJBHANDARI = "Rajbhandari et al. 2019, arXiv 1910.02054, section 5"
KORTHIKANTI = "Korthikanti et al. 2022, arXiv 2205.05198, section 4, for any shape of layer"


@formula("M1.sharded_states", expression=N_("(dense ÷ its shards + experts ÷ their shards) × bytes each"),
         unit="bytes", basis="exact", source=RAJBHANDARI)
def sharded_states(dense_parameters: float, dense_shards: int, expert_parameters: float, expert_shards: int,
                   bytes_per_parameter: float) -> float:
    """Bytes of one copy of the parameters on a device; the counts are those that tensor, pipeline and expert
    parallelism leave it."""
    return (dense_parameters / dense_shards + expert_parameters / expert_shards) * bytes_per_parameter


@formula("M1.optimizer_by_kind", expression=N_("matrices × bytes + other parameters × bytes + 4 × rows and columns"),
         unit="bytes", basis="exact",
         source="Shazeer and Stern 2018, arXiv 1804.04235; Liu et al. 2025, arXiv 2502.16982")
def optimizer_by_kind(matrix_parameters: float, matrix_bytes: float, other_parameters: float, other_bytes: float,
                      rows_and_columns: float = 0.0) -> float:
    """Optimizer states where matrices are treated apart (Muon) or their second moments factored (Adafactor);
    parameters and rows are those of one shard."""
    return matrix_parameters * matrix_bytes + other_parameters * other_bytes + 4.0 * rows_and_columns


@formula("M2.layers", expression=N_("micro-batches in flight × bytes that all layers keep of one"), unit="bytes",
         basis="model", source=KORTHIKANTI, accuracy=ACCURACY)
def layers_in_flight(in_flight: float, bytes_of_one_micro_batch: float) -> float:
    """Activations that the layers of a device keep for the backward pass."""
    return in_flight * bytes_of_one_micro_batch


@formula("M2.working_set", expression=N_("what the largest layer keeps while it is computed again"), unit="bytes",
         basis="model", source=KORTHIKANTI)
def working_set(bytes_of_one_layer: float) -> float:
    """Activations that exist only while one layer is recomputed."""
    return bytes_of_one_layer


@formula("M2.embedding", expression=N_("micro-batches in flight × positions × (8 + dropout mask)"), unit="bytes",
         basis="model", source="Megatron-LM: 64-bit token ids, one mask byte a value")
def embedding_input(in_flight: float, positions: float, mask_bytes: float) -> float:
    """Token ids and the dropout mask of the embedding, per position."""
    return in_flight * positions * (8 + mask_bytes)


@formula("M2.logits", expression=N_("positions × (logit bytes × vocabulary ÷ tensor + head input), more predictions"),
         unit="bytes", basis="model", accuracy=ACCURACY,
         source="16-bit logits with an fp32 softmax or gradient of them")
def logits(positions: float, logit_bytes: float, vocabulary: int, tensor: int, head_input_bytes: float,
           predictions: int = 1, prediction_layer_bytes: float = 0.0) -> float:
    """Logits of one micro-batch with the input of the last norm and the head; further prediction depths."""
    return (predictions * positions * (logit_bytes * vocabulary / tensor + head_input_bytes)
            + prediction_layer_bytes)


@formula("M2.key_blocks", expression=N_("2 × keys and values of one layer"), unit="bytes", basis="model",
         source="ring attention, Liu et al. 2023, arXiv 2310.01889: one block used, one received")
def key_blocks(bytes_of_a_block: float) -> float:
    """Keys and values on their way around a ring of context parallelism."""
    return 2.0 * bytes_of_a_block


@formula("M1.gathered_units", expression=N_("units × parameters of the largest × bytes"), unit="bytes", basis="model",
         source="ZeRO stage 3, FSDP: the unit in use and the one fetched ahead")
def gathered_units(units: int, parameters: float, bytes_per_parameter: float) -> float:
    """Weights that are whole while their layer runs."""
    return units * parameters * bytes_per_parameter


@formula("M1.gradient_scratch", expression=N_("parameters of the largest layer × bytes"), unit="bytes", basis="model",
         source="Transformer Engine with fp32 gradient accumulation in the product; found in measured peaks",
         accuracy=ACCURACY)
def gradient_scratch(parameters: float, bytes_per_parameter: float) -> float:
    """16-bit weight gradients of one layer before they are added to the fp32 ones."""
    return parameters * bytes_per_parameter


@formula("M4.fragmentation", expression=N_("allocated bytes × share"), unit="bytes", basis="assumption",
         source="reserved over allocated memory, usually 1.03 to 1.08",
         accuracy=N_("Allocators reserve 3 to 8% more than is allocated."))
def fragmentation(allocated: float, share: float) -> float:
    """What the allocator reserves and cannot use."""
    return allocated * share


@formula("M4.amount", expression=N_("a named amount"), unit="bytes", basis="assumption",
         source="CUDA context and framework 0.5 to 2 GiB, communication buffers 1 to 2 GiB", accuracy=ROUGH)
def amount(gib: float) -> float:
    """A number of GiB that somebody named."""
    return gib * GIB
