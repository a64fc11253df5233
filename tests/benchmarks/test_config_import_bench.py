"""Reading a config.json: the goal is 5 ms for the largest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mfu_gui.formats.hf_config import read_config

CONFIGS = Path(__file__).resolve().parents[1] / "data" / "hf_configs"


NAMES = ["llama-3.2-1b", "deepseek-v3", "gemma-4-26b-a4b", "nemotron-h-56b", "qwen3.5-397b-a17b"]


@pytest.mark.parametrize("name", NAMES)
def test_read_config(benchmark: Any, name: str) -> None:
    config = json.loads((CONFIGS / f"{name}.json").read_text("utf-8"))
    benchmark(read_config, config)
