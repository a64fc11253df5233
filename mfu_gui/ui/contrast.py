"""Whether the system asks for high contrast."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication


def system_wants_contrast() -> bool:
    """As the system's accessibility settings say; False where Qt cannot tell (before 6.10)."""
    hints = QGuiApplication.styleHints()
    accessibility = getattr(hints, "accessibility", None)
    preference = getattr(accessibility() if accessibility is not None else None, "contrastPreference", None)
    wanted = getattr(getattr(Qt, "ContrastPreference", None), "HighContrast", None)
    return preference is not None and wanted is not None and preference() == wanted
