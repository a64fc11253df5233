"""How precisely a number was printed, read from how it was typed."""

from __future__ import annotations

from decimal import Decimal

from mfu_gui.engine.run import Measured

SIGNIFICANT = 12
"""Digits that a typed number can have; more are noise of binary64."""


def _exponent(value: float) -> int:
    """Power of ten of the last digit: −3 for 19.926, 0 for 150 and for 238300."""
    digits = Decimal(f"{value:.{SIGNIFICANT}g}").normalize()
    exponent = digits.as_tuple().exponent
    return min(0, exponent) if isinstance(exponent, int) else 0


def half_digit(value: float) -> float:
    """Half of the last digit of a number as it was typed: 19.926 is 19.9255 to 19.9265."""
    return 0.5 * 10.0 ** _exponent(value)


def half_digit_of_fraction(value: float) -> float:
    """The same for a utilization, which is printed to whole per cent at least: 0.4 is 39.5 to 40.5 %."""
    return 0.5 * 10.0 ** min(_exponent(value), -2)


def relative_half_digit(measured: Measured) -> float:
    """Half a digit of the measured quantity, relative to it: what it can move any result by."""
    for value in (measured.step_time_s, measured.tokens_per_s, measured.tokens_per_s_per_device,
                  measured.tflops_per_device):
        if value is not None:
            return half_digit(value) / value
    return half_digit_of_fraction(measured.mfu) / measured.mfu if measured.mfu else 0.0
