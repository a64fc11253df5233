"""CRC-32C (Castagnoli), masked as TFRecord files have it.

Table-driven, two bytes at a time, because the polynomial is not that of ``zlib.crc32``.
"""

from __future__ import annotations

import sys
from array import array
from functools import cache

_POLYNOMIAL = 0x82F63B78
_MASK_DELTA = 0xA282EAD8
_ALL = 0xFFFFFFFF


@cache
def _table() -> tuple[int, ...]:
    """What 16 bits contribute after they have passed through."""
    bytewise = []
    for index in range(256):
        value = index
        for _ in range(8):
            value = (value >> 1) ^ (_POLYNOMIAL if value & 1 else 0)
        bytewise.append(value)
    return tuple(bytewise[(bytewise[low] ^ high) & 0xFF] ^ (bytewise[low] >> 8)
                 for high in range(256) for low in range(256))


def crc32c(data: bytes) -> int:
    """The checksum of ``data``."""
    table = _table()
    value = _ALL
    even = len(data) & ~1
    words = array("H", data[:even])
    if sys.byteorder == "big":
        words.byteswap()
    for word in words:
        value = table[(value ^ word) & 0xFFFF] ^ (value >> 16)
    if even != len(data):
        # The table of 16 bits holds that of 8 in its entries below 256, shifted by one byte of zeros.
        index = (value ^ data[-1]) & 0xFF
        single = index
        for _ in range(8):
            single = (single >> 1) ^ (_POLYNOMIAL if single & 1 else 0)
        value = single ^ (value >> 8)
    return value ^ _ALL


def masked_crc32c(data: bytes) -> int:
    """The checksum as TFRecord files store it."""
    value = crc32c(data)
    return (((value >> 15) | (value << 17)) + _MASK_DELTA) & _ALL
