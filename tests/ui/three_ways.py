"""One scenario asked of the window, of the command line and of the Python interface: the same answer, or refusal."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel, QLineEdit

from mfu_gui.engine.compare import compare
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.scenario import Result
from mfu_gui.formats.scenario_file import dump_scenario, load_scenario
from mfu_gui.ui.headline import METRICS
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.workspace import Document
from tests.random_scenarios import random_scenario

Ask = Callable[[bytes], tuple[int, str]]
"""The command line: exit status and standard output of `compute - --format json`."""
MOST_ROWS = 80
NOT_A_NUMBER = re.compile(r"(?<![\w/])(nan|inf|infinity|∞)(?!\w)", re.IGNORECASE)


def finite(value: Any) -> Any:
    raise AssertionError(f"{value} in a file")


def check_once(value: dict[str, Any], window: MainWindow, ask: Ask) -> bool:
    """Compare the three; whether there was an answer."""
    data = json.dumps(value).encode()
    status, out = ask(data)
    try:
        loaded = load_scenario(data, window.services.presets)
        result = evaluate(loaded.scenario)
    except InputError:
        loaded = result = None
    assert status == (2 if result is None else 0), "one of command line and Python refused what the other computed"
    if loaded is None or result is None:
        return False
    answer = json.loads(out, parse_constant=finite)
    same_as_python(answer, result)
    rows = compare(loaded.scenario, result)
    workspace = window.services.workspace
    document = Document(loaded.scenario, None, loaded.notices)
    workspace.add(document)
    while len(workspace.documents) > 1:
        workspace.close(workspace.documents[0])
    QApplication.processEvents()
    shows(window, document, answer)
    assert [(row["id"], row["utilization"], row["flops_per_token"]) for row in answer["conventions"]] == [
        (row.id, row.utilization, row.flops_per_token) for row in rows]
    assert document.rows() == rows
    again = load_scenario(dump_scenario(loaded.scenario), window.services.presets).scenario
    assert evaluate(again) == result, "saved and opened again it is another"
    json.loads(dump_scenario(loaded.scenario), parse_constant=finite)
    return True


def same_as_python(answer: dict[str, Any], result: Result) -> None:
    assert (answer["mfu"], answer["hfu"], answer["implied_mfu"]) == (result.mfu, result.hfu, result.implied_mfu)
    assert answer["throughput"] == msgspec.structs.asdict(result.throughput)
    assert answer["peak_tflops_per_device"] == result.peak_tflops_per_device
    for key in ("per_token", "per_step", "forward", "backward", "recompute"):
        assert answer["flops"][key] == getattr(result.flops, key), key
    assert answer["parameters"]["components"] == result.parameters.components
    assert answer["parameters"]["total"] == result.parameters.total


def shows(window: MainWindow, document: Document, answer: dict[str, Any]) -> None:
    """The numbers that the window shows and copies are those that the command line prints."""
    exact = window.services.language.numbers.exact
    headline = window.headline
    for label, value in ((headline.mfu, answer["mfu"]), (headline.metrics["hfu"], answer["hfu"])):
        assert label.exact == ("" if value is None else exact(value))
    for key in METRICS:
        if key != "hfu":
            value = answer["flops"]["per_token"] if key == "flops_per_token" else answer["throughput"][key]
            assert headline.metrics[key].exact == exact(value), key
    for label in (headline.mfu, *headline.metrics.values()):
        for text in (label.text, label.exact, label.formula):
            assert not NOT_A_NUMBER.search(text), text
    for text in every_text(window):
        assert not NOT_A_NUMBER.search(text), text


def every_text(window: MainWindow) -> Iterator[str]:
    """What labels, fields and tables show."""
    for label in window.findChildren(QLabel):
        yield label.text()
    for field in window.findChildren(QLineEdit):
        yield field.text()
        yield field.placeholderText()
    for view in window.findChildren(QAbstractItemView):
        model = view.model()
        if model is not None and view.isVisible():
            for row in range(min(model.rowCount(), MOST_ROWS)):
                for column in range(model.columnCount()):
                    yield str(model.data(model.index(row, column)) or "")


def check_many(count: int, seed: int, window: MainWindow, ask: Ask) -> int:
    """Ask ``count`` random scenarios; how many had an answer."""
    chance = random.Random(seed)
    answered = 0
    for number in range(count):
        value = random_scenario(chance)
        if number % 4 == 0:  # each in turn, so that forty scenarios are seen on all of them
            window.tabs.show_page(window.tabs.keys[number // 4 % len(window.tabs.keys)])
        try:
            answered += check_once(value, window, ask)
        except Exception as error:
            raise AssertionError(f"scenario {number}: {json.dumps(value)}") from error
    return answered
