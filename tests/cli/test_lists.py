"""`conventions`, `presets` and `schema`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mfu_gui.engine.conventions import CONVENTIONS
from tests.cli.conftest import DATA, Cli

KEYS = {"id", "title", "source", "valid_from", "kind", "status", "reason", "options", "flops_per_token",
        "flops_per_step"}


def test_list_of_conventions(cli: Cli) -> None:
    rows = cli("conventions").json
    assert [row["id"] for row in rows] == [convention.id for convention in CONVENTIONS]
    assert all(set(row) == KEYS for row in rows)
    assert all(row["title"] and row["source"] for row in rows)
    assert all(row["status"] is None and row["flops_per_token"] is None for row in rows)
    options = {row["id"]: row["options"] for row in rows}
    assert options["matmul-full"]["router"] is True


def test_conventions_of_a_model(cli: Cli) -> None:
    config = DATA / "hf_configs" / "deepseek-v3.json"
    done = cli("conventions", config, "--sequence-length", "4096", "--batch", "15360")
    assert done.err == ""
    rows = {row["id"]: row for row in done.json}
    assert rows["megatron-lm"]["flops_per_token"] == 249812054016
    assert rows["megatron-lm"]["flops_per_step"] == 249812054016 * 4096 * 15360
    assert rows["matmul-full"]["status"] == "sound"
    assert rows["6n"]["status"] == "quirk"
    assert all(row["reason"] for row in rows.values() if row["status"] != "sound")
    undefined = [row for row in rows.values() if row["status"] == "undefined"]
    assert undefined
    assert all(row["flops_per_token"] is None and row["flops_per_step"] is None for row in undefined)


def test_sequence_length_is_that_of_the_training_where_known(cli: Cli) -> None:
    of_preset = cli("conventions", "gpt-3-175b-megatron")
    assert "2,048" in of_preset.err
    explicit = cli("conventions", "gpt-3-175b-megatron", "--sequence-length", "2048")
    assert explicit.err == ""
    assert of_preset.json == explicit.json


def test_usual_sequence_length_is_said(cli: Cli) -> None:
    config = DATA / "hf_configs" / "llama-3.2-1b.json"
    done = cli("conventions", config)
    assert "4,096" in done.err
    assert "--sequence-length" in done.err
    assert done.json == cli("conventions", config, "--sequence-length", "4096").json


@pytest.mark.parametrize("arguments", [("conventions",), ("conventions", "deepseek-v3", "--sequence-length", "8")])
@pytest.mark.parametrize(("language", "word"), [("en", "Megatron"), ("zh", "matmul-causal")])
def test_conventions_as_text(cli: Cli, arguments: tuple[str, ...], language: str, word: str) -> None:
    done = cli(*arguments, "--format", "text", "--lang", language)
    assert done.status == 0
    assert len(done.out.splitlines()) > len(CONVENTIONS)
    assert word in done.out or "megatron-lm" in done.out


def test_presets(cli: Cli) -> None:
    every, models, hardware = (cli("presets", *kind).json for kind in ((), ("models",), ("hardware",)))
    assert every == models + hardware
    assert {row["kind"] for row in models} == {"mfu-model"}
    assert {row["kind"] for row in hardware} == {"mfu-hardware"}
    ids = [row["id"] for row in every]
    assert len(ids) == len(set(ids))
    assert {"deepseek-v3", "gpt-3-175b-megatron", "nvidia-h800-sxm5-80gb", "google-tpu-v4"} <= set(ids)


def test_presets_of_the_user_come_too_and_broken_ones_are_named(cli: Cli, profile: Path) -> None:
    folder = profile / "presets" / "hardware"
    folder.mkdir(parents=True)
    mine = {"kind": "mfu-hardware", "schema": 1, "id": "my-card", "name": "My card", "source": "own measurement",
            "spec": {"peak_tflops": {"bf16": 100}}}
    (folder / "my-card.json").write_text(json.dumps(mine), encoding="utf-8")
    (folder / "bad.json").write_text("{", encoding="utf-8")
    done = cli("presets", "hardware")
    assert done.status == 0
    assert next(row for row in done.json if row["id"] == "my-card")["shipped"] is False
    assert "bad.json" in done.err
    assert done.err.count("\n") == 1


def test_presets_as_text(cli: Cli) -> None:
    out = cli("presets", "--format", "text").out
    line = next(line for line in out.splitlines() if line.startswith("nvidia-h100-sxm5-80gb"))
    assert "989" in line
    assert "deepseek-v3 " in out


@pytest.mark.parametrize("kind", ["model", "hardware", "scenario", "workspace"])
def test_schema(cli: Cli, kind: str) -> None:
    schema: dict[str, Any] = cli("schema", kind).json
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert f"mfu-{kind}" in json.dumps(schema)
    assert msgspec.json.decode(cli("schema", kind).out) == schema


def test_schema_of_something_else(cli: Cli) -> None:
    done = cli("schema", "sceanrio")
    assert (done.status, done.out) == (2, "")
    assert "scenario" in done.err
