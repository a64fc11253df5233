"""The options of the chosen convention, as entries of a menu."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu

from mfu_gui.engine.conventions import find
from mfu_gui.engine.fields import N_
from mfu_gui.engine.scenario import OptionValue
from mfu_gui.ui.services import Services


def set_option(services: Services, name: str, value: OptionValue) -> None:
    """Choose a value of one option, as one step of undo."""
    workspace = services.workspace
    document = workspace.active
    choice = document.scenario.convention
    options = {**choice.options, name: value}
    default = next(option.default for option in find(choice.id).options if option.name == name)
    if value == default:
        options.pop(name)
    scenario = replace(document.scenario, convention=replace(choice, options=options))
    workspace.edit(document, "convention.options", scenario, label=N_("Option of the convention"))


def fill_options(menu: QMenu, services: Services) -> None:
    """One checkable entry for each option that is on or off, a group of entries for each other one."""
    tr = services.language.tr
    choice = services.workspace.active.scenario.convention
    for option in find(choice.id).options:
        value = choice.options.get(option.name, option.default)
        if isinstance(option.default, bool):
            entry = menu.addAction(tr(option.title))
            entry.setCheckable(True)
            entry.setChecked(bool(value))
            entry.toggled.connect(lambda on, name=option.name: set_option(services, name, on))
            continue
        menu.addSection(tr(option.title))
        group = QActionGroup(menu)
        for each in option.values:
            entry = menu.addAction(str(each))
            entry.setCheckable(True)
            entry.setChecked(each == value)
            group.addAction(entry)
            entry.triggered.connect(lambda _on, name=option.name, each=each: set_option(services, name, each))
