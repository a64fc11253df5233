"""The command line: `mfu-gui COMMAND …`; without a command it opens the window.

Results go to standard output, messages to standard error.  Exit status: 0, or 2 for input that cannot
be used, 1 for a mistake of the program, 130 when interrupted.  Nothing is imported before it is needed.
"""

from __future__ import annotations

from mfu_gui.engine.errors import InputError
from mfu_gui.texts import Translator, system_language, translator

OK, INTERNAL, INPUT, INTERRUPTED = 0, 1, 2, 130


def main(arguments: list[str]) -> int:
    """Run the command line ``arguments`` (without the program's name) and return the exit status."""
    from mfu_gui.cli import output

    tr = translator(system_language())
    try:
        output.prepare()
        arguments, language = _without_language(arguments)
        tr = translator(language or system_language())
        status = _run(arguments, tr)
        output.flush()
        return status
    except InputError as error:
        output.message(tr.describe(error))
        return INPUT
    except BrokenPipeError:
        output.abandon()
        return OK
    except KeyboardInterrupt:
        output.message(tr.sentence("interrupted"))
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last resort: a person gets a line, the log the rest
        output.message(tr.sentence("internal_error", {"log": output.log(error)}))
        return INTERNAL


def _without_language(arguments: list[str]) -> tuple[list[str], str | None]:
    """``--lang`` may stand anywhere, because help and errors must speak it already."""
    rest: list[str] = []
    language = None
    waiting = iter(arguments)
    for argument in waiting:
        if argument == "--":
            return [*rest, argument, *waiting], language
        if argument == "--lang":
            language = _known(next(waiting, None))
        elif argument.startswith("--lang="):
            language = _known(argument.removeprefix("--lang="))
        else:
            rest.append(argument)
    return rest, language


def _known(name: str | None) -> str:
    from mfu_gui.texts import LANGUAGES

    if name is None or name not in LANGUAGES:
        raise InputError("unknown_choice" if name else "required", "--lang", value=name, allowed=", ".join(LANGUAGES))
    return name


def _run(arguments: list[str], tr: Translator) -> int:
    from mfu_gui.cli.commands import COMMANDS

    first = arguments[0] if arguments else ""
    command = COMMANDS.get(first)
    if command is not None:
        return command.run(arguments[1:], tr)
    from mfu_gui.cli.general import run_general

    return run_general(arguments, tr)
