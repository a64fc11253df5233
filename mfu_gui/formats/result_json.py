"""A result as data for other programs: the ``mfu-result`` object, one shape for every way out.

The command line prints it, the window exports it, reports are made from it.  Integers have any size,
utilizations are fractions, what is not known is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from mfu_gui.engine.compare import ConventionRow
from mfu_gui.engine.errors import Notice
from mfu_gui.engine.scenario import ComponentFlops, Flops, Parameters, Result, Scenario
from mfu_gui.texts import Translator

KIND = "mfu-result"
SCHEMA = 1
Document = dict[str, Any]


def result_document(scenario: Scenario, result: Result, rows: Iterable[ConventionRow], tr: Translator,
                    notices: Iterable[Notice] = ()) -> Document:
    """The ``mfu-result`` object of a scenario; messages in the language of ``tr``.

    ``rows`` are the conventions side by side; ``notices`` what reading the scenario remarked.
    """
    return {
        "kind": KIND, "schema": SCHEMA, "name": scenario.name,
        "convention": {"id": result.convention.id, "options": dict(result.convention.options)},
        "parameters": parameters_object(result.parameters),
        "flops": _flops(result.flops),
        "throughput": msgspec.structs.asdict(result.throughput),
        "peak_tflops_per_device": result.peak_tflops_per_device,
        "mfu": result.mfu, "hfu": result.hfu, "implied_mfu": result.implied_mfu,
        "conventions": [_convention(row, tr) for row in rows],
        "warnings": notices_list([*notices, *result.warnings], tr),
    }


def parameters_object(parameters: Parameters) -> Document:
    """Counts of parameters; the components add up to ``total``."""
    return {"total": parameters.total, "active": parameters.active,
            "checkpoint_total": parameters.checkpoint_total, "components": dict(parameters.components)}


def notices_list(notices: Iterable[Notice], tr: Translator) -> list[Document]:
    """Remarks with their sentence in the language of ``tr``."""
    return [{"code": notice.code, "field": notice.field, "message": tr.sentence(notice.code, notice.values)}
            for notice in notices]


def _flops(flops: Flops) -> Document:
    known = flops.per_step is not None
    return {
        "per_token": flops.per_token, "per_step": flops.per_step, "forward": flops.forward,
        "backward": flops.backward, "recompute": flops.recompute,
        "components": {name: _component(part if known else None) for name, part in flops.components.items()},
    }


def _component(part: ComponentFlops | None) -> Document:
    """FLOPs of one step; null without a global batch, as the engine then counts one sequence."""
    if part is None:
        return {"forward": None, "backward": None, "recompute": None}
    return {"forward": part.forward, "backward": part.backward, "recompute": part.recompute}


def _convention(row: ConventionRow, tr: Translator) -> Document:
    return {
        "id": row.id, "kind": row.kind, "status": row.status, "reason": tr(row.reason) if row.reason else "",
        "flops_per_token": row.flops_per_token, "tflops_per_device": row.tflops_per_device,
        "utilization": row.utilization,
    }


def to_json(document: Mapping[str, Any] | list[Document]) -> bytes:
    """Indented UTF-8 JSON with one newline at the end; what is not a finite number is null."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
