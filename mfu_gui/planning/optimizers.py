"""Optimizer recipes: how many bytes each copy of a parameter takes.

A name alone is ambiguous (16, 18 and 20 bytes are all called mixed-precision Adam), so every column
can be changed.  Sources beside each recipe.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import N_
from mfu_gui.planning.spec import MemorySpec

MASTER_BYTES = 4.0


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes of one trained parameter: ``weight`` and ``gradient`` of its working copies, ``optimizer``
    of everything that steps need beside them, the fp32 master copy included.

    ``matrix_optimizer`` is what hidden matrices take instead (Muon).  ``factored`` recipes keep rows and
    columns of the second moment, 4 bytes each, on top (Adafactor).  ``gathered`` is what a ZeRO-3 unit
    takes while it is gathered.
    """

    id: str
    label: str
    weight: float
    gradient: float
    optimizer: float
    matrix_optimizer: float | None = None
    factored: bool = False
    frozen_weight: float = 2.0
    gathered: float = 2.0
    source: str

    @property
    def total(self) -> float:
        """Bytes of one parameter of a table or norm, unsharded."""
        return self.weight + self.gradient + self.optimizer


ZERO = "Rajbhandari et al. 2019, arXiv 1910.02054, section 3.1"
RECIPES: tuple[Recipe, ...] = (
    Recipe(id="fp32-adam", label=N_("Adam in fp32, 16 bytes"), weight=4, gradient=4, optimizer=8, frozen_weight=4,
           gathered=4, source="4 bytes each of weight, gradient and two moments"),
    Recipe(id="mixed-adam-16", label=N_("Mixed Adam, 16 bytes"), weight=2, gradient=2,
           optimizer=12, source=ZERO),
    Recipe(id="mixed-adam-18", label=N_("Mixed Adam, 18 bytes"), weight=2, gradient=4,
           optimizer=12, source="Megatron-LM with bf16, theoretical_memory_usage"),
    Recipe(id="mixed-adam-20", label=N_("Mixed Adam, 20 bytes"), weight=2, gradient=6,
           optimizer=12, source="DeepSpeed with fp32 gradient accumulation"),
    Recipe(id="fsdp-adam", label=N_("FSDP Adam, 16 bytes"), weight=4, gradient=4,
           optimizer=8, frozen_weight=4, source="PyTorch FSDP with mixed precision"),
    Recipe(id="adam-8bit", label=N_("8-bit Adam, 12 bytes"), weight=2, gradient=4,
           optimizer=MASTER_BYTES + 2 * (1 + 4 / 2048),
           source="Dettmers et al. 2021, arXiv 2110.02861: blocks of 2048 values with one fp32 scale"),
    Recipe(id="bf16-adam", label=N_("Adam in bf16, 8 bytes"), weight=2, gradient=2, optimizer=4,
           source="2 bytes each of weight, gradient and two moments"),
    Recipe(id="adafactor", label=N_("Adafactor, 10 bytes"), weight=2, gradient=4,
           optimizer=MASTER_BYTES, factored=True, source="Shazeer and Stern 2018, arXiv 1804.04235"),
    Recipe(id="muon", label=N_("Muon, 14 and 18 bytes"), weight=2, gradient=4,
           optimizer=12, matrix_optimizer=8, source="Liu et al. 2025, arXiv 2502.16982: one momentum a matrix"),
    Recipe(id="sgd-momentum", label=N_("SGD, 14 bytes"), weight=2, gradient=4, optimizer=8,
           source="fp32 master and one momentum"),
    Recipe(id="lora", label=N_("LoRA, 2 and 16 bytes"), weight=2, gradient=2,
           optimizer=12, source="Hu et al. 2021, arXiv 2106.09685"),
    Recipe(id="qlora", label=N_("QLoRA, 0.5 and 16 bytes"), weight=2, gradient=2,
           optimizer=12, frozen_weight=0.5 + 0.127 / 8,
           source="Dettmers et al. 2023, arXiv 2305.14314: 0.127 bits a parameter for double-quantized scales"),
    Recipe(id="deepseek-v3", label=N_("DeepSeek-V3, 15 bytes"), weight=3,
           gradient=4, optimizer=8, source="DeepSeek-AI 2024, arXiv 2412.19437, section 3.3.2"),
)
BY_ID: dict[str, Recipe] = {recipe.id: recipe for recipe in RECIPES}
ADAPTER_RECIPES = frozenset({"lora", "qlora"})

Copy = Literal["weight", "gradient", "optimizer"]


def recipe_of(spec: MemorySpec) -> Recipe:
    """The recipe that ``spec`` names, with the bytes it gives in place of its own.

    InputError ``unknown_choice`` for a name that there is none of.
    """
    recipe = BY_ID.get(spec.optimizer)
    if recipe is None:
        raise InputError("unknown_choice", "plan.memory.optimizer", value=spec.optimizer, allowed=", ".join(BY_ID))
    changes: dict[str, float | None] = {}
    if spec.weight_bytes is not None:
        changes["weight"] = spec.weight_bytes
    if spec.gradient_bytes is not None:
        changes["gradient"] = spec.gradient_bytes
    if spec.optimizer_bytes is not None:
        changes["optimizer"] = spec.optimizer_bytes
        changes["matrix_optimizer"] = None
    if spec.frozen_weight_bytes is not None:
        changes["frozen_weight"] = spec.frozen_weight_bytes
    return msgspec.structs.replace(recipe, **changes) if changes else recipe
