"""The commands there are: name, what it does, and the module that does it (imported when it is run)."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from mfu_gui.texts import N_, Translator


class Command(NamedTuple):
    """One command: ``module`` has ``run(arguments, tr) -> int``."""

    name: str
    help: str
    module: str

    def run(self, arguments: list[str], tr: Translator) -> int:
        """Run it with the arguments after its name."""
        status: int = import_module(f"mfu_gui.cli.{self.module}").run(arguments, tr)
        return status


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command("compute", N_("compute MFU, HFU and throughput of a scenario"), "compute"),
        Command("explain", N_("find what a reported number means"), "explain"),
        Command("inspect", N_("count parameters and FLOPs of a model"), "inspect_model"),
        Command("conventions", N_("list the conventions, or read a model by all of them"), "list_conventions"),
        Command("presets", N_("list the models and the accelerators that come with the program"), "list_presets"),
        Command("log", N_("read a training log: step times and MFU of every step"), "read_log"),
        Command("plan", N_("plan a run: memory, time, cost, energy, goodput, serving"), "plan"),
        Command("sweep", N_("vary one or two quantities, or search the best layouts"), "sweep"),
        Command("report", N_("write a report: PDF, workbook, web page, Markdown or CSV"), "report"),
        Command("schema", N_("print the JSON Schema of a file"), "print_schema"),
    )
}
