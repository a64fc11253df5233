"""Random scenarios of what ships: any model on any hardware, with every kind of run.  Some of them are refused."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from mfu_gui.engine.conventions import CONVENTIONS
from mfu_gui.formats.presets import PresetStore

Value = dict[str, Any]
RECOMPUTES: tuple[Any, ...] = (
    "none", "none", "selective", "full", "full-with-head", "palm", "korthikanti-printed", {"repeat": {"*": 0.5}},
    {"layers": 3, "repeat": {"*": 1}}, {"repeat": {"attention_qk": 1, "attention_av": 0.25}},
)
TRAINABLES: tuple[Any, ...] = (
    "full", {"lora_rank": 16, "targets": ["q", "v"]}, {"lora_rank": 8, "targets": ["q", "k", "v", "o", "gate", "up",
                                                                                   "down"]},
    {"frozen": ["embedding"]}, {"frozen": ["layers[0:2]", "head"]}, {"frozen": ["vision"]},
)
ENCODER_DECODERS = ("t5", "whisper", "bart")


@cache
def preset_ids() -> tuple[tuple[str, ...], tuple[tuple[str, tuple[str, ...]], ...]]:
    """Ids of the models, and of the devices with the precisions they have a peak of."""
    store = PresetStore()
    models = tuple(info.id for info in store.infos("mfu-model") if info.shipped)
    devices = tuple((info.id, tuple(store.hardware(info.id).spec.peak_tflops))
                    for info in store.infos("mfu-hardware") if info.shipped)
    return models, devices


def random_scenario(chance: random.Random, **fixed: Any) -> Value:
    """The value of a scenario file; ``fixed`` goes into its run."""
    models, devices = preset_ids()
    device, precisions = chance.choice(devices)
    model = chance.choice(models)
    run: Value = {
        "sequence_length": chance.choice([1, 7, 128, 1024, 2048, 4096, 8192, chance.randint(1, 200_000)]),
        "devices": chance.choice([1, 8, 512, chance.randint(1, 100_000)]),
        "global_batch": chance.choice([1, 64, chance.randint(1, 20_000)]),
        "precision": chance.choice(precisions) if precisions else "bf16",
        "measured": chance.choice([
            {"step_time_s": 10 ** chance.uniform(-3, 6)}, {"tokens_per_s": 10 ** chance.uniform(0, 9)},
            {"tokens_per_s_per_device": 10 ** chance.uniform(0, 6)}, {"tflops_per_device": 10 ** chance.uniform(-1, 3)},
            {"mfu": chance.uniform(0.001, 1)}]),
        "recompute": chance.choice(RECOMPUTES),
    }
    if chance.random() < 0.3:
        run["attention_kernel"] = chance.choice(["flash", "unfused"])
    if chance.random() < 0.2:
        run["trainable"] = chance.choice(TRAINABLES)
    if chance.random() < 0.2:
        length, documents = run["sequence_length"], []
        while length > 0 and len(documents) < 6:
            documents.append(chance.randint(1, length))
            length -= documents[-1]
        run["document_lengths"] = documents
    if chance.random() < 0.2:
        run["multi_token_prediction"] = chance.randint(0, 2)
    if chance.random() < 0.3:
        run["parallel"] = {"tensor": chance.choice([1, 2, 8]), "pipeline": chance.choice([1, 4])}
    if model.startswith(ENCODER_DECODERS) or chance.random() < 0.05:
        run["decoder_sequence_length"] = chance.randint(1, 512)
    if chance.random() < 0.1:
        run["images"] = chance.randint(0, 4)
    for key in ("measured", "devices", "global_batch"):
        if chance.random() < 0.04:
            del run[key]
    hardware: Value = {"preset": device}
    if chance.random() < 0.1:
        hardware["peak_tflops"] = 10 ** chance.uniform(0, 4)
    if chance.random() < 0.1:
        hardware["peak_kind"] = chance.choice(["sparse", "measured"])
    if chance.random() < 0.1:
        hardware["devices_are"] = "framework_devices"
    value: Value = {"kind": "mfu-scenario", "schema": 1, "name": f"{model} <on> {device} & more",
                    "model": {"preset": model}, "hardware": hardware, "run": run | fixed}
    if chance.random() < 0.7:
        convention = chance.choice(CONVENTIONS)
        value["convention"] = {"id": convention.id}
    return value
