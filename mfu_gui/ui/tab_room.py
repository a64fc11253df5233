"""TabRoom: gives the tabs the whole right side, the plot hidden; remembered for each kind of tab."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtWidgets import QToolButton

from mfu_gui.ui import icons
from mfu_gui.ui.actions import tip_of

if TYPE_CHECKING:
    from mfu_gui.ui.main_window import MainWindow

LEAST_HEIGHT = {"conventions": 200, "memory": 420, "plan": 420, "step_time": 420, "log": 420, "published": 420,
                "sweep": 420, "compare": 420, "sensitivity": 380}
"""What the pages with much to show need; where the shared half is lower, they get all of it unless told otherwise."""

IN_THE_PLOT = ("plot_table", "plot_axis", "plot_log", "zoom_in", "zoom_out", "zoom_all", "target", "published",
               "overlay")
"""Actions that only show in the plot: they bring it back."""


class TabRoom(QObject):
    """The button at the end of the row of tabs, and the state behind it.

    A page that needs more than half gets the whole side when it is shown, never while it is being looked at:
    resizing the window does not take the plot away.  What the user chose for a page is kept.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._services = window.services
        self._action = window.actions_table["tab_room"]
        self._shared: list[int] = []
        """How plot and tabs shared the side when the plot was last hidden."""
        self.button = QToolButton()
        self.button.setObjectName("tabs.room")
        self.button.setProperty("role", "flat")
        self.button.setCheckable(True)
        self.button.setIconSize(QSize(16, 16))
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.clicked.connect(self._action.trigger)
        self._action.changed.connect(self._name)
        window.tabs.add_tool(self.button)
        window.tabs.shown.connect(self._shown)
        for key in IN_THE_PLOT:
            window.actions_table[key].triggered.connect(self.show_plot)
        self._services.theme.changed.connect(self._restyle)
        self._name()
        self._restyle()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What its action does."""
        return {"tab_room": self.toggle}

    @property
    def whole(self) -> bool:
        """Whether the tabs have the whole side."""
        return self._window.plot.isHidden()

    def sizes(self) -> list[int]:
        """How plot and tabs share the side, or did before the tabs got all of it; empty if they never did."""
        return self._shared if self.whole else self._window.split.sizes()

    def toggle(self) -> None:
        """Take the plot away or bring it back, and keep that for this kind of tab."""
        whole = not self.whole
        self._services.settings.stored.whole_side[self._window.tabs.current] = whole
        self._set(whole)

    def show_plot(self) -> None:
        """Bring the plot back without keeping that: somebody asked for something in it."""
        self._set(False)

    def _shown(self, key: str) -> None:
        kept = self._services.settings.stored.whole_side.get(key)
        self._set(self._needs(key) if kept is None else kept)

    def _needs(self, key: str) -> bool:
        window = self._window
        if window.split.orientation() == Qt.Orientation.Horizontal:
            return False
        half = window.split.height() // 2 if self.whole else window.split.sizes()[1]
        return half < LEAST_HEIGHT.get(key, 0)

    def _set(self, whole: bool) -> None:
        window = self._window
        if whole != self.whole:
            sizes = window.split.sizes()
            if whole and all(sizes):
                self._shared = sizes
            window.plot.setVisible(not whole)
            if not whole and not all(window.split.sizes()):
                window.split.setSizes([sum(sizes) // 2, sum(sizes) // 2])
        self._action.setChecked(whole)
        self.button.setChecked(whole)

    def _name(self) -> None:
        tip = tip_of(self._action)
        if self.button.toolTip() != tip:
            self.button.setToolTip(tip)
            self.button.setAccessibleName(tip)

    def _restyle(self) -> None:
        self.button.setIcon(icons.icon("room", self._services.theme.color("muted")))
