"""Which part of the forward is executed again, by component.

Sources: Korthikanti et al. 2022, arXiv 2205.05198 (selective, full, and the factor its tables were
made with); Chowdhery et al. 2022, arXiv 2204.02311, section 4.1 (PaLM repeats 75 % of everything
outside attention scores, and those once).
"""

from __future__ import annotations

from fractions import Fraction

from msgspec.structs import replace

from mfu_gui.engine.conventions.reading import Number, Row
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.model_edit import replace_main
from mfu_gui.engine.run import Recompute, RunSpec

CORE_ONCE = {"attention_qk": Fraction(1), "attention_av": Fraction(1)}
NAMED: dict[str, dict[str, Fraction]] = {
    "none": {},
    "selective": CORE_ONCE,
    "full": {"*": Fraction(1)},
    "full-with-head": {"*": Fraction(1), "lm_head": Fraction(1)},
    "palm": {"*": Fraction(3, 4), "lm_head": Fraction(3, 4), **CORE_ONCE},
    "korthikanti-printed": {"attention_qk": Fraction(3), "attention_av": Fraction(3)},
}


def repeats(run: RunSpec) -> dict[str, Fraction]:
    """Share of each component's forward that runs again; ``*`` for the components of layers not named."""
    if isinstance(run.recompute, Recompute):
        return {name: Fraction(str(share)) for name, share in run.recompute.repeat.items()}
    return NAMED[run.recompute]


def share_of(row: Row, shares: dict[str, Fraction]) -> Fraction:
    """Share of ``row`` that runs again."""
    share = shares.get(row.source)
    if share is None:
        share = shares.get(row.component)
    if share is None and row.in_layer:
        share = shares.get("*")
    return share if share is not None else Fraction(0)


def first_layers(model: ModelSpec, count: int) -> ModelSpec | None:
    """The model cut after ``count`` layers of its main stack; None when nothing is left."""
    order: list[tuple[str, int]] = []
    for run in model.main.order:
        name, times = run
        take = min(times, count)
        if take:
            order.append(run if take == times else (name, take))
        count -= take
    if not order:
        return None
    return replace_main(model, replace(model.main, order=tuple(order)))


def to_integer(value: Number) -> int:
    """The nearest integer (half to even) of an exact value."""
    return value if isinstance(value, int) else round(value)
