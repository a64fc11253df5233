"""Published utilizations and rates, and what this program makes of the inputs printed beside them.

``resources/published/published.json`` holds one row for each printed figure, with its source, inputs,
the convention it was counted by, and whether it closes: whether the interval of results over the
printed inputs' half digits meets the half digit of the printed result.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import Annotated, Literal

import msgspec

from mfu_gui.engine.compare import flops_per_token
from mfu_gui.engine.conventions import chosen
from mfu_gui.engine.evaluate import count
from mfu_gui.engine.field import N_
from mfu_gui.engine.hardware import HardwareSpec, Precision
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import Measured, Recompute, RecomputeName, RunSpec
from mfu_gui.engine.scenario import ConventionChoice, OptionValue, Peak, Reported, Scenario, Source
from mfu_gui.engine.utilization import preset_peak_tflops
from mfu_gui.formats.presets import PresetStore
from mfu_gui.resources import resource_path

Quantity = Literal["mfu", "hfu", "tflops_per_device", "tflops_per_token", "hardware_tflops_per_token",
                   "days_for_300b_tokens"]
MeasuredKey = Literal["step_time_s", "tokens_per_s", "tokens_per_s_per_device", "tflops_per_device"]
PERCENT = ("mfu", "hfu")
TOKENS_OF_A_RUN = 300e9

REASONS: dict[str, str] = {
    "no_speed": N_("The source prints no step time and no throughput."),
    "no_architecture": N_("The source does not describe the model well enough to count it."),
    "no_utilization": N_("The source prints a speed but no utilization to compare with."),
    "not_training": N_("This is inference, which other counts apply to."),
    "coarse_speed": N_("The source rounds its tokens/s to a coarse step, which alone moves the result by up to 2.5%."),
    "rounded_speed": N_("The source's throughput is rounded or marked approximate."),
    "different_runs": N_("The printed speed and the printed rate come from different runs."),
    "window_not_printed": N_("The model has sliding windows whose size the source does not print."),
    "peak_not_stated": N_("The peak that the source divides by is not stated, and the usual one does not fit."),
    "other_peak": N_("The source divides this row by the peak of another precision than its neighbours."),
    "inconsistent": N_("The source contradicts itself: no way of counting connects the printed numbers."),
    "cut_off": N_("The printed result was cut off instead of rounded."),
    "slightly_other": N_("The result differs by less than half a per cent: the source's own count or clock is slightly "
                         "different, and it prints neither."),
}
"""Why a row does not close, as message ids by the word in the file."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of the parts of the file."""


class Printed(Record, frozen=True, kw_only=True):
    """The measured input: digits as printed; ``half_digit`` where the last digits are rounded further."""

    key: MeasuredKey
    printed: str
    half_digit: float | None = None

    @property
    def value(self) -> float:
        """The number."""
        return float(self.printed)

    @property
    def relative_half(self) -> float:
        """Half of the last printed digit, relative to the number."""
        half = half_digit(self.printed) if self.half_digit is None else self.half_digit
        return half / self.value


class RowRun(Record, frozen=True, kw_only=True):
    """What a row says of its run beyond lengths and counts."""

    recompute: RecomputeName | Recompute = "none"
    multi_token_prediction: int = 0


class RowConvention(Record, frozen=True, kw_only=True):
    """How the source counts."""

    id: str
    options: dict[str, OptionValue] = {}


class PublishedRow(Record, frozen=True, kw_only=True):
    """One printed figure or a few that belong together.

    ``figures`` are (quantity, digits as printed); utilizations in per cent.  Without ``model`` only the
    ratio of rate and peak can be computed, without figures nothing can, and ``reason`` says why.
    """

    id: str
    source: str
    citation: str = ""
    model_name: str
    model: str | None = None
    hardware_name: str
    hardware: str | None = None
    precision: Precision = "bf16"
    peak_tflops: float | None = None
    devices: int | None = None
    sequence_length: int | None = None
    global_batch: int | None = None
    run: RowRun = RowRun()
    measured: Printed | None = None
    convention: RowConvention | None = None
    basis: str = ""
    figures: tuple[tuple[Quantity, str], ...] = ()
    also_printed: tuple[tuple[Quantity, str], ...] = ()
    closes: bool = False
    reason: str = ""
    """A key of REASONS; empty when the row closes."""
    note: str = ""
    """What the source says beside, in English."""


class Figure(msgspec.Struct, frozen=True):
    """A printed figure beside the recomputed one, both in the unit printed; ``residual`` is
    recomputed ÷ printed − 1."""

    quantity: Quantity
    printed: str
    recomputed: float
    residual: float
    closes: bool


class _File(Record, frozen=True, kw_only=True):
    kind: Literal["mfu-published"]
    schema: Annotated[int, msgspec.Meta(ge=1, le=1)]
    about: str
    models: dict[str, ModelSpec]
    rows: tuple[PublishedRow, ...]


def half_digit(printed: str) -> float:
    """Half of the last digit of a printed number: 0.005 for "13.75", 0.5 for "1720"."""
    return 0.5 * float(10.0 ** -len(printed.partition(".")[2]))


class Published:
    """The shipped rows; computed when asked, kept by nobody."""

    def __init__(self, file: _File, presets: PresetStore) -> None:
        self.models = file.models
        self.rows = file.rows
        self._presets = presets
        self._hardware: dict[str, HardwareSpec] = {}

    @cached_property
    def by_id(self) -> dict[str, PublishedRow]:
        """Rows by their id."""
        return {row.id: row for row in self.rows}

    def hardware(self, row: PublishedRow) -> HardwareSpec:
        """The preset of the row's device, or a device that has the printed peak alone."""
        if row.hardware is None:
            return HardwareSpec(name=row.hardware_name, peak_tflops={row.precision: row.peak_tflops or 1.0})
        if row.hardware not in self._hardware:
            self._hardware[row.hardware] = self._presets.hardware(row.hardware).spec
        return self._hardware[row.hardware]

    def scenario(self, row: PublishedRow) -> Scenario | None:
        """The row as a scenario with its printed number; None where it does not say enough."""
        if row.model is None or row.sequence_length is None:
            return None
        hardware, peak = self.hardware(row), Peak(tflops=row.peak_tflops)
        if row.peak_tflops is not None and hardware.peak_tflops.get(row.precision) == row.peak_tflops:
            peak = Peak()
        measured = None if row.measured is None else Measured(**{row.measured.key: row.measured.value})
        run = RunSpec(
            sequence_length=row.sequence_length, devices=row.devices, global_batch=row.global_batch,
            precision=row.precision, measured=measured, recompute=row.run.recompute,
            multi_token_prediction=row.run.multi_token_prediction)
        convention = ConventionChoice() if row.convention is None else ConventionChoice(
            id=row.convention.id, options=row.convention.options)
        notes = "\n".join(text for text in (f"{row.source}, {row.citation}", row.note) if text)
        return Scenario(
            name=f"{row.model_name}, {row.source}", notes=notes, model=self.models[row.model], hardware=hardware,
            run=run, peak=peak, convention=convention, reported=_reported(row),
            hardware_source=Source(preset=row.hardware))

    def recompute(self, row: PublishedRow) -> tuple[Figure, ...]:
        """Every figure of the row computed again from its printed inputs."""
        return tuple(self._figure(row, quantity, printed) for quantity, printed in row.figures)

    def _figure(self, row: PublishedRow, quantity: Quantity, printed: str) -> Figure:
        value, inputs = self._value(row, quantity), 0.0 if row.measured is None else row.measured.relative_half
        number, half = float(printed), half_digit(printed)
        closes = value / (1 + inputs) <= number + half and value / (1 - inputs) >= number - half
        return Figure(quantity, printed, value, value / number - 1, closes)

    def _value(self, row: PublishedRow, quantity: Quantity) -> float:
        if quantity in ("tflops_per_token", "hardware_tflops_per_token"):
            return self._flops_per_token(row, hardware=quantity.startswith("hardware")) / 1e12
        if row.measured is None:
            raise ValueError(f"{row.id}: nothing measured")
        if row.measured.key == "tflops_per_device":
            tflops = row.measured.value
        else:
            tflops = self._rate(row, row.measured) * self._flops_per_token(row, hardware=quantity == "hfu") / 1e12
        if quantity == "tflops_per_device":
            return tflops
        if quantity == "days_for_300b_tokens":
            rate = tflops * 1e12 / self._flops_per_token(row, hardware=False) * (row.devices or 1)
            return TOKENS_OF_A_RUN / rate / 86_400
        return 100 * tflops / self._peak(row)

    def _peak(self, row: PublishedRow) -> float:
        return row.peak_tflops or preset_peak_tflops(self.hardware(row), row.precision, Peak())

    def _rate(self, row: PublishedRow, measured: Printed) -> float:
        """Tokens per second of one device."""
        if measured.key == "tokens_per_s_per_device":
            return measured.value
        devices = row.devices or 1
        if measured.key == "tokens_per_s":
            return measured.value / devices
        return (row.sequence_length or 0) * (row.global_batch or 0) / measured.value / devices

    def _flops_per_token(self, row: PublishedRow, *, hardware: bool) -> float:
        if row.model is None or row.convention is None:
            raise ValueError(f"{row.id}: no model")
        convention = chosen(ConventionChoice(id=row.convention.id, options=row.convention.options))
        run = RunSpec(sequence_length=row.sequence_length or 1, recompute=row.run.recompute,
                      multi_token_prediction=row.run.multi_token_prediction)
        if hardware and row.run.recompute != "none":
            return count(self.models[row.model], run, convention)[0].hardware_per_token
        return flops_per_token(convention, self.models[row.model], run)


def _reported(row: PublishedRow) -> Reported | None:
    """The row's number as ``explain`` looks for it."""
    for quantity, printed in row.figures:
        if quantity in PERCENT:
            fraction = round(float(printed) / 100, len(printed.partition(".")[2]) + 2)
            return Reported(mfu=fraction) if quantity == "mfu" else Reported(hfu=fraction)
        if quantity == "tflops_per_device":
            return Reported(tflops_per_device=float(printed))
    return None


@cache
def published() -> Published:
    """The shipped rows, read once."""
    data = resource_path("published", "published.json").read_bytes()
    return Published(msgspec.json.decode(data, type=_File), PresetStore())
