"""argparse that speaks the reader's language and raises InputError instead of ending the process."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any, NoReturn

from mfu_gui.cli import output
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec
from mfu_gui.texts import N_, Translator
from mfu_gui.texts.language import LANGUAGES

PROGRAM = "mfu-gui"
MAX_NUMBER = 10**12
MAX_IMAGES = 10**6

# What argparse says; it asks its module's `_` and `ngettext` for a translation.
SPOKEN = (
    N_("usage: "),
    N_("positional arguments"),
    N_("options"),
    N_("show this help message and exit"),
    N_("argument %(argument_name)s: %(message)s"),
    N_("the following arguments are required: %s"),
    N_("unrecognized arguments: %s"),
    N_("invalid choice: %(value)r (choose from %(choices)s)"),
    N_("expected one argument"),
    N_("expected at least one argument"),
    N_("ignored explicit argument %r"),
    N_("not allowed with argument %s"),
)


class Finished(Exception):  # noqa: N818 - not an error: help was shown
    """The parser has printed all that was asked for."""


class Parser(argparse.ArgumentParser):
    """One command's arguments: no abbreviations, messages on one line, no exit."""

    def error(self, message: str) -> NoReturn:
        raise InputError("bad_usage", "", message=" ".join(message.split()), command=self.prog)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise Finished

    def _print_message(self, message: str, file: Any = None) -> None:
        output.text(message)


class Unwrapped(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of the list of commands."""


def parser(command: str, description: str, tr: Translator) -> Parser:
    """A parser for a command, with ``--help`` and ``--lang`` in it."""
    speak(tr)
    made = Parser(prog=f"{PROGRAM} {command}".rstrip(), description=description, allow_abbrev=False)
    made.add_argument("--lang", choices=tuple(LANGUAGES), help=tr("language of messages and tables"))
    return made


def speak(tr: Translator) -> None:
    """Let argparse translate by ``tr``; its module looks these two names up for each message."""

    def plural(singular: str, several: str, n: int) -> str:
        return tr(singular if n == 1 else several)

    setattr(argparse, "_", tr)  # noqa: B010 - a name that the type checker does not know
    setattr(argparse, "ngettext", plural)  # noqa: B010


def parsed(made: Parser, arguments: list[str]) -> argparse.Namespace | None:
    """The arguments, or None when help was all that was wanted."""
    try:
        return made.parse_args(arguments)
    except Finished:
        return None


def add_format(made: Parser, tr: Translator, *formats: str) -> None:
    """``--format``; the default depends on who reads (see ``chosen_format``)."""
    made.add_argument("--format", choices=formats,
                      help=tr("form of the result; default: text on a terminal, else json"))


def chosen_format(chosen: str | None) -> str:
    """The form that was asked for; else text for a terminal and JSON for a program."""
    import sys

    if chosen is not None:
        return chosen
    return "text" if sys.stdout is not None and sys.stdout.isatty() else "json"


def number(tr: Translator, minimum: int = 1, maximum: int = MAX_NUMBER) -> Callable[[str], int]:
    """A type for argparse: a whole number between the bounds."""

    def convert(text: str) -> int:
        if re.fullmatch(r"[+-]?\d{1,30}", text, re.ASCII):
            value = int(text)
            if minimum <= value <= maximum:
                return value
        raise argparse.ArgumentTypeError(
            tr("expected a whole number from {minimum:integer} to {maximum:integer}, but found {text}",
               minimum=minimum, maximum=maximum, text=tr.value(text)))

    return convert


def add_model_arguments(made: Parser, tr: Translator, *, required: bool) -> None:
    """Sequence length (0 for a model of images alone), batch and the lengths of other axes."""
    add: Any = made.add_argument
    add("--sequence-length", metavar="S", type=number(tr, 0), required=required, help=tr("tokens in one sequence"))
    add("--batch", metavar="B", type=number(tr), default=1, help=tr("sequences; default: 1"))
    add("--decoder-sequence-length", metavar="D", type=number(tr),
        help=tr("tokens of the decoder, for models with an encoder"))
    add("--images", metavar="N", type=number(tr, 0, MAX_IMAGES), help=tr("images in one sequence, for models that see"))


def run_of(chosen: argparse.Namespace, model: ModelSpec, sequence_length: int) -> RunSpec:
    """The run that the arguments of a model describe.

    InputError ``out_of_range`` for no tokens, unless the model sees images only.
    """
    if sequence_length < 1 and any(stack.axis != "patch" for stack in model.stacks):
        raise InputError("out_of_range", "--sequence-length", value=sequence_length, minimum=1, maximum=MAX_NUMBER)
    return RunSpec(sequence_length=max(sequence_length, 1), global_batch=chosen.batch,
                   decoder_sequence_length=chosen.decoder_sequence_length, images=chosen.images)


def named_as_option(error: InputError) -> InputError:
    """An error about a field of the run as one about the argument that gives it."""
    place, _, name = error.field.partition(".")
    if place != "run":
        return error
    return InputError(error.code, "--" + name.replace("_", "-"), **error.values)
