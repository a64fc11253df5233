"""Numbers as people type them; the expected values follow from the rules in the docstring of the module."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.quantities import parse, to_text

THIN, NARROW, IDEOGRAPHIC = "\u2009", "\u202f", "\u3000"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1024", 1024),
        ("1,024", 1024),
        ("1 024", 1024),
        (f"1{THIN}024", 1024),
        (f"1{NARROW}024", 1024),
        ("1'024", 1024),
        ("1’024", 1024),
        ("1_024", 1024),
        ("１，０２４", 1024),
        (f"１{IDEOGRAPHIC}０２４", 1024),
        ("١٠٢٤", 1024),
        ("1,103,997", 1103997),
        ("1.103.997", 1103997),
        ("1.1e6", 1100000),
        ("1.1×10^6", 1100000),
        ("1.1*10**6", 1100000),
        ("10⁶", 1000000),
        ("2^12", 4096),
        ("8*4096", 32768),
        ("8 x 4096", 32768),
        ("262K", 262000),
        ("128Ki", 131072),
        ("1.5M", 1500000),
        ("5m", 5000000),
        ("7b", 7000000000),
        ("7 bn", 7000000000),
        ("15T", 15000000000000),
        ("14.8T tokens", 14800000000000),
        ("1P", 10**15),
        ("15万", 150000),
        ("1.2亿", 120000000),
        ("1亿2000万", 120000000),
        ("3万5千", 35000),
        ("2千亿", 200000000000),
        ("1.5 万亿", 1500000000000),
        ("+5", 5),
        ("−5", -5),
        ("－５", -5),
        ("4.0", 4),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("4096 tokens", 4096),
        ("4096词元", 4096),
    ],
)
def test_whole_numbers(text: str, value: int) -> None:
    parsed = parse(text, "integer", "tokens")
    assert parsed.value == value
    assert isinstance(parsed.value, int)


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("989,5", "TFLOP/s", 989.5),
        ("1.024,5", "TFLOP/s", 1024.5),
        ("1,024.5", "TFLOP/s", 1024.5),
        ("1 024,5", "TFLOP/s", 1024.5),
        ("0,389", "TFLOP/s", 0.389),
        ("1,542", "tokens/s/device", 1542.0),
        ("989T", "TFLOP/s", 989.0),
        ("1.979P", "TFLOP/s", 1979.0),
        ("1979 TFLOPS", "TFLOP/s", 1979.0),
        ("1.979 PFLOP/s", "TFLOP/s", 1979.0),
        ("312 TFLOP/s/GPU", "TFLOP/s", 312.0),
        ("80 GiB", "GB", 85.89934592),
        ("1.6 TB/s", "GB/s", 1600.0),
        ("0.7 kW", "W", 700.0),
        ("1.2 k tok/s", "tokens/s", 1200.0),
        (".5", "", 0.5),
        ("19.", "", 19.0),
    ],
)
def test_real_numbers_and_their_units(text: str, unit: str, value: float) -> None:
    assert parse(text, "real", unit).value == value


@pytest.mark.parametrize(
    ("text", "value", "understood"),
    [
        ("38,94 %", 0.3894, "38.94 %"),
        ("38.94%", 0.3894, "38.94 %"),
        ("３８．９４％", 0.3894, "38.94 %"),
        ("0.3894", 0.3894, "38.94 %"),
        ("0,389", 0.389, "38.9 %"),
        ("38,941 %", 0.38941, "38.941 %"),
        ("41", 0.41, "41 %"),
        ("0.41", 0.41, "41 %"),
        ("0.41 %", 0.0041, "0.41 %"),
        ("100", 1.0, "100 %"),
        ("1 %", 0.01, "1 %"),
        ("41 percent", 0.41, "41 %"),
        ("410 ‰", 0.41, "41 %"),
    ],
)
def test_fractions_and_percentages(text: str, value: float, understood: str) -> None:
    parsed = parse(text, "fraction", "%")
    assert (parsed.value, parsed.understood) == (value, understood)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("6.2", 6.2),
        ("6,2", 6.2),
        ("6.2s", 6.2),
        ("6200 ms", 6.2),
        ("6200毫秒", 6.2),
        ("6.2秒", 6.2),
        ("1.5 min", 90.0),
        ("1m30s", 90.0),
        ("1 min 30 s", 90.0),
        ("1分30秒", 90.0),
        ("1m30", 90.0),
        ("1h30", 5400.0),
        ("2:03", 123.0),
        ("2：03", 123.0),
        ("1:02:03.5", 3723.5),
        ("2 days", 172800.0),
        ("2.1 s/step", 2.1),
        ("2.1 s/it", 2.1),
        ("0.5 it/s", 2.0),
        ("4 steps/s", 0.25),
        ("1e-3", 0.001),
        ("19926", 19926.0),
    ],
)
def test_times(text: str, seconds: float) -> None:
    assert parse(text, "time", "s").value == seconds


def test_a_time_is_given_in_the_unit_of_the_field() -> None:
    assert parse("6.2 s", "time", "ms").value == 6200.0
    assert parse("36 h", "time", "d").value == 1.5


@pytest.mark.parametrize(
    ("text", "kind", "unit", "code", "first", "second"),
    [
        ("1.024", "integer", "tokens", "number_ambiguous", "1.024", "1024"),
        ("19,926", "time", "s", "number_ambiguous", "19.926", "19926"),
        ("1,024M", "integer", "", "number_ambiguous", "1.024", "1024"),
        ("1", "fraction", "%", "number_ambiguous", "1 %", "100 %"),
        ("5m", "real", "tokens/s", "number_ambiguous", "0.005", "5000000"),
        ("3兆", "integer", "", "number_ambiguous", "3000000", "3000000000000"),
    ],
)
def test_what_may_mean_two_things_is_refused_with_both(
    text: str, kind: str, unit: str, code: str, first: str, second: str
) -> None:
    with pytest.raises(InputError) as refusal:
        parse(text, kind, unit)  # type: ignore[arg-type]
    assert refusal.value.code == code
    assert (refusal.value.values["first"], refusal.value.values["second"]) == (first, second)


@pytest.mark.parametrize(
    ("text", "kind", "unit", "code"),
    [
        ("", "real", "", "number_empty"),
        (" \u3000 ", "real", "", "number_empty"),
        ("abc", "real", "", "number_unreadable"),
        ("nan", "real", "", "number_unreadable"),
        ("inf", "real", "", "number_unreadable"),
        ("--5", "integer", "", "number_unreadable"),
        ("0x10", "integer", "", "number_unreadable"),
        ("3 * ", "integer", "", "number_unreadable"),
        ("1,02,4", "integer", "", "number_groups"),
        ("12 34", "integer", "", "number_groups"),
        ("1,024,", "integer", "", "number_groups"),
        ("1.5", "integer", "", "number_not_whole"),
        ("5 apples", "integer", "tokens", "number_unit"),
        ("5 s", "integer", "tokens", "number_unit"),
        ("5 kg", "time", "s", "number_unit"),
        ("5 %", "time", "s", "number_unit"),
        ("1e999", "real", "", "number_too_large"),
        ("9^9999999", "integer", "", "number_too_large"),
        ("2:75", "time", "s", "number_unreadable"),
        ("30s 1m", "time", "s", "number_unreadable"),
        ("0 it/s", "time", "s", "number_unreadable"),
        ("1" * 5000, "integer", "", "number_unreadable"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, kind: str, unit: str, code: str) -> None:
    with pytest.raises(InputError) as refusal:
        parse(text, kind, unit)  # type: ignore[arg-type]
    assert refusal.value.code == code


def test_a_decimal_k_is_marked_because_1024_may_be_meant() -> None:
    assert parse("4K", "integer", "tokens").decimal_k
    assert not parse("4Ki", "integer", "tokens").decimal_k
    assert not parse("4M", "integer", "tokens").decimal_k


POSITIVE = st.floats(1e-12, 1e15, allow_nan=False)


@given(st.integers(-(10**30), 10**30))
def test_whole_numbers_survive_being_written_and_read(value: int) -> None:
    assert parse(to_text(value, "integer"), "integer").value == value


@given(POSITIVE)
def test_real_numbers_survive_being_written_and_read(value: float) -> None:
    assert parse(to_text(value, "real", "TFLOP/s"), "real", "TFLOP/s").value == value


@given(POSITIVE)
def test_times_survive_being_written_and_read(value: float) -> None:
    assert parse(to_text(value, "time", "s"), "time", "s").value == value


@given(st.floats(1e-9, 10.0))
def test_fractions_survive_being_written_and_read(value: float) -> None:
    assert parse(to_text(value, "fraction", "%"), "fraction", "%").value == value


FIELDS = [("integer", "tokens"), ("real", "TFLOP/s"), ("time", "s"), ("fraction", "%")]


def finite_or_refused(text: str, kind: str, unit: str) -> bool:
    try:
        return math.isfinite(parse(text, kind, unit).value)  # type: ignore[arg-type]
    except InputError as refusal:
        return refusal.code.startswith("number_")


@given(st.text(max_size=40), st.sampled_from(FIELDS))
def test_any_text_is_a_finite_number_or_refused(text: str, field: tuple[str, str]) -> None:
    assert finite_or_refused(text, *field)


@given(st.text(alphabet="0123456789.,eE^*x×+- %:msKMG万亿'_", max_size=24), st.sampled_from(FIELDS))
def test_number_like_text_is_a_finite_number_or_refused(text: str, field: tuple[str, str]) -> None:
    assert finite_or_refused(text, *field)
