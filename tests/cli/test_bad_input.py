"""Input that cannot be used: exit status 2, one line that names the place, nothing on standard output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import SCENARIOS, Cli, Done

GOOD = (SCENARIOS / "deepseek-v3-2048-h800.mfu").read_bytes()


def refused(done: Done, *words: str) -> None:
    assert done.status == 2, done
    assert done.out == ""
    assert done.err.endswith("\n")
    assert done.err.count("\n") == 1, done.err
    assert len(done.err) < 600
    assert "Traceback" not in done.err
    for word in words:
        assert word in done.err, done.err


def changed(path: str, value: Any) -> bytes:
    """The good scenario with the value at a dotted path replaced."""
    whole = json.loads(GOOD)
    *keys, last = path.split(".")
    part = whole
    for key in keys:
        part = part.setdefault(key, {})
    part[last] = value
    return json.dumps(whole).encode()


def raw(old: bytes, new: bytes) -> bytes:
    assert old in GOOD
    return GOOD.replace(old, new)


def step_time(value: bytes) -> bytes:
    return raw(b'"step_time_s": 19.926', b'"step_time_s": ' + value)


BROKEN: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "empty": (b"", ("empty",)),
    "only spaces": (b" \n\t ", ("empty",)),
    "truncated": (GOOD[:-40], ("too early",)),
    "truncated in a word": (b'{"kind": tru', ("too early",)),
    "not JSON": (b"model: deepseek-v3", ("not JSON", "line 1, column 1")),
    "single quotes": (b"{'kind': 'mfu-scenario'}", ("not JSON", "column 2")),
    "trailing comma": (raw(b'"schema": 1,', b'"schema": 1,}'), ("line 3",)),
    "two values": (GOOD + b"{}", ("not JSON",)),
    "a comment": (raw(b'"schema": 1,', b'"schema": 1, // one'), ("line 3",)),
    "UTF-16": (GOOD.decode().encode("utf-16"), ("UTF-8",)),
    "Latin-1": (raw(b"Zhao", b"Zh\xe4o"), ("UTF-8",)),
    "GBK": ("{\"name\": \"方案\"}".encode("gbk"), ("UTF-8",)),
    "NUL": (b"\x00" * 64, ()),
    "duplicate key": (raw(b'"devices": 2048,', b'"devices": 2048, "devices": 512,'), ("devices", "twice")),
    "deep list": (b"[" * 100_000, ("nested",)),
    "deep object": (b'{"a":' * 100_000, ("nested",)),
    "deep and closed": (b"[" * 5000 + b"]" * 5000, ("nested",)),
    "a list": (b"[]", ()),
    "a number": (b"7", ()),
    "null": (b"null", ()),
    "NaN": (step_time(b"NaN"), ("finite", "NaN")),
    "Infinity": (step_time(b"Infinity"), ("finite",)),
    "-Infinity": (step_time(b"-Infinity"), ("finite",)),
    "1e400": (step_time(b"1e400"), ("1e400",)),
    "5000 digits": (step_time(b"9" * 5000), ()),
    "negative": (step_time(b"-19.926"), ("step_time_s", "above zero")),
    "zero": (step_time(b"0"), ("step_time_s",)),
    "text for a number": (step_time(b'"19.926"'), ("step_time_s", "number", "text")),
    "fraction for an integer": (raw(b'"devices": 2048', b'"devices": 20.5'), ("devices", "whole number")),
    "true for a number": (raw(b'"devices": 2048', b'"devices": true'), ("devices",)),
    "another kind": (raw(b'"mfu-scenario"', b'"mfu-model"'), ("mfu-model", "mfu-scenario")),
    "no kind": (raw(b'"kind": "mfu-scenario",', b""), ("kind",)),
    "newer schema": (raw(b'"schema": 1', b'"schema": 2'), ("newer", "2")),
    "schema as text": (raw(b'"schema": 1', b'"schema": "1"'), ("schema",)),
    "unknown key": (raw(b'"devices"', b'"devises"'), ("devises", "devices")),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_scenario(cli: Cli, name: str) -> None:
    data, words = BROKEN[name]
    refused(cli("compute", "-", stdin=data), *words)


@pytest.mark.parametrize("name", BROKEN)
def test_broken_config(cli: Cli, name: str) -> None:
    """The same files where a config.json is expected: none of them is one."""
    data, _ = BROKEN[name]
    refused(cli("inspect", "-", "--sequence-length", "128", stdin=data))


@pytest.mark.parametrize(("path", "value", "words"), [
    ("model", {"preset": "deepseek-v33"}, ("deepseek-v33", "deepseek-v3")),
    ("model", {"preset": "../../etc/passwd"}, ("model",)),
    ("model", {"preset": "llama", "spec": {}}, ("model",)),
    ("model", {}, ("model", "preset", "hf_config", "spec")),
    ("model", "deepseek-v3", ("model",)),
    ("model", {"hf_config": {"model_type": "llamma"}}, ("llamma",)),
    ("model", {"hf_config": {}}, ("model_type",)),
    ("model", {"hf_config": {"model_type": "llama", "hidden_size": -1}}, ("hidden_size",)),
    ("model", {"spec": {"stacks": []}}, ("stacks",)),
    ("hardware", {"preset": "nvidia-h900"}, ("nvidia-h900", "nvidia-h")),
    ("hardware.peak_tflops", -1, ("peak_tflops",)),
    ("hardware.peak_kind", "dens", ("dens", "dense")),
    ("hardware.precision_mix", {"fp8": 0.5}, ("precision_mix",)),
    ("run.precision", "bf61", ("bf61", "bf16")),
    ("run.measured", {"step_time_s": 1, "mfu": 0.5}, ("measured",)),
    ("run.measured", {}, ("measured",)),
    ("run.measured", {"mfu": 40}, ("mfu",)),
    ("run.sequence_length", 0, ("sequence_length",)),
    ("run.devices", 10**30, ("devices",)),
    ("run.recompute", "fulll", ("fulll", "full")),
    ("run.recompute", {"repeat": {"atention_qk": 1}}, ("atention_qk",)),
    ("run.recompute", {"repeat": {"*": -1}}, ("recompute",)),
    ("run.document_lengths", [4096, 4096], ("document_lengths",)),
    ("run.multi_token_prediction", 65, ("multi_token_prediction",)),
    ("convention", {"id": "megatron"}, ("megatron", "megatron-lm")),
    ("convention", {"id": "matmul-full", "options": {"ruter": False}}, ("ruter", "router")),
    ("convention", {"id": "matmul-full", "options": {"router": "no"}}, ("router",)),
    ("convention", {"id": "maxtext@2019-01"}, ("maxtext@2019-01",)),
    ("reported", {"mfu": -1}, ("reported",)),
    ("name", 7, ("name",)),
])
def test_value_that_cannot_be(cli: Cli, path: str, value: Any, words: tuple[str, ...]) -> None:
    refused(cli("compute", "-", stdin=changed(path, value)), *words)


def test_values_in_a_message_stay_on_one_line_and_short(cli: Cli) -> None:
    refused(cli("compute", "-", stdin=changed("convention", {"id": "x\n\r\x1b[31m" + "y" * 10_000})))


def test_peak_that_the_device_does_not_have(cli: Cli) -> None:
    whole = json.loads(GOOD)
    whole["hardware"] = {"preset": "google-tpu-v4"}
    whole["run"]["precision"] = "fp8"
    refused(cli("compute", "-", stdin=json.dumps(whole).encode()), "run.precision", "fp8", "bf16")


def test_very_large_file(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "large.mfu"
    with path.open("wb") as file:
        file.truncate(100 * 2**20)
    refused(cli("compute", path), "large.mfu", "100 MiB")
    refused(cli("inspect", path, "--sequence-length", "1"), "large.mfu", "100 MiB")


def test_large_standard_input(cli: Cli) -> None:
    refused(cli("compute", "-", stdin=b" " * (70 * 2**20)), "stdin", "64")


@pytest.mark.parametrize("command", [("compute",), ("inspect", "--sequence-length", "9")])
def test_files_that_cannot_be_read(cli: Cli, tmp_path: Path, command: tuple[str, ...]) -> None:
    name, *options = command
    refused(cli(name, tmp_path / "missing.mfu", *options), "missing.mfu", "no such file")
    refused(cli(name, tmp_path / "a" / "b.json", *options), "b.json")
    refused(cli(name, str(tmp_path), *options), "folder")
    refused(cli(name, "/dev/null", *options))


@pytest.mark.parametrize(("language", "word"), [("en", "whole number"), ("zh", "整数")])
def test_messages_speak_the_language(cli: Cli, language: str, word: str) -> None:
    data = raw(b'"devices": 2048', b'"devices": 20.5')
    refused(cli("compute", "-", "--lang", language, stdin=data), "run.devices", word)


def test_nothing_of_the_input_is_printed_before_it_is_refused(cli: Cli) -> None:
    for form in ("json", "text", "csv", "markdown"):
        refused(cli("compute", "-", "--format", form, stdin=changed("convention", {"id": "nope"})))
