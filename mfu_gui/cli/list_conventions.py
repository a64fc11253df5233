"""`mfu-gui conventions [MODEL]`: the conventions, or what each counts for one token of a model."""

from __future__ import annotations

from mfu_gui.cli import arguments as args
from mfu_gui.cli import output
from mfu_gui.cli.source import Model, read_model
from mfu_gui.engine.axes import images_of
from mfu_gui.engine.compare import status_of
from mfu_gui.engine.conventions import CONVENTIONS, Convention
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import count
from mfu_gui.engine.run import RunSpec
from mfu_gui.formats.result_json import Document, to_json
from mfu_gui.texts import Translator

USUAL_SEQUENCE_LENGTH = 4096


def run(arguments: list[str], tr: Translator) -> int:
    """Print the list, or the rows of a model."""
    made = args.parser("conventions", tr("List the conventions, or read a model by each of them."), tr)
    made.add_argument("model", metavar="MODEL", nargs="?",
                      help=tr("the id of a preset, a config.json, or - for standard input"))
    args.add_model_arguments(made, tr, required=False)
    args.add_format(made, tr, "json", "text")
    chosen = args.parsed(made, arguments)
    if chosen is None:
        return 0
    model = run_spec = None
    if chosen.model is not None:
        model = read_model(chosen.model)
        length = chosen.sequence_length if chosen.sequence_length is not None else _assumed_length(model, tr)
        run_spec = args.run_of(chosen, model.spec, length)
    try:
        rows = [_row(convention, model, run_spec, tr) for convention in CONVENTIONS]
    except InputError as error:
        raise args.named_as_option(error) from error
    if args.chosen_format(chosen.format) == "json":
        output.data(to_json(rows))
    else:
        output.text(_text(rows, model, run_spec, tr))
    return 0


def _assumed_length(model: Model, tr: Translator) -> int:
    """The length the model was trained with, else a usual one; says which on standard error."""
    if model.sequence_length is not None:
        output.message(tr("Sequence length: {length:integer}, as the model was trained.",
                          length=model.sequence_length))
        return model.sequence_length
    output.message(tr("Sequence length: {length:integer}, because --sequence-length was not given.",
                      length=USUAL_SEQUENCE_LENGTH))
    return USUAL_SEQUENCE_LENGTH


def _row(convention: Convention, model: Model | None, run_spec: RunSpec | None, tr: Translator) -> Document:
    status = reason = per_token = per_step = None
    if model is not None and run_spec is not None:
        status, reason = status_of(convention, model.spec, images_of(model.spec, run_spec) > 0,
                                   run_spec.multi_token_prediction > 0)
        reason = tr(reason) if reason else ""
        if status != "undefined":
            flops, _ = count(model.spec, run_spec, convention)
            per_token, per_step = flops.per_token, flops.per_step
    return {
        "id": convention.id, "title": tr(convention.title), "source": convention.source,
        "valid_from": convention.valid_from, "kind": convention.kind, "status": status, "reason": reason,
        "options": {option.name: option.default for option in convention.options},
        "flops_per_token": per_token, "flops_per_step": per_step,
    }


def _text(rows: list[Document], model: Model | None, run_spec: RunSpec | None, tr: Translator) -> str:
    from mfu_gui.formats import text_table
    from mfu_gui.formats.result_text import STATUSES, option_text

    if model is None or run_spec is None:
        table = [[row["id"], row["title"], row["valid_from"], row["kind"], option_text(row["options"], tr),
                  row["source"]] for row in rows]
        head = ["", tr("Title"), tr("Since"), tr("Kind"), tr("Options"), tr("Source")]
        return "\n".join(text_table.aligned([head, *table])) + "\n"
    head = ["", tr("FLOPs per token"), tr("FLOPs per step"), tr("Status"), ""]
    table = [[row["id"], tr.numbers.integer(row["flops_per_token"]), tr.numbers.integer(row["flops_per_step"]),
              tr(STATUSES[row["status"]]), row["reason"]] for row in rows]
    title = tr("{batch:integer} × {length:integer} tokens", batch=run_spec.global_batch,
               length=run_spec.sequence_length)
    lines = [tr.value(model.spec.name) or "–", title, "", *text_table.aligned([head, *table], right=[1, 2])]
    return "\n".join(lines) + "\n"
