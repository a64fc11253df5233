"""`mfu-gui compute`: the contract of its JSON, its other forms, and what it must print."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from mfu_gui.texts.numbers import Numbers
from tests.cli.conftest import SCENARIOS, Cli

PARAMETERS = {"total", "active", "checkpoint_total", "components"}
FLOPS = {"per_token", "per_step", "forward", "backward", "recompute", "components"}
THROUGHPUT = {"step_time_s", "tokens_per_s", "tokens_per_s_per_device", "tflops_per_device"}
CONVENTION = {"id", "kind", "status", "reason", "flops_per_token", "tflops_per_device", "utilization"}
RESULT = {"kind", "schema", "name", "convention", "parameters", "flops", "throughput", "peak_tflops_per_device", "mfu",
          "hfu", "implied_mfu", "conventions", "warnings"}


def computed(cli: Cli, value: dict[str, Any], *more: str) -> Any:
    done = cli("compute", "-", "--format", "json", *more, stdin=json.dumps(value).encode())
    assert (done.status, done.err) == (0, "")
    return done.json


def percent(share: float, decimals: int) -> str:
    return Numbers("en").percent(share, decimals)


def test_deepseek_v3_by_the_conventions_of_its_paper(cli: Cli, scenario: dict[str, Any]) -> None:
    full = computed(cli, scenario)
    assert percent(full["mfu"], 2) == "43.73%"
    assert round(full["throughput"]["tflops_per_device"], 1) == 432.5
    scenario["convention"] = {"id": "megatron-lm"}
    causal = computed(cli, scenario)
    assert percent(causal["mfu"], 2) == "38.94%"
    assert round(causal["throughput"]["tflops_per_device"], 1) == 385.1
    assert causal["flops"]["per_token"] == 249812054016
    rows = {row["id"]: row for row in causal["conventions"]}
    assert percent(rows["matmul-causal"]["utilization"], 2) == "39.04%"
    assert percent(rows["matmul-full"]["utilization"], 2) == "43.83%"


@pytest.mark.parametrize(("file", "convention", "mfu", "hfu", "decimals"), [
    ("palm-540b-6144-tpu-v4.mfu", None, "46.2%", "57.8%", 1),
    ("gpt-3-175b-64-a100.mfu", None, "51.4%", "52.8%", 1),
    ("megascale-baseline-12288-a100.mfu", None, "41.26%", None, 2),
    ("gpt2-124m-nanogpt.mfu", "nanogpt", "37.15%", None, 2),
    ("gpt2-124m-nanogpt.mfu", "matmul-full", "37.14%", None, 2),
])
def test_published_runs(cli: Cli, file: str, convention: str | None, mfu: str, hfu: str | None, decimals: int) -> None:
    value = json.loads((SCENARIOS / file).read_text(encoding="utf-8"))
    if convention is not None:
        value["convention"] = {"id": convention}
    result = computed(cli, value)
    assert percent(result["mfu"], decimals) == mfu
    if hfu is not None:
        assert percent(result["hfu"], decimals) == hfu


def test_selective_recomputation_as_the_paper_describes_it(cli: Cli) -> None:
    value = json.loads((SCENARIOS / "gpt-3-175b-64-a100.mfu").read_text(encoding="utf-8"))
    value["run"]["recompute"] = "selective"
    assert percent(computed(cli, value)["hfu"], 2) == "51.85%"


def test_json_has_the_keys_of_the_contract(cli: Cli, scenario: dict[str, Any]) -> None:
    result = computed(cli, scenario)
    assert set(result) == RESULT
    assert (result["kind"], result["schema"]) == ("mfu-result", 1)
    assert result["convention"] == {"id": "matmul-full", "options": {"router": False}}
    assert set(result["parameters"]) == PARAMETERS
    assert set(result["flops"]) == FLOPS
    assert set(result["throughput"]) == THROUGHPUT
    assert all(set(part) == {"forward", "backward", "recompute"} for part in result["flops"]["components"].values())
    assert all(set(row) == CONVENTION for row in result["conventions"])
    assert {row["kind"] for row in result["conventions"]} == {"model", "hardware"}
    assert all(set(warning) == {"code", "field", "message"} for warning in result["warnings"])
    assert result["peak_tflops_per_device"] == 989.0


def test_figures_are_exact_integers_that_add_up(cli: Cli, scenario: dict[str, Any]) -> None:
    scenario["run"]["global_batch"] = 10**12
    scenario["run"]["measured"] = {"mfu": 0.5}
    flops = computed(cli, scenario)["flops"]
    assert flops["per_step"] == 280513609728 * 4096 * 10**12
    parts = flops["components"].values()
    assert sum(part["forward"] for part in parts) == flops["forward"]
    assert sum(part["backward"] for part in parts) == flops["backward"]
    assert flops["forward"] + flops["backward"] == flops["per_step"]


def test_what_is_not_known_is_null(cli: Cli, scenario: dict[str, Any]) -> None:
    run = scenario["run"]
    del run["measured"]
    nothing = computed(cli, scenario)
    assert nothing["throughput"] == dict.fromkeys(THROUGHPUT)
    assert (nothing["mfu"], nothing["hfu"], nothing["implied_mfu"]) == (None, None, None)
    assert nothing["flops"]["per_step"] > 0
    assert all(row["utilization"] is None for row in nothing["conventions"])
    del run["devices"], run["global_batch"]
    run["measured"] = {"tokens_per_s_per_device": 1541.7}
    one = computed(cli, scenario)
    assert percent(one["mfu"], 2) == "43.73%"
    assert one["throughput"]["tokens_per_s"] is None
    assert one["throughput"]["step_time_s"] is None
    assert one["flops"]["per_step"] is None
    assert one["flops"]["components"]["experts"] == {"forward": None, "backward": None, "recompute": None}


def test_more_than_the_peak_is_refused_as_mfu(cli: Cli, scenario: dict[str, Any]) -> None:
    scenario["run"]["measured"] = {"tokens_per_s_per_device": 3157410.0}
    result = computed(cli, scenario)
    assert result["mfu"] is None
    assert result["hfu"] is None
    assert result["implied_mfu"] == pytest.approx(895.5, rel=1e-3)
    warning = next(w for w in result["warnings"] if w["code"] == "mfu_above_one")
    assert "the throughput is that of all devices together" in warning["message"]


def test_a_hardware_convention_leaves_mfu_empty(cli: Cli) -> None:
    value = json.loads((SCENARIOS / "gpt-3-175b-64-a100.mfu").read_text(encoding="utf-8"))
    value["convention"] = {"id": "megatron-2021"}
    value["run"]["recompute"] = "none"
    result = computed(cli, value)
    assert result["mfu"] is None
    # 96-form: the layers four times, the head three times (Narayanan et al. 2021).
    assert percent(result["hfu"], 1) == "68.5%"
    assert [w["code"] for w in result["warnings"]] == ["hardware_convention"]


def test_an_undefined_convention_has_no_figures_but_a_reason(cli: Cli, scenario: dict[str, Any]) -> None:
    undefined = [row for row in computed(cli, scenario)["conventions"] if row["status"] == "undefined"]
    assert undefined
    for row in undefined:
        assert row["reason"]
        assert (row["flops_per_token"], row["tflops_per_device"], row["utilization"]) == (None, None, None)


def test_language_of_messages(cli: Cli, scenario: dict[str, Any]) -> None:
    english, chinese = (computed(cli, scenario, "--lang", language) for language in ("en", "zh"))
    assert english["mfu"] == chinese["mfu"]
    for one, other in zip(english["warnings"], chinese["warnings"], strict=True):
        assert (one["code"], one["field"]) == (other["code"], other["field"])
        assert one["message"] != other["message"]


@pytest.mark.parametrize(("language", "words"), [("en", ["MFU", "43.73%", "Hardware", "Conventions", "Routed experts"]),
                                                 ("zh", ["MFU", "43.73%", "硬件", "统计口径", "专家"])])
@pytest.mark.parametrize("form", ["text", "markdown"])
def test_report_for_people(cli: Cli, form: str, language: str, words: list[str]) -> None:
    done = cli("compute", SCENARIOS / "deepseek-v3-2048-h800.mfu", "--format", form, "--lang", language)
    assert done.status == 0
    assert all(word in done.out for word in words)
    assert done.out.endswith("\n")
    assert not any(line != line.rstrip() for line in done.out.splitlines())


def test_columns_of_the_report_line_up(cli: Cli) -> None:
    from mfu_gui.formats.text_table import width

    out = cli("compute", SCENARIOS / "deepseek-v3-2048-h800.mfu", "--format", "text", "--lang", "zh").out
    section = out.split("一步的浮点运算量\n")[1].split("\n\n")[0].splitlines()
    assert len({width(line) for line in section}) == 1


def test_csv_is_one_figure_a_line_and_no_formula(cli: Cli, scenario: dict[str, Any]) -> None:
    scenario["name"] = "=HYPERLINK(1)"
    done = cli("compute", "-", "--format", "csv", stdin=json.dumps(scenario).encode())
    rows = list(csv.reader(io.StringIO(done.out)))
    assert rows[0] == ["section", "name", "figure", "value"]
    assert {len(row) for row in rows} == {4}
    figures = {tuple(row[:3]): row[3] for row in rows}
    assert figures["parameters", "", "total"] == "671026404352"
    assert figures["conventions", "megatron-lm", "flops_per_token"] == "249812054016.0"
    assert figures["result", "'=HYPERLINK(1)", "mfu"].startswith("0.43727")
    assert not any(cell.startswith("=") for row in rows for cell in row)


def test_markdown_of_a_hostile_name_stays_text(cli: Cli, scenario: dict[str, Any]) -> None:
    scenario["model"] = {"spec": {"name": "<b>|x|\n# y", "vocabulary": 9, "stacks": [
        {"hidden_size": 8, "kinds": [{"ffns": [{"type": "dense", "width": 8}]}], "order": [["layer", 1]]}]}}
    done = cli("compute", "-", "--format", "markdown", stdin=json.dumps(scenario).encode())
    assert done.status == 0
    assert "<b>" not in done.out
    assert r"\<b\>\|x\|" in done.out


def test_default_form_is_json_for_programs(cli: Cli) -> None:
    assert cli("compute", SCENARIOS / "gpt2-124m-nanogpt.mfu").json["kind"] == "mfu-result"


def test_file_and_standard_input_give_the_same(cli: Cli, tmp_path: Path) -> None:
    path = SCENARIOS / "gpt2-124m-nanogpt.mfu"
    copy = tmp_path / "方案 ü.mfu"
    copy.write_bytes(path.read_bytes())
    assert cli("compute", copy).out == cli("compute", "-", stdin=path.read_bytes()).out
