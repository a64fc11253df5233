"""Any one of days, devices, budget, tokens or MFU from the others.

Two relations join them: tokens = rate × devices × goodput × time, and budget = price × devices × time.
Three of the five are needed; goodput may depend on the number of devices.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

import msgspec

from mfu_gui.planning.formula import SECONDS_PER_DAY
from mfu_gui.planning.spec import Unknown

HOURS_PER_DAY = 24.0
MOST_DEVICES = 10**9
ROUNDING = 1e-12

GoodputAt = Callable[[float], float]


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What is given.  ``rate`` is tokens per second of one device while steps run (what MFU means here);
    ``price`` that of a device-hour; ``replica`` the devices that come together."""

    tokens: float | None = None
    rate: float | None = None
    devices: int | None = None
    days: float | None = None
    budget: float | None = None
    price: float | None = None
    replica: int = 1


class Solution(msgspec.Struct, frozen=True, kw_only=True):
    """All five quantities, as far as they follow; ``needs`` names what is missing for the rest.

    ``impossible``: no number of devices reaches the time, because more of them fail more often.
    """

    tokens: float | None = None
    rate: float | None = None
    devices: int | None = None
    days: float | None = None
    goodput: float | None = None
    needs: tuple[str, ...] = ()
    impossible: bool = False


def solve(unknown: Unknown, known: Known, goodput: GoodputAt) -> Solution:
    """Find ``unknown``.  What is given beyond the three needed is a limit that the caller compares with."""
    if unknown == "devices":
        return _devices(known, goodput)
    if unknown in ("tokens", "mfu"):
        return _extent(unknown, known, goodput)
    if unknown == "budget" and (known.tokens is None or known.rate is None):
        return _hours(known, goodput)
    return _days(known, goodput)


def _missing(known: Known, names: dict[str, str]) -> tuple[str, ...]:
    return tuple(key for name, key in names.items() if getattr(known, name) is None)


def _given(known: Known, needs: tuple[str, ...]) -> Solution:
    """What there is when something is missing."""
    goodput = None
    return Solution(tokens=known.tokens, rate=known.rate, devices=known.devices, goodput=goodput, needs=needs)


def _hours(known: Known, goodput: GoodputAt) -> Solution:
    """Devices for a time: what they cost needs neither tokens nor speed, which follow from each other."""
    if known.devices is None or known.days is None:
        return _days(known, goodput)
    share = goodput(known.devices)
    seconds = known.devices * known.days * SECONDS_PER_DAY * share
    tokens = known.tokens if known.rate is None else known.rate * seconds
    rate = known.rate if tokens is None or known.rate is not None or not seconds else tokens / seconds
    return Solution(tokens=tokens, rate=rate, devices=known.devices, days=known.days, goodput=share)


def _days(known: Known, goodput: GoodputAt) -> Solution:
    if known.tokens is None and known.rate is not None and known.budget is not None and known.price:
        # The money says how long; what is trained in that time follows.
        return _extent("tokens", msgspec.structs.replace(known, days=None), goodput)
    needs = _missing(known, {"tokens": "plan.tokens", "rate": "plan.mfu", "devices": "run.devices"})
    if known.tokens is None or known.rate is None or known.devices is None:
        if needs == ("run.devices",) and known.days is not None:
            return _devices(known, goodput)
        return _given(known, needs)
    share = goodput(known.devices)
    if share <= 0:
        return Solution(tokens=known.tokens, rate=known.rate, devices=known.devices, goodput=share, impossible=True)
    days = known.tokens / (known.rate * known.devices * share * SECONDS_PER_DAY)
    return Solution(tokens=known.tokens, rate=known.rate, devices=known.devices, days=days, goodput=share)


def _devices(known: Known, goodput: GoodputAt) -> Solution:
    if known.tokens is None and known.rate is not None and known.budget is not None and known.price:
        return _extent("tokens", msgspec.structs.replace(known, devices=None), goodput)
    needs = _missing(known, {"tokens": "plan.tokens", "rate": "plan.mfu", "days": "plan.days"})
    if known.tokens is None or known.rate is None or known.days is None:
        return _given(known, needs)
    # A hair less, so that the rounding of a time that was itself computed asks for no further device.
    wanted = known.tokens / (known.rate * known.days * SECONDS_PER_DAY) * (1 - ROUNDING)
    devices = least_devices(wanted, goodput, known.replica)
    if devices is None:
        return Solution(tokens=known.tokens, rate=known.rate, impossible=True)
    share = goodput(devices)
    days = known.tokens / (known.rate * devices * share * SECONDS_PER_DAY)
    return Solution(tokens=known.tokens, rate=known.rate, devices=devices, days=days, goodput=share)


def least_devices(wanted: float, goodput: GoodputAt, replica: int = 1) -> int | None:
    """The least multiple of ``replica`` whose devices × goodput reach ``wanted``; None when none does.

    Devices × goodput rises to one summit and falls behind it, because failures grow with the devices.
    """
    low, high = 0, max(1, ceil(wanted / replica))
    best = 0.0
    while high * replica * goodput(high * replica) < wanted:
        now = high * replica * goodput(high * replica)
        if now <= best or high * replica > MOST_DEVICES:
            return _before_summit(wanted, goodput, replica, low, high)
        best, low, high = now, high, 2 * high
    return _bisected(wanted, goodput, replica, low, high)


def _bisected(wanted: float, goodput: GoodputAt, replica: int, low: int, high: int) -> int:
    """The least count in (low, high], where high reaches ``wanted`` and low does not."""
    while high - low > 1:
        middle = (low + high) // 2
        if middle * replica * goodput(middle * replica) >= wanted:
            high = middle
        else:
            low = middle
    return high * replica


def _before_summit(wanted: float, goodput: GoodputAt, replica: int, low: int, high: int) -> int | None:
    """The answer when doubling stepped over the summit: search it between a quarter and the end."""
    left, right = max(1, low // 2), high
    while right - left > 2:
        third = (right - left) // 3
        first, second = left + third, right - third
        if first * goodput(first * replica) < second * goodput(second * replica):
            left = first
        else:
            right = second
    summit = max(range(left, right + 1), key=lambda count: count * goodput(count * replica))
    if summit * replica * goodput(summit * replica) < wanted:
        return None
    return _bisected(wanted, goodput, replica, low // 2, summit)


def _extent(unknown: Unknown, known: Known, goodput: GoodputAt) -> Solution:
    """Tokens or rate: devices and time must follow from two of devices, days and budget."""
    other, key = ("rate", "plan.mfu") if unknown == "tokens" else ("tokens", "plan.tokens")
    devices, days, needs = _size(known)
    if getattr(known, other) is None:
        needs = (key, *needs)
    if needs or devices is None or days is None:
        return _given(known, needs)
    share = goodput(devices)
    seconds = devices * days * SECONDS_PER_DAY * share
    if unknown == "tokens":
        tokens, rate = (known.rate or 0.0) * seconds, known.rate
    elif not seconds:
        return Solution(tokens=known.tokens, devices=devices, days=days, goodput=share, impossible=True)
    else:
        tokens, rate = known.tokens or 0.0, (known.tokens or 0.0) / seconds
    return Solution(tokens=tokens, rate=rate, devices=devices, days=days, goodput=share)


def _size(known: Known) -> tuple[int | None, float | None, tuple[str, ...]]:
    """(devices, days, what is missing) from two of devices, days and budget."""
    hours = None
    if known.budget is not None and known.price:
        hours = known.budget / known.price
    if known.devices is not None and known.days is not None:
        return known.devices, known.days, ()
    if known.devices is not None and hours is not None:
        return known.devices, hours / (HOURS_PER_DAY * known.devices), ()
    if known.days is not None and hours is not None:
        devices = int(hours / (HOURS_PER_DAY * known.days)) // known.replica * known.replica
        return (devices, known.days, ()) if devices else (None, known.days, ("plan.budget",))
    if known.devices is None:
        return None, known.days, ("run.devices",)
    if known.budget is not None:
        return known.devices, None, ("plan.price_per_device_hour",)
    return known.devices, None, ("plan.days",)
