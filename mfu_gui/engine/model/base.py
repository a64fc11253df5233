"""What all parts of a model have in common: ranges of widths and the immutable record."""

from __future__ import annotations

from typing import Annotated

import msgspec

MAX_WIDTH = 10**9
MAX_LAYERS = 100_000
Width = Annotated[int, msgspec.Meta(ge=1, le=MAX_WIDTH)]
Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_WIDTH)]
LayerCount = Annotated[int, msgspec.Meta(ge=1, le=MAX_LAYERS)]
PartName = Annotated[str, msgspec.Meta(max_length=64, pattern=r"^[a-z0-9_]+$")]


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, cache_hash=True,
             omit_defaults=True):
    """Base of all parts of a model: immutable, hash computed once, unknown keys refused."""
