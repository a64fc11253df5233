"""Cards of figures: numbers in even columns, each with its formula in its tooltip."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from mfu_gui.formats.plan_words import formula_text, shown
from mfu_gui.planning.formula import FORMULAS, Figure
from mfu_gui.texts import N_
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.card import Card
from mfu_gui.ui.widgets.value_label import ValueLabel

SIZE, LARGE = 16, 20
"""Of the numbers; the large one where there is plenty of room."""
GAP = 8
LINE_GAPS = {SIZE: 2, LARGE: 12}
CAPTIONS = {"model": N_("{label} · model"), "assumption": N_("{label} · assumed")}
"""How sure a figure is stands behind its name, unless it is exact."""


class FigureGrid(QWidget):
    """Labels in as many even columns as fit; its height follows from its width."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._size = SIZE
        self.labels: dict[str, ValueLabel] = {}
        self._order: list[ValueLabel] = []
        self._words: dict[str, tuple[str, str, str]] = {}
        self._sizes: dict[ValueLabel, QSize] = {}
        """What the labels need: measuring text is slow, and most of it stays as it was."""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_figures(self, figures: Iterable[Figure], prefix: str, currency: str | None, dimmed: bool) -> None:
        """Show these and no others, in this order.  ``prefix`` begins the labels' object names."""
        tr = self._services.language.tr
        order: list[ValueLabel] = []
        for figure in figures:
            label = self.labels.get(figure.key)
            if label is None:
                label = self.labels[figure.key] = ValueLabel(self._services, self._size, parent=self)
                label.setObjectName(f"{prefix}.{figure.key}")
            caption = tr(figure.label)
            if figure.value is not None and figure.basis in CAPTIONS:
                caption = tr(CAPTIONS[figure.basis], label=caption)
            number, unit = shown(figure, tr, currency)
            label.set_caption(caption)
            source = FORMULAS[figure.formula].source if figure.formula in FORMULAS else ""
            label.show_value(number, unit, tr.numbers.exact(figure.value), partial(formula_text, figure, tr, source))
            label.set_dimmed(dimmed)
            if self._words.get(figure.key) != (caption, number, unit):
                self._words[figure.key] = (caption, number, unit)
                self._sizes[label] = label.sizeHint()
            order.append(label)
        for label in self.labels.values():
            if label.isHidden() is (label in order):
                label.setVisible(label in order)
        if order != self._order:
            self._order = order
            self.updateGeometry()
        self._arrange()

    def set_size(self, size: int) -> None:
        """Set the numbers in another size."""
        self._size = size
        for label in self.labels.values():
            label.set_size(size)
            self._sizes[label] = label.sizeHint()
        self.updateGeometry()
        self._arrange()

    def sizeHint(self) -> QSize:
        return QSize(self._widest(), self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._widest(), self.minimumHeight())

    def _widest(self) -> int:
        return max((self._sizes[label].width() for label in self._order), default=0)

    def _line(self) -> int:
        return max((self._sizes[label].height() for label in self._order), default=0)

    def _columns(self, width: int) -> int:
        return max(1, min(len(self._order), (width + GAP) // (self._widest() + GAP)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        if not self._order:
            return
        columns, line, gap = self._columns(self.width()), self._line(), LINE_GAPS[self._size]
        lines = -(-len(self._order) // columns)
        # Set, not hinted: nested layouts ask for a height before they know the width.
        self.setFixedHeight(lines * line + (lines - 1) * gap)
        each = (self.width() + GAP) // columns - GAP
        for number, label in enumerate(self._order):
            row, column = divmod(number, columns)
            label.setGeometry(column * (each + GAP), row * (line + gap), each, line)


class FigureCard(Card):
    """A titled card of figures."""

    def __init__(self, services: Services, title: str, key: str, parent: QWidget | None = None) -> None:
        """``title``: a message id; ``key`` begins the object names of its labels."""
        super().__init__(services.theme, parent, under="surface")
        self._services, self._title, self._key = services, title, key
        self.grid = FigureGrid(services)
        self.body.addWidget(self.grid)
        self.outer.addStretch(1)  # beside a higher card the heading stays at the top
        self.retranslate()

    def retranslate(self) -> None:
        """Write the heading again."""
        self.set_title(self._services.language.tr(self._title))

    def show_figures(self, figures: Iterable[Figure], currency: str | None = None, *, dimmed: bool = False,
                     note: str = "") -> None:
        """Show these figures; without any the card is hidden.  ``note`` stands at the right of the heading."""
        known = tuple(figures)
        self.setVisible(bool(known))
        self.note.setText(note)
        self.grid.show_figures(known, f"plan.{self._key}", currency, dimmed)
