"""Carries resources/ into the wheel as mfu_gui/_resources.

A hook rather than a static `force-include`, because that one also copies the folder beside an editable
installation, where it would go stale.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ResourcesHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":
            build_data["force_include"][str(Path(self.root, "resources"))] = "mfu_gui/_resources"
