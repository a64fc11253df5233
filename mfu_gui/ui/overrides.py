"""Keeps an error in an override of one of Qt's methods from ending the program.

PySide 6.9 to 6.11 takes the error of an override for an object.  On Python 3.11 an error that the interpreter itself
raised (a division by zero, a wrong index) is none until Python code has handled it, and the process crashes instead
of showing what happened.  So the overrides of this package handle their errors once, and raise them again.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import FunctionType, ModuleType
from typing import Any

PACKAGE = "mfu_gui.ui."
NEEDED = sys.version_info < (3, 12)
"""From 3.12 on errors are always objects."""


def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` with errors that are objects."""

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except BaseException:
            raise

    return call


def guard(module: ModuleType) -> None:
    """Guard the overrides in the classes that a module defines."""
    for kind in list(vars(module).values()):
        if not isinstance(kind, type) or kind.__module__ != module.__name__:
            continue
        bases = [base for base in kind.__mro__ if base.__module__.startswith(("PySide6.", "pyqtgraph."))]
        if not bases:
            continue
        for name, value in list(vars(kind).items()):
            if isinstance(value, FunctionType) and not name.startswith("_") and hasattr(bases[0], name):
                setattr(kind, name, guarded(value))


class _Guarding:
    """Finds nothing itself; what others find of this package is guarded once it is loaded."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None,
                  ) -> ModuleSpec | None:
        if not fullname.startswith(PACKAGE):
            return None
        for finder in sys.meta_path:
            if finder is not self and (spec := finder.find_spec(fullname, path, target)) is not None:
                if spec.loader is not None:
                    _extend(spec.loader)
                return spec
        return None


def _extend(loader: Any) -> None:
    """Let a loader guard what it loads.  One of a kind that cannot be changed loads as before."""
    load = loader.exec_module
    if getattr(load, "guards", False):  # one loader of several modules
        return

    def exec_module(module: ModuleType) -> None:
        load(module)
        guard(module)

    exec_module.guards = True  # type: ignore[attr-defined]
    with contextlib.suppress(AttributeError):
        loader.exec_module = exec_module


def install() -> None:
    """From now on guard what is imported of this package, and what was imported already."""
    if not NEEDED or any(isinstance(finder, _Guarding) for finder in sys.meta_path):
        return
    sys.meta_path.insert(0, _Guarding())
    for name, module in list(sys.modules.items()):
        if name.startswith(PACKAGE):
            guard(module)
