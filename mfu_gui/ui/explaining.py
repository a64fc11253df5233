"""Search: what a reported number may mean, found without ever keeping the window waiting.

The ways of counting do not depend on the number but on its kind; they are made in short turns of the event loop and
kept, so that every further digit is answered at once.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer, Signal

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.explain import Explanation
from mfu_gui.engine.explain_counts import Counting, each_counting, in_order
from mfu_gui.engine.scenario import Reported, Scenario
from mfu_gui.formats.explain_json import explain_scenario
from mfu_gui.texts import N_

Kind = Literal["mfu", "hfu", "tflops_per_device"]
KINDS: tuple[Kind, ...] = ("mfu", "hfu", "tflops_per_device")
LARGEST: dict[Kind, float] = {"mfu": 1000.0, "hfu": 1000.0, "tflops_per_device": 1e9}
"""As much as a scenario file can say was reported."""
TURN_S = 0.008
PLAUSIBILITIES = (
    (0.9, N_("as the scenario says itself")), (0.45, N_("likely")), (0.2, N_("plausible")), (0.1, N_("possible")),
    (0.0, N_("far-fetched")),
)
_DIGITS = re.compile(r"\s*\d[\d\s]*(?:[.,](\d+))?\s*%?\s*")


def plausibility_word(plausibility: float) -> str:
    """A plausibility (0 … 1) as a message id."""
    return next(word for least, word in PLAUSIBILITIES if plausibility >= least)


def reported_as(kind: Kind, value: float) -> Reported:
    """A reported number of a kind; utilizations are fractions."""
    return Reported(**{kind: value})


def kind_of(reported: Reported | None) -> Kind:
    """What was reported; MFU where nothing was."""
    return next((kind for kind in KINDS if reported is not None and getattr(reported, kind) is not None), "mfu")


def half_digit_of_text(text: str, value: float, kind: Kind) -> float | None:
    """Half of the last digit that was typed, zeros at the end included; None where the text is no plain number."""
    match = _DIGITS.fullmatch(text)
    if match is None:
        return None
    decimals = len(match[1] or "")
    if kind == "tflops_per_device":
        return 0.5 * 10.0**-decimals
    typed = float(re.sub(r"[\s%]", "", text).replace(",", "."))
    in_percent = abs(typed / 100 - value) <= 1e-9 * value
    return 0.5 * 10.0 ** -(decimals + 2 if in_percent else max(decimals, 2))


class Search(QObject):
    """``look`` starts; ``found(explanations, error)`` brings the answer, at once where the countings are there."""

    found = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._scenario: Scenario | None = None
        self._half_digit: float | None = None
        self._key: Scenario | None = None
        self._counted: Sequence[Counting] | None = None
        self._source: Iterator[Counting] | None = None
        self._made: list[Counting] = []
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._turn)

    @property
    def running(self) -> bool:
        return self._source is not None

    def look(self, scenario: Scenario, half_digit: float | None = None) -> None:
        """Look for what the reported number of ``scenario`` means; an earlier search is given up."""
        self._scenario, self._half_digit = scenario, half_digit
        key = replace(scenario, name="", notes="", plan=None, reported=reported_as(kind_of(scenario.reported), 1.0))
        if key != self._key:
            self.stop()
            self._key, self._counted = key, None
            self._source, self._made = each_counting(key), []
            self._timer.start()
        elif self._counted is not None:
            self._answer()

    def stop(self) -> None:
        """Give up what is running."""
        self._timer.stop()
        self._source = self._key = None

    def _turn(self) -> None:
        end = time.perf_counter() + TURN_S
        try:
            while self._source is not None and time.perf_counter() < end:
                one = next(self._source, None)
                if one is None:
                    self._timer.stop()
                    self._source, self._counted = None, in_order(self._made)
                    self._answer()
                    return
                self._made.append(one)
        except InputError as error:
            self.stop()
            self.found.emit([], error)

    def _answer(self) -> None:
        if self._scenario is None:
            return
        try:
            found: list[Explanation] = explain_scenario(self._scenario, self._counted, self._half_digit)
        except InputError as error:
            self.found.emit([], error)
            return
        self.found.emit(found, None)
