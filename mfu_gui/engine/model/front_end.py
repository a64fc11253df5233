"""What turns images or sound into positions, and what joins a tower to the rest of the model."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from mfu_gui.engine.model.base import Count, PartName, Record, Width


class PatchFrontEnd(Record, frozen=True, kw_only=True, tag_field="type", tag="patches"):
    """Image to patches: one convolution ``channels·temporal·patch² × hidden``, run once a patch.

    ``patches`` is their number in one tile of one image, ``class_tokens`` are learned positions put
    before them (class token, registers).  The sequence of one image is
    ``tiles · (patches + class_tokens)`` long, padding to ``padded_positions`` included.
    """

    patches: Width
    patch_size: Width
    channels: Width = 3
    temporal: Width = 1
    bias: bool = True
    class_tokens: Count = 0
    mask_token: bool = False
    """A learned vector for masked patches that is stored but does not lengthen the sequence (DINOv2)."""
    tiles: Width = 1
    padded_positions: Width | None = None
    """Positions of one tile in attention where a model pads them (Llama 3.2 Vision: 1601 to 1608)."""
    attention_tiles: Literal["joined", "apart"] = "joined"


class Convolution(Record, frozen=True, kw_only=True):
    """One convolution over frames: ``inputs·kernel × outputs`` for each output position."""

    inputs: Width
    outputs: Width
    kernel: Width
    stride: Width = 1
    bias: bool = True


class FrameFrontEnd(Record, frozen=True, kw_only=True, tag_field="type", tag="frames"):
    """Sound to positions by convolutions with "same" padding (Whisper: strides 1 and 2, so 3000 mel
    frames become 1500 positions)."""

    frames: Width | None = None
    """Frames of one clip where sound stands beside text (Qwen2-Audio); a run has as many clips as images.
    None: the sequence itself is sound."""

    convolutions: Annotated[tuple[Convolution, ...], msgspec.Meta(min_length=1, max_length=8)]


class Connector(Record, frozen=True, kw_only=True):
    """What carries a tower's tokens into the language model: a chain of matrices over ``widths``,
    run once for each image token (LLaVA: 1024 → 4096 → 4096; Qwen-VL's merger: 5120 → 5120 → hidden)."""

    widths: Annotated[tuple[Width, ...], msgspec.Meta(min_length=2, max_length=8)]
    bias: bool = True
    norm_parameters: Count = 0
    copies: Width = 1
    """How many connectors of this shape run (Qwen3-VL: one more for each deep-stack level)."""
    axis: Literal["image", "sound", "frame", "patch", "grid"] = "image"
    """What passes through: tokens of an image or of sound, positions of the tower, or its patches alone (``grid``)."""
    core_width: Count = 0
    """Width of all heads of an attention that its tokens run in each copy, over ``core_keys`` keys of one
    image (the resampler of Idefics2: its latents look at all patches)."""
    core_keys: Count = 0
    """Keys of that attention: the patches of one image."""
    stored: bool = True
    """False: the matrices are those of another connector, used once more."""


class Projection(Record, frozen=True, kw_only=True):
    """A pooled output of one stack times ``width × outputs``, once a sequence or image (CLIP; the pooler of
    encoders, the heads that pool an image)."""

    stack: Literal["decoder", "encoder", "vision"]
    outputs: Width
    bias: bool = False
    inputs: Width | None = None
    component: PartName = "clip_head"
    """Names its FLOPs and its parameters."""
    rows: Width = 1
    """Rows that pass through it in one sequence or image: the keys of a pooling query."""
    core_keys: Count = 0
    """Keys of that query, which is what comes out of this matrix (SigLIP's pooling head)."""
    unused: bool = False
    """Nothing reads it: its matrix is stored, and multiplied by reference code alone (``as_executed``),
    without a gradient (LayoutLM's pooler under its language head)."""
