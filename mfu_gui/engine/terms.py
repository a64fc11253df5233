"""Term: one row of the ledger; Measure: what its FLOPs are counted per.

A term is one matrix (or the copies of one matrix that all layers of a kind hold), one product
without weights (QKᵀ, AV), or one vector or table.  ``per_unit`` is the integer number of forward
FLOPs (a multiply-add is 2) of one execution for one unit of the measure.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

import msgspec

Axis = Literal["text", "decoder", "encoder", "frame", "frame0", "frame1", "frame2", "frame3", "frame4", "frame5",
               "frame6", "frame7", "patch", "grid", "image", "sound", "batch"]
MeasureKind = Literal["positions", "pairs", "sequences", "documents", "chunks", "whole_chunks", "chunk_pairs",
                      "first_chunk", "last_chunk", "chunk_borders"]
PairRule = Literal["exact", "half", "full"]
WindowRule = Literal["exact", "ignored", "min", "half", "continuous"]
ParameterKind = Literal["matrix", "bias", "norm", "vector", "table", "buffer", "none"]
Section = Literal["main", "mtp"]


class Measure(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """What a term is counted per.

    ``positions``: positions of ``axis``.  ``pairs``: query-key pairs, queries on ``axis``, keys on
    ``keys_axis``; ``mask`` says which pairs exist, ``window`` and ``chunk`` narrow a causal mask, and
    ``top_k`` bounds the keys of a query in sparse attention; with a ``stride`` the keys are compressed
    entries, one for every so many positions, seen once they are whole.  ``sequences``: once a sequence or image,
    ``documents`` once a document.  The cores of state-space mixers work on chunks of ``chunk``
    positions: ``chunks`` is their number, a last short one included, ``whole_chunks`` without it;
    ``chunk_pairs`` the pairs inside them (chunk² each, c(c+1)/2 under the exact rule);
    ``first_chunk`` and ``last_chunk`` the positions of those two; ``chunk_borders`` the (chunks + 1)²
    pairs of chunk states.

    Axes: ``text``, ``decoder``, ``encoder`` tokens; ``frame0`` frames of sound, ``frame1`` … what each
    strided convolution leaves of them, ``frame`` the encoder's positions; ``grid`` patches of images,
    ``patch`` the tower's positions (class tokens included), ``image`` and ``sound`` tokens of images and
    clips in the language model; ``batch`` the sequences of a global batch.
    """

    kind: MeasureKind
    axis: Axis = "text"
    keys_axis: Axis | None = None
    mask: Literal["causal", "bidirectional"] = "causal"
    window: int | None = None
    chunk: int | None = None
    top_k: int | None = None
    stride: int = 1


class Lengths(msgspec.Struct, frozen=True):
    """Positions of one axis in one sequence: ``copies`` groups of documents of these lengths."""

    lengths: tuple[int, ...]
    copies: int = 1

    @property
    def positions(self) -> int:
        """Positions in one sequence."""
        return self.copies * sum(self.lengths)


Axes = dict[str, Lengths]


class PairCounting(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """How a convention counts query-key pairs.

    ``pairs``: ``exact`` S(S+1)/2 for a causal mask, ``half`` S²/2, ``full`` S² whatever the mask.
    ``window``: ``exact`` Σ min(i, W), beside ``half`` pairs S²/2 where W ≥ S; ``ignored``; ``min``
    S·min(S, W); ``half`` half of that; ``continuous`` S·W − W²/2.  ``chunk``: whether chunked attention
    is seen.  Bidirectional and cross-attention keep all pairs under every rule.
    """

    pairs: PairRule = "exact"
    window: WindowRule = "exact"
    chunk: Literal["exact", "half", "ignored"] = "exact"


EXACT = PairCounting()
FULL = PairCounting(pairs="full", window="ignored", chunk="ignored")


Least = Callable[[Any, Any], Any]
"""The smaller of two.  Lengths may be arrays of lengths where this is the minimum of arrays."""


def limited_pairs(length: int, limit: int, least: Least = min) -> int:
    """Σ over i = 1…length of min(i, limit): causal pairs when a query sees at most ``limit`` keys."""
    limit = least(length, limit)
    return limit * length - limit * (limit - 1) // 2


def _causal_pairs2(length: int, pairs: PairRule) -> int:
    """Twice the pairs of a plain causal mask over ``length`` positions."""
    if pairs == "exact":
        return length * (length + 1)
    return length * length * (2 if pairs == "full" else 1)


def _window_pairs2(length: int, window: int, counting: PairCounting, least: Least) -> int:
    """Twice the pairs of a sliding window."""
    limit: int = least(length, window)
    if counting.window == "exact":
        pairs2 = 2 * limited_pairs(length, window, least)
        # Megatron-Bridge: a window that all keys fit into is counted as no window, by half the square.
        return pairs2 - length * (length <= window) if counting.pairs == "half" else pairs2
    if counting.window == "continuous":
        return 2 * length * limit - limit * limit
    if counting.window == "min":
        return 2 * length * limit
    if counting.window == "half":
        return length * limit
    return _causal_pairs2(length, counting.pairs)


def _chunk_pairs2(length: int, chunk: int, counting: PairCounting) -> int:
    """Twice the pairs of chunked attention: full chunks and the rest."""
    whole, rest = divmod(length, chunk)
    if counting.chunk == "half":
        return whole * chunk * chunk + rest * rest
    return whole * chunk * (chunk + 1) + rest * (rest + 1)


def compressed_pairs(length: int, stride: int, limit: int | None, least: Least = min) -> int:
    """Σ over i = 1…length of min(⌊i / stride⌋, limit): queries and the compressed entries they see."""
    entries: int = length // stride
    if limit is not None:
        entries = least(entries, limit)
    return stride * entries * (entries - 1) // 2 + (length - entries * stride + 1) * entries


def _document_pairs2(length: int, measure: Measure, counting: PairCounting, least: Least) -> int:
    if measure.stride > 1:
        if counting.pairs == "full":
            return 2 * length * (length // measure.stride)
        return 2 * compressed_pairs(length, measure.stride, measure.top_k, least)
    if measure.mask == "bidirectional":
        # A bidirectional window sees half the window to each side (ModernBERT).
        if measure.window is not None and counting.window in ("exact", "min") and counting.pairs != "full":
            return 2 * bidirectional_window_pairs(length, measure.window, least)
        if measure.chunk is not None and counting.chunk == "exact" and counting.pairs != "full":
            whole, rest = divmod(length, measure.chunk)
            return 2 * (whole * measure.chunk**2 + rest * rest)
        return 2 * length * length
    if measure.chunk is not None and counting.chunk != "ignored":
        return _chunk_pairs2(length, measure.chunk, counting)
    # The best keys of an indexer are a limit like a window, and rules treat both alike.
    limit = measure.top_k if measure.window is None else measure.window
    if limit is not None and counting.window != "ignored":
        return _window_pairs2(length, limit, counting, least)
    return _causal_pairs2(length, counting.pairs)


def bidirectional_window_pairs(length: int, window: int, least: Least = min) -> int:
    """Pairs with |query − key| ≤ window // 2."""
    half: int = least(window // 2, length - 1)
    return length * (2 * half + 1) - half * (half + 1)


def chunk_count(length: int, size: int) -> int:
    """Chunks of ``size`` positions that ``length`` positions fill, the last one counted whole."""
    return -(-length // size)


def _chunk_units2(length: int, measure: Measure, counting: PairCounting, least: Least) -> int:
    """Twice the units of one document for the measures that state-space cores are counted in."""
    size = measure.chunk or 1
    if measure.kind == "documents":
        return 2
    if measure.kind == "chunks":
        return 2 * chunk_count(length, size)
    if measure.kind == "whole_chunks":
        return 2 * (length // size)
    if measure.kind == "first_chunk":
        first: int = least(length, size)
        return 2 * first
    if measure.kind == "last_chunk":
        return 2 * ((length - 1) % size + 1)
    if measure.kind == "chunk_borders":
        return 2 * (chunk_count(length, size) + 1) ** 2
    whole, rest = divmod(length, size)
    square = whole * size * size + rest * rest
    if counting.pairs == "exact":
        return square + length
    return square if counting.pairs == "half" else 2 * square


def units2(measure: Measure, axes: Axes, counting: PairCounting = EXACT, least: Least = min) -> int:
    """Twice the units of ``measure`` in one sequence, so that halves of pairs stay integers.

    Arrays of lengths give an array; ``least`` is then their minimum.
    """
    lengths = axes[measure.axis]
    if measure.kind == "positions":
        return 2 * lengths.positions
    if measure.kind == "sequences":
        return 2 * lengths.copies
    if measure.kind != "pairs":
        return lengths.copies * sum(_chunk_units2(length, measure, counting, least) for length in lengths.lengths)
    if measure.keys_axis is not None and measure.keys_axis != measure.axis:
        return 2 * lengths.positions * axes[measure.keys_axis].positions
    if len(lengths.lengths) == 1:
        return lengths.copies * _document_pairs2(lengths.lengths[0], measure, counting, least)
    return lengths.copies * sum(_document_pairs2(length, measure, counting, least) for length in lengths.lengths)


class Term(msgspec.Struct, frozen=True, gc=False):
    """One row of the ledger.

    ``component`` names its FLOPs (``attention_proj``), ``store`` its parameters (``attention``).
    The matrix is ``rows × columns``; ``copies`` of it are stored in one layer and each position
    passes through ``used`` of them.  ``executed`` and ``stored`` count layers.
    """

    component: str
    store: str
    part: str
    stack: str
    measure: Measure
    layer: str = ""
    executed: int = 1
    stored: int = 1
    rows: int = 0
    columns: int = 1
    copies: int = 1
    used: int = 1
    kind: ParameterKind = "none"
    per_unit: int = 0
    section: Section = "main"
    weight_gradient: bool = True
    """Whether the gradient of the matrix is needed; of a product, of its second factor."""
    input_gradient: bool = True
    """Whether the gradient of what comes in is needed; of a product, of its first factor."""
    backward_extra: int = 0
    """FLOPs of the backward pass alone, per unit and execution; below zero what it saves."""
    trainable: bool = True
    """Whether its parameters are trained in this run."""

    @property
    def parameters(self) -> int:
        """Parameters stored in the whole model."""
        return self.stored * self.rows * self.columns * self.copies

    @property
    def active_parameters(self) -> Fraction | int:
        """Parameters that one position passes through."""
        return self.stored * self.rows * self.columns * min(self.used, self.copies)

    @property
    def backward_passes(self) -> int:
        """Products of the backward pass per forward product: one for each gradient needed."""
        return self.weight_gradient + self.input_gradient
