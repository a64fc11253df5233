"""Tables of plain text, aligned also where characters are two columns wide, and as Markdown and CSV."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Table = Sequence[Sequence[str]]
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def width(text: str) -> int:
    """Columns of ``text`` in a terminal: Chinese characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def aligned(rows: Table, right: Iterable[int] = (), indent: str = "") -> list[str]:
    """Lines of a table, its columns two spaces apart; columns in ``right`` are set to the right."""
    if not rows:
        return []
    to_right = set(right)
    widths = [max(width(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = []
        for column, cell in enumerate(row):
            space = " " * (widths[column] - width(cell))
            cells.append(space + cell if column in to_right else cell + space)
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines


def markdown(rows: Table, right: Iterable[int] = ()) -> list[str]:
    """Lines of a Markdown table; the first row is its head."""
    to_right = set(right)
    head, *body = [[in_markdown(cell) for cell in row] for row in rows]
    rule = ["---:" if column in to_right else "---" for column in range(len(head))]
    return [f"| {' | '.join(row)} |" for row in (head, rule, *body)]


def in_markdown(cell: str) -> str:
    """A cell that cannot end the table or the page: no bars, no line breaks, no markup."""
    one_line = " ".join(cell.split())
    return "".join("\\" + c if c in "\\|`*_<>[]#" else c for c in one_line)


def csv(rows: Table) -> str:
    """Comma-separated values (RFC 4180) that no spreadsheet takes for formulas."""
    import io
    from csv import writer

    text = io.StringIO()
    writer(text).writerows([[_as_text(cell) for cell in row] for row in rows])
    return text.getvalue()


def _as_text(cell: str) -> str:
    """A number stays one; a text that begins like a formula gets an apostrophe, as spreadsheets have it."""
    if not cell.startswith(FORMULA_STARTS):
        return cell
    try:
        float(cell)
    except ValueError:
        return "'" + cell
    return cell
