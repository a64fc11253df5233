"""What a pasted text may change in a scenario, as data: nothing is changed until the user says so."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import msgspec

PasteKind = Literal["arguments", "log", "text"]


class Option(NamedTuple):
    """One reading of some words: what would be set, to which value, and the name of the value if it has one.

    ``key`` is that of a field (``engine.fields``), or ``model.preset``, ``hardware.preset``,
    ``model.hf_config``, ``reported.mfu``, ``reported.hfu``.
    """

    key: str
    value: Any
    name: str = ""


class Proposal(msgspec.Struct, frozen=True):
    """Words of the text and what they may mean.

    ``options``: one where there is no doubt; several where the user has to say which.  ``doubt`` is the
    code of a sentence that says why the one reading need not be the right one.
    """

    where: str
    options: tuple[Option, ...]
    doubt: str = ""

    @property
    def certain(self) -> bool:
        """Whether it may be ticked without being asked about."""
        return len(self.options) == 1 and not self.doubt


class Pasted(msgspec.Struct, frozen=True):
    """What was understood of a text, and the words that were not."""

    kind: PasteKind
    proposals: tuple[Proposal, ...]
    unread: tuple[str, ...] = ()
    detail: str = ""
    """Of a log: the name of its format."""
