"""The sentence for each code of an error or a notice, by area.

A code has one template or several; of several, the first one whose placeholders all have a value is used, so
the most telling one stands first and one that needs nothing, or the least, stands last. A sentence does not
name the field it is about (see `Translator.describe`). Values are written as JSON would; numbers can be given
a form of their own, as in `{implied_mfu:percent2}`.

A new area is a module with a dictionary `SENTENCES`, named in `_AREAS`.
"""

from __future__ import annotations

from mfu_gui.texts.sentences import (
    cli,
    conventions,
    engine,
    files,
    general,
    hf_config,
    logs,
    memory,
    plan,
    presets,
    steps,
    sweeps,
    window,
)
from mfu_gui.texts.sentences.engine import CAUSES
from mfu_gui.texts.sentences.general import KINDS

Templates = str | tuple[str, ...]

_AREAS = (general, files, engine, conventions, hf_config, presets, cli, window, logs, plan, memory, steps, sweeps)

SENTENCES: dict[str, Templates] = {code: text for area in _AREAS for code, text in area.SENTENCES.items()}

__all__ = ["CAUSES", "KINDS", "SENTENCES", "Templates"]
