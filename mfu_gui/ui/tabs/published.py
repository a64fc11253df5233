"""The Published tab: what papers and vendors printed, computed again from the inputs printed beside it."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSplitter, QVBoxLayout, QWidget

from mfu_gui.formats.published import Published, published
from mfu_gui.ui import fonts
from mfu_gui.ui.published_lines import PublishedLine, cited, counted_by, figure_lines, inputs, reason
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.filter_bar import FilterBar
from mfu_gui.ui.tabs.lazy_model import LazyModel
from mfu_gui.ui.tabs.table_view import TableView
from mfu_gui.ui.theme import SMALL
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.elided_label import ElidedLabel
from mfu_gui.ui.widgets.link import Link
from mfu_gui.ui.workspace import Document

NARROW = 780
WIDE = 610
"""From this width of the table on, rows with two figures show both."""
_TWO_FIGURES = ("41.38% · 44.14%", "41.380% · 44.141%")
TURN_S = 0.006
"""How long a turn of the computation in the background may last: less than half of a frame."""
_COLUMNS = 10
_RIGHT = (3, 5, 6, 7)
_OPTIONAL = (6, 9, 1, 8, 4, 3)
"""Columns that go where there is no room, the last first."""


class PublishedTable(TableView):
    """Columns as wide as their kind of content: measuring every cell would compute all of them."""

    samples: tuple[str, ...] = ()

    def _widths(self) -> list[int]:
        advance = self._metrics[False].horizontalAdvance
        samples = list(self.samples)
        if self.viewport().width() >= WIDE:
            samples[5:7] = _TWO_FIGURES
        return [max(advance(head), advance(sample)) + 18
                for head, sample in zip(self.table.heads, samples, strict=False)]

    def fit_columns(self) -> None:
        """What the names of models leave goes to the columns that are longer in some rows, figures first."""
        super().fit_columns()
        if not self.samples:
            return
        header, advance = self.header(), self._metrics[False].horizontalAdvance
        spare = header.sectionSize(0) - advance("GPT 145.6B (Megatron-LM)") - 18
        for column, longest in ((5, _TWO_FIGURES[0]), (6, _TWO_FIGURES[1]), (2, "TPU v4 (chip, 2 cores)")):
            more = min(spare, advance(longest) + 18 - header.sectionSize(column))
            if more > 0 and not header.isSectionHidden(column):
                header.resizeSection(column, header.sectionSize(column) + more)
                header.resizeSection(0, header.sectionSize(0) - more)
                spare -= more


class PublishedPage(QWidget):
    """A list and what is known of the selected row.  The rows are read when the page is first looked at."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self._published: Published | None = None
        self.lines: dict[str, PublishedLine] = {}
        self._waiting: list[PublishedLine] = []
        self._narrow = False
        self.filter = FilterBar(services, ("closes", "hardware", "model"))
        self.filter.changed.connect(self._filter)
        self.model = LazyModel(text_columns=3, right=_RIGHT, parent=self)
        self.view = PublishedTable(services, self.model, _OPTIONAL, sortable=True, least=150)
        self.view.setObjectName("published")
        self.view.picked.connect(self._show_details)
        self.view.activated.connect(lambda index: self.load(self.model.rows[index.row()].key))
        self.details = Details(services, self.load)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.addWidget(self.view)
        self.split.addWidget(self.details)
        self.split.setStretchFactor(0, 5)
        self.split.setStretchFactor(1, 2)
        self.split.setSizes([660, 270])
        self.split.setChildrenCollapsible(False)
        self.split.setHandleWidth(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.filter)
        layout.addWidget(self.split, 1)
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._compute)
        self._active = self._stale = False
        services.language.changed.connect(self._language_changed)
        self._retranslate()

    def set_active(self, active: bool) -> None:
        """Read the rows when first looked at; compute in the background only while looked at."""
        self._active = active
        if active and self._stale:
            self._retranslate()
        if active and self._published is None:
            self._read()
        if active and self._waiting:
            self._timer.start()
        elif not active:
            self._timer.stop()

    def _read(self) -> None:
        self._published = published()
        names = {info.id: info.name for info in self.services.presets.infos("mfu-hardware")}
        language = self.services.language
        self.lines = {row.id: PublishedLine(row, self._published, names.get(row.hardware or "", row.hardware_name),
                                            lambda: language.tr) for row in self._published.rows}
        self._waiting = list(reversed(self.lines.values()))
        self._fill_choices()
        self.view.show_rows(tuple(self.lines.values()))
        self._show_count()
        self._show_details()

    def _compute(self) -> None:
        """One turn of the computation of what is not yet in sight."""
        end = time.perf_counter() + TURN_S
        while self._waiting and time.perf_counter() < end:
            _ = self._waiting.pop().worst
        if not self._waiting:
            self._timer.stop()

    def load(self, key: str) -> None:
        """Open a row as a scenario."""
        line, tr = self.lines.get(key), self.services.language.tr
        scenario = None if line is None or self._published is None else self._published.scenario(line.row)
        if scenario is None:
            self.services.announcer.say(tr("The source says too little of this run to make a scenario of it."))
            return
        self.services.workspace.add(Document(scenario))

    def _show_details(self) -> None:
        keys = self.view.selected_keys
        line = self.lines.get(keys[-1]) if keys else None
        can_load = line is not None and self._published is not None and self._published.scenario(line.row) is not None
        self.details.show_line(line, can_load=can_load)

    def _filter(self) -> None:
        bar, lines = self.filter, self.lines
        typed = bar.words
        closes, hardware, model = (bar.choice(key) for key in ("closes", "hardware", "model"))

        def keep(key: str) -> bool:
            line = lines[key]
            return ((not closes or line.row.closes is (closes == "yes")) and hardware in ("", line.hardware)
                    and model in ("", line.row.model_name) and all(word in line.searched for word in typed))

        self.view.set_filter(None if bar.is_empty else lambda row: keep(row.key))
        self._show_count()

    def _show_count(self) -> None:
        tr = self.services.language.tr
        shown, whole = len(self.model.rows), len(self.lines)
        self.filter.note.setText(tr("{n} figures", n=whole) if shown == whole
                                 else tr("{n} of {whole}", n=shown, whole=whole))

    def _fill_choices(self) -> None:
        tr = self.services.language.tr
        closes = [("", tr("all figures")), ("yes", tr("closing")), ("no", tr("not closing"))]
        self.filter.set_choices("closes", tr("Whether the printed inputs give the printed result"), closes)
        for key, name, every, values in (
            ("hardware", tr("Hardware"), tr("all hardware"), {line.hardware for line in self.lines.values()}),
            ("model", tr("Model"), tr("all models"), {line.row.model_name for line in self.lines.values()}),
        ):
            ordered = sorted(values, key=str.casefold)
            self.filter.set_choices(key, name, [("", every), *((value, value) for value in ordered)])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if (self.width() < NARROW) is not self._narrow:
            self._narrow = self.width() < NARROW
            self.split.setOrientation(Qt.Orientation.Vertical if self._narrow else Qt.Orientation.Horizontal)
            self.details.set_compact(self._narrow)
            self.filter.boxes["model"].setVisible(not self._narrow)

    def _language_changed(self) -> None:
        """Other words: at once where they are seen, and otherwise with the next look at the page."""
        self._stale = True
        if self._active:
            self._retranslate()

    def _retranslate(self) -> None:
        self._stale = False
        tr = self.services.language.tr
        for line in self.lines.values():
            line.forget_texts()
        measured = tr("{value} tokens/s", value="238,300")
        self.view.samples = ("Llama 3.1 405B Instruct", "Megatron-LM, Narayanan", "H100 SXM5 80GB", "16,384", measured,
                             "0.388 TFLOP", "0.38786 TFLOP", "+12.34%", "megatron-bridge", tr("not computable"))
        self.model.set_heads(
            (tr("Model"), tr("Published by"), tr("Hardware"), tr("Devices"), tr("Measured"), tr("Reported"),
             tr("Recomputed"), tr("Off by"), tr("Convention"), tr("Closes")),
            (tr("Double-click to open as a scenario"), "", "", "", tr("As printed"), tr("As printed"),
             tr("From the inputs printed beside it"), tr("Recomputed against reported"), "",
             tr("Whether the printed inputs give the printed result")))
        self.view.setAccessibleName(tr("Published figures"))
        self.details.name_area(tr("About the published figure"))
        self.filter.set_search(tr("Search figures"))
        self._fill_choices()
        self._show_count()
        self.view.fit_columns()
        self.details.retranslate()
        self._show_details()


class Details(QWidget):
    """Everything about one row; beneath a narrow table one line with why it does not close."""

    def __init__(self, services: Services, load: Callable[[str], object]) -> None:
        super().__init__()
        self.services = services
        self._key = ""
        self.source, self.inputs = plain_label(tone="muted", wrap=True), plain_label(wrap=True)
        self.figures, self.convention = plain_label(wrap=True), plain_label(tone="muted", wrap=True)
        self.reason, self.note = plain_label(tone="warning", wrap=True), plain_label(tone="muted", wrap=True)
        self.reason.setObjectName("published.reason")
        self.line = ElidedLabel("")
        self.link = Link(services.theme, "", lambda: load(self._key))
        self.link.setObjectName("published.load")
        self._words = (self.figures, self.reason, self.inputs, self.source, self.convention, self.note)
        self._short: tuple[str, str] = ("", "")
        self._compact = False
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.line, 1)
        head.addWidget(self.link, 0, Qt.AlignmentFlag.AlignTop)
        self._layout = QVBoxLayout(self)
        self._layout.setSpacing(4)
        self._layout.addLayout(head)
        self._area = self._scrolled()
        self._layout.addWidget(self._area, 1)
        self.set_compact(False)

    def _scrolled(self) -> QScrollArea:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 6, 0)
        column.setSpacing(4)
        for label in self._words:
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            column.addWidget(label)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(content)
        area.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        return area

    def name_area(self, name: str) -> None:
        """What screen readers call the part that scrolls."""
        self._area.setAccessibleName(name)

    def set_compact(self, compact: bool) -> None:
        """Whether there is room for one line only."""
        self._layout.setContentsMargins(*((0, 5, 0, 0) if compact else (12, 6, 0, 0)))
        self._area.setVisible(not compact)
        self._compact = compact
        self._show_short()
        self.setMinimumWidth(200 if compact else 250)
        self.setMaximumHeight(26 if compact else 16_777_215)

    def show_line(self, line: PublishedLine | None, *, can_load: bool) -> None:
        """Show a row; without one, what the list is."""
        tr = self.services.language.tr
        self._key = "" if line is None else line.key
        if line is None:
            hint = tr("Select a figure to see what it was computed from, and why it does not close if it does not. "
                      "A double click opens it as a scenario.")
            texts: tuple[str, ...] = ("", "", "", hint, "", "")
            self._short = ("", hint)
        else:
            row = line.row
            texts = ("\n".join(figure_lines(line, tr)), reason(row, tr), inputs(line, tr), cited(row),
                     counted_by(row, tr), row.note)
            self._short = (row.model_name, texts[1] or texts[3])
        for label, text in zip(self._words, texts, strict=True):
            label.setText(text)
            label.setVisible(bool(text))
        self._show_short()
        self.link.setVisible(can_load)

    def _show_short(self) -> None:
        """Above everything else the model; alone, why the row does not close."""
        self.line.setFont(fonts.font(SMALL) if self._compact else fonts.bold())
        self.line.setText(self._short[self._compact])

    def retranslate(self) -> None:
        """Write the texts again that do not depend on the row."""
        self.link.setText(self.services.language.tr("Load as scenario"))
