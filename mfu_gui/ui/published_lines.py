"""Published figures as lines of a table: computed when they are looked at, each once.  No Qt here."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from mfu_gui.engine.conventions import find
from mfu_gui.engine.fields import RECOMPUTE_CHOICES
from mfu_gui.formats.published import REASONS, Figure, Published, PublishedRow, Quantity
from mfu_gui.texts import N_, Translator
from mfu_gui.texts.numbers import DASH

QUANTITIES: dict[Quantity, str] = {
    "mfu": "MFU", "hfu": "HFU", "tflops_per_device": N_("TFLOP/s per device"),
    "tflops_per_token": N_("TFLOP per token"), "hardware_tflops_per_token": N_("TFLOP per token, executed"),
    "days_for_300b_tokens": N_("days for 300B tokens"),
}
BASES: dict[str, str] = {
    "documented by the source": N_("documented by the source"), "tool code read": N_("read in the tool's code"),
    "fitted afterwards": N_("fitted afterwards"), "inferred": N_("inferred"), "arithmetic": N_("arithmetic"),
    "fitted afterwards, agrees with the tool code default": N_("fitted afterwards, as the tool's code has it"),
}
MEASURED: dict[str, str] = {
    "step_time_s": N_("{value} s per step"), "tokens_per_s": N_("{value} tokens/s"),
    "tokens_per_s_per_device": N_("{value} tokens/s per device"), "tflops_per_device": N_("{value} TFLOP/s per device"),
}
_UNIT: dict[Quantity, str] = {"mfu": "%", "hfu": "%"}
_UNIT_IN_TABLE: dict[Quantity, str] = {
    "tflops_per_device": "TFLOP/s", "tflops_per_token": "TFLOP", "hardware_tflops_per_token": "TFLOP",
    "days_for_300b_tokens": N_("days"),
}
"""Where no words before the number say what it is."""
_RECOMPUTE = dict(RECOMPUTE_CHOICES)


class PublishedLine:
    """One row, with everything that a table asks of its lines (see ``Line``)."""

    swatch = None
    bold = False
    link = None

    def __init__(self, row: PublishedRow, published: Published, hardware: str, tr: Callable[[], Translator]) -> None:
        """``hardware``: the preset's name of the device; ``tr``: the translator of the moment."""
        self.row, self.key, self.hardware = row, row.id, hardware
        self._published, self._tr = published, tr

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The printed figures beside the recomputed ones."""
        return self._published.recompute(self.row)

    @cached_property
    def worst(self) -> Figure | None:
        """The figure that is furthest off."""
        return max(self.figures, key=lambda figure: abs(figure.residual), default=None)

    @property
    def muted(self) -> bool:
        return not self.row.closes

    @property
    def values(self) -> tuple[Any, ...]:
        """What is sorted and copied by."""
        row, worst = self.row, self.worst
        return (row.model_name, row.source, self.hardware, row.devices, self.measured,
                None if worst is None else float(self.figures[0].printed),
                None if worst is None else self.figures[0].recomputed,
                None if worst is None else abs(worst.residual),
                row.convention.id if row.convention is not None else "", self.closes)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What is shown."""
        row, numbers = self.row, self._tr().numbers
        reported = [in_table(f"{printed}{_UNIT.get(quantity, '')}", quantity, self._tr())
                    for quantity, printed in row.figures]
        recomputed = [in_table(recomputed_text(figure, self._tr()), figure.quantity, self._tr())
                      for figure in self.figures]
        return (row.model_name, row.source, self.hardware, numbers.integer(row.devices), self.measured,
                " · ".join(reported) or DASH, " · ".join(recomputed) or DASH, self.residual,
                row.convention.id if row.convention is not None else DASH, self.closes)

    @property
    def closes(self) -> str:
        tr = self._tr()
        return tr("yes") if self.row.closes else tr("no") if self.row.figures else tr("not computable")

    @property
    def residual(self) -> str:
        """How far the furthest figure is off, in words."""
        return DASH if self.worst is None else f"{self.worst.residual * 100:+.2f}%"

    @property
    def measured(self) -> str:
        """The measured input as it was printed."""
        measured = self.row.measured
        if measured is None:
            return ""
        return self._tr()(MEASURED[measured.key], value=grouped(measured.printed))

    def tip(self) -> str:
        """Source, and why it does not close."""
        row = self.row
        lines = (row.model_name, cited(row), reason(row, self._tr()))
        return "\n".join(line for line in lines if line)

    def forget_texts(self) -> None:
        """Another language."""
        self.__dict__.pop("texts", None)

    @cached_property
    def searched(self) -> str:
        """Where typed words are looked for, in small letters."""
        row = self.row
        return "\n".join((row.model_name, row.source, row.citation, row.hardware_name, self.hardware, row.note,
                          row.convention.id if row.convention is not None else "", row.id)).casefold()


def cited(row: PublishedRow) -> str:
    """Source and place in it."""
    return ", ".join(text for text in (row.source, row.citation) if text)


def grouped(printed: str) -> str:
    """The digits as printed, in groups: 238300 is 238,300."""
    whole, point, decimals = printed.partition(".")
    return f"{int(whole):,}{point}{decimals}" if whole.isdigit() else printed


def recomputed_text(figure: Figure, tr: Translator) -> str:
    """A recomputed figure with two digits more than was printed."""
    decimals = min(len(figure.printed.partition(".")[2]) + 2, 6)
    return f"{figure.recomputed:,.{decimals}f}{_UNIT.get(figure.quantity, '')}"


def in_table(text: str, quantity: Quantity, tr: Translator) -> str:
    """A figure as it stands among others of other quantities."""
    unit = _UNIT_IN_TABLE.get(quantity, "")
    return f"{text} {tr(unit)}" if unit else text


def reason(row: PublishedRow, tr: Translator) -> str:
    """Why a row does not close; empty for one that does."""
    return tr(REASONS[row.reason]) if row.reason else ""


def inputs(line: PublishedLine, tr: Translator) -> str:
    """Everything that goes into the computation, on one line."""
    row, recompute = line.row, line.row.run.recompute
    devices = "" if row.devices is None else f"{row.devices:,} × "
    length = "" if row.sequence_length is None else f"{row.sequence_length:,}"
    repeated = tr(_RECOMPUTE[recompute]) if isinstance(recompute, str) else tr("parts")
    parts = (
        f"{devices}{row.hardware_name}",
        tr("{batch} sequences of {length} tokens", batch=f"{row.global_batch:,}", length=length)
        if length and row.global_batch is not None else tr("{length} tokens", length=length) if length else "",
        row.precision.upper(),
        "" if row.peak_tflops is None else tr("peak {tflops} TFLOP/s", tflops=f"{row.peak_tflops:g}"),
        "" if recompute == "none" else tr("recompute: {what}", what=repeated),
        line.measured,
    )
    return " · ".join(part for part in parts if part)


def figure_lines(line: PublishedLine, tr: Translator) -> list[str]:
    """Each figure in words: printed, recomputed, residual."""
    return [
        tr("{quantity}: printed {printed}, recomputed {recomputed} ({residual})", quantity=tr(QUANTITIES[f.quantity]),
           printed=f"{f.printed}{_UNIT.get(f.quantity, '')}", recomputed=recomputed_text(f, tr),
           residual=f"{f.residual * 100:+.3f}%") for f in line.figures]


def counted_by(row: PublishedRow, tr: Translator) -> str:
    """The convention and how it is known."""
    if row.convention is None:
        return ""
    title = tr(find(row.convention.id).title)
    basis = BASES.get(row.basis, "")
    return (tr("Counted by {convention} ({basis})", convention=title, basis=tr(basis)) if basis
            else tr("Counted by {convention}", convention=title))


def utilization(row: PublishedRow, published: Published) -> float | None:
    """The printed utilization as a fraction, for the plot: the MFU, else the printed rate over the peak."""
    for quantity, printed in row.figures:
        if quantity == "mfu":
            return float(printed) / 100
    for quantity, printed in row.figures:
        if quantity == "tflops_per_device":
            peak = row.peak_tflops or published.hardware(row).peak_tflops.get(row.precision)
            return None if peak is None else float(printed) / peak
    return None

