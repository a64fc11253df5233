"""How many positions each axis has in one sequence of a run."""

from __future__ import annotations

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.terms import Axes, Lengths


def axes_of(model: ModelSpec, run: RunSpec) -> Axes:
    """Lengths of every axis that ``model`` has, for one sequence; padding is not in them.

    ``sequence_length`` means what it means for the model: text tokens, encoder tokens, mel frames.
    """
    documents = run.document_lengths or (run.sequence_length,)
    text = Lengths(documents)
    axes: Axes = {}
    for stack in model.stacks:
        if stack.axis in ("text", "encoder"):
            axes[stack.axis] = text
        elif stack.axis == "decoder":
            axes["decoder"] = Lengths((decoder_length(run),))
    return axes


def decoder_length(run: RunSpec) -> int:
    """Decoder tokens of an encoder-decoder run; InputError when the run does not say."""
    if run.decoder_sequence_length is None:
        raise InputError("required", "run.decoder_sequence_length")
    return run.decoder_sequence_length


def padded_axes(model: ModelSpec, run: RunSpec) -> Axes | None:
    """Axes of the padding alone (positions that hold no token), or None without padding."""
    if run.document_lengths is None:
        return None
    missing = run.sequence_length - sum(run.document_lengths)
    if missing <= 0:
        return None
    return {stack.axis: Lengths((missing,)) for stack in model.stacks if stack.axis in ("text", "encoder")}


def tokens_per_sequence(model: ModelSpec, run: RunSpec) -> int:
    """Tokens of one sequence, padding left out: what "per token" divides by.

    Encoder-decoder models count the tokens of both sides.
    """
    axes = axes_of(model, run)
    return sum(axes[axis].positions for axis in ("text", "encoder", "decoder") if axis in axes)
