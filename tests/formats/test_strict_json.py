"""JSON is read strictly, and what is refused is named with its place."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mfu_gui.engine.errors import InputError
from mfu_gui.formats import strict_json
from mfu_gui.texts import translator

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=25,
)


def refused(data: bytes, **options: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        strict_json.parse(data, "f.json", **options)
    assert caught.value.field == "f.json"
    return caught.value


@pytest.mark.parametrize(
    ("data", "code", "values"),
    [
        (b"", "empty_file", {}),
        (b" \r\n\t", "empty_file", {}),
        (b"\xef\xbb\xbf", "empty_file", {}),
        (b'{"a":\n 1,\n"b" 2}', "bad_json", {"line": 3, "column": 5, "found": "2", "place": "b"}),
        (b'{"run": {"devices": [1, 2 3]}}', "bad_json", {"column": 27, "found": "3", "place": "run.devices[1]"}),
        (b"{'a': 1}", "bad_json", {"column": 2, "found": "'"}),
        (b"{a: 1}", "bad_json", {"column": 2, "found": "a"}),
        (b'{"a": True}', "bad_json", {"column": 7, "found": "True", "place": "a"}),
        (b'{"a": 012}', "bad_json", {"column": 7, "found": "012"}),
        (b'{"a": .5}', "bad_json", {"column": 7, "found": ".5"}),
        (b'{"a": +1}', "bad_json", {"column": 7, "found": "+1"}),
        (b'{"a": 1.}', "bad_json", {"column": 7, "found": "1."}),
        (b"// comment\n{}", "bad_json", {"line": 1, "column": 1, "found": "/"}),
        (b"{} {}", "bad_json", {"column": 4, "found": "{"}),
        (b'{"a": 1}}', "bad_json", {"column": 9, "found": "}"}),
        (b'{"a": "x\ny"}', "bad_json", {"line": 1, "column": 9}),
        (b'{"a": "\\x"}', "bad_json", {"column": 8, "found": "\\"}),
        (b'{"a": "\\ud800"}', "bad_json", {"column": 7, "place": "a"}),
        (b'{"a": "\\ud800\\u0041"}', "bad_json", {"place": "a"}),
        (b'{"a": "\\udc00"}', "bad_json", {"place": "a"}),
        (b"<!DOCTYPE html>", "bad_json", {"line": 1, "column": 1, "found": "<"}),
        (b'{"a": 1,}', "trailing_comma", {"line": 1, "column": 8}),
        (b'{"a": [1,\n]}', "trailing_comma", {"line": 1, "column": 9, "place": "a[0]"}),
        (b'{"a": [1, 2', "truncated_json", {"line": 1, "column": 12, "place": "a[1]"}),
        (b'{"a": "unfinished', "truncated_json", {"column": 18}),
        (b'{"a": "\\u00', "truncated_json", {"column": 8}),
        (b'{"a": tru', "truncated_json", {"column": 7}),
        (b'{"a": -', "truncated_json", {"column": 7}),
        (b'{"a": 1e', "truncated_json", {"column": 7}),
        (b'{"a":', "truncated_json", {"column": 6}),
        (b"{", "truncated_json", {"column": 2}),
        (b'{"a": 1, "b": {"c": 1, "c": 2}}', "duplicate_key", {"key": "c", "column": 24, "place": "b.c"}),
        (b'{"\\u0061": 1, "a": 2}', "duplicate_key", {"key": "a"}),
        (b'{"x\\u003a": 1, "x:": 2}', "duplicate_key", {"key": "x:"}),
        (b'{"a": "\\u003a", "b": 1, "b": 2}', "duplicate_key", {"key": "b"}),
        (b'{"a": "\\u003A", "b": 1, "b": 2}', "duplicate_key", {"key": "b"}),
        (b'{"a": NaN}', "not_finite", {"value": "NaN", "place": "a"}),
        (b'{"a": [0, -Infinity]}', "not_finite", {"value": "-Infinity", "place": "a[1]"}),
        (b'{"a": 1e400}', "json_number_too_large", {"value": "1e400", "place": "a"}),
        (b'{"a": -1e999999}', "json_number_too_large", {"place": "a"}),
        (b'{"a": ' + b"9" * 5000 + b"}", "json_number_too_large", {"place": "a"}),
        (b'\xff\xfe{\x00"\x00', "not_utf8", {"encoding": "UTF-16"}),
        (b'\x00{\x00"\x00a', "not_utf8", {"encoding": "UTF-16"}),
        ("{}".encode("utf-32"), "not_utf8", {"encoding": "UTF-32"}),
        ('{\n"名": "\u00e4'.encode() + b'\xe4"}', "not_utf8", {"line": 2, "column": 8}),
        (b'{"a": "\xed\xa0\x80"}', "not_utf8", {"line": 1, "column": 8}),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "no_text_file", {}),
        (b"[" * 201 + b"]" * 201, "too_deep", {"limit": 200}),
        (b'{"a":' * 300_000, "too_deep", {"limit": 200, "line": 1, "column": 1001}),
    ],
    ids=lambda value: repr(value[:30]) if isinstance(value, bytes) else "",
)
def test_refuses(data: bytes, code: str, values: dict[str, Any]) -> None:
    error = refused(data)
    assert error.code == code
    assert {key: error.values.get(key) for key in values} == values


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    "data", [b"", b'{"a" 1}', b'{"a": 1,}', b'{"a": 1', b'{"a":1,"a":1}', b"[NaN]", b"[1e999]", b"\xff", b"[" * 999]
)
def test_each_refusal_is_one_clear_line(data: bytes, language: str) -> None:
    sentence = translator(language).describe(refused(data))
    assert "\n" not in sentence
    assert "{" not in sentence.replace("“{”", "")
    assert sentence.startswith("f.json: ")


def test_keeps_integers_of_any_size() -> None:
    number = 12345678901234567890123456789012345678901234567890
    assert strict_json.parse(f'{{"a": {number}, "b": -{number}}}'.encode()) == {"a": number, "b": -number}
    assert strict_json.parse(b"9" * 4000) == int("9" * 4000)


def test_accepts_a_byte_order_mark_and_the_deepest_nesting_allowed() -> None:
    assert strict_json.parse(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}
    deep = strict_json.parse(b"[" * 200 + b"]" * 200)
    for _ in range(199):
        deep = deep[0]
    assert deep == []


def test_many_brackets_are_not_deep() -> None:
    assert strict_json.parse(b"[" + b",".join([b"[]"] * 1000) + b"]") == [[]] * 1000
    assert strict_json.parse(b'["' + b"[" * 1000 + b'"]') == ["[" * 1000]


def test_same_key_in_different_objects_is_fine() -> None:
    assert strict_json.parse(b'{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}], "c:d": "e:f"}')["b"][1] == {"a": 2}


def test_infinity_only_where_it_is_allowed() -> None:
    value = strict_json.parse(b'{"a": Infinity, "b": [-Infinity, 1]}', allow_infinity=True)
    assert value == {"a": float("inf"), "b": [float("-inf"), 1]}
    assert refused(b'{"a": Infinity}').code == "not_finite"
    assert refused(b'{"a": NaN}', allow_infinity=True).code == "not_finite"
    assert refused(b'{"a": Infinity, "a": 1}', allow_infinity=True).code == "duplicate_key"


@given(JSON)
def test_reads_back_what_any_writer_writes(value: Any) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1), msgspec.json.encode(value)):
        data = text if isinstance(text, bytes) else text.encode(errors="surrogatepass")
        try:
            found = strict_json.parse(data)
        except InputError as error:
            # Half a surrogate pair is the one thing that Python writes and nobody can read.
            assert error.code in {"bad_json", "not_utf8"}  # noqa: PT017
            assert any(0xD800 <= ord(c) <= 0xDFFF for c in str(value) + json.dumps(value, ensure_ascii=False))
        else:
            assert found == value


@given(JSON, st.integers(0, 200), st.sampled_from([b"", b"{", b'"', b",", b"]", b"\xff", b"1e999", b":", b"nan"]))
def test_agrees_with_the_standard_library_on_what_is_json(value: Any, position: int, junk: bytes) -> None:
    """A damaged text is refused exactly when a strict reading by the standard library refuses it."""
    data = msgspec.json.encode(value)
    position = min(position, len(data))
    data = data[:position] + junk + data[position + len(junk) :]

    def refuse(*_: Any) -> Any:
        raise ValueError

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) < len(pairs):
            raise ValueError
        return dict(pairs)

    def finite(text: str) -> float:
        number = float(text)
        return number if abs(number) != float("inf") else refuse()

    try:
        expected = json.loads(data.decode(), object_pairs_hook=unique, parse_constant=refuse, parse_float=finite)
    except ValueError:
        refused(data)
    else:
        assert strict_json.parse(data) == expected


def test_refuses_what_is_no_ordinary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def code(path: Path, **options: int) -> str:
        with pytest.raises(InputError) as caught:
            strict_json.read_bytes(path, **options)
        assert caught.value.field == str(path)
        return caught.value.code

    assert code(tmp_path) == "is_folder"
    assert code(tmp_path / "nowhere.json") == "not_found"
    file = tmp_path / "file.json"
    file.write_bytes(b"{}" * 100)
    assert code(file / "below") == "not_found"
    assert code(file, limit=199) == "too_large"
    assert strict_json.read_bytes(file, limit=200) == b"{}" * 100
    assert code(Path("nul\0byte")) == "not_readable"
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert code(tmp_path / "pipe") == "special_file"
        with socket.socket(socket.AF_UNIX) as server:
            # The path of a socket may have 107 bytes.
            monkeypatch.chdir(tmp_path)
            server.bind("socket")
            assert code(tmp_path / "socket") == "special_file"
        assert code(Path("/dev/zero")) == "special_file"


def test_names_a_missing_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file.json"
    file.write_bytes(b"{}")

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match="no_permission"):
        strict_json.read_bytes(file)


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "huge.json"
    with file.open("wb") as huge:
        huge.truncate(100 * 2**20)
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("it was opened"))
    with pytest.raises(InputError) as caught:
        strict_json.load(file)
    assert (caught.value.code, caught.value.values["size"]) == ("too_large", 100 * 2**20)


def test_bytes_from_elsewhere_have_the_same_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_json, "MAX_BYTES", 10)
    assert refused(b'{"a": "bcdef"}').code == "too_large"


def test_a_large_broken_text_is_placed_by_line_and_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_json, "_LARGE", 64)
    filler = b'{"a": "' + b"x" * 100 + b'",\n '
    error = refused(filler + b"b: 1}")
    assert (error.code, error.values["line"], error.values["column"]) == ("bad_json", 2, 2)
    assert refused(filler + b'"b": 1').code == "truncated_json"
    assert refused(filler + b'"a": 1}').code == "duplicate_key"
    assert refused(filler + b'"b": NaN}').code == "bad_json"
    assert refused(filler + b'"b": "\xff"}').code == "not_utf8"
    assert refused(filler + b'"b": 1e999}').code == "json_number_too_large"
