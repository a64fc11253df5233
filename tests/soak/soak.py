"""Somebody who tries everything for hours: random edits over all tabs, and what must not change meanwhile.

`python -m tests.soak.soak COUNT [SEED]` runs a window offscreen and prints what it saw as JSON.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QMessageLogContext, QObject, Qt, QtMsgType, qInstallMessageHandler
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from mfu_gui.engine.conventions import CONVENTIONS
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.field import Field
from mfu_gui.engine.fields import FIELDS
from mfu_gui.formats.scenario_file import load_scenario
from mfu_gui.ui import ahead
from mfu_gui.ui import app as ui_app
from mfu_gui.ui.headline import choose_convention
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.panels.form import Form
from mfu_gui.ui.settings import Settings
from mfu_gui.ui.widgets.banner import Banner
from mfu_gui.ui.widgets.number_edit import NumberEdit
from mfu_gui.ui.workspace import Document
from tests.random_scenarios import random_scenario

MOST_DOCUMENTS = 4
HISTORY = 200
"""Steps of undo after which a document is opened afresh: a history may grow, nothing else may."""
PROGRESS = 500
KEYS = (*"0123456789.,eEx-", "k", "M", " ")
NUMBERS = (0, 1, 2, 3, 8, 64, 100, 512, 1000, 4096, 10**6, 0.5, 19.926)
IGNORED = ("This plugin does not support",)


class Soak:
    """Random steps in one window, each followed by all the painting it causes."""

    def __init__(self, window: MainWindow, seed: int) -> None:
        self.window = window
        self.chance = random.Random(seed)
        self.done: dict[str, int] = {}
        self.late_s: dict[str, list[float]] = {}
        self.busy_s: list[float] = []
        """Processor time of each step: what other programs on the machine do not change."""
        self._timing = False
        """Not all the time: what is written down would be taken for what the window keeps."""
        self.acts: list[tuple[Callable[[], None], int]] = [
            (self.edit_field, 34), (self.type_key, 26), (self.undo, 8), (self.redo, 5), (self.switch_tab, 8),
            (self.switch_document, 4), (self.convention, 4), (self.model, 3), (self.hardware, 2), (self.drag, 4),
            (self.open_scenario, 1), (self.language, 1), (self.theme, 1), (self.plot, 1)]

    def step(self) -> None:
        """One act and its painting."""
        acts, weights = zip(*self.acts, strict=True)
        act = self.chance.choices(acts, weights)[0]
        start, busy = time.perf_counter(), time.process_time()
        act()
        QApplication.processEvents()
        # As the event loop of the program does; processEvents by itself leaves these for a loop that never comes.
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        name = act.__name__
        if self._timing:
            self.late_s.setdefault(name, []).append(time.perf_counter() - start)
            self.busy_s.append(time.process_time() - busy)
        self.done[name] = self.done.get(name, 0) + 1
        self._forget()

    def run(self, count: int) -> None:
        for number in range(1, count + 1):
            self.step()
            if number % PROGRESS == 0:
                print(f"{sum(self.done.values())} steps, {rss_mib():.0f} MiB", file=sys.stderr, flush=True)

    def timed(self, count: int) -> tuple[dict[str, list[float]], list[float]]:
        """What ``count`` steps take: by act, and the processor time of each."""
        self.late_s, self.busy_s, self._timing = {}, [], True
        self.run(count)
        self._timing = False
        return self.late_s, self.busy_s

    # What is done

    def edit_field(self) -> None:
        workspace = self.window.services.workspace
        document = workspace.active
        field = self.chance.choice(FIELDS)
        if not field.applies(document.scenario):
            return
        value: Any = self.chance.choice(NUMBERS)
        if field.kind == "choice":
            value = self.chance.choice([choice[0] for choice in field.choices])
        elif field.kind == "integer":
            value = int(_within(value, field))
        elif field.kind in ("real", "time", "fraction"):
            value = _within(value, field) or 0.25
        else:
            return
        try:
            scenario = field.set(document.scenario, value)
        except InputError:
            return
        workspace.edit(document, field.key, scenario, merge_key=self.chance.choice(("", field.key)))

    def type_key(self) -> None:
        fields = [field for field in self.window.column.findChildren(NumberEdit) if field.isVisible()]
        field: QLineEdit = self.chance.choice(fields)
        field.setFocus(Qt.FocusReason.TabFocusReason)
        for _ in range(self.chance.randint(1, 3)):
            if self.chance.random() < 0.3:
                QTest.keyClick(field, self.chance.choice((Qt.Key.Key_Backspace, Qt.Key.Key_Up, Qt.Key.Key_Down,
                                                          Qt.Key.Key_Return, Qt.Key.Key_Tab, Qt.Key.Key_Escape)))
            else:
                QTest.keyClicks(field, self.chance.choice(KEYS))

    def undo(self) -> None:
        self.window.undo()

    def redo(self) -> None:
        self.window.services.workspace.redo()

    def switch_tab(self) -> None:
        self.window.tabs.show_page(self.chance.choice(self.window.tabs.keys))

    def switch_document(self) -> None:
        workspace = self.window.services.workspace
        workspace.activate(self.chance.choice(workspace.documents))

    def convention(self) -> None:
        choose_convention(self.window.services.workspace, self.chance.choice(CONVENTIONS).id)

    def model(self) -> None:
        info = self.chance.choice(self.window.services.presets.infos("mfu-model"))
        self.window.column.model.search.chosen.emit(info.id)

    def hardware(self) -> None:
        info = self.chance.choice(self.window.services.presets.infos("mfu-hardware"))
        self.window.column.hardware.search.chosen.emit(info.id)

    def drag(self) -> None:
        self.window.plot._dragged(10 ** self.chance.uniform(-2, 4))

    def open_scenario(self) -> None:
        services = self.window.services
        try:
            loaded = load_scenario(json.dumps(random_scenario(self.chance)).encode(), services.presets)
        except InputError:
            return
        self.add(Document(loaded.scenario, None, loaded.notices))

    def language(self) -> None:
        self.window.status.set_language(self.chance.choice(("zh", "en")))

    def theme(self) -> None:
        self.window.status.set_theme(self.chance.choice(("dark", "light")))

    def plot(self) -> None:
        self.chance.choice((self.window.plot.toggle_target, self.window.plot.toggle_published,
                            self.window.plot.toggle_overlay))()

    # In between

    def add(self, document: Document) -> None:
        workspace = self.window.services.workspace
        workspace.add(document)
        while len(workspace.documents) > MOST_DOCUMENTS:
            workspace.close(workspace.documents[0])

    def _forget(self) -> None:
        workspace = self.window.services.workspace
        document = workspace.active
        if document.history.count() > HISTORY:
            self.add(Document(document.scenario))
            workspace.close(document)

    def settle(self) -> None:
        """To where it began: one fresh document, English, light, the first tab, nothing left to delete."""
        workspace, window = self.window.services.workspace, self.window
        workspace.add(Document(ui_app.example_scenario(window.services)))
        for document in workspace.documents[:-1]:
            workspace.close(document)
        window.status.set_language("en")
        window.status.set_theme("light")
        for key in (*window.tabs.keys, window.tabs.keys[0]):
            window.tabs.show_page(key)
            QApplication.processEvents()
        # Rows are made when they are first shown; they would be taken for what an edit leaves behind.
        for form in window.findChildren(Form):
            for binding in form.bindings:
                assert binding.row is not None
        for _ in range(3):
            QApplication.processEvents()
            QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        gc.collect()

    def objects(self) -> dict[str, int]:
        """How many QObjects of each class live under the window, but for the few banners that rest for the next."""
        found: dict[str, int] = {}
        resting = [each for banner in self.window.findChildren(Banner) if banner.isHidden()
                   for each in (banner, *banner.findChildren(QObject))]
        known = set(map(id, resting))
        for each in self.window.findChildren(QObject):
            if id(each) in known:
                continue
            name = each.metaObject().className()
            found[name] = found.get(name, 0) + 1
        found["top-level"] = len(QApplication.topLevelWidgets())
        return found


def _within(value: float, field: Field) -> float:
    """A number that the editor of the field would let through."""
    least = 1 if field.minimum is None and field.kind == "integer" else field.minimum or 0
    return min(max(value, least), value if field.maximum is None else field.maximum)


def rss_mib() -> float:
    if sys.platform != "linux":
        return 0.0
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def p95_ms(times: list[float]) -> float:
    return round(statistics.quantiles(times, n=20)[-1] * 1e3, 1)


def main(count: int, seed: int) -> dict[str, Any]:
    """A window of its own for ``count`` steps; objects, memory and latency before and after."""
    faulthandler.enable()
    said: list[str] = []
    failed: list[str] = []

    def message(_kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        if not text.startswith(IGNORED):
            said.append(text)

    def fail(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        import traceback

        failed.append("".join(traceback.format_exception(kind, error, trace)))
        print(failed[-1], file=sys.stderr, flush=True)

    qInstallMessageHandler(message)
    sys.excepthook = fail
    ui_app.start_qt()
    with tempfile.TemporaryDirectory() as home:
        os.environ["MFU_GUI_HOME"] = home
        settings = Settings(Path(home))
        settings.stored.language, settings.stored.theme = "en", "light"
        window = ui_app.make_window(ui_app.make_services(settings))
        window.loaded.connect(ahead.stay)
        window.resize(1280, 800)
        window.show()
        window.complete()
        soak = Soak(window, seed)
        soak.settle()
        soak.run(max(count // 10, 100))  # caches fill, every page has been shown
        soak.settle()
        objects, memory = soak.objects(), rss_mib()
        chunk = max(min(1000, count // 3), 1)
        first, first_busy = soak.timed(chunk)
        soak.run(max(count - 2 * chunk, 0))
        last, last_busy = soak.timed(chunk)
        soak.settle()
        after, later = soak.objects(), rss_mib()
    every = [t for times in first.values() for t in times], [t for times in last.values() for t in times]
    common = [key for key in first if len(first[key]) > 20 and len(last.get(key, ())) > 20]
    return {
        "steps": count, "failures": failed[:3], "number_of_failures": len(failed), "qt_messages": said[:5],
        "memory_mib": [round(memory, 1), round(later, 1)], "growth": round(later / memory - 1, 3) if memory else 0.0,
        "objects": [sum(objects.values()), sum(after.values())],
        "more_of": {k: n - objects.get(k, 0) for k, n in after.items() if n != objects.get(k, 0)},
        "p95_ms_first_last": [p95_ms(every[0]), p95_ms(every[1])],
        "processor_p95_ms_first_last": [p95_ms(first_busy), p95_ms(last_busy)],
        "p95_ms_by_act": {key: [p95_ms(first[key]), p95_ms(last[key])] for key in common}, "done": soak.done,
        "documents": len(window.services.workspace.documents),
    }


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1), indent=1))
    sys.stdout.flush()
    os._exit(0)
