"""The kinds of report files, and how a report becomes one: all of it or nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mfu_gui.engine.errors import InputError
from mfu_gui.formats import atomic
from mfu_gui.formats.reports.document import Report
from mfu_gui.texts import N_, Translator

Renderer = Callable[[Report, Translator], bytes]
KINDS: dict[str, str] = {
    ".pdf": N_("PDF document"), ".xlsx": N_("Excel workbook"), ".html": N_("Web page"),
    ".md": N_("Markdown text"), ".csv": N_("Comma-separated values"),
}
"""Endings of file names, and what such a file is called."""
_LOCKS = (".~lock.{}#", "~${}")
"""Names of the files that LibreOffice and Excel put beside a file that they have open."""


def kind_of(path: Path) -> str:
    """The ending of ``path`` that says what is to be written; InputError ``report_kind`` if it says nothing known."""
    ending = path.suffix.lower()
    if ending not in KINDS:
        raise InputError("report_kind", str(path), ending=path.suffix or None, allowed=", ".join(KINDS))
    return ending


def rendered(report: Report, kind: str, tr: Translator) -> bytes:
    """The bytes of a report of any kind but PDF, which needs Qt."""
    if kind == ".xlsx":
        from mfu_gui.formats.reports.xlsx import xlsx

        return xlsx(report, tr)
    if kind == ".html":
        from mfu_gui.formats.reports.html import html

        return html(report, tr).encode()
    if kind == ".md":
        from mfu_gui.formats.reports.markdown import markdown

        return markdown(report, tr).encode()
    from mfu_gui.formats.reports.csv import csv

    return csv(report, tr).encode()


def write(path: Path, data: bytes) -> None:
    """Put a report at ``path``; InputError as ``atomic.write_bytes``, and ``file_in_use``."""
    lock = lock_of(path)
    if lock is not None:
        raise InputError("file_in_use", str(path), lock=lock.name)
    atomic.write_bytes(path, data)


def lock_of(path: Path) -> Path | None:
    """The file that says that another program has ``path`` open."""
    try:
        if path.exists():
            locks = (path.with_name(form.format(path.name)) for form in _LOCKS)
            return next((lock for lock in locks if lock.exists()), None)
    except (OSError, ValueError):
        pass  # a name that cannot be looked up: writing says what is wrong with it
    return None
