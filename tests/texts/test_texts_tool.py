"""`dev.py texts`: collecting, merging, compiling, and several people at once."""

from __future__ import annotations

import gettext
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from devtools import texts as tool
from devtools.locking import locked


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "program"
    folder.mkdir()
    return folder


@pytest.fixture
def po(tmp_path: Path) -> Path:
    path = tmp_path / "zh_CN.po"
    path.write_bytes(tool.as_po(tool.Texts("zh_CN")))
    return path


def collected(package: Path, source: str) -> dict[str, tuple[tool.TextId, set[str]]]:
    (package / "a.py").write_text(source, encoding="utf-8")
    return tool.extract(package)


def entries(po: Path) -> dict[object, object]:
    return {m.id: m.string for m in list(tool.read(po.read_bytes(), "zh_CN"))[1:]}


def append(po: Path, text: str, translation: str) -> None:
    with po.open("a", encoding="utf-8") as file:
        file.write(f'\nmsgid "{text}"\nmsgstr "{translation}"\n')


def test_collects_what_is_marked(package: Path) -> None:
    source = """
label = N_("marked")
tr("one" " text")
self._tr("nested {x}", x=show(tr("inner")))
tr("yes" if x else "no")
tr.plural("{n} card", "{n} cards", n)
tr(field.label)
tr("")
other("not a text")
"""
    found = collected(package, source)
    assert {text for text, _ in found.values()} == {
        "marked", "one text", "nested {x}", "inner", "yes", "no", ("{n} card", "{n} cards"),
    }  # fmt: skip
    assert found["marked"][1] == {"program/a.py"}


@pytest.mark.parametrize("argument", ['f"{x} cards"', '"cards: " + x', '"cards: %s" % x'])
def test_a_text_that_cannot_be_translated_is_refused(package: Path, argument: str) -> None:
    with pytest.raises(tool.SourceError, match=r"program/a\.py, line 1"):
        collected(package, f"tr({argument})")


def test_a_file_that_is_being_written_is_named(package: Path) -> None:
    with pytest.raises(tool.SourceError, match=r"program/a\.py, line 2"):
        collected(package, "x = 1\ntr(")


def test_new_texts_come_in_untranslated_and_sorted(package: Path, po: Path) -> None:
    tool.update(po, collected(package, 'tr("b")\ntr("a")\ntr.plural("{n} c", "{n} cs", 2)'))
    assert list(entries(po).items()) == [("a", ""), ("b", ""), (("{n} c", "{n} cs"), ("",))]


def test_appended_translations_are_taken_and_the_later_one_counts(package: Path, po: Path) -> None:
    found = collected(package, 'tr("a")')
    append(po, "a", "甲")
    tool.update(po, found)
    append(po, "a", "乙")
    append(po, "a", "")
    tool.update(po, found)
    assert entries(po) == {"a": "乙"}
    with po.with_suffix(".mo").open("rb") as file:
        assert gettext.GNUTranslations(file).gettext("a") == "乙"


def test_plural_translation(package: Path, po: Path) -> None:
    found = collected(package, 'tr.plural("{n} card", "{n} cards", n)')
    with po.open("a", encoding="utf-8") as file:
        file.write('\nmsgid "{n} card"\nmsgid_plural "{n} cards"\nmsgstr[0] "{n} 张卡"\n')
    tool.update(po, found)
    with po.with_suffix(".mo").open("rb") as file:
        assert gettext.GNUTranslations(file).ngettext("{n} card", "{n} cards", 1) == "{n} 张卡"


def test_unused_texts_wait_until_they_are_pruned(package: Path, po: Path) -> None:
    both, one = collected(package, 'tr("a"), tr("b")'), collected(package, 'tr("a")')
    append(po, "a", "甲")
    append(po, "b", "乙")
    tool.update(po, one)
    assert entries(po) == {"a": "甲"}
    tool.update(po, both)
    assert entries(po) == {"a": "甲", "b": "乙"}
    tool.update(po, one, prune=True)
    tool.update(po, both)
    assert entries(po) == {"a": "甲", "b": ""}


def test_a_second_run_changes_nothing(package: Path, po: Path) -> None:
    found = collected(package, 'tr("a {x}")\ntr("b\\n\\"quoted\\"")')
    append(po, "a {x}", "甲 {x}")
    tool.update(po, found)
    first = po.read_bytes(), po.with_suffix(".mo").read_bytes()
    tool.update(po, found)
    assert (po.read_bytes(), po.with_suffix(".mo").read_bytes()) == first


def test_an_entry_appended_during_a_merge_is_not_lost(
    package: Path, po: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    merge, calls = tool.merge, []

    def merge_while_somebody_appends(*arguments: object) -> tool.Texts:
        if not calls:
            append(po, "a", "甲")
        calls.append(1)
        return merge(*arguments)

    monkeypatch.setattr(tool, "merge", merge_while_somebody_appends)
    tool.update(po, collected(package, 'tr("a")'))
    assert len(calls) == 2
    assert entries(po) == {"a": "甲"}


@pytest.mark.parametrize(
    "broken",
    ['\nmsgid "a"\nmsgstr "unfinished\n', "\nmsgid a\n", '\nmsgid "a"\nmsgstr "b" c"\n', "<<<<<<<\n"],
)
def test_a_broken_catalogue_is_left_alone(package: Path, po: Path, broken: str) -> None:
    with po.open("a", encoding="utf-8") as file:
        file.write(broken)
    before = po.read_bytes()
    with pytest.raises((tool.PoFileError, tool.SourceError)):
        tool.update(po, collected(package, 'tr("a")'))
    assert po.read_bytes() == before


def test_lock_keeps_others_out(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"")
    order: list[str] = []

    def second() -> None:
        with locked(path):
            order.append("second")

    with locked(path):
        waiting = threading.Thread(target=second)
        waiting.start()
        waiting.join(timeout=0.2)
        order.append("first")
    waiting.join(timeout=10)
    assert order == ["first", "second"]


def test_unknown_argument() -> None:
    script = Path(tool.__file__)
    done = subprocess.run([sys.executable, script, "--wrong"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: ")
