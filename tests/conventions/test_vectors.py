"""Every convention against what the framework's own function returned.

``tests/data/convention_vectors.json`` names repository, file and commit of each row.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from mfu_gui.engine.axes import axes_of
from mfu_gui.engine.conventions import chosen
from mfu_gui.engine.conventions.reading import total2
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.scenario import ConventionChoice

from .vector_cases import case_of, per_step
from .vector_models import model_of

ROWS = json.loads((Path(__file__).parent.parent / "data" / "convention_vectors.json").read_text())
CASES = [row for row in ROWS if case_of(row) is not None]


OF_NO_CONVENTION = {"colossalai-evaluator", "nanotron-starcoder2"}
"""Functions of frameworks that print another figure; the tests of parts look at them."""


def test_no_framework_is_left_out_for_its_name() -> None:
    """A row that no case is named for would be compared with nothing."""
    assert {row["convention"] for row in ROWS} - {row["convention"] for row in CASES} == OF_NO_CONVENTION


def counted(row: dict[str, Any]) -> Fraction:
    """FLOPs of one step as this program counts them."""
    convention_id, options = case_of(row) or ("", {})
    run = RunSpec(sequence_length=row["seq_len"], document_lengths=tuple(row["config"].get("packed", ())) or None,
                  multi_token_prediction=row["config"].get("mtp_num_layers", 0))
    model = model_of(row["config"])
    convention = chosen(ConventionChoice(id=convention_id, options=options))
    return Fraction(total2(convention, model, run, axes_of(model, run), {})) / 2 * row["batch"]


@pytest.mark.parametrize("row", CASES, ids=lambda row: row["id"])
def test_counts_what_the_framework_returned(row: dict[str, Any]) -> None:
    ours, theirs = counted(row), per_step(row)
    if row["value_type"] == "int" and row["value"] > 2**53 // 1000:
        assert ours == theirs
    assert abs(ours - theirs) <= abs(theirs) * Fraction(1, 10**6)
