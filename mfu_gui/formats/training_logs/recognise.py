"""Finds out what a log is while it is read: by what its lines say, never by its name.

Each format is tried on pieces that have its words; those that find records go on reading.  Of several the
heaviest that has its share of records is shown, the others are named.
"""

from __future__ import annotations

from math import isnan

from mfu_gui.formats.training_logs.columns import Average, Batch
from mfu_gui.formats.training_logs.form import Format, Reader
from mfu_gui.formats.training_logs.mapping import LogMapping
from mfu_gui.formats.training_logs.registry import EVENT_FILE, TEXT_FORMATS, WHOLE_FORMATS, find_format, whole_format
from mfu_gui.formats.training_logs.table import Table

THOROUGH = 8 * 2**20
"""So much is searched for every format; after that every few pieces are, and those without a record."""
_EVERY = 16
_SHARE = 0.05
_TIMES = frozenset({"step_time_s", "wall_s", "elapsed_s", "steps_per_s", "samples_per_s", "samples_per_s_per_device",
                    "tokens_per_s", "tokens_per_s_per_device", "tokens_per_s_of_unknown_scope"})


class Candidate:
    """A format that has been tried on a log, and what it found."""

    def __init__(self, form: Format, reader: Reader | None = None) -> None:
        self.form = form
        self.reader = reader or form.reader()
        self.table = Table()
        self.lines = 0
        """Records before repeated ones were left out."""

    def feed(self, data: bytes, final: bool) -> tuple[int, int] | None:
        """Read on; the steps that are new, or None when nothing was found."""
        batch: Batch = self.reader.feed(data, final)
        if not batch:
            return None
        self.lines += len(next(iter(batch.values())))
        start = self.table.extend(batch)
        return start, len(self.table)

    @property
    def averages(self) -> dict[str, Average]:
        """What its figures are means over."""
        return {**self.form.averages, **getattr(self.reader, "averages", {})}

    @property
    def remarks(self) -> tuple[str, ...]:
        """Codes of what a reader of its figures must know."""
        return (*self.form.remarks, *sorted(getattr(self.reader, "remarks", ())))

    @property
    def has_times(self) -> bool:
        """Whether anything it found tells how fast the run was."""
        return any(self.table.column(name) is not None for name in _TIMES)


class Recogniser:
    """All formats at once over one log."""

    def __init__(self, wanted: str | None = None, mapping: LogMapping | None = None) -> None:
        self._wanted = find_format(wanted) if wanted else None
        self._mapping = mapping
        self._tried: dict[str, Candidate] = {}
        self._whole: Candidate | None = None
        self._seen = 0
        self._pieces = 0
        self.lead: Candidate | None = None

    def feed(self, data: bytes, final: bool = False) -> tuple[int, int] | None:
        """Whole lines of the log; the new steps of ``lead``, from 0 when ``lead`` is another one now."""
        if self._pieces == 0:
            self._begin(data)
        everything = self._seen < THOROUGH or self._pieces % _EVERY == 0 or final
        self._seen += len(data)
        self._pieces += 1
        before = self.lead
        news = self._feed_lead(data, final)
        if self._whole is not None and self._whole is not before:
            self._whole.feed(data, final)
        if news is None or everything:
            self._feed_others(data, final)
        self.lead = self._best()
        if self.lead is None:
            return None
        return news if self.lead is before else (0, len(self.lead.table))

    def _begin(self, text: bytes) -> None:
        form = self._wanted
        if form is None:
            form = whole_format(text) if self._mapping is None else (whole_format(text) or WHOLE_FORMATS[0])
        if form is not None and form in WHOLE_FORMATS and form is not EVENT_FILE:
            reader = form.reader(self._mapping) if self._mapping is not None else form.reader()  # type: ignore[call-arg]
            self._whole = self._tried[form.id] = Candidate(form, reader)

    def _feed_lead(self, data: bytes, final: bool) -> tuple[int, int] | None:
        return self.lead.feed(data, final) if self.lead is not None else None

    def _feed_others(self, data: bytes, final: bool) -> None:
        for form in self._possible():
            candidate = self._tried.get(form.id)
            if candidate is self.lead and candidate is not None:
                continue
            if candidate is None:
                if not any(literal in data for literal in form.literals):
                    continue
                candidate = self._tried[form.id] = Candidate(form)
            if candidate is not self._whole and (final or self._is_due(candidate, data)):
                candidate.feed(data, final)

    def _possible(self) -> tuple[Format, ...]:
        if self._wanted is not None:
            return (self._wanted,)
        if self._mapping is not None and self._whole is not None:
            return (self._whole.form,)
        covered = {self.lead.form.id} if self.lead is not None else set()
        return tuple(form for form in (*TEXT_FORMATS, *([self._whole.form] if self._whole else []))
                     if not covered.intersection(form.part_of))

    def _is_due(self, candidate: Candidate, data: bytes) -> bool:
        return bool(candidate.lines) or any(literal in data for literal in candidate.form.literals)

    def _best(self) -> Candidate | None:
        found = [candidate for candidate in self._tried.values() if len(candidate.table)]
        timed = [candidate for candidate in found if candidate.has_times] or found
        most = max((candidate.lines for candidate in timed), default=0)
        if self.lead is not None and self.lead in timed and self.lead.lines >= _SHARE * most:
            timed = [candidate for candidate in timed if candidate.form.weight > self.lead.form.weight
                     and candidate.lines >= _SHARE * most] or [self.lead]
        return max((candidate for candidate in timed if candidate.lines >= _SHARE * most),
                   key=lambda candidate: (candidate.form.weight, candidate.lines), default=None)

    def others(self) -> list[Candidate]:
        """Formats that were found beside the one that is shown, and do not belong to it."""
        if self.lead is None:
            return []
        return sorted((candidate for candidate in self._tried.values()
                       if candidate is not self.lead and candidate.has_times and len(candidate.table)
                       and candidate is not self._whole
                       and self.lead.form.id not in candidate.form.part_of
                       and candidate.form.id not in self.lead.form.part_of), key=lambda c: -c.lines)

    @property
    def names(self) -> list[str]:
        """The names in a table, whether they are known or not."""
        return list(getattr(self._whole.reader, "names", ())) if self._whole is not None else []

    def near_misses(self) -> list[str]:
        """Names of the formats whose words were there, though no record was."""
        return [candidate.form.name for candidate in self._tried.values() if not len(candidate.table)]

    def confidence(self) -> float:
        """How sure the format is: the share of complete records among what it found, lower for bare names."""
        if self.lead is None:
            return 0.0
        table = self.lead.table
        main = [column for name in _TIMES if (column := table.column(name)) is not None]
        if not main:
            return 0.1
        complete = max(len(table) - sum(map(isnan, column.raw())) for column in main) / len(table)
        if "whole_run" in self.lead.averages.values():
            complete = 1.0  # one record is all there can be
        certain = 0.7 if getattr(self.lead.reader, "doubts", ()) else 0.9 if self.lead.form in WHOLE_FORMATS else 1.0
        fewer = min(1.0, 0.6 + 0.2 * len(table))
        return round(certain * complete * fewer, 3)
