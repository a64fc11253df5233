"""Done: a sweep that has been computed, and what the Sweep tab writes of its points."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.sweep_words import axis_title, outcome_text, value_text
from mfu_gui.planning.spec import plan_spec
from mfu_gui.planning.sweep import Place, Progress, Sweep, sweep
from mfu_gui.planning.sweep_axes import Axis
from mfu_gui.planning.sweep_point import OUTCOMES, Hold, Values
from mfu_gui.texts import Translator
from mfu_gui.ui.tabs.table_model import Cells

MOST_EXACT = 600
"""Points that are computed by themselves for the table; a larger sweep has a picture only."""


class Done(NamedTuple):
    """A sweep with its points computed by themselves (none of a large one)."""

    sweep: Sweep
    key: str
    exact: dict[Place, Values | InputError]

    def at(self, place: Place) -> Values | InputError:
        """A point computed by itself."""
        found = self.exact.get(place)
        if found is None:
            try:
                found = self.sweep.exact(place)
            except InputError as error:
                return error
        return found

    def point_text(self, place: Place, tr: Translator) -> str:
        """A point in words: its values, its result, or why it has none."""
        found = self.sweep
        at = ", ".join(f"{tr(axis.label)} {value_text(axis, axis.values[index], tr)}"
                       for axis, index in zip(found.axes, place, strict=True))
        exact = self.at(place)
        if isinstance(exact, InputError):
            return f"{at}: {tr.sentence(exact.code, exact.values)}"
        currency = plan_spec(found.base).currency
        results = ", ".join(f"{tr(OUTCOMES[key].label)} {outcome_text(key, value, tr, currency)}"
                            for key, value in exact.items())
        return f"{at}: {results}"

    def table(self, kept: npt.NDArray[np.bool_], words: tuple[list[str], ...],
              tr: Translator) -> tuple[tuple[str, ...], list[Cells]]:
        """Heads and rows of the table: the points that are ``kept``; ``words`` are the values of each axis."""
        found = self.sweep
        keys = tuple(found.values)
        currency = plan_spec(found.base).currency
        heads = (*(axis_title(axis, tr) for axis in found.axes), *(tr(OUTCOMES[key].label) for key in keys))
        rows = []
        for place, exact in self.exact.items():
            if not kept[place]:
                continue
            values = {} if isinstance(exact, InputError) else exact
            texts = tuple(outcome_text(key, values.get(key), tr, currency) for key in keys)
            rows.append(Cells(
                key_of(place), (*(words[i][index] for i, index in enumerate(place)), *texts),
                (*found.at(place), *(values.get(key) for key in keys)), partial(self.point_text, place, tr),
                bold=place == found.current()))
        return heads, rows


def compute(base: Scenario, axes: tuple[Axis, ...], key: str, hold: Hold | None, filters: tuple[str, ...],
            progress: Progress) -> Done:
    """The sweep and its exact points; in a thread."""
    found = sweep(base, axes, (key, *filters), hold, progress)
    exact: dict[Place, Values | InputError] = {}
    if int(np.prod(found.shape)) <= MOST_EXACT:
        for place in found.places():
            try:
                exact[place] = found.exact(place)
            except InputError as error:
                exact[place] = error
    return Done(found, key, exact)


def key_of(place: Place) -> str:
    """The key of a point's row in the table."""
    return ",".join(map(str, place))
