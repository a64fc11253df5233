"""What a format is: its name, how it is found, who reads it, and what its figures are means over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from mfu_gui.formats.training_logs.columns import Average, Batch
from mfu_gui.formats.training_logs.line_reader import LineFormat, LineReader


class Reader(Protocol):
    """Reads one log: pieces of whole lines in, batches of columns out."""

    def feed(self, data: bytes, final: bool = False) -> Batch:
        """The records in ``data``; all that is left with ``final``."""


class Format(NamedTuple):
    """One kind of log.

    ``literals``: a piece that holds a record has one of these texts.  ``weight``: of several formats
    in one log the heaviest is shown.  ``part_of``: formats that this one accompanies as a matter of
    course, so that both in one log are no surprise.  ``averages``: what its figures are means over
    (otherwise ``interval``).  ``convention``: whose counting its FLOP/s follow (an id of the engine).
    ``remarks``: codes of what a reader of its figures must know.  ``whole_seconds``: its times are
    counted in whole seconds.
    """

    id: str
    name: str
    literals: tuple[bytes, ...]
    reader: Callable[[], Reader]
    weight: int = 50
    part_of: tuple[str, ...] = ()
    averages: Mapping[str, Average] = {}
    convention: str = ""
    remarks: tuple[str, ...] = ()
    whole_seconds: bool = False


def lines(form: LineFormat) -> Callable[[], Reader]:
    """Makes readers of a format that is described by its fields."""
    return lambda: LineReader(form)
