"""How exactly a number was given: by its digits, or by "±"."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.field import Kind
from mfu_gui.formats.quantities import parse
from mfu_gui.formats.uncertain import half_digit_of, parse_uncertain


@pytest.mark.parametrize(("text", "kind", "unit", "value", "half"), [
    ("8.57 s", "time", "s", 8.57, 0.005),
    ("8.570", "time", "s", 8.57, 0.0005),
    ("9.99", "time", "s", 9.99, 0.005),
    ("6200 ms", "time", "s", 6.2, 0.0005),
    ("1m30s", "time", "s", 90, 0.5),
    ("2:03", "time", "s", 123, 0.5),
    ("5,605", "real", "tokens/s/device", 5605, 0.5),
    ("1.1e6", "real", "tokens/s", 1.1e6, 5e4),
    ("262K", "real", "tokens/s", 262_000, 500),
    ("1.2亿", "real", "tokens/s", 1.2e8, 5e6),
    ("41 %", "fraction", "%", 0.41, 0.005),
    ("0.389", "fraction", "%", 0.389, 0.0005),
    ("8*4096", "real", "tokens/s", 32768, None),
    ("8.57 ± 0.02 s", "time", "s", 8.57, 0.02),
    ("8.57s +/- 20 ms", "time", "s", 8.57, 0.02),
    ("8.57±0.02", "time", "s", 8.57, 0.02),
    ("5605 +- 12", "real", "tokens/s/device", 5605, 12),
])
def test_half_widths(text: str, kind: Kind, unit: str, value: float, half: float | None) -> None:
    parsed, found = parse_uncertain(text, kind, unit)
    assert parsed.value == pytest.approx(value)
    assert found == (None if half is None else pytest.approx(half))


@pytest.mark.parametrize("text", ["8.57 ± 9", "8.57 ± -1", "8.57 ± 8.57"])
def test_a_width_as_large_as_the_number_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="number_width"):
        parse_uncertain(text, "time", "s")


@given(st.integers(1, 10**6), st.integers(0, 5))
def test_the_interval_is_what_rounds_to_the_digits(digits: int, decimals: int) -> None:
    text = f"{digits / 10**decimals:.{decimals}f}"
    parsed, half = parse_uncertain(text, "time", "s")
    assert parsed == parse(text, "time", "s")
    assert half == pytest.approx(0.5 / 10**decimals)


@pytest.mark.parametrize(("value", "half"), [
    (8.57, 0.005), (0.4373, 0.00005), (5605.0, 0.5), (2.0, None), (40.0, None), (1 / 3, None), (2.5e-5, 5e-7)])
def test_digits_of_a_number_from_a_file(value: float, half: float | None) -> None:
    assert half_digit_of(value) == (None if half is None else pytest.approx(half))
