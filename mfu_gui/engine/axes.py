"""How many positions each axis has in one sequence of a run.

``sequence_length`` means what it means for the model: text tokens of a language model (places of
images included), encoder tokens of T5 and BART, frames of sound for Whisper, text tokens for CLIP;
a model of images alone ignores it.  ``images`` counts the images of one sequence, and the clips of sound
where a language model hears: absent, it is 1 for models that cannot run without (ViT, CLIP) and 0 for
language models with a tower.
"""

from __future__ import annotations

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import FrameFrontEnd, ModelSpec, PatchFrontEnd, Stack
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.terms import Axes, Axis, Lengths

TOKEN_AXES = ("text", "encoder")
_FRAMES: tuple[Axis, ...] = ("frame0", "frame1", "frame2", "frame3", "frame4", "frame5", "frame6", "frame7")


def axes_of(model: ModelSpec, run: RunSpec) -> Axes:
    """Lengths of every axis that ``model`` has, for one sequence; padding is not in them.

    Raises InputError: ``required`` for a decoder length that is missing.
    """
    text = Lengths(run.document_lengths or (run.sequence_length,))
    axes: Axes = {}
    for stack in model.stacks:
        if stack.axis == "text" or stack.axis == "encoder":
            axes[stack.axis] = text
        elif stack.axis == "decoder":
            axes["decoder"] = Lengths((decoder_length(run),))
        elif stack.axis == "frame":
            _add_frames(axes, stack, run, images_of(model, run))
        else:
            _add_patches(axes, stack, images_of(model, run))
    if model.image_tokens is not None:
        axes["image"] = Lengths((model.image_tokens,), images_of(model, run))
    if model.sound_tokens is not None:
        axes["sound"] = Lengths((model.sound_tokens,), images_of(model, run))
    if model.contrastive:
        axes["batch"] = Lengths((run.global_batch or 1,))
    return axes


def _add_frames(axes: Axes, stack: Stack, run: RunSpec, clips: int) -> None:
    """Frames before and after each strided convolution; the last is where the layers run."""
    frames, copies = run.sequence_length, 1
    if isinstance(stack.front_end, FrameFrontEnd) and stack.front_end.frames is not None:
        frames, copies = stack.front_end.frames, clips
    axes["frame0"] = axes["frame"] = Lengths((frames,), copies)
    if not isinstance(stack.front_end, FrameFrontEnd):
        return
    last = len(stack.front_end.convolutions) - 1
    for index, convolution in enumerate(stack.front_end.convolutions):
        frames = -(-frames // convolution.stride)
        axes["frame" if index == last else _FRAMES[index + 1]] = Lengths((frames,), copies)


def _add_patches(axes: Axes, stack: Stack, images: int) -> None:
    """Patches of all images, and the positions that attention sees: one image at a time."""
    front = stack.front_end
    if not isinstance(front, PatchFrontEnd):
        axes["patch"] = Lengths((stack.position_table or 1,), images)
        return
    positions = front.padded_positions or front.patches + front.class_tokens
    axes["grid"] = Lengths((front.patches,), images * front.tiles)
    if front.attention_tiles == "joined":
        axes["patch"] = Lengths((positions * front.tiles,), images)
    else:
        axes["patch"] = Lengths((positions,), images * front.tiles)


def images_of(model: ModelSpec, run: RunSpec) -> int:
    """Images in one sequence."""
    if run.images is not None:
        return run.images
    return 1 if needs_images(model) else 0


def needs_images(model: ModelSpec) -> bool:
    """Whether the model cannot run without an image: a tower by itself, or two towers compared."""
    return model.stack("vision") is not None and (model.contrastive or len(model.stacks) == 1)


def decoder_length(run: RunSpec) -> int:
    """Decoder tokens of an encoder-decoder run; InputError when the run does not say."""
    if run.decoder_sequence_length is None:
        raise InputError("required", "run.decoder_sequence_length")
    return run.decoder_sequence_length


def padded_axes(model: ModelSpec, run: RunSpec) -> Axes | None:
    """Axes of the padding alone (positions that hold no token), or None without padding.

    Only the axes of ``sequence_length`` are padded; the others are empty here.
    """
    if run.document_lengths is None:
        return None
    missing = run.sequence_length - sum(run.document_lengths)
    if missing <= 0:
        return None
    axes = {axis: Lengths((), 0) for axis in axes_of(model, run)}
    for axis in TOKEN_AXES:
        if axis in axes:
            axes[axis] = Lengths((missing,))
    return axes


def tokens_per_sequence(model: ModelSpec, run: RunSpec) -> int:
    """Tokens of one sequence, padding left out: what "per token" divides by.

    Language models: text tokens, places of images included, whatever towers run beside.
    Encoder-decoder models: tokens of both sides; with sound, the encoder's positions and the decoder's
    tokens.  CLIP: text tokens.  Models of images alone: the tower's positions.
    """
    axes = axes_of(model, run)
    tokens = sum(axes[axis].positions for axis in ("text", "encoder", "decoder") if axis in axes)
    if "frame" in axes and "text" not in axes:
        tokens += axes["frame"].positions
    return tokens or (axes["patch"].positions if "patch" in axes else 0) or 1
