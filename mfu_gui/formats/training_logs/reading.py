"""Reading a log from beginning to end: the way in for the window and the command line.

``Reading`` is fed bytes and gives points early; ``read_log`` does it for a whole file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.formats.training_logs.columns import Average, Column
from mfu_gui.formats.training_logs.event_file import EventReader, is_event_file
from mfu_gui.formats.training_logs.form import Format
from mfu_gui.formats.training_logs.header import SEARCHED, Fact, Facts, read_header
from mfu_gui.formats.training_logs.mapping import Doubt, LogMapping
from mfu_gui.formats.training_logs.normal import Normal
from mfu_gui.formats.training_logs.questions import Answers
from mfu_gui.formats.training_logs.recognise import Candidate, Recogniser
from mfu_gui.formats.training_logs.registry import EVENT_FILE, TEXT_FORMATS
from mfu_gui.formats.training_logs.settle import questions_of, settle
from mfu_gui.formats.training_logs.text_source import (
    Cleaner,
    after_hole,
    encoding_of,
    open_log,
    pieces,
    wrapped_width,
)

GIVE_UP = 256 * 2**20
"""A log without a record in so many bytes is not read on."""
_COMPRESSED = ((b"\x1f\x8b", "gzip"), (b"PK\x03\x04", "zip"), (b"\xfd7zXZ", "xz"), (b"BZh", "bzip2"),
               (b"\x28\xb5\x2f\xfd", "zstd"))
_LARGEST_FACT = 1e12
_SPEEDS = ("step_time_s", "tokens_per_s", "tokens_per_s_per_device", "samples_per_s", "reported_tflops_per_device",
           "reported_hardware_tflops_per_device", "reported_mfu", "reported_hfu")


class Progress(NamedTuple):
    """What one piece brought: bytes read so far, and the steps that are new or replaced."""

    bytes_read: int
    first: int
    stop: int


class Other(NamedTuple):
    """A format that was found beside the one that is shown."""

    form: Format
    lines: int


class Log(NamedTuple):
    """A log that was read.

    ``averages``: what the columns are means over.  ``remarks``: codes of what a reader must know.
    ``others``: further formats found.  ``confidence``: 0 … 1.
    """

    name: str
    form: Format
    confidence: float
    others: tuple[Other, ...]
    encoding: str
    bytes_read: int
    normal: Normal
    averages: dict[str, Average]
    mapping: LogMapping | None
    doubts: tuple[Doubt, ...]
    unused: tuple[str, ...]
    notices: tuple[Notice, ...]


class Reading:
    """A log while it is read.  ``answers`` and ``mapping`` are the user's, ``wanted`` the id of a format."""

    def __init__(self, name: str = "", *, wanted: str | None = None, mapping: LogMapping | None = None,
                 answers: Answers | None = None) -> None:
        self.name = name
        self.bytes_read = 0
        self.encoding = ""
        self.width: int | None = None
        self._answers = answers or Answers()
        self._mapping = mapping
        self._recogniser = Recogniser(wanted, mapping)
        self._cleaner: Cleaner | None = None
        self._events: Candidate | None = None
        self._header = b""
        self._first = b""

    @property
    def candidate(self) -> Candidate | None:
        """The format that is shown now, with its steps so far."""
        return self._events or self._recogniser.lead

    @property
    def names(self) -> list[str]:
        """The names in a table, for a user who is to say what they mean."""
        return self._recogniser.names

    @property
    def facts(self) -> Facts:
        """What the beginning of the log states, with the user's answers."""
        facts = read_header(_before_first_record(self._header, self.candidate))
        for name in getattr(self.candidate.reader, "misleading", ()) if self.candidate else ():
            facts.pop(name, None)
        facts.update({name: Fact(value, "answered") for name, value in self._answers.facts.items()})
        return facts

    def feed(self, raw: bytes, final: bool = False) -> Progress:
        """Read on.  InputError when this is no log that can be read."""
        self.bytes_read += len(raw)
        if self._cleaner is None and self._events is None:
            raw = after_hole(self._first + raw)
            if len(raw) < 64 and not final:
                self._first = raw
                return Progress(self.bytes_read, 0, 0)
            self._begin(raw)
        if self._events is not None:
            return self._progress(self._events.feed(raw, final))
        if self._cleaner is None:
            raise InputError("log_not_text", self.name)
        text = self._cleaner.lines(raw, final)
        if len(self._header) < SEARCHED:
            self._header += text[: SEARCHED - len(self._header)]
        news = self._recogniser.feed(text, final) if text or final else None
        if self._recogniser.lead is None and self.bytes_read > GIVE_UP:
            raise self._nothing_found()
        return self._progress(news)

    def _progress(self, news: tuple[int, int] | None) -> Progress:
        return Progress(self.bytes_read, *(news or (0, 0)))

    def _begin(self, raw: bytes) -> None:
        if not raw:
            raise InputError("log_not_text" if self.bytes_read else "empty_file", self.name)
        if is_event_file(raw):
            self._events = Candidate(EVENT_FILE, EventReader(self._mapping))
            return
        for magic, kind in _COMPRESSED:
            if raw.startswith(magic):
                raise InputError("log_compressed", self.name, kind=kind)
        encoding = encoding_of(raw)
        if encoding is None:
            raise InputError("log_not_text", self.name)
        self.encoding = encoding.name
        plain = Cleaner(encoding).lines(raw, True)
        if not plain.strip():
            if len(raw) == self.bytes_read:
                self._cleaner = Cleaner(encoding)
                return
            raise InputError("empty_file", self.name)
        width = wrapped_width(plain)
        if width is not None and _says_more(Cleaner(encoding, width).lines(raw, True), plain):
            self.width = width
        self._cleaner = Cleaner(encoding, self.width)

    def _nothing_found(self) -> InputError:
        near = self._recogniser.near_misses()
        if not self._header.strip():
            return InputError("empty_file", self.name)
        return InputError("log_no_timing", self.name, near=near or None,
                          formats=[form.name for form in TEXT_FORMATS])

    def finish(self) -> Log:
        """The whole log in its normal form.  InputError ``log_no_timing`` when it holds no step."""
        candidate = self.candidate
        if candidate is None or not len(candidate.table):
            raise self._nothing_found()
        reader = candidate.reader
        doubts: tuple[Doubt, ...] = getattr(reader, "doubts", ())
        facts = {**{name: Fact(int(value), "read", candidate.form.name) for name, value in
                    getattr(reader, "facts", {}).items() if name in ("global_batch", "sequence_length")
                    and 0 < value < _LARGEST_FACT}, **self.facts}
        averages = candidate.averages
        mapping: LogMapping | None = getattr(reader, "mapping", None)
        if mapping is not None:
            averages.update({column: source.average for column, source in mapping.columns.items()})
        doubts = settle(candidate.table, averages, doubts, self._answers, facts)
        exact = getattr(reader, "exact", False)
        normal = Normal(candidate.table, averages, facts, whole_seconds=candidate.form.whole_seconds and not exact)
        if not (any(map(normal.get, _SPEEDS)) or doubts or getattr(reader, "unused", ())):
            raise self._nothing_found()
        normal.questions += questions_of(normal, candidate, doubts)
        others = () if self._events else tuple(Other(other.form, other.lines) for other in self._recogniser.others())
        confidence = 1.0 if self._events else self._recogniser.confidence()
        return Log(name=self.name, form=candidate.form, confidence=confidence, others=others,
                   encoding=self.encoding, bytes_read=self.bytes_read, normal=normal, averages=averages,
                   mapping=mapping, doubts=doubts, unused=getattr(reader, "unused", ()),
                   notices=(*self._notices(candidate, others), *normal.notices))

    def _notices(self, candidate: Candidate, others: tuple[Other, ...]) -> Iterator[Notice]:
        table = candidate.table
        if others:
            names = ", ".join(f"{other.form.name} ({other.lines})" for other in others)
            yield Notice("log_other_formats", "", {"shown": candidate.form.name, "lines": candidate.lines,
                                                   "others": names, "option": f"--as {others[0].form.id}"})
        for code in candidate.remarks:
            yield Notice(code)
        if self.width is not None:
            yield Notice("log_was_wrapped", "", {"width": self.width})
        if table.restarts:
            yield Notice("log_restarts", "", {"restarts": len(table.restarts), "replaced": table.replaced})
        if len(table.ranks) > 1:
            yield Notice("log_ranks", "", {"ranks": len(table.ranks)})
        if table.repeated:
            yield Notice("log_repeated_lines", "", {"lines": table.repeated})
        if table.unusable:
            yield Notice("log_unusable_values", "", {"values": table.unusable})
        runs: list[str] = getattr(candidate.reader, "runs", [])
        if len(runs) > 1:
            yield Notice("log_several_runs", "", {"run": runs[0], "others": ", ".join(runs[1:6])})
        damaged = getattr(candidate.reader, "damaged_at", None)
        if damaged is not None:
            yield Notice("log_record_damaged", "", {"offset": damaged})
        if getattr(candidate.reader, "cut", False):
            yield Notice("log_last_record_cut")


def _before_first_record(text: bytes, candidate: Candidate | None) -> bytes:
    """The header: what stands in records belongs to their steps alone."""
    start = getattr(candidate.reader, "start", None) if candidate is not None else None
    match = start.search(text) if start is not None else None
    return text[: text.rfind(b"\n", 0, match.start()) + 1] if match else text


def _says_more(joined: bytes, plain: bytes) -> bool:
    """Whether a text says more, as a log, with its broken lines joined than as it is."""
    return _said(joined) > _said(plain)


def _said(text: bytes) -> tuple[int, int]:
    """How many values are found in a text, and how many digits they have: a broken line cuts numbers."""
    recogniser = Recogniser()
    recogniser.feed(text, True)
    if recogniser.lead is None:
        return 0, 0
    columns: Iterable[Column] = recogniser.lead.table.columns.values()
    values = [value for column in columns for value in column.raw() if value == value]
    return len(values), sum(len(f"{value:.12g}") for value in values)


def read_log(path: str | Path, *, wanted: str | None = None, mapping: LogMapping | None = None,
             answers: Answers | None = None) -> Log:
    """The log in a file.  InputError for what cannot be read, or holds no step of a known format."""
    file, _ = open_log(path)
    reading = Reading(str(path), wanted=wanted, mapping=mapping, answers=answers)
    with file:
        for piece in pieces(file):
            reading.feed(piece)
        reading.feed(b"", True)
    return reading.finish()


def read_bytes(data: bytes, name: str = "", *, wanted: str | None = None, mapping: LogMapping | None = None,
               answers: Answers | None = None) -> Log:
    """The log in ``data``; as ``read_log``."""
    reading = Reading(name, wanted=wanted, mapping=mapping, answers=answers)
    reading.feed(data)
    reading.feed(b"", True)
    return reading.finish()

