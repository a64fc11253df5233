"""FoldedPart: a part of a panel that is folded until it is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from mfu_gui.engine.fields import Field
from mfu_gui.ui import icons
from mfu_gui.ui.panels.form import Form
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.elided_label import ElidedLabel
from mfu_gui.ui.workspace import Document


class FoldedPart(QWidget):
    """Heading with a summary, and beneath it, once opened, the fields."""

    TITLE: ClassVar[str]
    FOLD: ClassVar[str]
    """What the button does while the part is open, as a message id."""
    UNFOLD: ClassVar[str]

    def __init__(self, services: Services, name: str, parent: QWidget | None = None) -> None:
        """``name``: with ``.fold`` the object name of the button."""
        super().__init__(parent)
        self._services = services
        self.opened = False
        self.title = plain_label(tone="muted")
        self.summary = ElidedLabel()
        self.summary.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.fold = QToolButton()
        self.fold.setObjectName(f"{name}.fold")
        self.fold.setProperty("role", "flat")
        self.fold.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.fold.setFixedSize(20, 20)
        self.fold.clicked.connect(self.toggle)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.setContentsMargins(0, 4, 0, 0)
        head.addWidget(self.title)
        head.addWidget(self.summary, 1)
        head.addWidget(self.fold)
        self.outer = QVBoxLayout(self)
        self.outer.setContentsMargins(0, 0, 0, 0)
        self.outer.setSpacing(2)
        self.outer.addLayout(head)
        for label in (self.title, self.summary):
            label.installEventFilter(self)
        services.theme.changed.connect(self._restyle)
        self._restyle()

    def set_fields(self, fields: tuple[Field, ...], special: Mapping[str, Mapping[str, Any]]) -> None:
        """Build the fields; ``special`` as ``Form`` takes it."""
        self.form = Form(self._services, fields, special)
        self.form.hide()
        self.outer.addWidget(self.form)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            self.toggle()
            return True
        return super().eventFilter(watched, event)

    def retranslate(self) -> None:
        """Write all texts again."""
        self.title.setText(self._services.language.tr(self.TITLE))
        self.form.retranslate()
        self._name_fold()

    def toggle(self) -> None:
        """Open or fold."""
        self.open(not self.opened)

    def open(self, opened: bool) -> None:
        """Show the fields or not."""
        if opened != self.opened:
            self.opened = opened
            self._restyle()
            self._name_fold()
            if not self._services.workspace.is_empty:
                self.refresh(self._services.workspace.active)

    def refresh(self, document: Document) -> None:
        """Show ``document``."""
        raise NotImplementedError

    def opens_for(self, document: Document, *, also: bool = False) -> bool:
        """Open (and show) a folded part with a problem in one of its fields, or where it is ``also`` wanted;
        whether that was done."""
        place = document.state.place
        wrong = any(b.field.key in document.invalid or b.field.key == place for b in self.form.bindings)
        if self.opened or not (wrong or also):
            return False
        self.open(True)
        return True

    def show_fields(self, document: Document, summary: str) -> None:
        """The summary, and the fields while they are looked at."""
        self.summary.setText(summary)
        if self.opened:
            self.form.refresh(document)
        if self.form.isHidden() is self.opened:
            self.form.setVisible(self.opened)

    def _name_fold(self) -> None:
        text = self._services.language.tr(self.FOLD if self.opened else self.UNFOLD)
        self.fold.setToolTip(text)
        self.fold.setAccessibleName(text)

    def _restyle(self) -> None:
        self.fold.setIcon(icons.icon("fold" if self.opened else "unfold", self._services.theme.color("muted")))
