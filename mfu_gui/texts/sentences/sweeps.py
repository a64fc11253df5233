"""What can be wrong with a sweep or a search for layouts, and what they remark on."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

SENTENCES: dict[str, str | tuple[str, ...]] = {
    "sweep_axes": (
        N_("A sweep has one or two axes, but found {found}: name what is varied with --axis key=a,b,c."),
        N_("A sweep has one or two axes: name what is varied with --axis key=a,b,c."),
    ),
    "sweep_axis_form": (
        N_("“{value}” does not describe an axis; the forms are: {allowed}"),
        N_("This does not describe an axis."),
    ),
    "sweep_key_unclear": (
        N_("“{key}” can mean several fields: {allowed}. Write the whole key."),
        N_("This can mean several fields: write the whole key."),
    ),
    "sweep_no_values": N_("The axis has no values."),
    "sweep_log_positive": N_("Even ratios need a first and a last value above zero."),
    "sweep_too_many": (
        N_("These axes make {points:integer} points; the most that is possible is {maximum:integer}."),
        N_("These axes make too many points."),
    ),
    "report_sweep_too_many": N_("A report holds sweeps of up to {maximum:integer} points; these axes make {points:integer}. “mfu-gui sweep” writes them all."),
    "sweep_hold_axis": N_("The measured quantity is varied itself, so nothing else of the measurement can be held."),
    "sweep_hold_needs": (
        N_("“{hold}” cannot be held, because the scenario does not have it: enter what was measured, with the devices and "
           "the global batch if the step time is needed."),
        N_("This cannot be held, because the scenario does not have it."),
    ),
    "sweep_plan_mfu": (
        N_("The plan has an MFU of its own ({mfu:percent}); days and cost use it, not what is held here."),
        N_("The plan has an MFU of its own; days and cost use it, not what is held here."),
    ),
    "sweep_plan_devices": (
        N_("The plan has {devices:integer} devices of its own; memory, days and cost use them at every point."),
        N_("The plan has devices of its own; memory, days and cost use them at every point."),
    ),
    "layouts_none": (
        N_("No layout divides {devices:integer} devices and a global batch of {batch:integer} evenly within these limits; "
           "change the batch or allow more."),
        N_("No layout divides devices and batch evenly within these limits; change the batch or allow more."),
    ),
    "layouts_too_many": (
        N_("There are more than {maximum:integer} layouts: limit some dimension, or look at fewer devices."),
        N_("There are too many layouts: limit some dimension."),
    ),
    "layouts_key": (
        N_("“{key}” is no part of a layout. A search can be limited by: {allowed}."),
        N_("This is no part of a layout."),
    ),
    "layouts_even_stages": N_("The search spreads layers over stages as evenly as they go, not as the scenario gives them."),
    "layouts_model_only": N_("Nothing was measured, so times are what the component model holds possible; real runs take "
                             "up to twice as long. The order is more certain than the times."),
    "layouts_need_layout": N_("The scenario does not say in which layout its step was measured, so times are those of the "
                              "component model. Enter the layout to have them predicted from the measurement."),
}
