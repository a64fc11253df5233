"""What the source must not do with the contents of a file: run them, open them, or show them as anything but text.

A new place that opens files, starts a program or shows marked-up text is not forbidden; it has to be thought about,
and then named here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import mfu_gui

PACKAGE = Path(mfu_gui.__file__).parent

# Where files are opened, and by whose word.
OPENS = {
    # The three ways in and out; each takes a path and nothing else of what it reads.
    "formats/strict_json.py", "formats/training_logs/text_source.py", "formats/atomic.py",
    # Files that the user named on the command line or in a dialog, or dropped.
    "cli/source.py", "cli/read_log.py", "formats/preset_import.py", "formats/presets.py", "formats/scenario_file.py",
    "formats/workspace_file.py", "formats/training_logs/mapping.py", "formats/training_logs/reading.py",
    "ui/reading.py", "ui/log_files.py", "ui/files.py", "ui/on_disk.py",
    # No file: text of the clipboard.
    "formats/pasted/log_line.py",
    # Written where the user said.
    "formats/reports/files.py",
    # What ships with the program.
    "cli/self_test.py", "formats/framework_peaks.py", "formats/published.py", "formats/schema.py", "notices.py",
    "texts/translation.py", "ui/help_text.py", "ui/icons.py",
    # The program's own folder: log, settings, session and what another copy of it asks for.
    "cli/output.py", "formats/user_presets.py", "ui/crash.py", "ui/instances.py", "ui/session.py", "ui/settings.py",
}
PROGRAMS = {"ui/instances.py", "ui/log_import.py"}
"""They start this program again, with the path of a log that the user named."""
MARKED_UP = {"ui/copying.py": "setHtml", "ui/dialogs/help.py": "setMarkdown"}
"""A table for other programs, its texts escaped; and the help that ships."""
TEMPLATES = {"formats/reports/files.py", "texts/translation.py"}
"""They fill what the source has: names of lock files, and message ids."""

RUNNING = {"eval", "exec", "compile", "__import__", "import_module", "system", "popen", "execv", "execve", "execvp",
           "spawnl", "spawnv", "posix_spawn", "startfile", "startCommand", "QPluginLoader", "QLibrary", "runJavaScript"}
IMPORTED = {"cli/commands.py import_module", "formats/hf_config/registry.py import_module", "ui/ahead.py import_module"}
"""Modules of the program, by names that stand in tables of it."""
UNSAFE_MODULES = {"pickle", "cPickle", "dill", "marshal", "shelve", "yaml", "ctypes", "subprocess", "runpy", "code",
                  "codeop", "pty", "multiprocessing", "xml.etree", "xml.dom", "xml.sax", "zipfile", "tarfile", "shutil",
                  "tempfile", "importlib.util", "cffi", "jinja2", "string.Template"}
OPENING = {"open", "fdopen", "read_bytes", "read_text", "write_bytes", "write_text", "open_log", "QFile", "load"}
MODULES = {"texts/language.py ctypes", "ui/log_import.py tempfile", "ui/stylesheet.py string.Template"}
"""The language of Windows; a folder for the program's own pieces; colours in a style sheet of the source."""
MARKUP = {"setHtml", "setMarkdown", "insertHtml", "appendHtml", "QTextBrowser", "fromHtml", "fromMarkdown", "RichText",
          "MarkdownText", "AutoText", "setRichText", "QWebEngineView", "QQuickView", "QDesktopServices"}


@cache
def nodes() -> tuple[tuple[str, ast.AST], ...]:
    """(file, node) of the whole program."""
    return tuple((path.relative_to(PACKAGE).as_posix(), node) for path in sorted(PACKAGE.rglob("*.py"))
                 for node in ast.walk(ast.parse(path.read_bytes()))
                 if isinstance(node, ast.Call | ast.Import | ast.ImportFrom | ast.Attribute | ast.BinOp | ast.Name))


def calls() -> Iterator[tuple[str, ast.Call, str]]:
    """(file, call, name of what is called)."""
    for file, node in nodes():
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                yield file, node, node.func.attr
            elif isinstance(node.func, ast.Name):
                yield file, node, node.func.id


def receiver(call: ast.Call) -> str:
    return ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""


def test_nothing_is_run() -> None:
    # `re.compile` and Qt's `exec` of dialogs and of the event loop have names of their own receivers.
    found = {f"{file} {name}" for file, call, name in calls() if name in RUNNING
             and not (name == "compile" and receiver(call) == "re") and not (name == "exec" and receiver(call))
             and not (name == "system" and receiver(call) != "os")}
    assert found == IMPORTED


def test_no_module_is_imported_that_runs_or_unpacks_what_it_reads() -> None:
    found = set()
    for file, node in nodes():
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [
                node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
            found |= {f"{file} {name}" for name in names for unsafe in UNSAFE_MODULES
                      if name == unsafe or name.startswith(unsafe + ".")}
    assert found == MODULES


def test_programs_are_started_in_two_places() -> None:
    assert {file for file, _, name in calls() if name == "QProcess"} == PROGRAMS


def test_files_are_opened_where_a_person_named_them() -> None:
    """Dialogs are opened, too, but not by these names."""
    found = set()
    for file, call, name in calls():
        owner = receiver(call)
        file_opened = owner in ("", "os", "io", "path") or owner.startswith("resource_path")
        if name in OPENING and (name != "open" or file_opened) and (name != "load" or owner == "strict_json"):
            found.add(file)
    assert found == OPENS


def test_marked_up_text_is_shown_in_two_places() -> None:
    used = {(file, name) for file, _, name in calls() if name in MARKUP}
    used |= {(file, node.attr) for file, node in nodes() if isinstance(node, ast.Attribute) and node.attr in MARKUP}
    opened = {("ui/main_window.py", "QDesktopServices")}  # the folder of the user's presets, in a file manager
    assert used - opened == set(MARKED_UP.items())


def test_only_the_source_has_templates() -> None:
    """`{0.__class__}` in a name must stay as it is: a text from a file is filled in, never filled."""
    found = set()
    for file, call, name in calls():
        of_text = isinstance(call.func, ast.Attribute) and not isinstance(call.func.value, ast.Constant)
        if name in ("format", "format_map", "vformat") and of_text and receiver(call) != "msgspec.json":
            found.add(file)
    for file, node in nodes():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.JoinedStr):
            found.add(file)
    assert found == TEMPLATES


@pytest.mark.parametrize("clock", ["time.time", "datetime.now", "date.today", "time.localtime", "QDateTime", "QTime"])
def test_the_time_of_day_decides_nothing(clock: str) -> None:
    """A clock that is set must not delay what is written down; it dates reports, presets, names and log entries."""
    dated = {"ui/export.py", "cli/report.py", "cli/output.py", "ui/instances.py", "ui/dialogs/preset_details.py",
             "ui/dialogs/preset_manager.py", "ui/dialogs/save_preset.py"}
    found = set()
    owner, _, last = clock.rpartition(".")
    for file, node in nodes():
        if isinstance(node, ast.Attribute) and owner:
            if node.attr in (last, f"{last}_ns") and ast.unparse(node.value) == owner:
                found.add(file)
        elif isinstance(node, ast.Name) and node.id == clock:
            found.add(file)
    assert found <= dated
