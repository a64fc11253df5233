"""Llama's and Mistral's params.json, which have no ``model_type``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.model import ModelSpec


def read_params(data: Mapping[str, Any]) -> tuple[ModelSpec, tuple[Notice, ...], str]:
    """A params.json by its keys; anything else without a ``model_type`` is refused."""
    raise InputError("model_type_missing", "model_type")
