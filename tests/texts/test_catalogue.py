"""The catalogues: complete, current, and in agreement with the English texts."""

from __future__ import annotations

import ast
from pathlib import Path
from string import Formatter

import pytest
from devtools import texts as tool

from mfu_gui.texts import LANGUAGES, Numbers
from mfu_gui.texts.sentences import SENTENCES
from mfu_gui.texts.translation import placeholders

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "mfu_gui"
CATALOGUES = sorted((ROOT / "resources" / "i18n").glob("*.po"))

# Words that any Python value understands, `{share:.1f}`; all others must be words of Numbers.
PYTHON_SPEC = set("0123456789.,<>=^+-defgs_")


@pytest.fixture(scope="module", params=CATALOGUES, ids=lambda path: path.stem)
def catalogue(request: pytest.FixtureRequest) -> tool.Texts:
    return tool.read(request.param.read_bytes(), request.param.stem)


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[tool.TextId, set[str]]]:
    return tool.extract(PACKAGE)


def test_each_language_has_its_catalogue() -> None:
    assert {path.stem for path in CATALOGUES} == {name for name in LANGUAGES.values() if name}


def test_catalogue_has_exactly_the_texts_of_the_source(catalogue: tool.Texts, found: dict) -> None:
    in_catalogue = {message.id for message in list(catalogue)[1:]}
    in_source = {text for text, _ in found.values()}
    assert in_catalogue == in_source, "run: python3 packaging/dev.py texts"


def test_everything_is_translated(catalogue: tool.Texts) -> None:
    messages = list(catalogue)[1:]
    assert messages
    assert [m.id for m in messages if m.fuzzy or not tool.is_translated(m)] == []


def test_placeholders_agree(catalogue: tool.Texts) -> None:
    for message in filter(tool.is_translated, list(catalogue)[1:]):
        ids = (message.id,) if isinstance(message.id, str) else message.id
        strings = (message.string,) if isinstance(message.string, str) else message.string
        for string in strings:
            assert _fields(string) == _fields(ids[-1]), string


def test_compiled_catalogue_is_current(catalogue: tool.Texts) -> None:
    po = next(path for path in CATALOGUES if path.stem == str(catalogue.locale_identifier))
    assert po.with_suffix(".mo").read_bytes() == tool.as_mo(catalogue), "run: python3 packaging/dev.py texts"


def test_placeholders_are_plain_names_with_known_words(found: dict) -> None:
    for text, _ in found.values():
        for form in (text,) if isinstance(text, str) else text:
            for _, name, spec, conversion in Formatter().parse(form):
                if name is None:
                    continue
                assert name.isidentifier(), form
                assert conversion is None, form
                assert set(spec) <= PYTHON_SPEC or spec.rstrip("0123456789") in Numbers.WORDS, form


def test_codes_of_the_source_have_a_sentence_that_their_values_fill() -> None:
    problems = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for code, names, line in _codes(ast.parse(path.read_bytes())):
            place = f"{path.relative_to(ROOT)}:{line} {code}"
            templates = SENTENCES.get(code)
            if templates is None:
                problems.append(f"{place}: no sentence")
                continue
            templates = (templates,) if isinstance(templates, str) else templates
            if names is not None and not any(placeholders(text) <= names for text in templates):
                problems.append(f"{place}: no sentence for the values {sorted(names)}")
    assert not problems, "\n".join(problems)


def test_last_template_of_a_code_needs_the_least() -> None:
    for code, templates in SENTENCES.items():
        if isinstance(templates, tuple):
            counts = [len(placeholders(text)) for text in templates]
            assert len(templates) > 1, code
            assert counts[-1] == min(counts), code


def test_areas_do_not_share_a_code() -> None:
    codes: list[str] = []
    for path in (PACKAGE / "texts" / "sentences").glob("[!_]*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "SENTENCES":
                codes += [key.value for key in node.value.keys]
    assert sorted(codes) == sorted(SENTENCES)


def _fields(text: str) -> set[tuple[str, str]]:
    return {(name, spec) for _, name, spec, _ in Formatter().parse(text) if name is not None}


def _codes(tree: ast.AST) -> list[tuple[str, set[str] | None, int]]:
    """Constant codes in calls of InputError and Notice, with the names of their values (None: unknown)."""
    found = []
    for node in ast.walk(tree):
        function = getattr(node, "func", None)
        called = getattr(function, "id", getattr(function, "attr", ""))
        if not isinstance(node, ast.Call) or called not in {"InputError", "Notice"}:
            continue
        arguments = {keyword.arg: keyword.value for keyword in node.keywords}
        code = node.args[0] if node.args else arguments.get("code")
        if not isinstance(code, ast.Constant):
            continue
        names: set[str] | None
        if called == "InputError":
            names = None if None in arguments else set(arguments) - {"code", "field"}
        else:
            values = node.args[2] if len(node.args) > 2 else arguments.get("values", ast.Dict([], []))
            known = isinstance(values, ast.Dict) and all(isinstance(k, ast.Constant) for k in values.keys)
            names = {key.value for key in values.keys} if known else None
        found.append((code.value, names, node.lineno))
    return found
