"""The list of open scenarios: put in order, renamed, duplicated, closed, annotated; it stays beside the window."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QDropEvent, QIcon, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QPlainTextEdit,
    QPushButton,
    QStyledItemDelegate,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from mfu_gui.engine.fields import N_
from mfu_gui.engine.scenario import Result
from mfu_gui.texts.numbers import DASH
from mfu_gui.ui.actions import Actions, without_mnemonic
from mfu_gui.ui.comparison import hardware_name, model_name
from mfu_gui.ui.scenario_colors import color_of, swatch
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import DIALOG_MARGINS
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.workspace import ACTIVE, DOCUMENTS, FILE, Document

NAME, MODEL, HARDWARE, MFU, STORED = range(5)
_COLOR = Qt.ItemDataRole.UserRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
BUTTONS = (("duplicate", N_("Duplicate")), ("rename", N_("Rename")), ("up", N_("Move up")), ("down", N_("Move down")),
           ("close", N_("Close scenario")))


class ScenarioList(QTreeWidget):
    """Rows that are dragged to another place, and moved by Alt+Up and Alt+Down.

    ``moved(from, to)`` says what was asked for; the rows themselves follow the workspace.
    """

    moved = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed
                             | QAbstractItemView.EditTrigger.SelectedClicked)
        self.setItemDelegate(_OnlyNames(self))

    def dropEvent(self, event: QDropEvent) -> None:
        start, target = self.currentIndex().row(), self.place_at(event.position().toPoint())
        event.setDropAction(Qt.DropAction.IgnoreAction)  # the view must not take the row away
        event.accept()
        if start >= 0:
            self.moved.emit(start, target - (target > start))

    def place_at(self, at: QPoint) -> int:
        """Before which row something that is dropped there belongs."""
        index = self.indexAt(at)
        if not index.isValid():
            return self.topLevelItemCount()
        below = at.y() > self.visualRect(index).center().y()
        return index.row() + below

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is not None and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.moved.emit(self.currentIndex().row(), self.currentIndex().row() + step)
            return
        super().keyPressEvent(event)


class _OnlyNames(QStyledItemDelegate):
    """Lets the first column be edited and no other."""

    def createEditor(self, parent: QWidget, option: object, index: QModelIndex | QPersistentModelIndex) -> QWidget:
        if index.column() != NAME:
            return None  # type: ignore[return-value]
        return super().createEditor(parent, option, index)  # type: ignore[arg-type]


class ScenariosDialog(QDialog):
    """What is selected in the list is the scenario on the screen."""

    def __init__(self, services: Services, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        services.theme.dress(self)
        self.services = services
        self._actions = actions
        self._filling = False
        self._notes_of: Document | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.list = ScenarioList()
        self.list.setObjectName("scenarios.list")
        self.notes = QPlainTextEdit()
        self.notes.setObjectName("scenarios.notes")
        self.notes.setTabChangesFocus(True)
        self.notes.setFixedHeight(84)
        self._notes_label = plain_label(tone="muted")
        self._notes_label.setBuddy(self.notes)
        self.buttons: dict[str, QPushButton] = {}
        self._foot = QDialogButtonBox()
        self.save = self._foot.addButton("", QDialogButtonBox.ButtonRole.ActionRole)
        self._done = self._foot.addButton("", QDialogButtonBox.ButtonRole.RejectRole)
        self._build()
        self._connect()
        services.workspace.changed.connect(self._changed)
        services.language.changed.connect(self._retranslate)
        services.theme.changed.connect(self.refresh)
        self._retranslate()
        self.resize(900, 460)

    def _build(self) -> None:
        side = QVBoxLayout()
        side.setSpacing(6)
        for key, _ in BUTTONS:
            button = self.buttons[key] = QPushButton()
            button.setObjectName(f"scenarios.{key}")
            button.setAutoDefault(False)
            side.addWidget(button)
        side.addStretch(1)
        middle = QHBoxLayout()
        middle.setSpacing(10)
        middle.addWidget(self.list, 1)
        middle.addLayout(side)
        self.save.setAutoDefault(False)
        self._done.setAutoDefault(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*DIALOG_MARGINS)
        layout.setSpacing(6)
        layout.addLayout(middle, 1)
        layout.addWidget(self._notes_label)
        layout.addWidget(self.notes)
        layout.addSpacing(4)
        layout.addWidget(self._foot)

    def _connect(self) -> None:
        acts: dict[str, Callable[[], object]] = {
            "duplicate": self._actions["duplicate"].trigger, "rename": self.edit_name,
            "up": lambda: self.move_by(-1), "down": lambda: self.move_by(1), "close": self._actions["close"].trigger}
        for key, act in acts.items():
            self.buttons[key].clicked.connect(lambda _checked=False, act=act: act())
        # The keys of the window, which has not the focus now.
        for key in ("duplicate", "close", "save_workspace", "undo", "redo"):
            for sequence in self._actions[key].shortcuts():
                QShortcut(sequence, self, self._actions[key].trigger)
        QShortcut(QKeySequence(Qt.Key.Key_Delete), self.list, self._actions["close"].trigger,
                  context=Qt.ShortcutContext.WidgetShortcut)
        self.save.clicked.connect(lambda: self._actions["save_workspace"].trigger())
        self._foot.rejected.connect(self.reject)
        self.list.moved.connect(self.reorder)
        self.list.currentItemChanged.connect(self._selected)
        self.list.itemChanged.connect(self._renamed)
        self.list.itemActivated.connect(lambda _item, _column: self.edit_name())
        self.notes.textChanged.connect(self._noted)

    # What is shown

    def refresh(self) -> None:
        """Show the open scenarios."""
        workspace = self.services.workspace
        if workspace.is_empty:
            return
        documents = workspace.documents
        self._filling = True
        while self.list.topLevelItemCount() > len(documents):
            self.list.takeTopLevelItem(self.list.topLevelItemCount() - 1)
        while self.list.topLevelItemCount() < len(documents):
            self.list.addTopLevelItem(self._new_item())
        for number, document in enumerate(documents):
            self._fill(self._item(number), document)
        active = documents.index(workspace.active)
        self.list.setCurrentItem(self._item(active))
        self.buttons["up"].setEnabled(active > 0)
        self.buttons["down"].setEnabled(active < len(documents) - 1)
        notes = workspace.active.scenario.notes
        if workspace.active is not self._notes_of or notes != self.notes.toPlainText():
            self._notes_of = workspace.active
            self.notes.setPlainText(notes)
        self._filling = False

    def _item(self, number: int) -> QTreeWidgetItem:
        return self.list.topLevelItem(number) or QTreeWidgetItem()

    @staticmethod
    def _new_item() -> QTreeWidgetItem:
        item = QTreeWidgetItem()
        flags = Qt.ItemFlag
        item.setFlags(flags.ItemIsEnabled | flags.ItemIsSelectable | flags.ItemIsEditable | flags.ItemIsDragEnabled)
        item.setTextAlignment(MFU, _RIGHT)
        return item

    def _fill(self, item: QTreeWidgetItem, document: Document) -> None:
        tr, result = self.services.language.tr, document.result
        used = None if result is None else result.implied_mfu if result.implied_mfu is not None else result.mfu
        if result is not None and result.convention_kind == "hardware":
            used = result.hfu
        stored = tr("not saved")
        for path in (document.path, document.home):
            if path is not None:
                stored = path.name if not document.dirty else tr("{file}, changed", file=path.name)
                break
        if document.example:
            stored = tr("example")
        texts = {NAME: document.scenario.name or tr("Untitled"), MODEL: model_name(document.scenario) or DASH,
                 HARDWARE: hardware_name(document.scenario) or DASH, MFU: tr.numbers.percent(used, 2), STORED: stored}
        for column, text in texts.items():
            if item.text(column) != text:
                item.setText(column, text)
        color = color_of(document, self.services.theme)
        if item.data(NAME, _COLOR) != color:
            item.setData(NAME, _COLOR, color)
            item.setIcon(NAME, QIcon(swatch(color)))

    # What the user does

    def reorder(self, start: int, target: int) -> None:
        """Put a scenario at another place."""
        documents = self.services.workspace.documents
        if 0 <= start < len(documents) and 0 <= target < len(documents) and start != target:
            self.services.workspace.move(documents[start], target)

    def move_by(self, step: int) -> None:
        """Move the selected scenario up or down."""
        row = self.list.currentIndex().row()
        self.reorder(row, row + step)

    def edit_name(self) -> None:
        """Type another name in the list itself."""
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        self.list.editItem(self._item(self.list.currentIndex().row()), NAME)

    def _selected(self, item: QTreeWidgetItem | None, _before: object) -> None:
        if not self._filling and item is not None:
            workspace = self.services.workspace
            workspace.activate(workspace.documents[self.list.indexOfTopLevelItem(item)])

    def _renamed(self, item: QTreeWidgetItem, column: int) -> None:
        if self._filling or column != NAME:
            return
        document = self.services.workspace.documents[self.list.indexOfTopLevelItem(item)]
        name = item.text(NAME).strip()
        if name and name != document.scenario.name:
            self.services.workspace.edit(document, "name", replace(document.scenario, name=name), label=N_("Rename"))
        else:
            self.refresh()

    def _noted(self) -> None:
        document = self._notes_of
        if not self._filling and document is not None:
            scenario = replace(document.scenario, notes=self.notes.toPlainText())
            self.services.workspace.edit(document, "notes", scenario, "notes", N_("Notes"))

    # What happens elsewhere

    def _changed(self, document: Document, aspects: frozenset[str], result: Result | None) -> None:
        if aspects & {DOCUMENTS, ACTIVE, FILE, "name", "notes", "result"}:
            self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        header = self.list.header()
        header.setStretchLastSection(False)
        for column in range(self.list.columnCount()):
            stretch = column == NAME
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch if stretch
                                        else QHeaderView.ResizeMode.ResizeToContents)

    def _retranslate(self) -> None:
        tr = self.services.language.tr
        self.setWindowTitle(tr("Scenarios"))
        self.list.setAccessibleName(tr("Open scenarios"))
        self.list.setHeaderLabels([tr("Name"), tr("Model"), tr("Hardware"), "MFU", tr("File")])
        self.list.headerItem().setTextAlignment(MFU, _RIGHT)
        self._fit()
        self._notes_label.setText(tr("Notes"))
        self.notes.setAccessibleName(tr("Notes"))
        keys = {"rename": "F2", "up": "Alt+Up", "down": "Alt+Down", "close": "Del", "duplicate": "Ctrl+D"}
        for key, text in BUTTONS:
            self.buttons[key].setText(tr(text))
            sequence = QKeySequence(keys[key]).toString(QKeySequence.SequenceFormat.NativeText)
            self.buttons[key].setToolTip(f"{tr(text)} ({sequence})")
        self.save.setText(without_mnemonic(self._actions["save_workspace"].text()))
        self._done.setText(tr("Close"))
        self.refresh()
