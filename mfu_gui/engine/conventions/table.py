"""All conventions, in the order in which they are shown: base, papers, frameworks."""

from __future__ import annotations

from msgspec.structs import replace

from mfu_gui.engine.conventions.base import Convention
from mfu_gui.engine.conventions.parts import LANGUAGE_MODELS_ONLY, TOWER_LEFT_OUT
from mfu_gui.engine.conventions.rewrites import LANGUAGE_PART
from mfu_gui.engine.conventions.table_base import DERIVATIONS, PAPERS
from mfu_gui.engine.conventions.table_jax import JAX, LEVANTER
from mfu_gui.engine.conventions.table_nvidia import FORMS_2021, MEGATRON
from mfu_gui.engine.conventions.table_pytorch import (
    LINGUA,
    MORE_PYTORCH,
    NANOGPT,
    PRIME_RL,
    PYTORCH,
    SMALL_PYTORCH,
)
from mfu_gui.engine.conventions.table_shapes import COLOSSALAI, COOKBOOK, INTERNEVO, NANOTRON, PADDLENLP, SHAPE_FORMULAS
from mfu_gui.engine.conventions.table_tuning import LLAMA_FACTORY, SLIME, TRAINERS, TUNING


def _of_language_models(convention: Convention) -> Convention:
    """A formula for language models sees the language part of one with a vision tower."""
    if LANGUAGE_MODELS_ONLY not in convention.statuses:
        return convention
    return replace(convention, rewrites=(LANGUAGE_PART, *convention.rewrites),
                   statuses=(*convention.statuses, TOWER_LEFT_OUT))


CONVENTIONS: tuple[Convention, ...] = tuple(_of_language_models(convention) for convention in (
    *PAPERS, *FORMS_2021, *MEGATRON, *PYTORCH, *JAX, NANOGPT, *MORE_PYTORCH, *TUNING, LEVANTER, LINGUA, NANOTRON,
    *SMALL_PYTORCH, LLAMA_FACTORY, PADDLENLP, INTERNEVO, COLOSSALAI, *SHAPE_FORMULAS, *TRAINERS, PRIME_RL, SLIME,
    COOKBOOK, *DERIVATIONS,
))
