"""Parameters and FLOPs of a model for one batch: the exact counts behind ``mfu-gui inspect``.

Equal, component by component, to what counting the operators of real model code gives (full square).
"""

from __future__ import annotations

import msgspec

from mfu_gui.engine.conventions import find
from mfu_gui.engine.evaluate import count
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.scenario import Parameters


class ForwardBackward(msgspec.Struct, frozen=True):
    """Integers of FLOPs for the whole batch."""

    forward: int
    forward_backward: int


class Square(msgspec.Struct, frozen=True):
    """FLOPs under one rule for query-key pairs, in all and by component."""

    forward: int
    forward_backward: int
    components: dict[str, ForwardBackward]


class Inspection(msgspec.Struct, frozen=True):
    """What ``inspect`` finds."""

    parameters: Parameters
    full_square: Square
    causal: Square


def inspect(model: ModelSpec, run: RunSpec, *, as_executed: bool = False) -> Inspection:
    """Count ``model`` for ``run`` (a missing global batch counts as 1)."""
    return Inspection(ledger(model).parameters, _square(model, run, "matmul-full", as_executed),
                      _square(model, run, "matmul-causal", as_executed))


def _square(model: ModelSpec, run: RunSpec, convention_id: str, as_executed: bool) -> Square:
    run = msgspec.structs.replace(run, global_batch=run.global_batch or 1)
    flops, _ = count(model, run, find(convention_id), as_executed=as_executed)
    parts = {name: ForwardBackward(part.forward, part.forward + part.backward)
             for name, part in flops.components.items()}
    return Square(sum(p.forward for p in parts.values()), sum(p.forward_backward for p in parts.values()), parts)
