"""Overlays: the other open scenarios and published runs, as the plot shows them beside its curve."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from weakref import WeakKeyDictionary

from mfu_gui.formats.curve import Curve, curve_of
from mfu_gui.ui.scenario_colors import token_of
from mfu_gui.ui.services import Services
from mfu_gui.ui.workspace import Document, State

Published = tuple[tuple[float, float, Callable[[], str]], ...]
"""Points of published runs: time, utilization, what to say about them."""


class Overlays:
    """``words(curve)`` says what stands at the point of a curve."""

    def __init__(self, services: Services, words: Callable[[Curve], str]) -> None:
        self._services = services
        self._words = words
        self._known: WeakKeyDictionary[Document, tuple[State, str, Curve | None, str]] = WeakKeyDictionary()
        self._published: tuple[object, Published] = (None, ())

    def others(self, document: Document, curve: Curve) -> list[tuple[Curve, str, str]]:
        """Curves of the other open scenarios, each with what to say at its point and its colour; each made once."""
        documents = self._services.workspace.documents
        if not self._services.settings.stored.overlay or len(documents) < 2:
            return []
        others = []
        for other in documents:
            if other is document or other.result is None or other.problem is not None:
                continue
            found = self._known.get(other)
            if found is None or found[0] is not other.state or found[1] != self._services.language.code:
                theirs = curve_of(other.scenario, other.result, ())
                words = "" if theirs is None else f"{other.scenario.name}\n{self._words(theirs)}"
                found = self._known[other] = (other.state, self._services.language.code, theirs, words)
            theirs = found[2]
            if theirs is None or theirs.quantity != curve.quantity:
                continue
            if theirs.utilization is None or theirs.utilization <= 1:
                others.append((theirs, found[3], token_of(other)))
        return others

    def published(self, document: Document, curve: Curve) -> Published:
        """Published runs on the document's device, the same object as long as they are the same."""
        device = document.scenario.hardware_source.preset if self._services.settings.stored.published else None
        key = (device, curve.quantity)
        if key != self._published[0]:
            points: Published = ()
            if device is not None:
                from mfu_gui.ui.charts.published_points import points_on, read_out

                language = self._services.language
                points = tuple((point.time, point.utilization, partial(read_out, point, language))
                               for point in points_on(device, curve.quantity))
            self._published = (key, points)
        return self._published[1]
