"""FieldRow: label, editor, unit, reset mark, and beneath them why a value cannot be used."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QSizePolicy, QToolButton, QWidget

from mfu_gui.ui import icons, tips
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.elided_label import ElidedLabel
from mfu_gui.ui.widgets.link import Link

LABEL_WIDTH = 112
EDITOR_WIDTH = 88
EDITOR_HEIGHT = 24
MARK_WIDTH = 18
_GAP = 6


class FieldRow(QWidget):
    """One line of a form.  ``reset`` is emitted when the mark of a changed value is pressed.

    Mark and message are built when they are first needed: most rows never need them.
    """

    reset = Signal()

    def __init__(self, services: Services, editor: QWidget, *, wide: bool = False,
                 parent: QWidget | None = None) -> None:
        """``wide``: the editor takes the place of the unit and the mark too, while there is no mark."""
        super().__init__(parent)
        self._services = services
        self._wide = wide
        self.editor = editor
        self._grid = grid = QGridLayout(self)
        grid.setContentsMargins(0, 2, 0, 2)
        grid.setHorizontalSpacing(_GAP)
        grid.setVerticalSpacing(2)
        if isinstance(editor, QComboBox):  # the style sheet says it for those that are typed into
            editor.setFixedHeight(EDITOR_HEIGHT)
        self.label = plain_label(tone="muted")
        self.label.setBuddy(editor)
        self.label.setMinimumWidth(LABEL_WIDTH)
        self.label.setWordWrap(True)
        self.extra: ElidedLabel | None = None
        self._mark: QToolButton | None = None
        self._marked = False
        self._linked = False
        self._message: QLabel | None = None
        self._why: Link | None = None
        self._told = self._short = ""
        self._unfolded = False
        grid.addWidget(self.label, 0, 0)
        if wide:
            editor.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            grid.addWidget(editor, 0, 1, 1, 3)
        else:
            self.extra = ElidedLabel()
            editor.setFixedWidth(EDITOR_WIDTH)
            grid.addWidget(editor, 0, 1)
            grid.addWidget(self.extra, 0, 2)
            grid.setColumnMinimumWidth(3, MARK_WIDTH)
        grid.setColumnMinimumWidth(0, LABEL_WIDTH)
        grid.setColumnStretch(2, 1)

    def set_texts(self, label: str, help_text: str, unit: str) -> None:
        """Write label, tooltip and unit; screen readers get all three."""
        self.label.setText(label)
        for widget in (self.label, self.editor):
            widget.setToolTip(help_text)
        self.editor.setAccessibleName(label)
        self.editor.setAccessibleDescription(f"{unit}. {help_text}" if unit else help_text)

    def show_extra(self, text: str, tone: str = "muted") -> None:
        """The small text after the editor: the unit, or what was understood."""
        if self.extra is None or self._linked:
            return
        if text != self.extra.text():
            self.extra.setText(text)
        if self.extra.property("tone") != tone:
            self.extra.setProperty("tone", tone)
            # Polishing alone looks its rules up again; undoing it first would take three times as long.
            self.extra.style().polish(self.extra)
            self.extra.update()

    def set_link(self, link: QWidget) -> None:
        """Put something to press where the unit is."""
        self._linked = True
        if self.extra is not None:
            self.extra.hide()
        self._grid.addWidget(link, 0, 2, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

    @property
    def message(self) -> str:
        """Why the value cannot be used, as it is shown; empty if nothing is."""
        return self._told

    def show_message(self, text: str, short: str = "") -> None:
        """Say why the value cannot be used; empty hides it.

        ``short``: what to say of it on one line, with all of it on demand: rows below should stay in sight.
        """
        if (text, short) == (self._told, self._short):
            return
        self._told, self._short = text, short
        self._unfolded = self._unfolded and bool(short)
        if self._message is None:
            self._message = plain_label(tone="error", small=True, wrap=True)
            self._grid.addWidget(self._message, 1, 0, 1, 4)
        if short and self._why is None:
            self._why = Link(self._services.theme, "", self._fold)
            self._grid.addWidget(self._why, 2, 0, 1, 4)
            QWidget.setTabOrder(self._mark or self.editor, self._why)
        self._write_message(self._message)

    def _write_message(self, message: QLabel) -> None:
        shown = self._short if self._short and not self._unfolded else self._told
        message.setText(shown)
        message.setVisible(bool(shown))
        if self._why is None:
            return
        tr = self._services.language.tr
        self._why.setText(tr("Fold") if self._unfolded else tr("Why?"))
        self._why.setAccessibleDescription(self._told)
        self._why.setVisible(bool(self._short))
        # Beside one line, beneath several: words should not run around it.
        beside = not self._unfolded
        self._grid.addWidget(message, 1, 0, 1, 3 if beside else 4)
        self._grid.addWidget(self._why, 1 if beside else 2, 3 if beside else 0, 1, 1 if beside else 4)

    def _fold(self) -> None:
        self._unfolded = not self._unfolded
        if self._message is not None:
            self._write_message(self._message)

    @property
    def mark(self) -> QToolButton | None:
        """The button of a value that was changed from its preset's; None for a value that was not."""
        return self._mark if self._marked else None

    def show_mark(self, tip: str) -> None:
        """Mark the value as changed from the preset's, which ``tip`` names; empty for unchanged."""
        if self._mark is None:
            if not tip:
                return
            self._mark = self._make_mark()
        if self._mark.accessibleName() == tip and self._marked is bool(tip):
            return
        if self._marked is not bool(tip):
            self._marked = bool(tip)
            self._show_whether_marked(self._mark)
        self._mark.setToolTip(tips.plain(tip))
        self._mark.setAccessibleName(tip)

    def _show_whether_marked(self, mark: QToolButton) -> None:
        """An unmarked row keeps its mark, empty: hiding it would have the whole form laid out again."""
        if self._wide:
            mark.setVisible(self._marked)
            self._grid.addWidget(self.editor, 0, 1, 1, 2 if self._marked else 3)
        mark.setEnabled(self._marked)
        mark.setFocusPolicy(Qt.FocusPolicy.TabFocus if self._marked else Qt.FocusPolicy.NoFocus)
        self._restyle_mark()

    def _restyle_mark(self) -> None:
        if self._mark is not None:
            icon = icons.icon("reset", self._services.theme.color("accent")) if self._marked else QIcon()
            self._mark.setIcon(icon)

    def _make_mark(self) -> QToolButton:
        mark = QToolButton(self)
        mark.setProperty("role", "flat")
        mark.setFixedWidth(MARK_WIDTH)
        mark.clicked.connect(self.reset)
        self._grid.addWidget(mark, 0, 3)
        QWidget.setTabOrder(self.editor, mark)
        self._services.theme.changed.connect(self._restyle_mark)
        return mark
