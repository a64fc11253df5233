"""Units and multipliers that may follow a typed number; tables only, see ``quantities``."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

_SI = {"": 0, "k": 3, "m": 6, "g": 9, "t": 12, "p": 15, "e": 18, "z": 21}

SECONDS: dict[str, Fraction] = {
    name: size
    for size, names in (
        (Fraction(1, 10**9), "ns"),
        (Fraction(1, 10**6), "us 微秒"),
        (Fraction(1, 1000), "ms msec msecs millisecond milliseconds 毫秒"),
        (Fraction(1), 's sec secs second seconds 秒 秒钟 "'),
        (Fraction(60), "m min mins minute minutes 分 分钟 '"),
        (Fraction(3600), "h hr hrs hour hours 时 小时"),
        (Fraction(86400), "d day days 天 日"),
    )
    for name in names.split()
}
PER_STEP = re.compile(r" ?(?:/|per|每) ?(?:steps?|its?|iters?|iterations?|步|迭代)$", re.IGNORECASE)
STEPS_PER_SECOND = frozenset(
    f"{step}{per}{second}"
    for step in ("it", "its", "iter", "iters", "step", "steps", "iterations", "步")
    for per in ("/", "per")
    for second in ("s", "sec", "second", "秒")
)

# Longest first, so that "Ki" is not read as "K" and "bn" not as "b".
MULTIPLIERS: tuple[tuple[str, int], ...] = tuple(
    sorted(
        (
            *((name, 10**3) for name in ("k", "K", "thousand")),
            *((name, 10**6) for name in ("M", "mn", "mio", "million")),
            *((name, 10**9) for name in ("b", "B", "bn", "Bn", "g", "G", "billion")),
            *((name, 10**12) for name in ("t", "T", "tn", "trillion")),
            *((name, 10**15) for name in ("p", "P")),
            *((name, 1024**power) for power, name in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi"), 1)),
        ),
        key=lambda pair: -len(pair[0]),
    )
)

_CHINESE_SIZES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}

_PER_DEVICE = "(?:/ ?(?:gpu|npu|tpu|device|card|chip|die|卡))?"
_SECOND = "(?:s|sec|second|秒)"
_TOKENS = "(?:tokens?|toks?|词元)"
_ALIASES: dict[str, str] = {
    "tokens": _TOKENS,
    "sequences": "(?:sequences?|seqs?|samples?|条|个序列|序列)",
    "tokens/s": f"{_TOKENS}(?:/|/ | per ){_SECOND}",
    "tokens/s/device": f"(?:{_TOKENS}(?:/|/ | per ){_SECOND}{_PER_DEVICE}|tgs)",
    "depths": "depths?",
    "W": "w(?:atts?)?",
}


def chinese_multiplier(text: str) -> int:
    """Product of the characters of "千亿", "百万", "万亿"."""
    size = 1
    for character in text:
        size *= _CHINESE_SIZES[character]
    return size


@cache
def _prefixed(unit: str) -> tuple[re.Pattern[str], Fraction] | None:
    """Pattern of a unit with SI prefixes, with groups ``p`` and ``i``; and the size of ``unit`` itself."""
    flop = re.fullmatch(r"([KMGTPE]?)FLOP(s|/s)?", unit)
    if flop:
        rate = f"(?:flops?(?:/ ?s|ps|s)?|f)?{_PER_DEVICE}"
        pattern = f"(?P<p>[kmgtpez]?)(?P<i>){rate}"
        return re.compile(pattern, re.IGNORECASE), _size(flop[1], "")
    data = re.fullmatch(r"([KMGTPE]?)(i?)(B|bit)(/s)?", unit)
    if data:
        letter = "(?:B|bytes?)?" if data[3] == "B" else "(?:b|bits?)?"
        pattern = f"(?P<p>[kKMGTPE]?)(?P<i>i?){letter}{'(?:/ ?s|ps)?' if data[4] else ''}"
        return re.compile(pattern), _size(data[1], data[2])
    if unit == "W":
        return re.compile("(?P<p>[kKM]?)(?P<i>)(?:[Ww](?:atts?)?)?"), Fraction(1)
    return None


def _size(prefix: str, binary: str) -> Fraction:
    power = _SI[prefix.lower()]
    return Fraction(1024) ** (power // 3) if binary else Fraction(10) ** power


def unit_factor(text: str, unit: str) -> Fraction | None:
    """How many ``unit`` one ``text`` is ("P" -> 1000 for TFLOP/s); 1 for no text; None if unknown."""
    if not text:
        return Fraction(1)
    if text.casefold() == unit.casefold():
        return Fraction(1)
    prefixed = _prefixed(unit)
    if prefixed is not None:
        match = prefixed[0].fullmatch(text)
        return _size(match["p"], match["i"]) / prefixed[1] if match else None
    alias = _ALIASES.get(unit)
    return Fraction(1) if alias and re.fullmatch(alias, text, re.IGNORECASE) else None
