"""Collects the texts of the program into its catalogues: `python3 packaging/dev.py texts [--prune]`.

For each `resources/i18n/*.po`: new texts come in without a translation, existing translations stay, of two
entries for one text the later one counts, texts that are no longer used are kept as obsolete entries (a
colleague's code may not be there yet) until `--prune` drops them, and the result is compiled to a `.mo`
beside it. Anybody may append entries to a .po at any time; nothing of theirs is lost.
"""

from __future__ import annotations

import ast
import io
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, PoFileParser, write_po

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "packaging"))

from devtools.locking import locked  # noqa: E402

# Functions whose first argument is a text, and the one whose first two are its singular and plural.
MARKERS = {"tr", "_tr", "N_"}
PLURAL_MARKERS = {"plural"}

HEADER = (
    "Project-Id-Version: MFU Calculator\n"
    "Language: {language}\n"
    "MIME-Version: 1.0\n"
    "Content-Type: text/plain; charset=utf-8\n"
    "Content-Transfer-Encoding: 8bit\n"
    "Plural-Forms: {plural_forms}\n"
)

# A line of a .po; Babel takes an unfinished string for a finished one.
PO_LINE = re.compile(r'\s*(#.*|((msgctxt|msgid|msgid_plural|msgstr(\[\d+\])?)\s*)?"([^"\\]|\\.)*"\s*)?')

TextId = str | tuple[str, str]


class SourceError(Exception):
    """A source file that cannot be read, or a text in it that cannot be collected."""


class Texts(Catalog):
    """A catalogue with a header that depends on nothing but the language, and where the later entry wins."""

    def __init__(self, language: str) -> None:
        super().__init__(locale=language, header_comment="", fuzzy=False)

    def __iter__(self) -> Iterator[Message]:
        messages = super().__iter__()
        next(messages)
        header = HEADER.format(language=self.locale_identifier, plural_forms=self.plural_forms)
        yield Message("", string=header)
        yield from messages

    def __setitem__(self, text: str | tuple[str, ...] | list[str], message: Message) -> None:
        if text and is_translated(message):
            self.delete(text, message.context)
        super().__setitem__(text, message)


def is_translated(message: Message) -> bool:
    strings = _strings(message, plural=True)
    return bool(strings) and all(strings)


def extract(package: Path) -> dict[str, tuple[TextId, set[str]]]:
    """The texts marked in a package: singular -> (text or its two forms, the files it is in).

    Raises `SourceError`.
    """
    found: dict[str, tuple[TextId, set[str]]] = {}
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package.parent).as_posix()
        try:
            tree = ast.parse(path.read_bytes())
        except SyntaxError as error:
            raise SourceError(f"{place}, line {error.lineno}: {error.msg}") from None
        for text in _texts_of(tree, place):
            singular = text if isinstance(text, str) else text[0]
            known, places = found.get(singular, (text, set()))
            # A text that has a plural somewhere needs its plural forms everywhere.
            found[singular] = (known if isinstance(known, tuple) else text, places | {place})
    return found


def _texts_of(tree: ast.AST, place: str) -> Iterator[TextId]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name in PLURAL_MARKERS and len(node.args) >= 2:
            singular, plural = (list(_constants(argument, place)) for argument in node.args[:2])
            if len(singular) == len(plural) == 1:
                yield singular[0], plural[0]
        elif name in MARKERS:
            yield from _constants(node.args[0], place)


def _constants(node: ast.expr, place: str) -> Iterator[str]:
    """The texts an argument can be: one, or those of `a if condition else b`; none if it is a variable."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if node.value:
            yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _constants(node.body, place)
        yield from _constants(node.orelse, place)
    elif isinstance(node, ast.JoinedStr | ast.BinOp):
        raise SourceError(
            f"{place}, line {node.lineno}: a text must be one constant with {{placeholders}}, "
            "or it cannot be translated"
        )


def read(po: bytes, language: str) -> Texts:
    """The catalogue in a .po; raises `PoFileError` or `SourceError`."""
    for number, line in enumerate(po.decode().splitlines(), start=1):
        if not PO_LINE.fullmatch(line):
            raise SourceError(f"{language}.po, line {number} is not of a catalogue: {line}")
    catalogue = Texts(language)
    PoFileParser(catalogue, abort_invalid=True).parse(io.BytesIO(po))
    return catalogue


def merge(old: Texts, found: dict[str, tuple[TextId, set[str]]], prune: bool = False) -> Texts:
    """The catalogue of what was found, with the translations and remarks of the old one."""
    known = {_singular(message): message for message in [*old.obsolete.values(), *list(old)[1:]]}
    new = Texts(str(old.locale_identifier))
    for singular, (text, places) in found.items():
        message = known.pop(singular, Message(text))
        new[text] = Message(
            text,
            string=_strings(message, isinstance(text, tuple)),
            locations=[(place, 0) for place in sorted(places)],
            flags=message.flags & {"fuzzy"},
            user_comments=message.user_comments,
        )
    if not prune:
        for singular, message in sorted(known.items()):
            if is_translated(message):
                message.locations = []
                new.obsolete[singular] = message
    return new


def _singular(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _strings(message: Message, plural: bool) -> str | tuple[str, ...]:
    string = message.string or ""
    strings = (string,) if isinstance(string, str) else tuple(string)
    return strings if plural else strings[0]


def as_po(catalogue: Texts) -> bytes:
    buffer = io.BytesIO()
    write_po(buffer, catalogue, width=0, sort_output=True, include_lineno=False)
    return buffer.getvalue()


def as_mo(catalogue: Texts) -> bytes:
    buffer = io.BytesIO()
    write_mo(buffer, catalogue)
    return buffer.getvalue()


def update(po: Path, found: dict[str, tuple[TextId, set[str]]], prune: bool = False) -> Texts:
    """Merge what was found into a .po, in place, and write the .mo beside it."""
    with locked(po) as file:
        while True:
            file.seek(0)
            before = file.read()
            catalogue = merge(read(before, po.stem), found, prune)
            merged = as_po(catalogue)
            # Whoever appended meanwhile did not ask for the lock.
            file.seek(0)
            if file.read() == before:
                break
        if merged != before:
            file.seek(0)
            file.write(merged)
            file.truncate()
        temporary = po.with_suffix(f".mo.{os.getpid()}")
        temporary.write_bytes(as_mo(catalogue))
        temporary.replace(po.with_suffix(".mo"))
    return catalogue


def main(arguments: list[str]) -> int:
    if set(arguments) - {"--prune"}:
        print("usage: python3 packaging/dev.py texts [--prune]", file=sys.stderr)
        return 2
    try:
        found = extract(ROOT / "mfu_gui")
        for po in sorted((ROOT / "resources" / "i18n").glob("*.po")):
            catalogue = update(po, found, prune="--prune" in arguments)
            missing = [_singular(m) for m in list(catalogue)[1:] if not is_translated(m) or m.fuzzy]
            print(f"{po.stem}: {len(catalogue)} texts, {len(missing)} without a translation")
            for singular in missing:
                print(f"  {singular}")
    except (SourceError, PoFileError) as error:
        print(f"Nothing was changed. {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
