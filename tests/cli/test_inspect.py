"""`mfu-gui inspect`: what counting the operators of real model code gives, from the shell."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.conftest import DATA, SCENARIOS, Cli

MEASURED: list[dict[str, Any]] = json.loads((DATA / "ground_truth_flops.json").read_text(encoding="utf-8"))
FAMILIES = {"llama", "mistral", "mixtral", "qwen2", "qwen3", "qwen3_moe", "deepseek_v2", "deepseek_v3", "gemma2",
            "gemma3_text", "gpt2", "gpt_neox", "opt", "gpt_oss"}


def _plain(row: dict[str, Any]) -> bool:
    """Rows of the decoder families, in eager attention, trained whole, with the experts that a token uses."""
    return (row["model_type"] in FAMILIES and row["attn_implementation"] == "eager" and row["train_mode"] == "full"
            and row["experts_counted"] not in ("none", "all_experts") and "checkpointing" not in row["id"])


ROWS = [row for row in MEASURED if _plain(row)]


def test_the_measured_rows_span_the_families() -> None:
    assert len({row["model_type"] for row in ROWS}) >= 10


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_equal_to_the_measured_operators(cli: Cli, row: dict[str, Any]) -> None:
    done = cli("inspect", "-", "--sequence-length", str(row["seq_len"]), "--batch", str(row["batch"]),
               "--format", "json", stdin=json.dumps(row["config"]).encode())
    assert (done.status, done.err) == (0, "")
    result = done.json
    square = result["full_square"]
    forward, backward = row["flops_forward_breakdown"], row["flops_backward_breakdown"]
    assert square["forward"] == row["flops_forward"]
    assert square["forward_backward"] == row["flops_forward_backward"]
    assert square["components"] == {
        name: {"forward": flops, "forward_backward": flops + backward[name]} for name, flops in forward.items()}
    assert result["parameters"]["total"] == row["params_total"]
    assert result["parameters"]["components"] == row["params_breakdown"]
    assert result["model_type"] == row["model_type"]


def test_causal_is_the_base_convention(cli: Cli) -> None:
    result = cli("inspect", DATA / "hf_configs" / "deepseek-v3.json", "--sequence-length", "4096").json
    # 250.450 GFLOP with S/2 pairs and router (MaxText), of which S+1 over S pairs are exact.
    assert result["causal"]["forward_backward"] == 1025873440407552
    assert result["causal"]["forward"] * 3 == result["causal"]["forward_backward"]
    assert set(result) == {"model_type", "parameters", "full_square", "causal", "assumptions"}
    assert set(result["parameters"]) == {"total", "active", "checkpoint_total", "components"}


def test_assumptions_are_listed_with_their_field(cli: Cli) -> None:
    config = {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
              "intermediate_size": 128, "vocab_size": 100}
    assumptions = cli("inspect", "-", "--sequence-length", "8", stdin=json.dumps(config).encode()).json["assumptions"]
    assert assumptions
    assert all(set(entry) == {"code", "field", "message"} and entry["message"] for entry in assumptions)
    assert "num_key_value_heads" in {entry["field"] for entry in assumptions}


def test_a_preset_a_preset_file_and_a_scenario_are_models_too(cli: Cli, tmp_path: Any) -> None:
    from mfu_gui.formats.preset_file import encode_preset
    from mfu_gui.formats.presets import PresetStore

    by_id = cli("inspect", "deepseek-v3", "--sequence-length", "4096").json
    path = tmp_path / "mine.json"
    path.write_bytes(encode_preset(PresetStore().model("deepseek-v3")))
    assert cli("inspect", path, "--sequence-length", "4096").json == by_id
    scenario = cli("inspect", SCENARIOS / "deepseek-v3-2048-h800.mfu", "--sequence-length", "4096").json
    assert scenario["full_square"] == by_id["full_square"]
    assert by_id["model_type"] == "deepseek_v3"


def test_unknown_preset_offers_the_nearest(cli: Cli) -> None:
    done = cli("inspect", "llama-3.1-80b", "--sequence-length", "4096")
    assert (done.status, done.out) == (2, "")
    assert "llama-3.1-8" in done.err.split("did you mean")[1]


def test_unknown_model_type_is_refused_by_name(cli: Cli) -> None:
    done = cli("inspect", "-", "--sequence-length", "8", stdin=b'{"model_type": "my_own_model"}')
    assert (done.status, done.out) == (2, "")
    assert "my_own_model" in done.err
    assert "These can: " in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(("arguments", "word"), [
    ((), "--sequence-length"),
    (("--sequence-length", "-5"), "whole number"),
    (("--sequence-length", "1e3"), "whole number"),
    (("--sequence-length", "9" * 400), "whole number"),
    (("--sequence-length", "٤٠٩٦"), "whole number"),
    (("--sequence-length", "128", "--batch", "x"), "--batch"),
    (("--sequence-length", "128", "--format", "yaml"), "yaml"),
    (("--sequence-length",), "--sequence-length"),
])
def test_arguments_that_cannot_be(cli: Cli, arguments: tuple[str, ...], word: str) -> None:
    done = cli("inspect", "deepseek-v3", *arguments)
    assert (done.status, done.out) == (2, "")
    assert word in done.err
    assert "mfu-gui inspect --help" in done.err
    assert done.err.count("\n") == 1


def test_no_tokens_are_for_models_of_images_only(cli: Cli) -> None:
    done = cli("inspect", "deepseek-v3", "--sequence-length", "0")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("--sequence-length: ")
    vision = next(row for row in MEASURED if row["model_type"] == "vit" and row["attn_implementation"] == "eager")
    counted = cli("inspect", "-", "--sequence-length", "0", "--batch", str(vision["batch"]),
                  stdin=json.dumps(vision["config"]).encode()).json
    assert counted["full_square"]["forward_backward"] == vision["flops_forward_backward"]


def test_a_missing_length_is_named_by_its_argument(cli: Cli) -> None:
    config = next(row["config"] for row in MEASURED if row["model_type"] == "t5")
    done = cli("inspect", "-", "--sequence-length", "64", stdin=json.dumps(config).encode())
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("--decoder-sequence-length: ")


@pytest.mark.parametrize(("language", "words"), [("en", ["Parameters", "671,026,404,352", "Routed experts"]),
                                                 ("zh", ["参数量", "671,026,404,352", "专家"])])
def test_text(cli: Cli, language: str, words: list[str]) -> None:
    out = cli("inspect", "deepseek-v3", "--sequence-length", "4096", "--format", "text", "--lang", language).out
    assert all(word in out for word in words)
