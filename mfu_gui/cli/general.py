"""Without a command: help, version, self-test, or the window with the files it was given."""

from __future__ import annotations

import gc

from mfu_gui.cli import arguments as args
from mfu_gui.cli import output
from mfu_gui.cli.commands import COMMANDS
from mfu_gui.cli.source import looks_like_file
from mfu_gui.engine.errors import InputError
from mfu_gui.texts import Translator


def run_general(arguments: list[str], tr: Translator) -> int:
    """Do what arguments that do not begin with a command ask for."""
    if arguments and not arguments[0].startswith("-") and not looks_like_file(arguments[0]):
        raise InputError("unknown_command", "", command=arguments[0], nearest=_nearest(arguments[0]),
                         allowed=", ".join(COMMANDS))
    made = args.parser("", tr("MFU Calculator: how well a training run uses its hardware."), tr)
    made.usage = f"{args.PROGRAM} [FILE …]\n       {args.PROGRAM} {tr('COMMAND')} …"
    made.add_argument("files", metavar="FILE", nargs="*", help=tr("files to open in the window"))
    made.add_argument("--version", action="store_true", help=tr("print the version"))
    made.add_argument("--self-test", action="store_true", help=tr("check this installation, without a window"))
    made.epilog = _epilog(tr)
    made.formatter_class = args.Unwrapped
    chosen = args.parsed(made, arguments)
    if chosen is None:
        return 0
    if chosen.version:
        from mfu_gui import __version__

        output.text(f"mfu-gui {__version__}\n")
        return 0
    if chosen.self_test:
        from mfu_gui.cli.self_test import run_self_test

        return run_self_test(tr)
    return _open_window(chosen.files, tr)


def _nearest(word: str) -> str | None:
    from mfu_gui.formats.nearest import nearest

    return nearest(word, list(COMMANDS))


def _epilog(tr: Translator) -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {command.name:<{width}}  {tr(command.help)}" for command in COMMANDS.values()]
    more = tr("“{program} COMMAND --help” says more about one.", program=args.PROGRAM)
    return "\n".join([tr("Commands:"), *lines, "", more])


def _open_window(files: list[str], tr: Translator) -> int:
    """Open the window; what keeps Qt from loading is said in one line."""
    gc.disable()  # nothing that an import makes is garbage, and Python would look for it again and again
    try:
        from mfu_gui.ui.app import run
    except ImportError as error:
        output.message(tr.sentence("window_missing", {"reason": str(error), "log": output.log(error)}))
        return 1
    finally:
        gc.enable()
    status: int = run(files)
    return status
