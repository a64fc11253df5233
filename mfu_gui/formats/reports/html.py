"""A report as one HTML file: nothing is loaded, nothing runs, and it prints well."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from mfu_gui.formats.reports.chart_drawing import drawn
from mfu_gui.formats.reports.document import Block, Headline, Paragraph, Report, Section, Table, written
from mfu_gui.formats.reports.html_style import STYLE
from mfu_gui.formats.reports.svg import svg
from mfu_gui.texts import Translator

LANGUAGES = {"en": "en", "zh": "zh-Hans"}
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def html(report: Report, tr: Translator) -> str:
    """The whole page."""
    body = "\n".join(part for section in report.sections for part in _section(section, tr))
    return f"""<!DOCTYPE html>
<html lang="{LANGUAGES.get(report.language, report.language)}">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="{POLICY}"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="generator" content="{escape(report.stamp)}"/>
<title>{escape(report.title)}</title>
<style>
{STYLE}</style>
</head>
<body>
<main>
<header>
<p class="kind">{escape(report.kind)}</p>
<h1>{escape(report.title)}</h1>
</header>
{body}
<footer>{escape(report.stamp)}</footer>
</main>
</body>
</html>
"""


def _section(section: Section, tr: Translator) -> Iterator[str]:
    yield "<section>"
    if section.title:
        yield f"<h2>{escape(section.title)}</h2>"
    for block in section.blocks:
        yield from _block(block, tr)
    yield "</section>"


def _block(block: Block, tr: Translator) -> Iterator[str]:
    if isinstance(block, Paragraph):
        text = "<br/>".join(escape(line) for line in block.text.splitlines())
        yield f'<p class="{block.style}">{text}</p>'
    elif isinstance(block, Headline):
        yield from _headline(block, tr)
    elif isinstance(block, Table):
        yield from _table(block, tr)
    else:
        yield f"<figure>\n{svg(drawn(block))}\n</figure>"


def _headline(block: Headline, tr: Translator) -> Iterator[str]:
    yield '<div class="headline">'
    for place, metric in enumerate((block.main, *block.others)):
        kind = "main" if place == 0 else "metric"
        yield (f'<div class="{kind}"><span>{escape(metric.caption)}</span>'
               f"<b>{escape(written(metric.cell, tr))}</b></div>")
    yield f'</div>\n<p class="sentence">{escape(block.sentence)}</p>'


def _table(block: Table, tr: Translator) -> Iterator[str]:
    heads = [column.head for column in block.columns]
    pairs = len(heads) == 2 and block.columns[1].numbers
    kind = "" if any(heads) and not pairs else f' class="{"figures" if pairs else "pairs"}"'
    yield f'<div class="scroll"><table{kind}>'
    sides = [' class="number"' if column.numbers else "" for column in block.columns]
    if any(heads):
        cells = "".join(f'<th scope="col"{side}>{escape(head)}</th>' for head, side in zip(heads, sides, strict=True))
        yield f"<thead><tr>{cells}</tr></thead>"
    yield "<tbody>"
    for row in block.rows:
        texts = (_text(written(cell, tr)) for cell in row.cells)
        cells = "".join(f"<td{side}>{text}</td>" for text, side in zip(texts, sides, strict=True))
        yield f'<tr class="{row.tone}">{cells}</tr>' if row.tone else f"<tr>{cells}</tr>"
    yield "</tbody></table></div>"


def _text(text: str) -> str:
    """A cell; what stands on its second line steps back."""
    first, _, rest = text.partition("\n")
    return f"{escape(first)}<small>{escape(rest)}</small>" if rest else escape(first)
