"""All keys of the window, from the table of actions, menu by menu."""

from __future__ import annotations

from itertools import combinations, pairwise

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from mfu_gui.texts import N_
from mfu_gui.ui import fonts
from mfu_gui.ui.actions import ACTIONS, MENUS, without_mnemonic
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import DIALOG_MARGINS, SMALL
from mfu_gui.ui.widgets.card import plain_label

IN_FIELDS = (
    ("↑  ↓", N_("Change a number by one step")),
    ("PgUp  PgDn", N_("Change a number by ten steps")),
    ("Enter", N_("Take the value")),
    ("Esc", N_("Show the last valid value again")),
    ("Tab", N_("Go to the next field")),
)
IN_THE_PLOT = (
    ("←  →", N_("Move the point of the plot by 1%")),
    ("PgUp  PgDn", N_("Move the point of the plot by 10%")),
    ("+  −  0", N_("Zoom in, zoom out, show everything")),
)
ANYWHERE = (("Ctrl+C", N_("Copy the number, row or table that has the focus")),)
MOST_COLUMNS = 4
_TEXT_WIDTH, _BESIDE, _GAP = 176, 10, 24
"""Pixels of a text, between it and its key, and between columns."""

Group = tuple[str, list[tuple[str, str]]]


def key_groups(services: Services) -> list[Group]:
    """Headings with their (keys, what they do): every action of every menu, then keys of single parts."""
    tr = services.language.tr
    groups: list[Group] = []
    for menu, title in MENUS:
        rows = [(_native(spec.shortcuts), without_mnemonic(tr(spec.text)).rstrip("…"))
                for spec in ACTIONS if spec.menu == menu and spec.shortcuts]
        groups.append((without_mnemonic(tr(title)), rows))
    for heading, table in ((N_("In a field"), IN_FIELDS), (N_("In the plot"), IN_THE_PLOT), (N_("Anywhere"), ANYWHERE)):
        groups.append((tr(heading), [(key, tr(text)) for key, text in table]))
    return groups


def _native(shortcuts: tuple[str, ...]) -> str:
    native = QKeySequence.SequenceFormat.NativeText
    return "  ".join(QKeySequence(key).toString(native) for key in shortcuts[:1])


class KeysDialog(QDialog):
    """Columns of keys and what they do."""

    def __init__(self, services: Services, parent: QWidget) -> None:
        super().__init__(parent)
        services.theme.dress(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        tr = services.language.tr
        self.setWindowTitle(tr("Keyboard shortcuts"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*DIALOG_MARGINS)
        content = QWidget()
        columns = QHBoxLayout(content)
        columns.setContentsMargins(4, 0, 12, 0)
        columns.setSpacing(_GAP)
        room = parent.window().size()
        for groups in _in_columns(found := key_groups(services), _count_of_columns(found, room.width() - 100)):
            columns.addLayout(_column(groups))
        columns.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setAccessibleName(tr("Keyboard shortcuts"))
        area.setWidget(content)
        layout.addWidget(area)
        buttons = QDialogButtonBox()
        buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole).setDefault(True)
        buttons.rejected.connect(self.reject)
        layout.addSpacing(4)
        layout.addWidget(buttons)
        hint = content.sizeHint()
        self.resize(min(hint.width() + 44, room.width() - 40), min(hint.height() + 90, room.height() - 40))


def _in_columns(groups: list[Group], count: int) -> list[list[Group]]:
    """The groups in their order, divided where the highest column comes out lowest."""
    heights = [len(rows) + 2 for _, rows in groups]

    def parts(cuts: tuple[int, ...]) -> list[tuple[int, int]]:
        return list(pairwise((0, *cuts, len(groups))))

    best = min(combinations(range(1, len(groups)), count - 1),
               key=lambda cuts: max(sum(heights[start:end]) for start, end in parts(cuts)))
    return [groups[start:end] for start, end in parts(best)]


def _count_of_columns(groups: list[Group], width: int) -> int:
    """As many columns as ``width`` has room for, so that most windows show all keys at once."""
    metrics = QFontMetrics(fonts.bold(SMALL))
    keys = max(metrics.horizontalAdvance(key) for _, rows in groups for key, _ in rows)
    return max(1, min(MOST_COLUMNS, (width + _GAP) // (keys + _BESIDE + _TEXT_WIDTH + _GAP)))


def _column(groups: list[Group]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(_BESIDE)
    grid.setVerticalSpacing(3)
    row = 0
    for heading, rows in groups:
        title = plain_label(heading, tone="muted", small=True)
        title.setContentsMargins(0, 10 if row else 0, 0, 2)
        grid.addWidget(title, row, 0, 1, 2)
        for key, text in rows:
            row += 1
            name = plain_label(key)
            name.setFont(fonts.bold(SMALL))
            grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
            words = plain_label(text, small=True, wrap=True)
            words.setFixedWidth(_TEXT_WIDTH)
            grid.addWidget(words, row, 1)
        row += 1
    grid.setColumnStretch(1, 1)
    grid.setRowStretch(row, 1)
    return grid
