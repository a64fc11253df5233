"""What a plan remarks on: inputs that are missing, limits that are broken, numbers no formula was made for."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

SENTENCES: dict[str, str | tuple[str, ...]] = {
    "bad_date": N_("“{value}” is no day of the calendar; a date is written like 2025-03-01."),
    "sensitivity_needs_measured": N_("A measured quantity is needed that is possible: a step time, a throughput or an MFU of at most 100%."),
    "sensitivity_needs_step": N_("Devices and global batch are needed, so that a step has a time."),
    "plan_needs_tokens": N_("Tokens are needed: a number, so many per parameter, or what a fit finds best."),
    "plan_needs_speed": N_("The speed of the run is needed: measure it, or give an MFU for the plan."),
    "plan_needs_devices": N_("The number of devices is needed."),
    "plan_needs_days": N_("The time is needed, or a budget and a price that it follows from."),
    "plan_needs_price": N_("The price of a device-hour is needed, so that the budget says how long."),
    "cost_needs_price": N_("The price of a device-hour is needed for the cost: the device has none, or none in the currency of the plan."),
    "energy_needs_power": N_("The power of one device is needed for the energy: the device has none."),
    "plan_needs_budget": N_("The budget does not pay for one replica during that time."),
    "plan_impossible": N_("No number of devices gets there: the more there are, the more often one of them fails."),
    "plan_above_peak": (
        N_("This needs {mfu:percent} of the peak, more than there is."),
        N_("This needs more than the peak."),
    ),
    "plan_billed_above_peak": (
        N_("The billed hours could have done less than this: {share:percent} of their peak would have been used."),
        N_("The billed hours could have done less than this."),
    ),
    "plan_mfu_held": (
        N_("The MFU is taken to be the same on {devices:integer} devices as now."),
        N_("The MFU is taken to be the same on any number of devices."),
    ),
    "plan_too_long": (
        N_("It takes {days:short} days, more than the {limit:short} there are."),
        N_("It takes longer than there is time."),
    ),
    "plan_over_budget": (
        N_("It costs {cost:count} {currency}, more than the budget of {limit:count}."),
        N_("It costs more than the budget."),
    ),
    "plan_counts_recompute": N_("The chosen convention counts recomputed work too: what is called MFU here is an HFU."),
    "six_nd_falls_short": (
        N_("6ND leaves out attention scores, which add {share:percent} here; time and cost count them."),
        N_("6ND leaves out attention scores, which matter here; time and cost count them."),
    ),
    "assumes_full_recompute": N_("8ND holds when every layer is computed again in the backward pass."),
    "goodput_assumed": N_("Nothing says how often the run fails, so no time is taken off for failures and checkpoints."),
    "goodput_outside_domain": (
        N_("A loss of {seconds:duration} is not short against {mtbf:duration} between failures: "
           "the model of goodput was not made for that."),
        N_("Losses are not short against the time between failures: the model of goodput was not made for that."),
    ),
    "scaling_extrapolated": (
        N_("The fits of Chinchilla were made up to {limit:short} FLOP; {flops:short} FLOP lie beyond."),
        N_("The fits of Chinchilla were made for smaller runs."),
    ),
    "scaling_dense_only": N_("The fits of Chinchilla are of dense models; for experts they are applied to the active parameters, "
                             "on which nobody agrees."),
    "packing_too_long": (
        N_("The documents have {total:integer} tokens, more than the sequence of {sequence_length:integer}."),
        N_("The documents are longer than the sequence."),
    ),
    "inference_does_not_generate": N_("This model does not write one token after the other, so there is nothing to decode."),
    "inference_devices_assumed": (
        N_("One copy of the model is taken to be served by the {devices:integer} devices of a node."),
        N_("One copy of the model is taken to be served by the devices of a node."),
    ),
    "inference_collectives_left_out": N_("The time of collectives between the devices is not known and left out; "
                                         "at small batches it can add a third."),
    "inference_bandwidth_missing": N_("The accelerator's memory bandwidth is not known, so nothing can be said of decoding."),
    "inference_states_fp32": N_("Recurrent states are counted in fp32."),
    "inference_weights_do_not_fit": (
        N_("The weights take {needed:bytes}, more than the {capacity:bytes} of {devices:integer} devices."),
        N_("The weights do not fit into the memory of the devices."),
    ),
    "inference_above_peak": (
        N_("The measured time would use {share:percent} of what the devices can, more than there is: it is too short, or "
           "less was read and computed than is counted here."),
        N_("The measured time is shorter than the devices can be."),
    ),
    "experts_assumed_even": N_("Tokens are taken to choose experts evenly and independently of each other."),
    "rollout_concurrency_cut": (
        N_("{asked:integer} answers at once do not fit beside the weights; the time is that of {fitting:integer}."),
        N_("So many answers at once do not fit beside the weights."),
    ),
    "post_training_counts_parameters": N_("Critic and reward model are counted by their parameters alone."),
}
