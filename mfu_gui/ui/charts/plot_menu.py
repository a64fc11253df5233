"""The menu of the plot."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

if TYPE_CHECKING:
    from mfu_gui.ui.charts.mfu_plot import MfuPlot


def open_menu(plot: MfuPlot, below: QWidget) -> None:
    """Offer copies, zoom, and what else is shown."""
    tr, stored = plot.services.language.tr, plot.services.settings.stored
    menu = QMenu(plot)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.addAction(tr("Copy picture"), plot.copy_picture)
    menu.addAction(tr("Copy as table"), plot.copy_table)
    menu.addSeparator()
    menu.addAction(tr("Show everything"), partial(plot.zoom, 0.0)).setEnabled(plot.is_zoomed)
    for text, toggle, on in ((tr("Logarithmic axes"), plot.toggle_log, stored.log_axes),
                             (tr("Target line"), plot.toggle_target, plot.target is not None),
                             (tr("Published runs"), plot.toggle_published, stored.published)):
        entry = menu.addAction(text, toggle)
        entry.setCheckable(True)
        entry.setChecked(on)
    menu.popup(below.mapToGlobal(below.rect().bottomLeft()))
