"""`mfu-gui log`: the same result as text, JSON, JSON lines and CSV; a clear line for what is no log."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import DATA, Cli
from tests.cli.test_bad_input import refused

LOGS = DATA / "logs"
MEGATRON = LOGS / "megatron-lm" / "reference.log"
TITAN = LOGS / "torchtitan" / "reference.log"
SCENARIO = {"kind": "mfu-scenario", "schema": 1, "name": "", "model": {"preset": "llama-3-8b"},
            "hardware": {"preset": "nvidia-h100-sxm5-80gb", "peak_tflops": 989}, "convention": {"id": "torchtitan"},
            "run": {"precision": "bf16", "sequence_length": 8192, "devices": 8, "global_batch": 8}}


@pytest.fixture
def llama(tmp_path: Path) -> Path:
    path = tmp_path / "llama.mfu"
    path.write_text(json.dumps(SCENARIO))
    return path


def test_json_has_steps_and_figures(cli: Cli, llama: Path) -> None:
    whole = cli("log", TITAN, "--scenario", llama, "--format", "json").json
    assert (whole["kind"], whole["format"]["id"], whole["step_count"]) == ("mfu-log", "torchtitan", 3)
    assert [step["step"] for step in whole["steps"]] == [10, 20, 30]
    assert [step["tokens_per_s_per_device"] for step in whole["steps"]] == [5760, 5784, 7480]
    assert [step["reported_mfu"] for step in whole["steps"]] == [0.3373, 0.3387, None]
    assert whole["steps"][0]["mfu"] == pytest.approx(0.3373, abs=0.0001)
    assert whole["columns"]["tokens_per_s_per_device"]["origin"] == "read"
    assert "torchtitan" in whole["comparison"]["conventions"]
    assert whole["comparison"]["peak_tflops"] == pytest.approx(989, rel=1e-3)


def test_all_forms_say_the_same(cli: Cli) -> None:
    whole = cli("log", MEGATRON, "--format", "json").json
    rows = list(csv.DictReader(io.StringIO(cli("log", MEGATRON, "--format", "csv").out)))
    lines = [json.loads(line) for line in cli("log", MEGATRON, "--format", "jsonl").out.splitlines()]
    steps = [line for line in lines if line["type"] == "step"]
    assert [float(row["step_time_s"]) for row in rows] == [6.2, 6.15]
    assert [step["step_time_s"] for step in steps] == [step["step_time_s"] for step in whole["steps"]] == [6.2, 6.15]
    assert lines[0]["type"] == "log"
    assert lines[-1]["type"] == "summary"
    assert lines[-1]["statistics"] == whole["statistics"]
    assert [line["type"] for line in lines].index("points") < [line["type"] for line in lines].index("step")
    assert "6.175 s" in cli("log", MEGATRON, "--format", "text").out


def test_facts_of_the_header_make_a_scenario(cli: Cli) -> None:
    whole = cli("log", MEGATRON, "--format", "json").json
    assert whole["scenario"]["run"]["devices"] == 32
    assert whole["scenario"]["run"]["sequence_length"] == 4096


def test_questions_are_asked_and_answered(cli: Cli) -> None:
    path = LOGS / "megatron-bridge" / "reference.log"
    asked = [question["key"] for question in cli("log", path, "--format", "json").json["questions"]]
    assert asked == ["sequence_length", "global_batch", "devices"]
    answered = cli("log", path, "--format", "json", "--set", "devices=32", "--set", "sequence_length=4096",
                   "--set", "global_batch=256").json
    assert answered["questions"] == []
    assert answered["steps"][0]["tokens_per_s_per_device"] == pytest.approx(256 * 4096 / 6.2 / 32)


def test_skip_counts_as_warm_up(cli: Cli) -> None:
    whole = cli("log", MEGATRON, "--format", "json", "--skip", "1").json
    assert whole["statistics"]["warm_up"] == {"steps": 1, "chosen_by": "user"}
    assert whole["statistics"]["figures"]["step_time_s"]["median"] == 6.15


def test_standard_input(cli: Cli) -> None:
    done = cli("log", "-", "--format", "json", stdin=MEGATRON.read_bytes())
    assert done.json["format"]["id"] == "megatron-lm"


def test_a_mapping_is_saved_and_used(cli: Cli, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("n,seconds of a step,tokens\n" + "".join(f"{n},{2 + n / 100},{4096 * 64}\n" for n in range(1, 9)))
    mapping = tmp_path / "mapping.json"
    mapping.write_text(json.dumps({"kind": "mfu-log-mapping", "schema": 1, "columns": {
        "step": {"from": "n"}, "step_time_s": {"from": "seconds of a step", "unit": "s"},
        "tokens": {"from": "tokens"}}}))
    saved = tmp_path / "saved.json"
    whole = cli("log", table, "--mapping", mapping, "--save-mapping", saved, "--format", "json").json
    assert [step["step_time_s"] for step in whole["steps"]][:2] == [2.01, 2.02]
    assert json.loads(saved.read_text())["columns"]["step_time_s"]["from"] == "seconds of a step"


def test_two_formats_in_one_file(cli: Cli) -> None:
    both = TITAN.read_bytes() + (LOGS / "nanogpt" / "reference.log").read_bytes()
    whole = cli("log", "-", "--format", "json", stdin=both).json
    assert whole["format"]["id"] == "torchtitan"
    assert [other["id"] for other in whole["other_formats"]] == ["nanogpt"]
    assert "log_other_formats" in [warning["code"] for warning in whole["warnings"]]
    assert cli("log", "-", "--as", "nanogpt", "--format", "json", stdin=both).json["step_count"] == 2


BAD = {"binary": (bytes(range(256)) * 20, "neither text"), "empty": (b"", "empty"), "spaces": (b" \n\n", "empty"),
       "no timing": (b"hello\nworld\n", "Looked for: Hugging Face Trainer"),
       "near": (b" iteration       20/   10000 | lm loss: 6.1 |\n", "look like Megatron-LM"),
       "compressed": (gzip.compress(b"iter 1: loss 4, time 4ms, mfu 4%"), "gzip")}


@pytest.mark.parametrize("form", ["text", "json", "csv"])
@pytest.mark.parametrize("name", list(BAD))
def test_no_log(cli: Cli, name: str, form: str, tmp_path: Path) -> None:
    data, words = BAD[name]
    path = tmp_path / "some.log"
    path.write_bytes(data)
    refused(cli("log", path, "--format", form), "some.log", words)


def test_no_file(cli: Cli, tmp_path: Path) -> None:
    refused(cli("log", tmp_path), "folder")
    refused(cli("log", tmp_path / "none"), "no such file")
    refused(cli("log", MEGATRON, "--as", "megatron"), "megatron-lm")
    refused(cli("log", MEGATRON, "--set", "devices=many"), "devices")
    refused(cli("log", MEGATRON, "--follow"), "jsonl")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_named_pipe_is_not_waited_for(cli: Cli, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    refused(cli("log", pipe), "ordinary file")


def test_a_growing_file_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "growing.log"
    path.write_bytes(MEGATRON.read_bytes())
    line = path.read_bytes().splitlines(keepends=True)[-1]
    process = subprocess.Popen([sys.executable, "-m", "mfu_gui", "log", str(path), "--format", "jsonl", "--follow"],
                               stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        counts = []
        while len(counts) < 2:
            found = json.loads(process.stdout.readline())
            if found["type"] != "summary":
                continue
            counts.append(found["step_count"])
            if len(counts) == 1:
                with path.open("ab") as file:
                    file.write(line.replace(b"iteration       21", b"iteration       22"))
                time.sleep(0.01)
    finally:
        process.kill()
        process.stdout.close()
        process.wait()
    assert counts == [2, 3]
