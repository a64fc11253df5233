"""The rows of the preset manager's tables, and what narrows them down."""

from __future__ import annotations

from itertools import pairwise

from mfu_gui.formats.preset_file import Kind
from mfu_gui.formats.preset_index import PresetInfo
from mfu_gui.texts import N_, Translator
from mfu_gui.ui.tabs.table_model import Cells

HEADS: dict[Kind, tuple[str, ...]] = {
    "mfu-model": (N_("Name"), N_("Family"), N_("Origin"), N_("Parameters"), N_("Active"), N_("Date")),
    "mfu-hardware": (N_("Name"), N_("Vendor"), N_("Origin"), N_("BF16 TFLOP/s"), N_("Memory, GB"), N_("Year"),
                     N_("Date")),
}
TEXT_COLUMNS = 3
_BAND_STEPS = (1e9, 1e10, 3e10, 1e11)


def cells(info: PresetInfo, tr: Translator) -> Cells:
    """One preset as a row; own ones are set bold."""
    numbers = tr.numbers
    origin = tr("shipped") if info.shipped else tr("own")
    figures = info.figures
    if info.kind == "mfu-model":
        values: list[float | int | None] = [figures.get("total_parameters"), figures.get("active_parameters")]
        texts = ["–" if value is None else numbers.count(value) for value in values]
    else:
        peak, memory, year = figures.get("bf16") or figures.get("fp16"), figures.get("memory_gb"), figures.get(
            "release_year")
        values = [peak, memory, year]
        texts = ["–" if peak is None else numbers.short(peak, 4), "–" if memory is None else f"{memory:g}",
                 "–" if year is None else str(year)]
    return Cells(info.id, (info.name, info.group, origin, *texts, info.date or "–"),
                 (info.name, info.group, origin, *values, info.date), bold=not info.shipped)


def group_choices(infos: list[PresetInfo], tr: Translator) -> list[tuple[str, str]]:
    """Vendors or families there are."""
    groups = sorted({info.group for info in infos if info.group}, key=str.casefold)
    every = tr("All families") if infos and infos[0].kind == "mfu-model" else tr("All vendors")
    return [("", every), *((group, group) for group in groups)]


def size_choices(infos: list[PresetInfo], kind: Kind, tr: Translator) -> list[tuple[str, str]]:
    """Bands of parameters, or years."""
    if kind == "mfu-hardware":
        years = sorted({int(info.figures["release_year"]) for info in infos if "release_year" in info.figures},
                       reverse=True)
        return [("", tr("All years")), *((str(year), str(year)) for year in years)]
    count = tr.numbers.count
    bands = [("", tr("All sizes")), ("0", tr("up to {n}", n=count(int(_BAND_STEPS[0]))))]
    bands += [(str(number), tr("{low} to {high}", low=count(int(low)), high=count(int(high))))
              for number, (low, high) in enumerate(pairwise(_BAND_STEPS), 1)]
    return [*bands, (str(len(_BAND_STEPS)), tr("over {n}", n=count(int(_BAND_STEPS[-1]))))]


def origin_choices(tr: Translator) -> list[tuple[str, str]]:
    """Whose presets."""
    return [("", tr("Shipped and own")), ("shipped", tr("Shipped")), ("own", tr("Own"))]


def keeps(info: PresetInfo, group: str, size: str, origin: str) -> bool:
    """Whether a preset is among what is chosen; empty choices keep everything."""
    if group and info.group != group:
        return False
    if origin and info.shipped is not (origin == "shipped"):
        return False
    if not size:
        return True
    if info.kind == "mfu-hardware":
        return str(info.figures.get("release_year", "")) == size
    total = info.figures.get("total_parameters")
    return total is not None and sum(total > step for step in _BAND_STEPS) == int(size)
