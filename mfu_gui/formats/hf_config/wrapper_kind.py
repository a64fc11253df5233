"""Wrapper: how a config that holds another config is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from mfu_gui.engine.model import ModelSpec
from mfu_gui.formats.hf_config.access import Config
from mfu_gui.formats.hf_config.bridges import Bridge, Sound

if TYPE_CHECKING:
    from mfu_gui.formats.hf_config.families.vision import Tower

Data = Mapping[str, Any]
Hearing = Callable[[Config, Config, int], Sound]
"""(wrapper, audio, hidden size of the text) -> tower for sound"""
Bridging = Callable[[Config, Config, "Tower", int], Bridge]
"""(wrapper, vision, tower, hidden size of the text) -> bridge"""


class Wrapper(NamedTuple):
    """How one wrapper is read: where its text is and of which type, and the tower with its bridge.

    ``text_keys`` is a path; a text that stands flat beside the tower has none. Without a tower only the text
    is read, and ``left_out`` names what is not.
    """

    text_keys: tuple[str, ...] = ("text_config",)
    text_type: str = "llama"
    tower: str = ""
    bridge: Bridging | None = None
    vision_key: str = "vision_config"
    left_out: tuple[str, ...] = ("vision_config",)
    same_name: bool = False
    """The text's own ``model_type`` is that of its wrapper, or missing."""
    tied: bool | None = None
    """Whether the class ties the head where the wrapper's file does not say; None: as the text says."""
    text_defaults: Data = MappingProxyType({})
    """Sizes of the text that the wrapper's class has in place of those of the text's own."""
    hearing: Hearing | None = None
    """How the tower for sound in ``audio_config`` is read."""
    beside: Callable[[Config, ModelSpec], ModelSpec] | None = None
    """What stands beside text and tower, from the wrapper's own level."""
