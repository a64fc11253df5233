"""Numbers as people read them."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from fractions import Fraction

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mfu_gui.texts.numbers import DASH, Numbers

EN = Numbers("en")
ZH = Numbers("zh")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (-0.0, "0"),
        (8, "8"),
        (999, "999"),
        (1234, "1,230"),
        (43.7, "43.7"),
        (2.0, "2.00"),
        (12345.6, "12,300"),
        (999.96, "1,000"),
        (0.99951, "1.00"),
        (0.00012345, "0.000123"),
        (1.2345e-5, "1.23×10⁻⁵"),
        (123e12, "123,000,000,000,000"),
        (3.8e25, "3.80×10²⁵"),
        (-2.5, "-2.50"),
        (10**400, "1.00×10⁴⁰⁰"),
        (Fraction(1, 3), "0.333"),
        (Decimal("0.0665"), "0.0665"),
        (numpy.float32(1.5), "1.50"),
        (numpy.int64(7), "7"),
        # Half away from zero on the digits that a copy shows; binary 2.675 is a little less than that.
        (2.675, "2.68"),
        (-2.675, "-2.68"),
        (0.5, "0.500"),
    ],
)
def test_short(value: object, shown: str) -> None:
    assert EN.short(value) == shown


def test_short_with_other_digits() -> None:
    assert EN.short(385.1234, 4) == "385.1"
    assert EN.short(385.1234, 1) == "400"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(249812054016, "249,812,054,016"), (0, "0"), (-1234.5, "-1,235"), (0.4, "0"), (-0.4, "0")],
)
def test_integer(value: object, shown: str) -> None:
    assert EN.integer(value) == shown


@pytest.mark.parametrize(
    ("fraction", "decimals", "shown"),
    [
        (0.38943, 1, "38.9%"),
        (0.38943, 2, "38.94%"),
        (0.5, 0, "50%"),
        (1, 1, "100.0%"),
        (0, 1, "0.0%"),
        (0.0004, 1, "<0.1%"),
        (0.0005, 1, "0.1%"),
        (-0.0001, 1, ">-0.1%"),
        (12.345, 0, "1,235%"),
        (1e300, 1, "1.00×10³⁰²%"),
    ],
)
def test_percent(fraction: float, decimals: int, shown: str) -> None:
    assert EN.percent(fraction, decimals) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (989e12, "989 TFLOP/s"),
        (385.1e12, "385 TFLOP/s"),
        (999.96e9, "1.00 TFLOP/s"),
        (1000, "1.00 KFLOP/s"),
        (999, "999 FLOP/s"),
        (2.5e18, "2.50 EFLOP/s"),
        (3.8e25, "38.0 YFLOP/s"),
        (3.8e27, "3.80×10²⁷ FLOP/s"),
        (0.5, "0.500 FLOP/s"),
        (-2e9, "-2.00 GFLOP/s"),
        (0, "0 FLOP/s"),
    ],
)
def test_si(value: object, shown: str) -> None:
    assert EN.si(value, unit="FLOP/s") == shown


def test_si_without_a_unit() -> None:
    assert EN.si(989e12) == "989 T"
    assert EN.si(98) == "98"


@pytest.mark.parametrize(
    ("value", "english", "chinese"),
    [
        (671_026_419_200, "671B", "6,710 亿"),
        (70_553_706_496, "70.6B", "706 亿"),
        (124_439_808, "124M", "1.24 亿"),
        (12_400_000, "12.4M", "1,240 万"),
        (9_999, "10.0K", "1.00 万"),
        (999_999, "1.00M", "100 万"),
        (1_040_000_000_000, "1.04T", "1.04 万亿"),
        (999, "999", "999"),
        (0, "0", "0"),
        (10**15, "1.00×10¹⁵", "1.00×10¹⁵"),
    ],
)
def test_count(value: int, english: str, chinese: str) -> None:
    assert EN.count(value) == english
    assert ZH.count(value) == chinese


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (80 * 2**30, "80.0 GiB"),
        (1023.9996 * 2**20, "1,020 MiB"),
        (1536, "1.50 KiB"),
        (1000, "1,000 B"),
        (1024, "1.00 KiB"),
        (0, "0 B"),
        (2**80, "1,050,000 EiB"),
    ],
)
def test_bytes(value: object, shown: str) -> None:
    assert EN.bytes(value) == shown


@pytest.mark.parametrize(
    ("seconds", "english", "chinese"),
    [
        (3.2e-10, "0.320 ns", "0.320 纳秒"),
        (3.2e-6, "3.20 µs", "3.20 微秒"),
        (0.0009999, "1.00 ms", "1.00 毫秒"),
        (0.755, "755 ms", "755 毫秒"),
        (0.99951, "1.00 s", "1.00 秒"),
        (19.926, "19.9 s", "19.9 秒"),
        (20, "20 s", "20 秒"),
        (119.4, "119 s", "119 秒"),
        (303, "5 min 03 s", "5 分 03 秒"),
        (11100, "3 h 05 min", "3 小时 05 分"),
        (1.28e6, "14.8 days", "14.8 天"),
        (1e8, "3.17 years", "3.17 年"),
        (0, "0 s", "0 秒"),
        (-303, "-5 min 03 s", "-5 分 03 秒"),
    ],
)
def test_duration(seconds: float, english: str, chinese: str) -> None:
    assert EN.duration(seconds) == english
    assert ZH.duration(seconds) == chinese


@pytest.mark.parametrize(
    ("value", "copied"),
    [
        (249812054016, "249812054016"),
        (10**30 + 7, "1000000000000000000000000000007"),
        (0.1 + 0.2, "0.30000000000000004"),
        (2.0, "2"),
        (-0.0, "0"),
        (1e300, "1e+300"),
        (Fraction(1, 3), "0.3333333333333333"),
        (None, ""),
        (math.nan, ""),
    ],
)
def test_exact(value: object, copied: str) -> None:
    assert EN.exact(value) == copied


def test_exact_has_no_limit_of_digits() -> None:
    assert EN.exact(10**5000) == "1" + "0" * 5000


@pytest.mark.parametrize("word", sorted(Numbers.WORDS - {"exact"}))
@pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf, Decimal("NaN"), numpy.float32("inf")])
def test_what_is_no_number_is_a_dash(word: str, value: object) -> None:
    assert getattr(EN, word)(value) == DASH


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("word", sorted(Numbers.WORDS))
@given(value=st.one_of(st.floats(), st.integers(), st.fractions()))
def test_any_number_can_be_written(language: str, word: str, value: object) -> None:
    shown = getattr(Numbers(language), word)(value)
    assert "nan" not in shown.lower()
    assert "inf" not in shown.lower()
    assert shown.isprintable()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_exact_is_the_same_number_again(value: float) -> None:
    assert float(json.loads(EN.exact(value))) == value


@given(st.floats(min_value=1e-4, max_value=9e14), st.integers(1, 9))
def test_short_is_off_by_half_a_digit_at_most(value: float, digits: int) -> None:
    shown = Decimal(EN.short(value, digits).replace(",", "").partition("×")[0])
    exact = Decimal(repr(value))
    if shown >= 10**14 and exact > 10**15 - 1:
        return
    assert abs(shown - exact) <= Decimal(10) ** (exact.adjusted() - digits + 1) / 2
