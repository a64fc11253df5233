"""The bar under the menus: documents at the left, the way of counting at the right."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QWidget

from mfu_gui.engine.conventions import CONVENTIONS, find
from mfu_gui.engine.scenario import Result
from mfu_gui.ui import icons
from mfu_gui.ui.actions import Actions, tip_of, without_mnemonic
from mfu_gui.ui.convention_options import fill_options
from mfu_gui.ui.headline import choose_convention
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.choice_box import ChoiceBox
from mfu_gui.ui.widgets.search_box import Item, SearchBox
from mfu_gui.ui.workspace import ACTIVE, DOCUMENTS, FILE, Document

_CONVENTION_WIDTH = 320
_DOCUMENT_WIDTH = 280
_BUTTONS = ("new", "open", "save", "", "undo", "redo")


class ToolBar(QFrame):
    """Buttons of actions, the open scenarios, and the convention."""

    def __init__(self, services: Services, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self.services = services
        self._actions = actions
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 7, 12, 8)
        layout.setSpacing(6)
        self._buttons: list[tuple[QToolButton, QAction]] = []
        for key in _BUTTONS:
            if key:
                layout.addWidget(self._button(actions[key]))
            else:
                layout.addSpacing(4)
        layout.addSpacing(8)
        self._scenario = plain_label(tone="muted")
        layout.addWidget(self._scenario)
        self.documents = ChoiceBox(services.theme)
        self.documents.setObjectName("documents")
        self.documents.setMinimumWidth(120)
        self.documents.setMaximumWidth(_DOCUMENT_WIDTH)
        self.documents.chosen.connect(lambda number: services.workspace.activate(services.workspace.documents[number]))
        layout.addWidget(self.documents, 2)
        layout.addWidget(self._button(actions["duplicate"]))
        layout.addWidget(self._button(actions["scenarios"]))
        layout.addStretch(1)
        self._convention = plain_label(tone="muted")
        layout.addWidget(self._convention)
        self.search = SearchBox(services.theme, self._find)
        self.search.setObjectName("convention")
        self.search.setMinimumWidth(166)
        self.search.setMaximumWidth(_CONVENTION_WIDTH)
        self.search.chosen.connect(lambda convention_id: choose_convention(services.workspace, convention_id))
        self._convention.setBuddy(self.search)
        layout.addWidget(self.search, 2)
        self.options = QToolButton()
        self.options.setProperty("role", "button")
        self.options.setObjectName("convention.options")
        self.options.setIconSize(QSize(16, 16))
        self.options.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.options.clicked.connect(self._open_options)
        layout.addWidget(self.options)
        services.workspace.changed.connect(self._changed)
        services.language.changed.connect(self._retranslate)
        services.theme.changed.connect(self._restyle)
        self._retranslate()
        self._restyle()

    def _button(self, action: QAction) -> QToolButton:
        button = QToolButton()
        button.setProperty("role", "button")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        # Not setDefaultAction: the mnemonic of the menu has no place on a button.
        button.setEnabled(action.isEnabled())
        button.clicked.connect(action.trigger)
        action.changed.connect(lambda: self._follow(button, action))
        self._buttons.append((button, action))
        self._follow(button, action)
        return button

    @staticmethod
    def _follow(button: QToolButton, action: QAction) -> None:
        button.setEnabled(action.isEnabled())
        text = without_mnemonic(action.text())
        # Only what is different: each of these has the bar laid out again.
        if not action.icon().isNull():
            if button.icon().cacheKey() != action.icon().cacheKey():
                button.setIcon(action.icon())
        elif button.text() != text:
            button.setText(text)
        button.setAccessibleName(text)
        button.setToolTip(tip_of(action))

    def _find(self, text: str) -> list[Item]:
        tr = self.services.language.tr
        words = text.casefold().split()
        rows = {row.id: row for row in self.services.workspace.active.rows()}
        items = []
        for convention in CONVENTIONS:
            title = tr(convention.title)
            if all(word in f"{title} {convention.id} {convention.source}".casefold() for word in words):
                row = rows.get(convention.id)
                used = None if row is None else row.utilization
                note = convention.id if used is None else f"{convention.id} · {tr.numbers.percent(used, 2)}"
                items.append(Item(convention.id, title, note))
        return items

    def _open_options(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        fill_options(menu, self.services)
        menu.popup(self.options.mapToGlobal(self.options.rect().bottomLeft()))

    def refresh(self) -> None:
        """Show the open documents and the convention of the active one."""
        workspace, tr = self.services.workspace, self.services.language.tr
        if workspace.is_empty:
            return
        choices = [(number, _name(document, tr("Untitled"))) for number, document in enumerate(workspace.documents)]
        self.documents.set_choices(choices)
        self.documents.set_value(workspace.documents.index(workspace.active))
        choice = workspace.active.scenario.convention
        convention = find(choice.id)
        title = tr(convention.title)
        changed = {option.name for option in convention.options
                   if choice.options.get(option.name, option.default) != option.default}
        self.search.show_name(f"{title} *" if changed else title)
        self.search.setToolTip(tr(convention.summary))
        self.options.setEnabled(bool(convention.options))

    def _changed(self, document: Document, aspects: frozenset[str], result: Result | None) -> None:
        if aspects & {DOCUMENTS, ACTIVE, FILE, "name", "convention"}:
            self.refresh()

    def _retranslate(self) -> None:
        tr = self.services.language.tr
        self._scenario.setText(tr("Scenario"))
        self.documents.setAccessibleName(tr("Scenario"))
        self._convention.setText(tr("Convention"))
        self.search.setAccessibleName(tr("Convention"))
        self.search.nothing = tr("Nothing fits this text.")
        self.options.setAccessibleName(tr("Options of the convention"))
        self.options.setToolTip(tr("Options of the convention"))
        self.refresh()

    def _restyle(self) -> None:
        theme = self.services.theme
        self.options.setIcon(icons.icon("options", theme.color("text"), theme.color("disabled_icon")))


def _name(document: Document, untitled: str) -> str:
    return (document.scenario.name or untitled) + (" •" if document.dirty else "")
