"""Axes as they are written: ``run.devices=512,1024,2048``, ``run.sequence_length=2k:16k:8``, ``model=a,b``.

``key=a,b,c`` is a list, ``key=lo:hi:n`` are n values in even steps, ``key=lo:hi:n:log`` in even ratios.
Values are read as a field of the window reads them.  The last part of a key is enough where it means one
field only; ``model`` and ``hardware`` take ids of presets, ``convention`` ids of conventions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from mfu_gui.engine.conventions import find
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.field import N_, Field
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.scenario import ConventionChoice, Scenario, Source
from mfu_gui.formats.nearest import nearest
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.quantities import parse
from mfu_gui.planning.layout_space import KEYS as DIMENSION_OF
from mfu_gui.planning.sweep_axes import MOST_POINTS, Axis, axis_of, sweep_fields

FORMS = "key=a,b,c  key=lo:hi:n  key=lo:hi:n:log"
PRESET_AXES = ("model", "hardware", "convention")


def read_axis(text: str, presets: PresetStore) -> Axis:
    """The axis that ``text`` describes.

    InputError ``sweep_axis_form`` for another form, ``unknown_key`` for no field, what ``parse`` and
    ``checked`` raise for its values (the field is the key), ``unknown_preset``.
    """
    key, sign, values = (part.strip() for part in text.partition("="))
    if not sign or not key or not values:
        raise InputError("sweep_axis_form", "--axis", value=text, allowed=FORMS)
    if key in PRESET_AXES:
        return preset_axis(key, [value.strip() for value in values.split(",") if value.strip()], presets)
    field = field_named(key)
    return axis_of(field, read_values(field, values))


def field_named(key: str) -> Field:
    """The field with this key, or with this last part of one.  InputError ``unknown_key``, ``sweep_key_unclear``."""
    fields = sweep_fields()
    if key in fields:
        return fields[key]
    found = [name for name in fields if name.rpartition(".")[2] == key]
    preferred = [name for name in found if not name.startswith("plan.")] or found
    if len(preferred) == 1:
        return fields[preferred[0]]
    if preferred:
        raise InputError("sweep_key_unclear", "--axis", key=key, allowed=", ".join(preferred))
    short = {name.rpartition(".")[2]: name for name in fields}
    near = nearest(key, [*fields, *short, *PRESET_AXES])
    raise InputError("unknown_key", "--axis", key=key, nearest=near, allowed=", ".join((*fields, *PRESET_AXES)))


def read_values(field: Field, text: str) -> list[Any]:
    """The values of one axis, in the field's unit; each once, in the order in which they stand."""
    if field.kind == "choice":
        choices = [choice for choice, _ in field.choices if choice]
        values = [value.strip() for value in text.split(",") if value.strip()]
        for value in values:
            if value not in choices:
                raise InputError("unknown_choice", field.key, value=value, nearest=nearest(value, choices),
                                 allowed=", ".join(choices))
        return list(dict.fromkeys(values))
    parts = text.split(":")
    if len(parts) == 1:
        return list(dict.fromkeys(_number(part, field) for part in text.split(",") if part.strip()))
    if len(parts) not in (3, 4) or (len(parts) == 4 and parts[3].strip() != "log"):
        raise InputError("sweep_axis_form", field.key, value=text, allowed=FORMS)
    count = parse(parts[2], "integer").value
    if not 2 <= count <= MOST_POINTS:
        raise InputError("out_of_range", field.key, value=count, minimum=2, maximum=MOST_POINTS)
    return spread(_number(parts[0], field), _number(parts[1], field), int(count), field, logarithmic=len(parts) == 4)


def _number(text: str, field: Field) -> Any:
    try:
        return parse(text.strip(), field.kind, field.unit).value
    except InputError as error:
        raise InputError(error.code, field.key, **error.values) from error


def spread(low: Any, high: Any, count: int, field: Field, *, logarithmic: bool = False) -> list[Any]:
    """``count`` values from ``low`` to ``high``, both among them; whole numbers where the field counts something.

    InputError ``sweep_log_positive`` for ratios from 0 or below it.
    """
    if logarithmic:
        if low <= 0 or high <= 0:
            raise InputError("sweep_log_positive", field.key)
        ratio = (high / low) ** (1 / (count - 1))
        values = [low * ratio**index for index in range(count - 1)] + [high]
    else:
        step = (high - low) / (count - 1)
        values = [low + step * index for index in range(count - 1)] + [high]
    if field.kind == "integer":
        values = list(dict.fromkeys(round(value) for value in values))
    return values


def preset_axis(key: str, ids: Sequence[str], presets: PresetStore) -> Axis:
    """An axis over models, accelerators or conventions, by their ids."""
    if not ids:
        raise InputError("sweep_no_values", key)
    ids = tuple(dict.fromkeys(ids))
    if key == "convention":
        return Axis(key=key, label=N_("Convention"), kind="choice", values=ids, names=tuple(find(i).title for i in ids),
                    get=lambda s: s.convention.id,
                    put=lambda s, value: replace(s, convention=ConventionChoice(id=value)))
    try:
        if key == "model":
            models: dict[str, ModelSpec] = {each: presets.model(each).spec for each in ids}
            return Axis(key=key, label=N_("Model"), kind="choice", values=ids,
                        names=tuple(models[i].name or i for i in ids), get=lambda s: s.model_source.preset,
                        put=lambda s, value: replace(s, model=models[value], model_source=Source(preset=value)))
        cards: dict[str, HardwareSpec] = {each: presets.hardware(each).spec for each in ids}
    except InputError as error:
        raise InputError(error.code, key, **error.values) from error

    def put(scenario: Scenario, value: Any) -> Scenario:
        # A peak that was typed is that of the other accelerator.
        return replace(scenario, hardware=cards[value], hardware_source=Source(preset=value),
                       peak=replace(scenario.peak, tflops=None))

    return Axis(key=key, label=N_("Accelerator"), kind="choice", values=ids,
                names=tuple(cards[i].name or i for i in ids), get=lambda s: s.hardware_source.preset, put=put)


def limits_of(axes: Sequence[Axis]) -> dict[str, tuple[Any, ...]]:
    """What axes limit a search for layouts to; InputError ``layouts_key`` for one that is no part of a layout."""
    found: dict[str, tuple[Any, ...]] = {}
    for axis in axes:
        if axis.key not in DIMENSION_OF:
            raise InputError("layouts_key", "--axis", key=axis.key, allowed=", ".join(DIMENSION_OF))
        found[DIMENSION_OF[axis.key]] = axis.values
    return found
