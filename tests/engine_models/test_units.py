"""Units of each measure against counting them one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mfu_gui.engine.terms import EXACT, FULL, Lengths, Measure, PairCounting, units2

LENGTH = st.integers(1, 60)
SIZE = st.integers(1, 20)


def _chunks(length: int, size: int) -> list[int]:
    return [min(size, length - start) for start in range(0, length, size)]


def _units(measure: Measure, *lengths: int, counting: PairCounting = EXACT) -> float:
    return units2(measure, {"text": Lengths(lengths)}, counting) / 2


@given(LENGTH, st.integers(2, 9), st.none() | st.integers(1, 12))
def test_compressed_entries_are_seen_once_they_are_whole(length: int, stride: int, limit: int | None) -> None:
    seen = [query // stride if limit is None else min(query // stride, limit) for query in range(1, length + 1)]
    measure = Measure("pairs", stride=stride, top_k=limit)
    assert _units(measure, length) == sum(seen)
    assert _units(measure, length, counting=FULL) == length * (length // stride)


@given(LENGTH, SIZE)
def test_pairs_inside_chunks(length: int, size: int) -> None:
    measure = Measure("chunk_pairs", chunk=size)
    chunks = _chunks(length, size)
    assert _units(measure, length) == sum(chunk * (chunk + 1) / 2 for chunk in chunks)
    assert _units(measure, length, counting=FULL) == sum(chunk**2 for chunk in chunks)
    assert _units(measure, length, counting=PairCounting(pairs="half")) == sum(chunk**2 for chunk in chunks) / 2


@given(LENGTH, SIZE)
def test_chunks_and_their_ends(length: int, size: int) -> None:
    chunks = _chunks(length, size)
    expected = {"chunks": len(chunks), "whole_chunks": chunks.count(size), "first_chunk": chunks[0],
                "last_chunk": chunks[-1], "chunk_borders": (len(chunks) + 1) ** 2, "documents": 1}
    for kind, units in expected.items():
        assert _units(Measure(kind, chunk=size), length) == units


@given(LENGTH, LENGTH, SIZE)
def test_documents_add_up(first: int, second: int, size: int) -> None:
    for measure in (Measure("chunk_pairs", chunk=size), Measure("documents"), Measure("last_chunk", chunk=size),
                    Measure("pairs", stride=2), Measure("pairs", window=size), Measure("positions")):
        assert _units(measure, first, second) == _units(measure, first) + _units(measure, second)


@given(LENGTH, SIZE)
def test_windows_of_images_are_squares_of_their_own(length: int, size: int) -> None:
    measure = Measure("pairs", mask="bidirectional", chunk=size)
    assert _units(measure, length) == sum(chunk**2 for chunk in _chunks(length, size))
    assert _units(measure, length, counting=FULL) == length**2
