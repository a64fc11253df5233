"""BatchOrder: any three of micro-batch, accumulation, replicas and global batch give the fourth."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from mfu_gui.engine.batch import Part, with_part
from mfu_gui.engine.scenario import Scenario
from mfu_gui.ui.workspace import Document

_START: tuple[Part, ...] = ("replicas", "micro_batch", "global_batch", "accumulation")


class BatchOrder:
    """Remembers of each document which of the four were typed last: the one typed longest ago follows."""

    def __init__(self) -> None:
        self._orders: WeakKeyDictionary[Document, tuple[Part, ...]] = WeakKeyDictionary()

    def follower(self, document: Document, typed: Part | None = None) -> Part:
        """Which one is computed when ``typed`` is typed.

        Replicas only where no number of devices is given: a cluster does not grow by typing a batch.
        """
        order = self._orders.get(document, _START)
        fixed = document.scenario.run.devices is not None
        return [part for part in order if part != typed and not (fixed and part == "replicas")][-1]

    def put(self, part: Part, document: Document, value: Any) -> Scenario:
        """The scenario of ``document`` with ``part`` set to ``value`` and the follower computed; InputError."""
        scenario = document.scenario
        run = with_part(scenario.run, part, value, self.follower(document, part))
        order = self._orders.get(document, _START)
        self._orders[document] = (part, *(other for other in order if other != part))
        return replace(scenario, run=run)
