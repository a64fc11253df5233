"""Pieces add up: to the figures of ``evaluate`` and to the parameters of the model, to the digit."""

from __future__ import annotations

import pytest

from mfu_gui.engine.conventions import CONVENTIONS
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.pieces import pieces_of
from mfu_gui.engine.run import Recompute, RunSpec, Trainable
from mfu_gui.engine.scenario import ConventionChoice, Scenario
from mfu_gui.formats.presets import PresetStore

STORE = PresetStore()
H100 = STORE.hardware("nvidia-h100-sxm5-80gb").spec
MODELS = ("llama-3.1-8b", "deepseek-v3", "gemma-3-4b", "nemotron-h-8b", "qwen3-next-80b-a3b", "whisper-large-v3",
          "llama-4-scout", "zamba2-7b", "openelm-1.1b", "t5-large")
RUNS = {
    # An odd length and batch leave halves of pairs that have to be rounded.
    "odd": RunSpec(sequence_length=4097, global_batch=3, decoder_sequence_length=77),
    "recompute": RunSpec(sequence_length=5000, global_batch=5, decoder_sequence_length=77, attention_kernel="flash",
                         recompute=Recompute(layers=3, repeat={"*": 0.7, "attention_qk": 1.0})),
    "adapters": RunSpec(sequence_length=4000, global_batch=1, decoder_sequence_length=77, recompute="full-with-head",
                        trainable=Trainable(lora_rank=8, targets=("q", "v", "gate")), multi_token_prediction=1),
    "frozen": RunSpec(sequence_length=4000, decoder_sequence_length=77, recompute="palm",
                      trainable=Trainable(frozen=("layers[0:2]",))),
    "documents": RunSpec(sequence_length=4096, global_batch=2, decoder_sequence_length=77,
                         document_lengths=(1000, 2001, 333)),
}


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("preset", [name for name in MODELS if name in {info.id for info in STORE.infos()}])
def test_pieces_add_up(preset: str, run: str) -> None:
    model = STORE.model(preset).spec
    compared = 0
    for convention in CONVENTIONS:
        scenario = Scenario(model=model, hardware=H100, run=RUNS[run], convention=ConventionChoice(id=convention.id))
        try:
            result = evaluate(scenario)
        except InputError:  # this convention, or this model, has no such run
            continue
        found: dict[str, list[int]] = {}
        pieces = pieces_of(scenario)
        for piece in pieces:
            sums = found.setdefault(piece.component, [0, 0, 0])
            for number, value in enumerate((piece.forward, piece.backward, piece.recompute)):
                sums[number] += value
        wanted = {name: [part.forward, part.backward, part.recompute] for name, part in result.flops.components.items()}
        assert {k: v for k, v in found.items() if any(v)} == {k: v for k, v in wanted.items() if any(v)}, convention.id
        assert sum(piece.parameters for piece in pieces) == result.parameters.total
        compared += 1
    assert compared > 5 or run != "odd"


def test_pieces_name_stack_and_layer_kind() -> None:
    scenario = Scenario(model=STORE.model("deepseek-v3").spec, hardware=H100, run=RUNS["odd"])
    pieces = [piece for piece in pieces_of(scenario) if piece.component == "attention_proj"]
    # DeepSeek-AI 2024 (arXiv 2412.19437), section 4.2: 61 layers, the first three dense.
    assert [(piece.stack, piece.layer, piece.layers) for piece in pieces] == [
        ("decoder", "dense", 3), ("decoder", "moe", 58)]
    assert pieces[1].forward * 3 == pieces[0].forward * 58


def test_the_formula_of_a_line_gives_its_flops() -> None:
    scenario = Scenario(model=STORE.model("llama-3.1-8b").spec, hardware=H100, run=RUNS["odd"])
    for piece in pieces_of(scenario):
        for counted in piece.lines:
            term = counted.line.term
            assert term is not None
            assert counted.forward == term.per_unit * term.executed * counted.units * 3
            if term.kind == "matrix":
                assert term.per_unit == 2 * term.rows * term.columns
