"""`mfu-gui schema model|hardware|scenario|workspace`: the JSON Schema of the program's files."""

from __future__ import annotations

from mfu_gui.cli import arguments as args
from mfu_gui.cli import output
from mfu_gui.formats.schema import NAMES, schema_text
from mfu_gui.texts import Translator


def run(arguments: list[str], tr: Translator) -> int:
    """Print the schema of one kind of file."""
    made = args.parser("schema", tr("Print the JSON Schema of a preset or a scenario."), tr)
    made.add_argument("kind", choices=NAMES, metavar="|".join(NAMES),
                      help=tr("kind of file"))
    chosen = args.parsed(made, arguments)
    if chosen is not None:
        output.data(schema_text(chosen.kind).encode())
    return 0
