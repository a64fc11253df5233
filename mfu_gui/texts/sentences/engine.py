"""What the calculation refuses or remarks."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

# What `causes` may name: why a utilization came out above 100 %, as parts of a sentence.
CAUSES: dict[str, str] = {
    "scope": N_("the throughput is that of all devices together"),
    "nodes": N_("the number of devices counts nodes"),
    "milliseconds": N_("the step time is a thousand times too short"),
    "batch_in_tokens": N_("the global batch was given in tokens instead of sequences"),
    "full_square": N_("the convention counts attention over the full square"),
    "all_experts": N_("the convention counts experts that a token does not use"),
    "petaflops": N_("the peak was given in PFLOP/s"),
    "precision": N_("the run used a precision with a higher peak"),
    "sparse": N_("the figure was measured against sparse products"),
}

SENTENCES: dict[str, str | tuple[str, ...]] = {
    "peak_missing": (
        N_("{hardware} has no known peak for {precision}; it has one for: {available}."),
        N_("{hardware} has no known peak for {precision}."),
        N_("The hardware has no known peak for this precision."),
    ),
    "no_sparse_peak": (
        N_("{hardware} has no mode for 2:4-sparse products, so it has no sparse peak."),
        N_("The hardware has no mode for 2:4-sparse products, so it has no sparse peak."),
    ),
    "nothing_counted": N_("The convention counts no FLOPs here, so a rate in FLOPs says nothing of the time. Enter the step time or the tokens per second."),
    "measured_peak_missing": N_("A measured peak is chosen, so its TFLOP/s are needed here."),
    "unknown_component": (
        N_("The model has no component “{name}”; it has: {allowed}."),
        N_("The model has no component “{name}”."),
    ),
    "mfu_above_one": (
        N_("The step would use {implied_mfu:percent} of the peak, more than there is. Likely causes: {causes}."),
        N_("The step would use {implied_mfu:percent} of the peak, more than there is. Likely causes: the peak is that of another precision or of half the devices, tokens are counted twice, or the time is not that of a whole step."),
        N_("The step would use more than the peak. Likely causes: the peak is that of another precision or of half the devices, tokens are counted twice, or the time is not that of a whole step."),
    ),
    "hfu_above_one": (
        N_("With the recomputed work the step would use {implied_hfu:percent} of the peak, more than there is: less can have been computed again."),
        N_("With the recomputed work the step would use more than the peak: less can have been computed again."),
    ),
    "hardware_convention": N_("This convention counts recomputed work as well, so its figure is an HFU and there is no MFU."),
    "convention_undefined": (
        N_("This convention has no figure for this model; the one shown is what its formula would give. {reasons}"),
        N_("This convention has no figure for this model; the one shown is what its formula would give."),
    ),
    "convention_quirk": (
        N_("This convention does not count this model as it is. {reasons}"),
        N_("This convention does not count this model as it is."),
    ),
    "all_experts_counted": (
        N_("This convention counts all {total:count} parameters, though a token uses {active:count}."),
        N_("This convention counts all experts, though a token uses few of them."),
    ),
    "window_ignored": (
        N_("This convention counts layers with a window of {window:integer} as full attention over {length:integer} tokens."),
        N_("This convention counts layers with a window as full attention."),
    ),
    "full_square_share": (
        N_("Attention scores are {share:percent} of the count, and this convention counts twice the pairs that a causal model computes."),
        N_("This convention counts twice the attention pairs that a causal model computes."),
    ),
    "sequence_exceeds_context": (
        N_("The model was made for at most {context:integer} tokens; the sequence has {length:integer}."),
        N_("The sequence is longer than the model was made for."),
    ),
    "padding_present": (
        N_("{share:percent} of the sequence is padding: computed, but not counted as useful work."),
        N_("A part of the sequence is padding: computed, but not counted as useful work."),
    ),
    "mtp_not_counted": N_("The model can predict several tokens at once; those extra depths are not counted unless the run says that it trains them."),
    "state_core_counted": (
        N_("The scan is counted as the products its chunked form needs, in chunks of {chunk}: pairs inside each chunk, and one state a chunk. What a kernel computes beyond that is no work of the model; frameworks count it in other ways."),
        N_("The scan is counted as its one matrix product, of the state with C; the recurrence itself is elementwise. Frameworks count it in other ways."),
    ),
    "state_core_by_state": (
        N_("The scan is counted by the closed form of this framework: {forward} FLOPs forward for each element of the state and each token, {total} with the backward pass. The products of the chunked kernel are not seen."),
        N_("The scan is counted by the closed form of this framework. The products of the chunked kernel are not seen."),
    ),
    "state_core_left_out": N_("This convention leaves the scan out and counts the matrices around it only."),
    "layout_does_not_divide": (
        N_("{devices:integer} devices cannot be divided into replicas of {product:integer} (tensor × pipeline × context). Nearest numbers that can: {offers}."),
        N_("{devices:integer} devices cannot be divided into replicas of {product:integer} (tensor × pipeline × context)."),
        N_("The devices cannot be divided into replicas of this layout."),
    ),
    "batch_does_not_divide": (
        N_("A global batch of {batch:integer} cannot be divided by micro-batch × replicas = {product:integer}. Nearest that can: {offers}."),
        N_("A global batch of {batch:integer} cannot be divided by micro-batch × replicas = {product:integer}."),
        N_("The global batch cannot be divided by micro-batch × replicas."),
    ),
    "sparse_peak": N_("The peak assumes 2:4 sparsity, which training does not use; against the dense peak the utilization is higher."),
    "peak_is_sparse_headline": (
        N_("{peak:short4} TFLOP/s is the sparse headline of this device; its dense {precision} peak is {dense:short4}."),
        N_("This is the sparse headline of the device, not its dense peak."),
    ),
    "cards_hold_dies": (
        N_("Frameworks see {count} devices in each card. If {devices:integer} is the number they print, count dies."),
        N_("Frameworks see several devices in each card."),
    ),
    "throughput_of_one_device": (
        N_("This looks like the throughput of one device: for each of {devices:integer} devices it would give {corrected:percent}."),
        N_("This looks like the throughput of one device."),
    ),
    "batch_of_one_device": (
        N_("This looks like the batch of one device: for each of {devices:integer} devices it would give {corrected:percent}."),
        N_("This looks like the batch of one device."),
    ),
    "step_time_in_milliseconds": (
        N_("This looks like milliseconds: {seconds:duration} would give {corrected:percent}."),
        N_("This looks like milliseconds."),
    ),
    "documents_too_long": N_("The documents have {total} tokens together; the sequence has only {sequence_length}."),
    "no_multi_token_prediction": (
        N_("{model} has no layers for multi-token prediction."),
        N_("The model has no layers for multi-token prediction."),
    ),
    "layers_out_of_range": N_("“{value}” is no range of layers of this model, which has {layers}; the first is 0 and the end does not count."),
    "mix_not_one": N_("The shares must add up to 1; they add up to {total}."),
}
