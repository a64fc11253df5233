"""Where the program's own read-only files are: presets, catalogues of texts, icons, fonts."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def _root() -> Path:
    """The folder of the resources.

    A wheel carries it inside the package, and a frozen bundle must be given it at the same place (Python
    gives the modules of a bundle a `__file__` under the bundle's folder); a checkout has it beside the
    package.
    """
    package = Path(__file__).resolve().parent
    installed = package / "_resources"
    return installed if installed.is_dir() else package.parent / "resources"


def resource_path(*parts: str) -> Path:
    """The path of a shipped file or folder, e.g. `resource_path("presets", "models")`.

    The parts are fixed words of the program, never taken from a file or from the user.
    """
    return _root().joinpath(*parts)
