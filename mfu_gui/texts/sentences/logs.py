"""Training logs."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

SENTENCES: dict[str, str | tuple[str, ...]] = {
    "log_not_text": N_("This is neither text nor a TensorBoard event file."),
    "log_compressed": N_("The file is compressed ({kind}); unpack it first."),
    "log_no_timing": (
        N_("No step with a time or a speed was found, though some lines look like {near}. Looked for: {formats}."),
        N_("No step with a time or a speed was found. Looked for: {formats}."),
        N_("No step with a time or a speed was found."),
    ),
    "log_shrunk": N_("The log has become shorter while it was read; start again to read the new one."),
    "log_bad_answer": N_("“{text}” is no answer; the form is NAME=VALUE, such as devices=512."),
    "log_has_no_mapping": N_("The meaning of this log's columns is fixed, so there is no mapping to save."),
    "log_record_damaged": N_("The checksum of the record at byte {offset} is wrong; nothing after it was read."),
    "log_last_record_cut": N_("The last record is not whole and was left out."),
    "log_other_formats": N_("The log holds lines of several formats. Shown is {shown}, {lines:integer} lines; there are also: {others}. Choose with {option}."),
    "log_was_wrapped": N_("Lines had been broken at {width} characters and were joined."),
    "log_restarts": N_("Restarts of the run: {restarts:integer}. Steps done twice: {replaced:integer}; the later ones are shown."),
    "log_ranks": N_("{ranks:integer} ranks print each step; the lines of one are shown."),
    "log_repeated_lines": N_("{lines:integer} lines repeat a step that was there already and were left out."),
    "log_unusable_values": N_("{values:integer} values were zero, negative or infinite and were left out."),
    "log_several_runs": N_("The table holds several runs. Shown is “{run}”; there are also: {others}."),
    "log_whole_seconds": N_("The log's clock shows whole seconds, so each point is the mean over a span long enough for that."),
    "log_identity_fails": N_("Tokens/s per device × devices × step time ÷ global batch gives {implied:short4} tokens in a sequence, not {length:integer}: one of these does not belong to this log."),
    "log_odd_sequence_length": N_("The sequence length follows from the printed figures as {length:integer}, which is an unusual one: devices, batch or time may be of another kind."),
    "log_disagrees": (
        N_("The log says {devices:short6} devices, the scenario {scenario:short6}; the log counts."),
        N_("The log says sequences of {sequence_length:short6} tokens, the scenario {scenario:short6}; the log counts."),
        N_("The log says a global batch of {global_batch:short6}, the scenario {scenario:short6}; the log counts."),
    ),
    "log_length_fits": N_("The printed TFLOP/s fit a sequence length of {lengths}, not {length:integer}."),
    "log_above_peak": N_("{steps:integer} steps would be above the peak of {peak:short4} TFLOP/s and have no MFU."),
    "log_tflops_with_recompute": N_("The printed TFLOP/s include recomputation where activations are checkpointed; they are no model FLOP/s then."),
    "log_tflops_are_hardware": N_("The printed TFLOP/s are hardware FLOP/s: they include recomputation."),
    "log_without_step_numbers": N_("The lines have no step numbers; they are numbered in order."),
    "log_mfu_is_running": N_("The printed MFU is a running mean (0.9 of the last, 0.1 of the new), of one GPU and against 312 TFLOP/s."),
    "log_mfu_of_update_phase": N_("The printed MFU or TFLOP/s are those of the update alone; the step time also contains generation and waiting."),
    "log_three_digits": N_("The log prints few digits, so its figures are rounded."),
    "log_time_of_micro_batch": N_("The log prints the time of a micro-batch; it was multiplied by the micro-batches of a step."),
    "log_rate_of_last_micro_batch": N_("The printed tokens/s may be of the last micro-batch only and divided by the logging interval; do not rely on them."),
    "log_tokens_with_padding": N_("The printed tokens usually include padding."),
    "log_metric_without_name": N_("The table does not say what its values are; they were named by its file only."),
    "log_ask_metric": N_("What does “{name}” mean?"),
    "log_ask_sequence_length": N_("How many tokens has a sequence?"),
    "log_ask_global_batch": N_("How many sequences has a step, over all devices?"),
    "log_ask_devices": N_("How many devices does the run use?"),
    "log_because_ranks": N_("so many ranks print"),
    "log_because_weights": N_("from the tokens of a step and those of a device"),
    "log_because_flops": N_("the printed TFLOP/s fit"),
}
