"""What a sequence length means for each kind of model, and what a run must say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mfu_gui.engine.axes import axes_of, needs_images, padded_axes, tokens_per_sequence
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec
from mfu_gui.formats.hf_config import read_config
from tests.engine_models.ground_truth import BY_ID, DATA, MEASURED, counted


def _measured(name: str) -> ModelSpec:
    return read_config(next(case["config"] for case in MEASURED if case["id"] == name)).spec


def _real(name: str) -> ModelSpec:
    return read_config(json.loads((DATA / "hf_configs" / f"{name}.json").read_text("utf-8"))).spec


def _truth(name: str) -> ModelSpec:
    return read_config(BY_ID[name]["config"]).spec


def _positions(model: ModelSpec, **run: Any) -> dict[str, int]:
    return {axis: lengths.positions for axis, lengths in axes_of(model, RunSpec(**run)).items()}


def test_sound_is_measured_in_frames_and_halved_by_the_stride() -> None:
    whisper = _truth("Whisper-large-v3__s3000__b1__eager")
    run = {"sequence_length": 3000, "decoder_sequence_length": 448}
    assert _positions(whisper, **run) == {"frame0": 3000, "frame1": 3000, "frame": 1500, "decoder": 448}
    assert tokens_per_sequence(whisper, RunSpec(**run)) == 1948
    # A stride of two leaves the odd frame out of a pair: (2999 + 1) / 2.
    assert _positions(whisper, sequence_length=2999, decoder_sequence_length=1)["frame"] == 1500


def test_an_encoder_decoder_needs_both_lengths() -> None:
    t5 = _truth("T5-base__s512__b1__eager")
    with pytest.raises(InputError) as caught:
        axes_of(t5, RunSpec(sequence_length=512))
    assert (caught.value.code, caught.value.field) == ("required", "run.decoder_sequence_length")
    assert tokens_per_sequence(t5, RunSpec(sequence_length=512, decoder_sequence_length=160)) == 672


def test_images_alone_ignore_the_sequence_length() -> None:
    vit = _truth("ViT-B-16__s0__b4__eager")
    assert needs_images(vit)
    for length in (1, 9999):
        assert _positions(vit, sequence_length=length) == {"grid": 196, "patch": 197}
    assert tokens_per_sequence(vit, RunSpec(sequence_length=1, images=3)) == 3 * 197


def test_attention_stays_within_one_image() -> None:
    vit = _truth("ViT-B-16__s0__b4__eager")
    one = counted(vit, RunSpec(sequence_length=1, global_batch=1))
    five = counted(vit, RunSpec(sequence_length=1, global_batch=1, images=5))
    assert [{name: 5 * flops for name, flops in part.items()} for part in one] == list(five)


def test_two_towers_have_one_image_for_each_text_and_compare_all_pairs() -> None:
    clip = _measured("clip-b3")
    assert needs_images(clip)
    axes = _positions(clip, sequence_length=20, global_batch=3)
    assert (axes["text"], axes["grid"], axes["patch"], axes["batch"]) == (20, 16, 17, 3)
    assert tokens_per_sequence(clip, RunSpec(sequence_length=20)) == 20


def test_a_language_model_with_a_tower_runs_without_images_unless_told() -> None:
    model = _real("qwen2-vl-2b")
    assert not needs_images(model)
    text = RunSpec(sequence_length=1024, global_batch=1)
    assert "patch_or_frontend_conv" not in counted(model, text)[0]
    seen = RunSpec(sequence_length=1024, global_batch=1, images=2)
    forward, without = counted(model, seen)[0], counted(model, text)[0]
    assert forward["patch_or_frontend_conv"] > 0
    assert forward["lm_head"] == without["lm_head"]
    assert tokens_per_sequence(model, seen) == tokens_per_sequence(model, text) == 1024


def test_padding_is_an_axis_of_its_own() -> None:
    llama = _truth("Llama-3-8B__s2048__b1__eager")
    run = RunSpec(sequence_length=2048, document_lengths=(1000, 500))
    assert tokens_per_sequence(llama, run) == 1500
    padding = padded_axes(llama, run)
    assert padding is not None
    assert padding["text"].positions == 548
    assert padded_axes(llama, RunSpec(sequence_length=1500, document_lengths=(1000, 500))) is None
    t5 = padded_axes(_truth("T5-base__s512__b1__eager"), RunSpec(
        sequence_length=512, document_lengths=(500,), decoder_sequence_length=160))
    assert t5 is not None
    assert (t5["encoder"].positions, t5["decoder"].positions) == (12, 0)
