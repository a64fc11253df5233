"""What the window says about results: formulas for tooltips, and names of components.  No Qt here."""

from __future__ import annotations

from mfu_gui.formats.formulas import (
    flops_formula,
    hfu_formula,
    mfu_formula,
    plain_sentence,
    range_text,
    share,
    step_formula,
    tflops_formula,
    tokens_formula,
)
from mfu_gui.texts import Translator
from mfu_gui.texts.components import COMPONENTS

__all__ = [
    "component_name",
    "flops_formula",
    "hfu_formula",
    "mfu_formula",
    "plain_sentence",
    "range_text",
    "share",
    "step_formula",
    "tflops_formula",
    "tokens_formula",
]

def component_name(name: str, tr: Translator) -> str:
    """What a component of the ledger is called on the screen."""
    known = COMPONENTS.get(name)
    return tr(known) if known is not None else name.replace("_", " ").capitalize()
