"""Pipeline schedules: how long a device waits for the others.

Sources: Narayanan et al. 2021, arXiv 2104.04473, section 2.2 (1F1B, interleaved); Qi et al. 2023,
arXiv 2401.10241 (zero bubble); DeepSeek-AI 2024, arXiv 2412.19437, table 2 (ZB1P, DualPipe).
"""

from __future__ import annotations

import numpy as np

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.fields import N_
from mfu_gui.planning.communication import Array, Real
from mfu_gui.planning.formula import formula
from mfu_gui.planning.spec import SCHEDULES

NAMES = {"1f1b": "1f1b", "gpipe": "gpipe", "interleaved": "interleaved", "zb1p": "zb-h1", "zb-h1": "zb-h1",
         "zb-h2": "zb-h2", "dualpipe": "dualpipe"}
"""What papers call a schedule, in lower case, and its name here."""


def _bubble_domain(p: Real, m: Real, v: Real = 1) -> tuple[Notice, ...]:
    if np.any(np.asarray(m) < np.asarray(p)):
        return (Notice("fewer_micro_batches_than_stages", "run.global_batch", {"value": m, "divisor": p}),)
    return ()


@formula("B1.interleaved", expression=N_("(p−1) ÷ (v·m)"), unit=N_("bubble ÷ ideal time"), basis="model",
         source="Narayanan et al. 2021, arXiv 2104.04473, section 2.2", domain=_bubble_domain)
def bubble_over_ideal(p: float, m: float, v: float = 1.0) -> float:
    """Waiting time of a 1F1B (``v`` 1) or interleaved schedule over the time without it."""
    return (p - 1.0) / (v * m)


@formula("B1.fraction", expression=N_("(p−1) ÷ (v·m + p−1)"), basis="model",
         source="Narayanan et al. 2021, arXiv 2104.04473, section 2.2", domain=_bubble_domain)
def bubble_fraction(p: float, m: float, v: float = 1.0) -> float:
    """Waiting time as a fraction of the whole."""
    return (p - 1.0) / (v * m + p - 1.0)


def _schedule_domain(p: float, F: float, B: float, W: float, schedule: str) -> tuple[Notice, ...]:  # noqa: N803
    if schedule_named(schedule) == "dualpipe" and p % 2:
        return (Notice("dualpipe_needs_even", "run.parallel.pipeline", {"value": p, "offers": [p - 1, p + 1]}),)
    return ()


@formula("B2.schedules", expression=N_("1F1B (p−1)(F+B); ZB-H1 (p−1)(F+B−2W); DualPipe (p/2−1)(F&B+B−3W)"), unit="s",
         basis="model", source="DeepSeek-AI 2024, arXiv 2412.19437, table 2", domain=_schedule_domain)
def schedule_bubble_s(p: float, F: float, B: float, W: float, schedule: str) -> float:  # noqa: N803 - the paper's names
    """Seconds that a device waits in one step.

    ``F`` forward, ``B`` whole backward and ``W`` its weight-gradient part, each of one stage and micro-batch.
    DualPipe is taken with F and B overlapped at no gain (F&B = F + B).
    """
    return float(bubble_seconds(schedule_named(schedule), p, F, B, W))


def schedule_named(name: str) -> str:
    """The schedule that a paper's name (with remarks in brackets) means; InputError ``unknown_choice``."""
    found = NAMES.get(name.partition("(")[0].strip().lower())
    if found is None:
        raise InputError("unknown_choice", "plan.memory.schedule", value=name, allowed=", ".join(SCHEDULES))
    return found


def bubble_seconds(schedule: str, stages: Real, forward: Real, backward: Real, weight_part: Real,
                   virtual: Real = 1.0) -> Array:
    """Waiting seconds of one step under ``schedule``; never below zero.

    Interleaving divides the wait by ``virtual`` stages.  ZB-H2 keeps more micro-batches in flight until
    nothing is left to wait for.
    """
    both = forward + backward
    if schedule == "zb-h1":
        waiting = (stages - 1.0) * (both - 2.0 * weight_part)
    elif schedule == "zb-h2":
        waiting = 0.0 * both
    elif schedule == "dualpipe":
        waiting = (stages / 2.0 - 1.0) * (both + backward - 3.0 * weight_part)
    else:
        waiting = (stages - 1.0) / virtual * both
    return np.asarray(np.maximum(waiting, 0.0), dtype=np.float64)
