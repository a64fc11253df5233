"""`mfu-gui presets [models|hardware]`: the models and accelerators that scenarios can name."""

from __future__ import annotations

from mfu_gui.cli import arguments as args
from mfu_gui.cli import output
from mfu_gui.formats.preset_file import Kind
from mfu_gui.formats.preset_index import PresetInfo
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.result_json import Document, to_json
from mfu_gui.texts import Translator

KINDS: dict[str, Kind] = {"models": "mfu-model", "hardware": "mfu-hardware"}


def run(arguments: list[str], tr: Translator) -> int:
    """Print the presets; files of the user's that cannot be used are named on standard error."""
    made = args.parser("presets", tr("List the presets: those of the program and your own."), tr)
    made.add_argument("kind", metavar="models|hardware", nargs="?", choices=tuple(KINDS),
                      help=tr("only models, or only accelerators"))
    args.add_format(made, tr, "json", "text")
    chosen = args.parsed(made, arguments)
    if chosen is None:
        return 0
    store = PresetStore()
    infos = store.infos(KINDS[chosen.kind] if chosen.kind else None)
    if args.chosen_format(chosen.format) == "json":
        output.data(to_json([_object(info) for info in infos]))
    else:
        output.text(_text(infos, tr))
    for broken in store.broken():
        output.message(tr.describe(broken.error))
    return 0


def _object(info: PresetInfo) -> Document:
    return {"kind": info.kind, "id": info.id, "name": info.name, "group": info.group,
            "aliases": list(info.aliases), "date": info.date, "confidence": info.confidence,
            "figures": info.figures, "shipped": info.shipped}


def _text(infos: list[PresetInfo], tr: Translator) -> str:
    from mfu_gui.formats import text_table

    number = tr.numbers
    lines: list[str] = []
    models = [info for info in infos if info.kind == "mfu-model"]
    if models:
        head = [tr("Model"), tr("Name"), tr("Family"), tr("Parameters"), tr("Active")]
        rows = [[info.id, tr.value(info.name), tr.value(info.group), number.count(info.figures.get("total_parameters")),
                 number.count(info.figures.get("active_parameters"))] for info in models]
        lines += text_table.aligned([head, *rows], right=[3, 4])
    devices = [info for info in infos if info.kind == "mfu-hardware"]
    if devices:
        head = [tr("Hardware"), tr("Name"), tr("Vendor"), tr("Dense bf16 peak, TFLOP/s"), tr("Memory, GB")]
        rows = [[info.id, tr.value(info.name), tr.value(info.group), number.short(info.figures.get("bf16"), 4),
                 number.short(info.figures.get("memory_gb"))] for info in devices]
        lines += [""] * bool(lines) + text_table.aligned([head, *rows], right=[3, 4])
    return "\n".join(lines) + "\n" if lines else ""
