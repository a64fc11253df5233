"""Whether a model is as large as its name says: a wrong copy of a config shows here first."""

from __future__ import annotations

import re

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import ModelSpec

# Names leave embeddings out or in (Gemma's 7B are 8.5) and multiply loosely (Mixtral's 8x7B are 46.7).
SMALLEST, LARGEST = 0.7, 1.35
_UNITS = {"m": 10**6, "b": 10**9, "t": 10**12}
_SIZE = re.compile(r"(?<![a-z0-9.])(?:(\d{1,3})x)?(\d{1,4})(\.\d{1,3})?([mbt])(?![a-z0-9])")


def size_in_name(name: str) -> tuple[int, int] | None:
    """Parameters that a name such as ``Llama-3.1-8B`` or ``Mixtral-8x7B`` promises, and half a unit of its last
    digit; active ones (``A3B``) do not count, nor does a name with several sizes."""
    found = set()
    for times, whole, decimals, letter in _SIZE.findall(name.lower()):
        unit, copies = _UNITS[letter], int(times or 1)
        half = unit * copies // (2 * 10 ** max(0, len(decimals) - 1))
        found.add((copies * round(float(whole + decimals) * unit), half))
    return found.pop() if len(found) == 1 else None


def size_notice(spec: ModelSpec, name: str) -> tuple[Notice, ...]:
    """A notice where the count is far from the size in the name."""
    size = size_in_name(name)
    if size is None or not size[0]:
        return ()
    promised, half = size
    total = ledger(spec).parameters.total
    if min(SMALLEST * promised, promised - half) <= total <= max(LARGEST * promised, promised + half):
        return ()
    return (Notice("config_size_differs", "", {"name": name, "promised": promised, "total": total}),)
