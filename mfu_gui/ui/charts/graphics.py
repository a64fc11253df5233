"""pyqtgraph as the charts use it: ``pg``.

``import pyqtgraph`` loads every plot, dialog and parameter editor it has, and asks PySide for each class of Qt by
name, a thousand of them, most of which nobody uses; all that takes longer than the first paint of the window.  Here
it is imported without what the charts never use, and finds classes of Qt when it needs them.  What was left out
says so when it is used.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import PySide6
from PySide6 import QtCore, QtGui, QtWidgets

PACKAGE = "pyqtgraph"
MIRRORED = (QtCore, QtGui, QtWidgets)
_ITEMS = (
    "ArrowItem", "AxisItem", "BarGraphItem", "BoxplotItem", "ButtonItem", "ColorBarItem", "CurvePoint", "DateAxisItem",
    "ErrorBarItem", "FillBetweenItem", "GradientEditorItem", "GradientLegend", "GraphItem", "GridItem",
    "HistogramLUTItem", "ImageItem", "IsocurveItem", "LabelItem", "LegendItem", "LinearRegionItem", "PColorMeshItem",
    "PlotDataItem", "PlotItem", "ROI", "ScaleBar", "VTickGroup")
_WIDGETS = (
    "BusyCursor", "CheckTable", "ColorButton", "ColorMapMenu", "ColorMapWidget", "ComboBox", "DataFilterWidget",
    "DataTreeWidget", "DiffTreeWidget", "FeedbackButton", "FileDialog", "GradientWidget", "GraphicsLayoutWidget",
    "GroupBox", "HistogramLUTWidget", "JoystickButton", "LayoutWidget", "PathButton", "PlotWidget", "ProgressDialog",
    "RawImageWidget", "RemoteGraphicsView", "ScatterPlotWidget", "SpinBox", "TableWidget", "TreeWidget", "ValueLabel",
    "VerticalLabel")
LEFT_OUT = frozenset({
    *(f"{PACKAGE}.graphicsItems.{name}" for name in _ITEMS), *(f"{PACKAGE}.widgets.{name}" for name in _WIDGETS),
    *(f"{PACKAGE}.{name}" for name in ("imageview", "ThreadsafeTimer", "Qt.OpenGLConstants", "Qt.OpenGLHelpers"))})


class LeftOut:
    """Stands for a class of a module that was left out."""

    def __init__(self, *_given: object, **_named: object) -> None:
        raise RuntimeError(f"{type(self).__module__}.{type(self).__name__} is not loaded: take it out of LEFT_OUT")


class _Empty(ModuleType):
    """A module that was left out: a star import takes nothing from it, any name in it is a ``LeftOut``."""

    def __getattr__(self, name: str) -> type[LeftOut]:
        if name.startswith("_"):
            raise AttributeError(name)
        left_out = type(name, (LeftOut,), {"__module__": self.__name__})
        setattr(self, name, left_out)
        return left_out


class _LeavesOut:
    """Finds an empty module for each that is left out."""

    def find_spec(self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None,
                  ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in LEFT_OUT else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Empty(spec.name)

    def exec_module(self, _module: ModuleType) -> None:
        pass


class _Unlisted(ModuleType):
    """A module of PySide that names none of its classes: pyqtgraph mirrors what it lists, and finds the rest there."""

    def __init__(self, real: ModuleType, mirror: str) -> None:
        super().__init__(real.__name__)
        self._real, self._mirror = real, mirror

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __dir__(self) -> list[str]:
        real = self._real
        sys.modules[self._mirror].__getattr__ = lambda name: getattr(real, name)  # type: ignore[method-assign]
        return []


@contextmanager
def _unlisted() -> Iterator[None]:
    """PySide as pyqtgraph is to see it while it is imported."""
    real = {module.__name__.rpartition(".")[2]: module for module in MIRRORED}
    try:
        for name, module in real.items():
            setattr(PySide6, name, _Unlisted(module, f"{PACKAGE}.Qt.{name}"))
        yield
    finally:
        for name, module in real.items():
            setattr(PySide6, name, module)


def _load() -> ModuleType:
    if PACKAGE in sys.modules:
        return sys.modules[PACKAGE]
    finder = _LeavesOut()
    sys.meta_path.insert(0, finder)
    try:
        with _unlisted():
            import pyqtgraph  # noqa: F401  (by name, so that whoever builds a bundle finds it)
    finally:
        sys.meta_path.remove(finder)
    return sys.modules[PACKAGE]


pg: Any = _load()
