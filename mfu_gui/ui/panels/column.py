"""The column of input panels.  The measured panel stays in sight when the others have to scroll."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from mfu_gui.ui.panels.hardware import HardwarePanel
from mfu_gui.ui.panels.measured import MeasuredPanel
from mfu_gui.ui.panels.model import ModelPanel
from mfu_gui.ui.panels.run import RunPanel
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.field_row import FieldRow

WIDTH = 346
MARGIN = 12
ROOMY, DENSE = (7, 8, 8), (4, 5, 6)
"""Margins above and below the content of a card, and the gap between cards."""
SHORT = 660
"""In a lower column the run panel would be out of sight if all that is of less use were shown."""


class _Scroll(QScrollArea):
    """Takes no more height than its content needs, and scrolls to what gets the focus."""

    def __init__(self, content: QWidget, inner: QVBoxLayout) -> None:
        super().__init__()
        self._inner = inner
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(content)
        self.verticalScrollBar().rangeChanged.connect(self._make_room)
        # What it shows stays where it is when it gets lower or higher: only what comes into sight is painted.
        for part in (self, self.viewport(), content):
            part.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def _make_room(self, least: int, most: int) -> None:
        """The bar takes the place of the margin, so that cards keep their width."""
        bar = self.verticalScrollBar().sizeHint().width() if most > least else 0
        if self._inner.contentsMargins().right() != MARGIN - bar:
            self._inner.setContentsMargins(MARGIN, MARGIN, MARGIN - bar, 0)

    def sizeHint(self) -> QSize:
        inner = self._inner
        height = inner.totalHeightForWidth(WIDTH) if inner.hasHeightForWidth() else inner.sizeHint().height()
        return QSize(WIDTH, height)

    def minimumSizeHint(self) -> QSize:
        return QSize(WIDTH, 120)

    def _keep_in_sight(self) -> None:
        """What is being typed, with what was just said of it beneath."""
        editor, content = QApplication.focusWidget(), self.widget()
        if editor is not None and content is not None and content.isAncestorOf(editor):
            row = editor.parentWidget()
            self.ensureWidgetVisible(row if isinstance(row, FieldRow) else editor, 0, 4)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            self.updateGeometry()
        elif event.type() == QEvent.Type.Resize and watched is self.widget():
            QTimer.singleShot(0, self, self._keep_in_sight)  # when its rows are in their new places
        return super().eventFilter(watched, event)


class PanelColumn(QFrame):
    """Model, hardware, run; and measured beneath them."""

    def __init__(self, services: Services, load_config: Callable[[], object], explain: Callable[[], object],
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "side")
        self.setFixedWidth(WIDTH)
        self.model = ModelPanel(services, load_config)
        self.hardware = HardwarePanel(services)
        self.run_panel = RunPanel(services)
        self.measured = MeasuredPanel(services, explain)
        content = self._content = QWidget()
        inner = QVBoxLayout(content)
        inner.setContentsMargins(MARGIN, MARGIN, MARGIN, 0)
        inner.setSpacing(ROOMY[2])
        self._inner, self._short = inner, False
        for panel in (self.model, self.hardware, self.run_panel):
            inner.addWidget(panel)
        inner.addStretch(1)
        self.scroller = _Scroll(content, inner)
        outer = self._outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, MARGIN)
        outer.setSpacing(ROOMY[2])
        outer.addWidget(self.scroller)
        holder = QVBoxLayout()
        holder.setContentsMargins(MARGIN, 0, MARGIN, 0)
        holder.addWidget(self.measured)
        outer.addLayout(holder)
        outer.addStretch(1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        short = self.height() < SHORT
        self.model.set_short(short)
        if short is not self._short:
            self._short = short
            self._set_dense(short)

    def _set_dense(self, dense: bool) -> None:
        """In a low column cards are nearer to each other, and to what is in them."""
        above, below, gap = DENSE if dense else ROOMY
        for panel in (self.model, self.hardware, self.run_panel, self.measured):
            margins = panel.outer.contentsMargins()
            panel.outer.setContentsMargins(margins.left(), above, margins.right(), below)
        for layout in (self._inner, self._outer):
            layout.setSpacing(gap)

    def parts(self) -> tuple[QWidget, ...]:
        """All that has a layout of its own, but for rows of forms; what is outside first."""
        run = self.run_panel
        return (self, self._content, self.model, self.model.form, self.hardware, self.hardware.form,
                run, run.form, run.training_part, run.layout_part, self.measured, self.measured.form)

    def editor(self, key: str) -> QWidget | None:
        """What the field ``key`` is edited with, whether it is shown now or not."""
        run = self.run_panel
        forms = (self.model.form, self.hardware.form, run.form, run.training_part.form, run.layout_part.form,
                 self.measured.form)
        return next((found for form in forms if (found := form.editor(key)) is not None), None)

    def reveal(self, widget: QWidget) -> None:
        """Scroll so that ``widget`` can be seen; a folded part that has it is opened."""
        for part in (self.run_panel.training_part, self.run_panel.layout_part):
            if part.isAncestorOf(widget):
                part.open(True)
        for panel in (self.model, self.hardware, self.run_panel):
            panel.show_all_for(widget)
        self.scroller.ensureWidgetVisible(widget, 0, 12)

    def contents_rect_of(self, panel: QWidget) -> QRect:
        """Where a panel is in this column."""
        return QRect(panel.mapTo(self, panel.rect().topLeft()), panel.size())
