"""All conventions, in the order in which they are shown: base, papers, frameworks."""

from __future__ import annotations

from mfu_gui.engine.conventions.base import Convention
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

CONVENTIONS: tuple[Convention, ...] = (
    *PAPERS, *FORMS_2021, *MEGATRON, *PYTORCH, *JAX, NANOGPT, *MORE_PYTORCH, *TUNING, LEVANTER, LINGUA, NANOTRON,
    *SMALL_PYTORCH, LLAMA_FACTORY, PADDLENLP, INTERNEVO, COLOSSALAI, *SHAPE_FORMULAS, *TRAINERS, PRIME_RL, SLIME,
    COOKBOOK, *DERIVATIONS,
)
