"""What the step-time model, predictions from a measured step, and the waterfall remark on."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

SENTENCES: dict[str, str | tuple[str, ...]] = {
    "message_of_latency": N_("Such small messages take as long as their latencies; the bandwidth hardly matters."),
    "step_efficiency_assumed": (
        N_("Nobody compared this model with runs on {hardware}: the share of its peaks that kernels reach is assumed."),
        N_("The share of the peaks that kernels reach is assumed for this accelerator."),
    ),
    "step_without_memory_bandwidth": N_("The accelerator's memory bandwidth is not known, so norms, activations and the "
                                        "optimizer are left out."),
    "step_without_link_bandwidth": N_("The bandwidth between the devices is not known, so communication is left out."),
    "step_layout_unknown": N_("The run does not say how it lies on its devices, so communication and waiting are left out: "
                              "enter tensor, pipeline, context or expert parallelism."),
    "step_faster_than_model": (
        N_("The measured step of {step_time_s:duration} is shorter than the {model_s:duration} of the model: more overlaps "
           "or interleaves than the scenario says, or kernels reach more of the peak than is usual."),
        N_("The measured step is shorter than the model's: more overlaps or interleaves than the scenario says."),
    ),
    "prediction_needs_layout": N_("Only one of the two runs says how it lies on its devices: enter the layout of the "
                                  "measured run too."),
    "step_parts_sum": (
        N_("The parts add up to {sum_s:duration}, but the step takes {step_time_s:duration}: change a part or the step "
           "time so that they agree."),
        N_("The parts do not add up to the step time."),
    ),
    "step_parts_need_step": N_("Parts of a step need a measured step: enter the step time, or the throughput."),
    "prediction_needs_step": N_("A prediction starts from a measured step: enter the step time, or the throughput."),
    "prediction_below_floor": (
        N_("The prediction of {step_time_s:duration} is faster than the model holds possible ({floor_s:duration}); check "
           "the measured step and the peak."),
        N_("The prediction is faster than the model holds possible; check the measured step and the peak."),
    ),
    "same_micro_batches": (
        N_("Both steps have {value:short} micro-batches; the second one needs another global batch."),
        N_("Both steps have as many micro-batches; the second one needs another global batch."),
    ),
    "anchors_contradict": (
        N_("A step of {first:duration} and one of {second:duration} cannot be of the same run: the line through them "
           "leads below zero."),
        N_("The two measured steps cannot be of the same run: the line through them leads below zero."),
    ),
}
