"""What packing several documents in one sequence does to the count, and to an MFU that does not see it."""

from __future__ import annotations

from collections.abc import Sequence

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.fields import N_
from mfu_gui.planning.formula import formula


def _fits(document_lengths: Sequence[int], sequence_length: int) -> tuple[Notice, ...]:
    total = sum(document_lengths)
    if total <= sequence_length:
        return ()
    return (Notice("packing_too_long", "run.document_lengths", {"total": total, "sequence_length": sequence_length}),)


@formula("P1.attn_ratio", expression=N_("Σ document² ÷ sequence²"), basis="exact",
         source="pairs inside documents over pairs of the whole sequence", domain=_fits)
def attention_ratio(document_lengths: Sequence[int], sequence_length: int) -> float:
    """Attention work of documents that do not see each other, over that of one document as long as all."""
    return sum(length * length for length in document_lengths) / sequence_length**2


@formula("P2.mfu_overstatement", expression=N_("(6N + 6·layers·h·s) ÷ (6N + 6·layers·h·s·ratio)"), basis="model",
         source="causal count with and without what masked documents save")
def mfu_overstatement(parameters: float, layers: int, hidden_size: int, sequence_length: int,
                      ratio: float) -> float:
    """By what factor a count over whole sequences overstates the MFU when documents are masked."""
    core = 6.0 * layers * hidden_size * sequence_length
    return (6.0 * parameters + core) / (6.0 * parameters + core * ratio)
