"""Keeps PySide from reading the source of all that is imported after it.

PySide searches the source file of each new module for its own name, because a module that uses it may ask for
snake_case names and properties (``from __feature__ import …``).  Nothing of this program does, and the search took a
tenth of its start.
"""

from __future__ import annotations

import sys

import PySide6  # noqa: F401  (loads the module below)

MODULE, SEARCH = "shibokensupport.feature", "_mod_uses_pyside"


def _uses_none(_module: object) -> bool:
    """The answer for a module whose names PySide leaves alone."""
    return False


def ignore() -> None:
    """From now on take modules for such that ask for no features.  A PySide without the search stays as it is."""
    module = sys.modules.get(MODULE)
    if hasattr(module, SEARCH):
        setattr(module, SEARCH, _uses_none)
