"""Links that undo a slip: each is one step of the history."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.fields import N_
from mfu_gui.engine.mends import mends
from mfu_gui.texts.mends import caption
from mfu_gui.ui.services import Services
from mfu_gui.ui.workspace import Document

MOST = 2
"""Offers of one remark: more would be a menu, not an answer."""


def mend_links(services: Services, document: Document, notice: Notice) -> list[tuple[str, Callable[[], object]]]:
    """(caption, action) of what ``notice`` offers for ``document``."""
    tr = services.language.tr
    return [(caption(mend.code, mend.values, tr), partial(apply, services, document, notice, number))
            for number, mend in enumerate(mends(document.scenario, notice)[:MOST])]


def apply(services: Services, document: Document, notice: Notice, number: int) -> None:
    """Make the document what it was probably meant to be.

    The mend is made of what the document is now: the same remark may have stood there for many edits.
    """
    found = mends(document.scenario, notice)
    if number < len(found):
        mend = found[number]
        services.workspace.edit(document, mend.field, mend.scenario, label=N_("Mend a slip"))
