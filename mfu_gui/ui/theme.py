"""Colours and sizes of the window: token tables, and who says which one is in force.

Everything that paints asks ``Theme`` for a token; nothing else in the window names a colour.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Literal
from weakref import WeakSet

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPalette, QPixmap, QPixmapCache
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from mfu_gui.ui.contrast import system_wants_contrast
from mfu_gui.ui.stylesheet import stylesheet

Mode = Literal["system", "light", "dark", "contrast"]
MODES: tuple[Mode, ...] = ("system", "light", "dark", "contrast")


@dataclass(frozen=True)
class Tokens:
    """One table of colours, as ``#rrggbb``.

    ``muted`` is for what explains, ``faint`` for lines that carry no text; each text colour has a
    contrast of at least 4.5 on ``window`` and ``surface``, which the tests compute.
    """

    window: str
    surface: str
    field: str
    """Background of what can be typed into."""
    hover: str
    pressed: str
    line: str
    field_line: str
    """Outline of buttons, menus and tips, which their words show too."""
    control_line: str
    """Outline of what is typed into, chosen from or ticked: it is all that shows them, so 3:1 on what is around."""
    text: str
    muted: str
    disabled: str
    """Words of what cannot be used now: told from ``text``, and still readable."""
    disabled_icon: str
    accent: str
    accent_hover: str
    accent_text: str
    """Text on ``accent``."""
    accent_soft: str
    """Background of what is selected."""
    band: str
    warning: str
    warning_soft: str
    error: str
    error_soft: str
    good: str
    note_soft: str
    attention_projection: str
    attention_core: str
    experts: str
    shared: str
    router: str
    head: str
    other: str


LIGHT = Tokens(
    window="#f4f6f8", surface="#ffffff", field="#ffffff", hover="#eef2f6", pressed="#e2e8ef", line="#dde2e8",
    field_line="#b9c3cf", control_line="#828e9c", text="#1a2330", muted="#5c6878",
    disabled="#5c6878", disabled_icon="#b9c3cf", accent="#2563c9",
    accent_hover="#1d52ab",
    accent_text="#ffffff", accent_soft="#e4edfb", band="#dcebf9", warning="#8a4b00", warning_soft="#fff4de",
    error="#b3261e", error_soft="#fdecea", good="#00784f", note_soft="#edf3fc",
    attention_projection="#0072b2", attention_core="#56b4e9", experts="#e69f00", shared="#f3cf7c",
    router="#cc79a7", head="#009e73", other="#93a0b0",
)
DARK = Tokens(
    window="#12161c", surface="#1a2029", field="#12171e", hover="#232b37", pressed="#2c3644", line="#2c3542",
    field_line="#46525f", control_line="#66727f", text="#e7ebf1", muted="#9ba7b6",
    disabled="#9ba7b6", disabled_icon="#46525f", accent="#7db0ff",
    accent_hover="#9cc3ff",
    accent_text="#0c1a30", accent_soft="#22344f", band="#243547", warning="#ffcf85", warning_soft="#33270f",
    error="#ff9d94", error_soft="#3a1d1c", good="#4cc79a", note_soft="#1d2a3d",
    attention_projection="#3d9bdb", attention_core="#8fd0f5", experts="#f0b33c", shared="#f6dc9f",
    router="#dd9dc2", head="#35bd92", other="#7d8a9a",
)

HIGH_LIGHT = replace(
    LIGHT, window="#ffffff", surface="#ffffff", hover="#e6e6e6", pressed="#cccccc", line="#5f5f5f",
    field_line="#000000", control_line="#000000", text="#000000", muted="#2b2b2b",
    disabled="#6b6b6b", disabled_icon="#8c8c8c", accent="#0033a0",
    accent_hover="#001f66",
    accent_soft="#d6e2ff", band="#cfdcff",
    warning="#5c3000", warning_soft="#fff1cc", error="#8a0000", error_soft="#ffe3e0", good="#00512f",
    note_soft="#e3ecff", attention_projection="#00527f", attention_core="#3b95d0", experts="#a06a00",
    shared="#7a6200", router="#8c3a66", head="#00694b", other="#4a4a4a",
)
HIGH_DARK = replace(
    DARK, window="#000000", surface="#000000", field="#000000", hover="#2a2a2a", pressed="#404040", line="#b0b0b0",
    field_line="#ffffff", control_line="#ffffff", text="#ffffff", muted="#dddddd",
    disabled="#9c9c9c", disabled_icon="#7d7d7d", accent="#8fc3ff",
    accent_hover="#c4e0ff",
    accent_text="#000000", accent_soft="#10335c", band="#1a3c66", warning="#ffd98a", warning_soft="#3a2a00",
    error="#ffb3ab", error_soft="#4a1210", good="#7df0c0", note_soft="#10284a", other="#c0c0c0",
)
"""At least 7:1 for all texts, and outlines that are seen."""

# Pixels.  Spacing is one of 4, 8, 12, 16; text one of the four sizes.
RADIUS = 8
SMALL, TEXT, VALUE, HEADLINE = 12, 13, 20, 38
DIALOG_MARGINS = (16, 16, 16, 16)

_COMPONENT_TOKEN = {
    "attention_proj": "attention_projection",
    "attention_qk": "attention_core",
    "attention_av": "attention_core",
    "attention_term": "attention_core",
    "attention_indexer": "router",
    "mlp": "experts",
    "experts": "experts",
    "parameters_term": "experts",
    "shared_experts": "shared",
    "shared_expert_gate": "router",
    "router": "router",
    "lm_head": "head",
    "embedding": "head",
}


class Theme(QObject):
    """The table of colours in force; ``changed`` is emitted after it became another one."""

    changed = Signal()

    def __init__(self, mode: Mode = "system") -> None:
        super().__init__()
        self._mode: Mode = mode
        self._system_dark = _palette_is_dark(QGuiApplication.palette())
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._scheme_changed)
        self.tokens = self._choose()
        self._colors: dict[str, QColor] = {}
        self._swatches: dict[str, QPixmap] = {}
        self._dressed: WeakSet[QWidget] = WeakSet()

    @property
    def mode(self) -> Mode:
        return self._mode

    @property
    def dark(self) -> bool:
        return self.tokens in (DARK, HIGH_DARK)

    def set_mode(self, mode: Mode) -> None:
        """Pin the window to light or dark, or follow the system."""
        self._mode = mode
        self._update()

    def color(self, token: str) -> QColor:
        """The colour of a token."""
        found = self._colors.get(token)
        if found is None:
            found = self._colors[token] = QColor(getattr(self.tokens, token))
        return found

    def component(self, name: str) -> QColor:
        """The colour that stands for a component of the model everywhere."""
        return self.color(_COMPONENT_TOKEN.get(name, "other"))

    def swatch(self, name: str) -> QPixmap:
        """A small square in the colour of a component, sharp on any screen."""
        color = self.component(name)
        found = self._swatches.get(color.name())
        if found is None:
            found = QPixmap(30, 30)
            found.fill(Qt.GlobalColor.transparent)
            painter = QPainter(found)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawRoundedRect(0, 0, 30, 30, 6, 6)
            painter.end()
            found.setDevicePixelRatio(3)
            self._swatches[color.name()] = found
        return found

    def apply(self) -> None:
        """Give the application the palette of the table in force, and all parts of windows its style sheet."""
        app = QApplication.instance()
        if isinstance(app, QApplication):
            QPixmapCache.clear()  # Qt's drawings in the colours of before: nobody will ask for them again
            app.setPalette(palette(self.tokens))
        sheet = stylesheet(self.tokens)
        for part in self._dressed:
            if not isValid(part):
                continue
            if part.isHidden() and part.window().isVisible():
                part.installEventFilter(self)
            else:
                part.setStyleSheet(sheet)

    def dress(self, part: QWidget) -> None:
        """Keep a part of a window, or a whole dialog, in the style sheet; what is inside it follows.

        Not the main window or the application as a whole: for each new sheet Qt visits all that is inside, and a part
        that is hidden takes its colours when it is shown.
        """
        self._dressed.add(part)
        part.setStyleSheet(stylesheet(self.tokens))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget):
            watched.removeEventFilter(self)
            sheet = stylesheet(self.tokens)
            if watched.styleSheet() != sheet:
                watched.setStyleSheet(sheet)
        return False

    def _choose(self) -> Tokens:
        if self._mode in ("light", "dark"):
            return DARK if self._mode == "dark" else LIGHT
        scheme = QGuiApplication.styleHints().colorScheme()
        # Bare X11 says nothing: what the desktop's palette looked like.
        dark = self._system_dark if scheme == Qt.ColorScheme.Unknown else scheme == Qt.ColorScheme.Dark
        if self._mode == "contrast" or system_wants_contrast():
            return HIGH_DARK if dark else HIGH_LIGHT
        return DARK if dark else LIGHT

    def _scheme_changed(self, scheme: Qt.ColorScheme) -> None:
        if self._mode in ("system", "contrast"):
            self._update()

    def _update(self) -> None:
        tokens = self._choose()
        if tokens is self.tokens:
            return
        self.tokens = tokens
        self._colors.clear()
        self.apply()
        self.changed.emit()


def _palette_is_dark(given: QPalette) -> bool:
    return given.color(QPalette.ColorRole.Window).lightness() < 128


def palette(tokens: Tokens) -> QPalette:
    """The palette of Fusion for a table of tokens."""
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    result = QPalette()
    for which, token in (
        (role.Window, "window"), (role.WindowText, "text"), (role.Base, "surface"), (role.AlternateBase, "hover"),
        (role.Text, "text"), (role.Button, "surface"), (role.ButtonText, "text"), (role.BrightText, "error"),
        (role.ToolTipBase, "surface"), (role.ToolTipText, "text"), (role.PlaceholderText, "muted"),
        (role.Highlight, "accent"), (role.HighlightedText, "accent_text"), (role.Link, "accent"),
        (role.LinkVisited, "accent"), (role.Light, "surface"), (role.Midlight, "line"), (role.Mid, "line"),
        (role.Dark, "field_line"), (role.Shadow, "line"), (role.Accent, "accent"),
    ):
        result.setColor(which, QColor(getattr(tokens, token)))
    for which in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(group.Disabled, which, QColor(tokens.disabled))
    return result


def luminance(color: str) -> float:
    """Relative luminance of ``#rrggbb`` (WCAG 2.1)."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Contrast of two colours ``#rrggbb``, 1 … 21 (WCAG 2.1)."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def text_on(color: QColor) -> QColor:
    """Black or white, whichever is easier to read on ``color``."""
    return QColor("#101418" if luminance(color.name()) > 0.18 else "#ffffff")


TOKEN_NAMES = tuple(field.name for field in fields(Tokens))
