"""The help: an article about MFU, the glossary and the fields, offline, beside the window while one works."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QBrush,
    QFont,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from mfu_gui.ui import fonts
from mfu_gui.ui.help_text import Topic, article, fields_text, glossary, glossary_text
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import TEXT

GLOSSARY, FIELDS = "glossary", "fields"
_HEADING_SIZES = {1: 20, 2: 16, 3: 14}
_LINE_HEIGHT = 108.0
"""Percent of what the font asks for, which is generous where it has Chinese characters."""
_LONGEST_LINE = 680
_LIST_WIDTH = 250
_TOP = 22


class HelpBrowser(QTextBrowser):
    """Shows Markdown of the program in a layout for reading: short lines, room between them, quiet colours."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self.setOpenLinks(False)
        self.setFrameShape(self.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_markdown(self, text: str) -> None:
        """Replace what is shown."""
        self.document().setDefaultFont(fonts.font(TEXT + 1))
        self.setMarkdown(text)
        block = self.document().begin()
        while block.isValid():
            self._dress(block)
            block = block.next()
        self._set_margins()
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def headings(self) -> list[QTextBlock]:
        """The blocks of headings, in order."""
        found, block = [], self.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel():
                found.append(block)
            block = block.next()
        return found

    def go(self, block: QTextBlock) -> None:
        """Bring a block to the top."""
        layout = self.document().documentLayout()
        self.verticalScrollBar().setValue(int(layout.blockBoundingRect(block).top()) - 8)

    def _dress(self, block: QTextBlock) -> None:
        shape = QTextBlockFormat(block.blockFormat())
        theme = self._services.theme
        cursor = QTextCursor(block)
        cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
        look = QTextCharFormat()
        level = shape.headingLevel()
        code = self._is_code(block)
        if level:
            if level in _HEADING_SIZES:
                look.setFont(fonts.bold(_HEADING_SIZES[level]))
                look.setForeground(QBrush(theme.color("text")))
                cursor.setCharFormat(look)
            else:  # a term or a field: its link and what stands beside it stay what they are
                look.setProperty(QTextFormat.Property.FontSizeAdjustment, 0)
                look.setFontWeight(QFont.Weight.DemiBold)
                cursor.mergeCharFormat(look)
            shape.setTopMargin(_TOP if level < 3 else 14 if level == 3 else 6)
            shape.setBottomMargin(6 if level < 4 else 0)
        elif code:
            look.setFont(fonts.bold(TEXT + 1))
            look.setForeground(QBrush(theme.color("text")))
            shape.setBackground(QBrush(theme.color("window")))
            shape.setNonBreakableLines(False)
            shape.setTextIndent(12)
            shape.setTopMargin(0)
            shape.setBottomMargin(0 if self._is_code(block.next()) else 12)
        else:
            shape.setLineHeight(_LINE_HEIGHT, int(QTextBlockFormat.LineHeightTypes.ProportionalHeight.value))
            shape.setBottomMargin(4 if block.textList() is not None else 10)
        if code:
            cursor.mergeCharFormat(look)
        self._color_pieces(block)
        QTextCursor(block).setBlockFormat(shape)

    @staticmethod
    def _is_code(block: QTextBlock) -> bool:
        shape = block.blockFormat()
        return shape.hasProperty(QTextFormat.Property.BlockCodeFence) or shape.hasProperty(
            QTextFormat.Property.BlockCodeLanguage)

    def _color_pieces(self, block: QTextBlock) -> None:
        """Links in the accent of the theme and without a line; nothing in italics."""
        theme = self._services.theme
        pieces: list[tuple[int, int, QTextCharFormat]] = []
        iterator = block.begin()
        while not iterator.atEnd():
            piece = iterator.fragment()
            look = piece.charFormat()
            change = QTextCharFormat()
            if look.isAnchor():
                change.setForeground(QBrush(theme.color("accent")))
                change.setFontUnderline(False)
                pieces.append((piece.position(), piece.length(), change))
            elif look.fontItalic():
                # Chinese has no italics.  Beside a term they are its symbol and unit, in a sentence a variable.
                change.setFontItalic(False)
                if block.blockFormat().headingLevel():
                    change.setForeground(QBrush(theme.color("muted")))
                    change.setFontWeight(QFont.Weight.Normal)
                pieces.append((piece.position(), piece.length(), change))
            elif look.fontWeight() > QFont.Weight.Normal and not block.blockFormat().headingLevel():
                change.setFontWeight(QFont.Weight.DemiBold)
                pieces.append((piece.position(), piece.length(), change))
            iterator += 1
        for start, length, change in pieces:
            cursor = QTextCursor(self.document())
            cursor.setPosition(start)
            cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(change)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_margins()

    def _set_margins(self) -> None:
        """Lines that are too long to read leave room at their right."""
        shape = self.document().rootFrame().frameFormat()
        side = max(20, self.viewport().width() - _LONGEST_LINE - 28)
        if (shape.leftMargin(), shape.rightMargin()) != (28, side):
            shape.setLeftMargin(28)
            shape.setRightMargin(side)
            shape.setTopMargin(8)
            shape.setBottomMargin(28)
            self.document().rootFrame().setFrameFormat(shape)


class HelpWindow(QDialog):
    """Topics at the left, the text at the right; typing shows the terms and fields that fit."""

    def __init__(self, services: Services, show_field: Callable[[str], object],
                 show_convention: Callable[[str], object], parent: QWidget) -> None:
        super().__init__(parent)
        services.theme.dress(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.services = services
        self._show_field, self._show_convention = show_field, show_convention
        self._terms = glossary()
        self._topics: tuple[Topic, ...] = ()
        self._shown = ""
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._searched)
        self.list = QListWidget()
        self.list.setFrameShape(self.list.Shape.NoFrame)
        self.list.setFixedWidth(_LIST_WIDTH)
        self.list.setSpacing(2)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentItemChanged.connect(lambda item, _before: self._go(item))
        self.browser = HelpBrowser(services)
        self.browser.anchorClicked.connect(self._follow)
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(self.search)
        left.addWidget(self.list, 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.setSpacing(12)
        layout.addLayout(left)
        layout.addWidget(self.browser, 1)
        services.language.changed.connect(self._retranslate)
        services.theme.changed.connect(self._again)
        self._retranslate()
        self.resize(940, 640)

    def show_topic(self, topic: str) -> None:
        """Show a topic of the article, the glossary or the fields; the beginning for an unknown one."""
        for row in range(self.list.count()):
            if self.list.item(row).data(Qt.ItemDataRole.UserRole) == topic:
                self.search.clear()
                self.list.setCurrentRow(row)
                self._go(self.list.item(row))
                return
        if topic in {each.id for each in self._topics}:
            # A part of a topic that the list does not show by itself.
            ids = [each.id for each in self._topics]
            above = [each.id for each in self._topics[: ids.index(topic)] if each.level == 1]
            self.show_topic(above[-1])
            self._scroll_to(topic)
        else:
            self.list.setCurrentRow(0)

    def _retranslate(self) -> None:
        tr = self.services.language.tr
        self.setWindowTitle(tr("Help"))
        self.search.setPlaceholderText(tr("Search terms and fields"))
        self.search.setAccessibleName(tr("Search terms and fields"))
        self.list.setAccessibleName(tr("Topics"))
        self.browser.setAccessibleName(tr("Help"))
        self._topics = article(self.services.language.code).topics
        row = max(0, self.list.currentRow())
        self.list.blockSignals(True)
        self.list.clear()
        for title, key in [*((topic.title, topic.id) for topic in self._topics if topic.level == 1),
                           (tr("Glossary"), GLOSSARY), (tr("Fields"), FIELDS)]:
            item = QListWidgetItem(title)
            item.setData(Qt.ItemDataRole.UserRole, key)
            item.setToolTip(title)
            self.list.addItem(item)
        self.list.setCurrentRow(row)
        self.list.blockSignals(False)
        self._again()

    def _again(self) -> None:
        """Write what is shown again, in the language and colours in force."""
        self._shown = ""
        if self.search.text().strip():
            self._searched(self.search.text())
        else:
            self._go(self.list.currentItem())

    def _go(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        key = str(item.data(Qt.ItemDataRole.UserRole))
        tr = self.services.language.tr
        if key == GLOSSARY:
            self._show(GLOSSARY, f"# {tr('Glossary')}\n\n" + glossary_text(tr, self._terms))
        elif key == FIELDS:
            self._show(FIELDS, f"# {tr('Fields')}\n\n" + fields_text(tr))
        else:
            self._show_article()
            self._scroll_to(key)

    def _show_article(self) -> None:
        self._show("article", article(self.services.language.code).markdown)

    def _show(self, what: str, markdown: str) -> None:
        if what != self._shown:
            self._shown = what
            self.browser.show_markdown(markdown)

    def _scroll_to(self, topic: str) -> None:
        number = [each.id for each in self._topics].index(topic)
        self.browser.go(self.browser.headings()[number])

    def _searched(self, words: str) -> None:
        """Show the terms and fields that have all words; nothing typed shows the topic again."""
        tr = self.services.language.tr
        if not words.strip():
            self._go(self.list.currentItem())
            return
        terms, fields = glossary_text(tr, self._terms, words), fields_text(tr, words)
        parts = [f"# {tr('Glossary')}\n\n{terms}" if terms else "", f"# {tr('Fields')}\n\n{fields}" if fields else ""]
        text = "\n\n".join(part for part in parts if part) or tr("Nothing has these words.")
        self._show(f"search:{words}", text)

    def _follow(self, url: QUrl) -> None:
        """Links lead to topics here, and to fields and conventions in the window."""
        kind, _, key = url.toString().partition(":")
        if kind == "topic":
            self.show_topic(key)
        elif kind == "field":
            self._show_field(key)
        elif kind == "convention":
            self._show_convention(key)
