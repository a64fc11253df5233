"""Sweeps: one or two quantities over many values, any results, a million points in a fraction of a second.

Axes that leave the model alone are arrays (``sweep_fast``); the others are put in one value at a time.
What is shown or written of a point is computed again by itself (``exact``), as ``mfu-gui compute`` would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.communication import Array
from mfu_gui.planning.memory import FITS_BELOW
from mfu_gui.planning.run_plan import missing_inputs
from mfu_gui.planning.spec import plan_spec
from mfu_gui.planning.sweep_axes import Axis, check_axes
from mfu_gui.planning.sweep_fast import DEVICES, fast_keys, fast_values
from mfu_gui.planning.sweep_point import OUTCOMES, Held, Hold, Values, exact_values, held_of, placed, point_scenario

Place = tuple[int, ...]
"""Position of a point: an index on every axis."""
Progress = Callable[[int, int], bool]
"""Told (points done, of how many); False stops."""
AT_ONCE = 2**16
"""Points that are computed together: as many as fit into a processor's cache."""
SLOW_AT_ONCE = 64
"""Points between two calls of progress, where each is computed by itself."""


class Cancelled(Exception):  # noqa: N818 - somebody wanted it
    """Progress said to stop."""


class Sweep(msgspec.Struct, frozen=True, kw_only=True):
    """Results over one or two axes.

    ``values`` holds one array for each result, with one dimension for each axis; NaN where there is no
    value.  ``errors`` are the reasons for slices or points that could not be computed, by place (-1: all of
    an axis).
    """

    base: Scenario
    axes: tuple[Axis, ...]
    held: Held
    values: dict[str, Array]
    errors: dict[Place, InputError]
    notices: tuple[Notice, ...] = ()

    @property
    def shape(self) -> Place:
        """Number of values of each axis."""
        return tuple(len(axis.values) for axis in self.axes)

    def at(self, place: Place) -> tuple[Any, ...]:
        """Values of the axes at a point."""
        return tuple(axis.values[index] for axis, index in zip(self.axes, place, strict=True))

    def scenario(self, place: Place) -> Scenario:
        """The scenario of a point, measured as what was held says.  InputError where it cannot be."""
        return point_scenario(self.base, self.axes, self.held, self.at(place))

    def exact(self, place: Place) -> Values:
        """The results of a point, each computed by itself.  InputError where it cannot be."""
        return exact_values(self.base, self.axes, self.held, self.at(place), tuple(self.values))

    def error(self, place: Place) -> InputError | None:
        """Why a point has no values."""
        for key, error in self.errors.items():
            if all(index in (-1, mine) for index, mine in zip(key, place, strict=True)):
                return error
        try:
            self.exact(place)
        except InputError as error:
            return error
        return None

    def places(self) -> Iterator[Place]:
        """All points, the last axis fastest."""
        return product(*(range(size) for size in self.shape))

    def current(self) -> Place | None:
        """The point of the base scenario itself, where it is one of them."""
        found = []
        for axis in self.axes:
            value = axis.get(self.base)
            if value not in axis.values:
                return None
            found.append(axis.values.index(value))
        return tuple(found)

    def best(self, key: str, keep: npt.NDArray[np.bool_] | None = None) -> Place | None:
        """The best point of a result among those of ``keep``; None where there is none."""
        values = self.values[key] if keep is None else np.where(keep, self.values[key], np.nan)
        if np.isnan(values).all():
            return None
        flat = np.nanargmin(values) if OUTCOMES[key].less else np.nanargmax(values)
        return tuple(int(index) for index in np.unravel_index(flat, values.shape))

    def kept(self, *, fits: bool = False, most_days: float | None = None, most_cost: float | None = None,
             ) -> npt.NDArray[np.bool_]:
        """Points that pass the filters.  ``fits``: below 100 % of the device's memory, tight ones included.

        The results that a filter looks at (``memory_share``, ``days``, ``cost``) must be in the sweep.
        """
        keep = np.ones(self.shape, dtype=np.bool_)
        with np.errstate(invalid="ignore"):
            if fits:
                keep &= self.values["memory_share"] <= 1.0
            if most_days is not None:
                keep &= self.values["days"] <= most_days
            if most_cost is not None:
                keep &= self.values["cost"] <= most_cost
        return keep


def sweep(base: Scenario, axes: Sequence[Axis], keys: Sequence[str], hold: Hold | None = None,
          progress: Progress | None = None) -> Sweep:
    """These results over one or two axes.

    ``hold`` says what of the measurement stays (``usual_hold`` where it is None).  InputError for axes that
    do not go together, an unknown result, and a base scenario that lacks what shall hold; single points that
    cannot be computed are NaN, with their reason in ``errors``.  Raises ``Cancelled`` when progress says so.
    """
    check_axes(axes)
    for key in keys:
        if key not in OUTCOMES:
            raise InputError("unknown_choice", "--result", value=key, allowed=", ".join(OUTCOMES))
    held = held_of(base, axes, hold)
    fast = fast_keys(base, [axis.key for axis in axes], held, keys)
    shape = tuple(len(axis.values) for axis in axes)
    found = Sweep(base=base, axes=tuple(axes), held=held, errors={}, notices=_notices(base, axes, held, keys),
                  values={key: np.full(shape, np.nan) for key in dict.fromkeys(keys)})
    done, points = 0, int(np.prod(shape))
    for block in _blocks(axes, fast):
        if progress is not None and not progress(done, points):
            raise Cancelled
        if fast:
            done += _fill_block(found, block)
        else:
            for place in product(*(range(part.start, part.stop) for part in block)):
                _fill_point(found, place)
                done += 1
    if progress is not None:
        progress(points, points)
    return found


def _blocks(axes: Sequence[Axis], fast: frozenset[str]) -> Iterator[tuple[slice, ...]]:
    """Parts of the sweep, a slice of every axis: as many points as are computed at once."""
    sizes = [AT_ONCE if axis.key in fast else 1 for axis in axes]
    if not fast:
        sizes[-1] = SLOW_AT_ONCE
    elif len(axes) == 2 and sizes[0] == sizes[1]:
        sizes[0] = max(1, AT_ONCE // len(axes[1].values))
    parts = [[slice(first, min(first + size, len(axis.values))) for first in range(0, len(axis.values), size)]
             for axis, size in zip(axes, sizes, strict=True)]
    return product(*parts)


def _fill_point(found: Sweep, place: Place) -> None:
    try:
        values = found.exact(place)
    except InputError as error:
        found.errors[place] = error
        return
    for key, value in values.items():
        found.values[key][place] = np.nan if value is None else value


def _fill_block(found: Sweep, block: tuple[slice, ...]) -> int:
    """Fill the points of ``block``, whose slow axes have one value each, and return their number."""
    axes, keys = found.axes, tuple(found.values)
    fast = fast_keys(found.base, [axis.key for axis in axes], found.held, keys)
    arrays: dict[str, Array] = {}
    slow: list[tuple[Axis, Any]] = []
    for index, (axis, part) in enumerate(zip(axes, block, strict=True)):
        if axis.key in fast:
            shape = [1] * len(axes)
            shape[index] = -1
            arrays[axis.key] = np.asarray(axis.values[part], dtype=np.float64).reshape(shape)
        else:
            slow.append((axis, axis.values[part.start]))
    try:
        there = placed(found.base, [axis for axis, _ in slow], [value for _, value in slow])
        values = fast_values(found.base, there, arrays, found.held, keys)
    except InputError as error:
        found.errors[tuple(-1 if axis.key in fast else part.start
                           for axis, part in zip(axes, block, strict=True))] = error
    else:
        for key, value in values.items():
            found.values[key][block] = value
    return int(np.prod([part.stop - part.start for part in block]))


def _notices(base: Scenario, axes: Sequence[Axis], held: Held, keys: Sequence[str]) -> tuple[Notice, ...]:
    """Inputs of the plan that stand against what is varied or held, and what it lacks for a result asked for."""
    spec, found = plan_spec(base), []
    planned = any(OUTCOMES[key].part == "plan" for key in keys)
    if planned and spec.mfu is not None:
        found.append(Notice("sweep_plan_mfu", "plan.mfu", {"mfu": spec.mfu}))
    if spec.devices is not None and any(axis.key == DEVICES for axis in axes):
        found.append(Notice("sweep_plan_devices", "plan.devices", {"devices": spec.devices}))
    return (*found, *_missing(base, axes, held, keys)) if planned else tuple(found)


def _missing(base: Scenario, axes: Sequence[Axis], held: Held, keys: Sequence[str]) -> tuple[Notice, ...]:
    """Why days, cost or energy have no value; the first point tells, because all lack the same inputs."""
    try:
        return missing_inputs(point_scenario(base, axes, held, [axis.values[0] for axis in axes]), keys)
    except InputError:
        return ()


__all__ = ["FITS_BELOW", "Axis", "Cancelled", "Held", "Hold", "Place", "Progress", "Sweep", "sweep"]
