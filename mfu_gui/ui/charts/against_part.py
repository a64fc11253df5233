"""AgainstPart: what the plot shows of another input than the time: line, legend, rows of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mfu_gui.engine.fields import BY_KEY
from mfu_gui.engine.fields import N_ as N_
from mfu_gui.formats.against import Against, against
from mfu_gui.formats.quantities import understood
from mfu_gui.ui.services import Services
from mfu_gui.ui.workspace import Document, State

if TYPE_CHECKING:
    from mfu_gui.ui.charts.against_view import AgainstView

CAPTIONS = {
    "time": N_("MFU against step time"), "run.devices": N_("MFU against devices"),
    "run.sequence_length": N_("MFU against sequence length"), "run.global_batch": N_("MFU against global batch"),
}
"""By what the plot is against: the time, or the key of a field."""
TIME_OF_TOKEN = N_("MFU against time per token")
"""Instead of the step time, where a step is not known."""


class AgainstPart:
    """Computes a line when it is looked at, once for each state of the document."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._view: AgainstView | None = None
        self._kept: tuple[State, str, Against | None] | None = None

    @property
    def view(self) -> AgainstView:
        """The view, built if it was not yet."""
        if self._view is None:
            from mfu_gui.ui.charts.against_view import AgainstView

            self._view = AgainstView(self._services)
        return self._view

    def line(self, document: Document, key: str) -> Against | None:
        """MFU of ``document`` against the field ``key``."""
        if self._kept is None or self._kept[0] is not document.state or self._kept[1] != key:
            self._kept = (document.state, key, None if document.problem else against(document.scenario, key))
        return self._kept[2]

    def refresh(self, document: Document, key: str, target: float | None, *, log: bool) -> None:
        """Draw ``document`` against the field ``key``."""
        line, tr = self.line(document, key), self._services.language.tr
        words = tr("Enter a measured value and {field}.", field=tr(BY_KEY[key].label))
        self.view.show_line(line, target, words, log=log, dimmed=not document.settled)
        name = tr(CAPTIONS[key])
        self.view.setAccessibleName(name)
        here = None if line is None else line.here
        self.view.setAccessibleDescription(
            words if line is None or here is None else f"{self.view.read_out(here)}. {self.legend(document, key)}")

    def legend(self, document: Document, key: str) -> str:
        """What stays as it is, and what the dashed line is."""
        line, tr = self.line(document, key), self._services.language.tr
        if line is None:
            return ""
        field = BY_KEY[f"run.measured.{line.known}"]
        value = understood(float(f"{field.get(document.scenario):.4g}"), field.kind, tr(field.unit))
        unit = "" if field.kind in ("time", "fraction") else f" {tr(field.unit)}"
        held = tr("all else stays, {quantity} {value} too", quantity=tr(field.label), value=f"{value}{unit}")
        dashed = any(s.hfu is not None and s.hfu > s.utilization * 1.001 for s in line.spots)
        return f"{held} · {tr('dashed: HFU')}" if dashed else held

    def heads(self, key: str) -> list[str]:
        """Headings of the table."""
        tr = self._services.language.tr
        return [tr(BY_KEY[key].label), "MFU", "HFU", tr("step time"), tr("tokens/s/device")]

    def rows(self, document: Document, key: str) -> list[tuple[float | None, ...]]:
        """The line as numbers, in the order of the headings."""
        line = self.line(document, key)
        return [] if line is None else [(s.value, s.utilization, s.hfu, s.step_time_s, s.tokens_per_s_per_device)
                                        for s in line.spots]

    def cells(self, document: Document, key: str) -> list[list[str]]:
        """The same as the table writes them."""
        numbers = self._services.language.numbers
        return [[numbers.integer(value), numbers.percent(used, 2), numbers.percent(hfu, 2), numbers.duration(time, 4),
                 numbers.short(rate, 4)] for value, used, hfu, time, rate in self.rows(document, key)]
