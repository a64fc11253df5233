"""Tables of plain text, Markdown and CSV."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mfu_gui.formats import text_table

CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=12)
TABLES = st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1, max_size=5))


@pytest.mark.parametrize(("text", "columns"), [("", 0), ("MFU", 3), ("模型", 4), ("ＭＦＵ", 6), ("QKᵀ", 3),
                                               ("e\u0301", 1), ("–", 1), ("한국", 4)])
def test_width(text: str, columns: int) -> None:
    assert text_table.width(text) == columns


def test_columns_line_up_in_any_script() -> None:
    assert text_table.aligned([["模型", "1"], ["MFU", "10.5"], ["e\u0301", "2"]], right=[1], indent="  ") == [
        "  模型     1",
        "  MFU   10.5",
        "  e\u0301        2",
    ]
    assert text_table.aligned([]) == []


def test_markdown_table() -> None:
    assert text_table.markdown([["a", "b"], ["1|2", "x\ny"]], right=[1]) == [
        "| a | b |", "| --- | ---: |", r"| 1\|2 | x y |"]


@given(TABLES)
def test_markdown_keeps_its_columns(rows: list[list[str]]) -> None:
    for line in text_table.markdown(rows):
        bars = [i for i, c in enumerate(line) if c == "|"
                and (len(line[:i]) - len(line[:i].rstrip("\\"))) % 2 == 0]
        assert len(bars) == len(rows[0]) + 1
        assert "\n" not in line


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), min_size=2, max_size=2)))
def test_csv_comes_back_and_holds_no_formula(rows: list[list[str]]) -> None:
    back = list(csv.reader(io.StringIO(text_table.csv(rows), newline="")))
    assert len(back) == len(rows)
    for row, found in zip(rows, back, strict=True):
        for cell, read in zip(row, found, strict=True):
            assert read in (cell, "'" + cell)
            assert not read.startswith(("=", "@", "\t", "\r"))


@pytest.mark.parametrize(("cell", "written"), [("-1.5", "-1.5"), ("+3", "+3"), ("-1+1", "'-1+1"), ("=1", "'=1"),
                                               ("@a", "'@a"), ("-1e5", "-1e5"), ("a=1", "a=1")])
def test_numbers_stay_numbers_in_csv(cell: str, written: str) -> None:
    assert text_table.csv([[cell]]).strip() == written
