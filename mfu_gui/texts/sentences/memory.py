"""What does not divide in a layout, and what an estimate of memory assumes."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

SENTENCES: dict[str, str | tuple[str, ...]] = {
    "accumulation_needs": N_("Accumulation follows from micro-batch, replicas and global batch, and gives one of them: two of the three must be known."),
    "heads_by_tensor": (
        N_("{value:integer} attention heads cannot be divided over {divisor:integer} tensor-parallel devices. Nearest that divide everything: {offers}."),
        N_("{value:integer} attention heads cannot be divided over {divisor:integer} tensor-parallel devices."),
    ),
    "kv_heads_by_tensor": N_("{value:integer} KV heads can neither be divided over {divisor:integer} tensor-parallel devices nor copied evenly. Nearest that divide everything: {offers}."),
    "kv_heads_copied": N_("Each of {value:integer} KV heads is kept on {copies:integer} devices, because tensor parallelism is {divisor:integer}."),
    "mlp_by_tensor": N_("An MLP width of {value:integer} cannot be divided over {divisor:integer} tensor-parallel devices. Nearest that divide everything: {offers}."),
    "hidden_by_tensor": (
        N_("A hidden size of {value:integer} cannot be divided over {divisor:integer} tensor-parallel devices. Nearest that divide everything: {offers}."),
        N_("A hidden size of {value:integer} cannot be divided over {divisor:integer} tensor-parallel devices."),
    ),
    "hidden_by_heads": N_("A hidden size of {value:integer} cannot be divided into {divisor:integer} heads; the formula was made for heads of hidden ÷ heads."),
    "vocabulary_padded": N_("The vocabulary of {value:integer} does not divide over tensor parallelism; frameworks pad it to {padded:integer}, which is not counted."),
    "sequence_by_context": N_("Context parallelism cuts a sequence into {divisor:integer} parts; {value:integer} tokens cannot be cut so. Nearest sizes that can: {offers}."),
    "sequence_by_tensor": N_("Sequence parallelism divides {value:integer} tokens over {divisor:integer} devices, which does not work out. Nearest sizes that do: {offers}."),
    "virtual_without_pipeline": N_("{value:integer} virtual stages need a pipeline."),
    "more_stages_than_layers": (
        N_("{value:integer} layers are fewer than {divisor:integer} stages. Nearest numbers of stages that divide them: {offers}."),
        N_("{value:integer} layers are fewer than {divisor:integer} stages."),
    ),
    "layers_by_stages": (
        N_("{value:integer} layers on {divisor:integer} stages: {most:integer} on {more:integer}, {base:integer} on {fewer:integer} (the ends first). Nearest numbers of stages that divide them: {offers}."),
        N_("{value:integer} layers do not divide into {divisor:integer} equal stages, so some get one more."),
    ),
    "dualpipe_needs_even": (
        N_("DualPipe needs an even number of stages, not {value:integer}. Nearest: {offers}."),
        N_("DualPipe needs an even number of stages."),
    ),
    "micro_batches_by_stages": N_("The interleaved schedule wants micro-batches in multiples of the {divisor:integer} stages, not {value:integer}. Nearest global batches: {offers}."),
    "fewer_micro_batches_than_stages": (
        N_("{value:integer} micro-batches cannot fill {divisor:integer} stages: most of the pipeline waits. The least global batch that fills it: {offers}."),
        N_("There are fewer micro-batches than stages: most of the pipeline waits."),
    ),
    "expert_parallel_without_experts": N_("The model has no experts to spread over {value:integer} devices."),
    "experts_by_expert_parallel": N_("{value:integer} experts cannot be divided over {divisor:integer} devices. Nearest that do: {offers}."),
    "expert_width_by_tensor": N_("An expert width of {value:integer} cannot be divided over {divisor:integer} devices. Nearest that do: {offers}."),
    "devices_by_experts": (
        N_("The {value:integer} devices of a stage cannot be divided into groups of {divisor:integer} that hold all experts. Nearest sizes that can: {offers}."),
        N_("The {value:integer} devices of a stage cannot be divided into groups of {divisor:integer} that hold all experts."),
    ),
    "zero_with_pipeline": N_("ZeRO stage {value} gathers or reduces for every micro-batch of a pipeline; frameworks use stage 0 or 1 there."),
    "stage_layers_sum": (
        N_("The layers of the stages must be {length} numbers that add up to {layers}; these are {found_length} that add up to {total}."),
        N_("The layers of the stages do not add up to those of the model."),
    ),
    "peer_leaves_out": N_("This report does not know some parts of the model: {parts}."),
    "memory_devices_assumed": N_("The number of devices is not given; {devices:integer} are taken, the fewest of this layout."),
    "memory_layout_assumed": N_("No layout is given: every device is taken for a replica of the whole model."),
    "memory_micro_batch_assumed": N_("No micro-batch is given: one sequence is taken."),
    "memory_flash_assumed": N_("A flash kernel is taken, which keeps no attention scores."),
    "memory_mixers_rough": N_("For some of its layers ({kinds}) no closed form is published: their activations are right in order of magnitude only."),
    "memory_recipe_without_adapters": N_("“{value}” is for adapters, but the run trains all parameters."),
    "memory_tower_on_first_stage": N_("The vision tower is taken to stand on the first stage."),
}
