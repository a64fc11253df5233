"""The tabs under the plot, in their order.  A new tab is one more line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtWidgets import QWidget

from mfu_gui.texts import N_
from mfu_gui.ui.services import Services


class PageSpec(NamedTuple):
    """A tab: its key, its title, and what builds its page (called when the tab is first shown)."""

    key: str
    title: str
    make: Callable[[Services], QWidget]


def _breakdown(services: Services) -> QWidget:
    from mfu_gui.ui.tabs.breakdown import BreakdownPage

    return BreakdownPage(services)


def _conventions(services: Services) -> QWidget:
    from mfu_gui.ui.tabs.conventions import ConventionsPage

    return ConventionsPage(services)


def _memory(services: Services) -> QWidget:
    from mfu_gui.ui.tabs.memory import MemoryPage

    return MemoryPage(services)


def _plan(services: Services) -> QWidget:
    from mfu_gui.ui.tabs.plan import PlanPage

    return PlanPage(services)


def _step_time(services: Services) -> QWidget:
    from mfu_gui.ui.tabs.step_time import StepTimePage

    return StepTimePage(services)


def _sweep(services: Services) -> QWidget:
    from mfu_gui.ui.tabs.sweep import SweepPage

    return SweepPage(services)


def _log(services: Services) -> QWidget:
    from mfu_gui.ui.tabs.log import LogPage

    return LogPage(services)


def _published(services: Services) -> QWidget:
    from mfu_gui.ui.tabs.published import PublishedPage

    return PublishedPage(services)


def _compare(services: Services) -> QWidget:
    from mfu_gui.ui.tabs.compare import ComparePage

    return ComparePage(services)


PAGES: tuple[PageSpec, ...] = (
    PageSpec("breakdown", N_("Breakdown"), _breakdown),
    PageSpec("conventions", N_("Conventions"), _conventions),
    PageSpec("memory", N_("Memory"), _memory),
    PageSpec("plan", N_("Plan"), _plan),
    PageSpec("step_time", N_("Step time"), _step_time),
    PageSpec("sweep", N_("Sweep"), _sweep),
    PageSpec("log", N_("Log"), _log),
    PageSpec("published", N_("Published"), _published),
    PageSpec("compare", N_("Compare"), _compare),
)
