"""The style sheet: what Fusion and the palette cannot say.  One template, filled with a table of tokens."""

from __future__ import annotations

from string import Template
from typing import Any

from mfu_gui.resources import resource_path

_SHEET = Template("""
QToolTip { background: $surface; color: $text; border: 1px solid $field_line; padding: 5px 7px; }
QFrame[role="palette"] { background: $surface; border: 1px solid $field_line; border-radius: 8px; }
QFrame[role="palette"] QListView { border: 0; }
QFrame[role="bar"] { background: $surface; border: 0; border-bottom: 1px solid $line; }
QFrame[role="foot"] { background: $surface; border: 0; border-top: 1px solid $line; }
QFrame[role="side"] { background: $window; border: 0; border-right: 1px solid $line; }
QFrame[role="rule"] { background: $line; border: 0; max-height: 1px; min-height: 1px; }
QFrame[role="warning"] { background: $warning_soft; border: 0; border-radius: 6px; }
QFrame[role="error"] { background: $error_soft; border: 0; border-radius: 6px; }
QFrame[role="note"] { background: $note_soft; border: 0; border-radius: 6px; }
QFrame[role="warning"] QLabel { color: $warning; }
QFrame[role="error"] QLabel { color: $error; }

QLabel { background: transparent; }
QLabel[tone="muted"], QToolButton[tone="muted"] { color: $muted; }
QLabel[tone="error"] { color: $error; }
QLabel[tone="warning"] { color: $warning; }
QLabel[tone="accent"] { color: $accent; }

QMenuBar { background: $surface; border-bottom: 1px solid $line; padding: 2px 6px; }
QMenuBar::item { padding: 4px 8px; border-radius: 5px; background: transparent; }
QMenuBar::item:selected { background: $hover; }
QMenu { background: $surface; border: 1px solid $field_line; padding: 4px; }
QMenu::item { padding: 5px 28px 5px 24px; border-radius: 4px; }
QMenu::item:selected { background: $accent_soft; color: $text; }
QMenu::item:disabled { color: $disabled; }
QMenu::separator { height: 1px; background: $line; margin: 4px 6px; }
QMenu::indicator { left: 6px; width: 12px; height: 12px; }

QLineEdit, QPlainTextEdit, QSpinBox {
  background: $field; color: $text; border: 1px solid $control_line; border-radius: 5px; padding: 0 7px;
  selection-background-color: $accent; selection-color: $accent_text; }
QLineEdit { min-height: 24px; max-height: 24px; }
FieldRow QLineEdit { min-height: 22px; max-height: 22px; }
QLineEdit:hover { border-color: $muted; }
QLineEdit:focus, QPlainTextEdit:focus { border-color: $accent; }
QLineEdit[state="invalid"] { border-color: $error; background: $error_soft; }
QLineEdit:disabled { color: $disabled; background: $window; }

QPushButton, QToolButton[role="button"] {
  background: $surface; color: $text; border: 1px solid $field_line; border-radius: 5px;
  padding: 0 11px; min-height: 26px; }
QPushButton:hover, QToolButton[role="button"]:hover { background: $hover; }
QPushButton:pressed, QToolButton[role="button"]:pressed { background: $pressed; }
QPushButton:focus, QToolButton[role="button"]:focus { border-color: $accent; }
QPushButton:disabled, QToolButton[role="button"]:disabled {
  color: $disabled; border-color: $line; background: $window; }
QPushButton:default { background: $accent; color: $accent_text; border-color: $accent; }
QPushButton:default:hover { background: $accent_hover; }
QToolButton[role="button"]::menu-indicator { image: none; width: 0; }
QToolButton[role="flat"] { background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 1px; }
QToolButton[role="flat"]:hover { background: $hover; }
QToolButton[role="flat"]:checked { background: $accent_soft; }
QToolButton[role="flat"]:focus { border-color: $accent; }
QToolButton[role="flat"]:disabled { background: transparent; }
QToolButton[role="link"] { background: transparent; color: $accent; border: 1px solid transparent;
  border-radius: 4px; padding: 1px 2px; }
QToolButton[role="link"]:hover { text-decoration: underline; }
QToolButton[role="link"]:focus { border-color: $accent; }
QFrame[role="warning"] QToolButton[role="link"] { color: $warning; text-decoration: underline; }
QFrame[role="error"] QToolButton[role="link"] { color: $error; text-decoration: underline; }
QToolButton[role="tab"] { background: transparent; color: $muted; border: 0; border-bottom: 2px solid transparent;
  padding: 7px 0 6px 0; }
QToolButton[role="tab"]:hover { color: $text; }
QToolButton[role="tab"]:checked { color: $text; border-bottom-color: $accent; font-weight: 600; }
QToolButton[role="tab"]:focus { background: $hover; }
QToolButton[role="segment"] { background: $surface; color: $muted; border: 1px solid $field_line; padding: 2px 7px; }
QToolButton[role="segment"][place="first"] { border-top-left-radius: 5px; border-bottom-left-radius: 5px; }
QToolButton[role="segment"][place="last"] { border-top-right-radius: 5px; border-bottom-right-radius: 5px; }
QToolButton[role="segment"]:!checked { border-color: $line; }
QToolButton[role="segment"]:checked { background: $accent_soft; color: $text; }
QToolButton[role="segment"]:hover { color: $text; }
QToolButton[role="segment"]:focus { border-color: $accent; }

QToolButton[role="chip"] { background: $surface; color: $muted; border: 1px solid $line; border-radius: 5px;
  padding: 2px 4px; }
QToolButton[role="chip"]:checked { background: $accent_soft; color: $text; border-color: $accent; }
QToolButton[role="chip"]:hover { color: $text; }
QToolButton[role="chip"]:focus { border-color: $accent; }

QCheckBox { spacing: 6px; }
QCheckBox::indicator { width: 13px; height: 13px; background: $field; border: 1px solid $control_line;
  border-radius: 3px; }
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: $accent; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent; image: url("$tick"); }
QCheckBox::indicator:disabled { background: $window; border-color: $line; }
QCheckBox::indicator:checked:disabled { background: $muted; border-color: $muted; }
QCheckBox::indicator:focus { border: 2px solid $accent; width: 11px; height: 11px; }
QCheckBox::indicator:checked:focus { border-color: $text; }

QAbstractItemView { background: $surface; color: $text; border: 1px solid $line; outline: 0;
  selection-background-color: $accent_soft; selection-color: $text; }
QComboBox QAbstractItemView, QListView[role="popup"] { border: 1px solid $field_line; padding: 3px; }
QComboBox { combobox-popup: 0; }
QTreeView { border: 0; background: $surface; alternate-background-color: $surface; }
QTreeView::item { border: 0; border-bottom: 1px solid $line; padding: 3px 4px; min-height: 19px; }
QTreeView::item:selected { background: $accent_soft; color: $text; }
QTreeView::item:hover:!selected { background: $hover; }
QHeaderView { background: $surface; border: 0; }
QHeaderView::section { background: $surface; color: $muted; border: 0; border-bottom: 1px solid $field_line;
  padding: 3px 7px; }
QAbstractScrollArea::corner { background: transparent; border: 0; }

QScrollArea { background: transparent; border: 0; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $control_line; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QSplitter::handle { background: transparent; }
""")


def stylesheet(tokens: Any) -> str:
    """The sheet for one table of tokens (``theme.Tokens``)."""
    tick = resource_path("icons", "tick-light.svg" if tokens.accent_text == "#ffffff" else "tick-dark.svg").as_posix()
    return _SHEET.substitute({name: getattr(tokens, name) for name in tokens.__dataclass_fields__},
                             tick=tick.replace("\\", "\\\\").replace('"', '\\"'))
