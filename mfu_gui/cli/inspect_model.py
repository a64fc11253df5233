"""`mfu-gui inspect CONFIG`: parameters and FLOPs of a model for one batch."""

from __future__ import annotations

from mfu_gui.cli import arguments as args
from mfu_gui.cli import output
from mfu_gui.cli.source import Model, read_model
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.inspection import Inspection, Square, inspect
from mfu_gui.engine.run import RunSpec
from mfu_gui.formats.result_json import Document, notices_list, parameters_object, to_json
from mfu_gui.texts import Translator


def run(arguments: list[str], tr: Translator) -> int:
    """Read the model, count, print in the form that was asked for."""
    made = args.parser("inspect", tr("Count parameters and FLOPs of a model for one batch, component by component."),
                       tr)
    made.add_argument("config", metavar="CONFIG", help=tr("a config.json, the id of a preset, or - for standard input"))
    args.add_model_arguments(made, tr, required=True)
    made.add_argument("--as-executed", action="store_true",
                      help=tr("count what a reference implementation wastes as well"))
    args.add_format(made, tr, "json", "text")
    chosen = args.parsed(made, arguments)
    if chosen is None:
        return 0
    model = read_model(chosen.config)
    run_spec = args.run_of(chosen, model.spec, chosen.sequence_length)
    try:
        found = inspect(model.spec, run_spec, as_executed=chosen.as_executed)
    except InputError as error:
        raise args.named_as_option(error) from error
    if args.chosen_format(chosen.format) == "json":
        output.data(to_json(_document(model, found, tr)))
    else:
        output.text(_text(model, found, run_spec, tr))
    return 0


def _document(model: Model, found: Inspection, tr: Translator) -> Document:
    return {
        "model_type": model.model_type,
        "parameters": parameters_object(found.parameters),
        "full_square": _square(found.full_square),
        "causal": _square(found.causal),
        "assumptions": notices_list(model.assumptions, tr),
    }


def _square(square: Square) -> Document:
    return {
        "forward": square.forward, "forward_backward": square.forward_backward,
        "components": {name: {"forward": part.forward, "forward_backward": part.forward_backward}
                       for name, part in square.components.items()},
    }


def _text(model: Model, found: Inspection, run_spec: RunSpec, tr: Translator) -> str:
    from mfu_gui.formats import text_table
    from mfu_gui.formats.result_text import component_label

    number = tr.numbers
    lines = [tr.value(model.spec.name) or "–",
             tr("{batch:integer} × {length:integer} tokens", batch=run_spec.global_batch,
                length=run_spec.sequence_length), "", tr("Parameters")]
    counts = found.parameters
    rows = [[component_label(name, tr), number.integer(count)] for name, count in counts.components.items()]
    rows += [[tr("Total"), number.integer(counts.total)], [tr("Active"), number.integer(counts.active)],
             [tr("In the checkpoint"), number.integer(counts.checkpoint_total)]]
    lines += text_table.aligned(rows, right=[1], indent="  ")
    for title, square in ((tr("FLOPs, attention over the full square"), found.full_square),
                          (tr("FLOPs, causal attention"), found.causal)):
        rows = [["", tr("Forward"), tr("Forward and backward")]]
        rows += [[component_label(name, tr), number.integer(part.forward), number.integer(part.forward_backward)]
                 for name, part in square.components.items()]
        rows.append([tr("Total"), number.integer(square.forward), number.integer(square.forward_backward)])
        lines += ["", title, *text_table.aligned(rows, right=[1, 2], indent="  ")]
    remarks = notices_list(model.assumptions, tr)
    if remarks:
        lines += ["", tr("Assumed"), *(f"  {remark['field']}: {remark['message']}" for remark in remarks)]
    return "\n".join(lines) + "\n"
