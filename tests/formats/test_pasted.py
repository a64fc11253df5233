"""What pasted texts are understood as: the expected values are what the texts say, in their own words."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.run import Parallel, RunSpec
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.pasted import Names, Pasted, read_pasted
from mfu_gui.formats.pasted.apply import apply
from mfu_gui.formats.presets import PresetStore

PRESETS = PresetStore()
NAMES = Names(PRESETS.infos())
SCENARIO = Scenario(model=PRESETS.model("llama-3.1-8b").spec, hardware=PRESETS.hardware("nvidia-h100-sxm5-80gb").spec,
                    run=RunSpec(sequence_length=4096))
STEP, TOKENS, EACH = "run.measured.step_time_s", "run.measured.tokens_per_s", "run.measured.tokens_per_s_per_device"
FLOPS = "run.measured.tflops_per_device"


def read(text: str) -> Pasted:
    pasted = read_pasted(text, NAMES, SCENARIO)
    assert pasted is not None, text
    return pasted


def certain(pasted: Pasted) -> dict[str, Any]:
    """What would be ticked."""
    return {p.options[0].key: p.options[0].value for p in pasted.proposals if p.certain}


def asked(pasted: Pasted) -> dict[str, list[Any]]:
    """What the user is asked about: the first key, and all values offered."""
    return {p.options[0].key: [o.value for o in p.options] for p in pasted.proposals if p.options and not p.certain}


SENTENCES: tuple[tuple[str, dict[str, Any], dict[str, list[Any]]], ...] = (
    ("512×H100 BF16 2.1 s/step", {"run.devices": 512, "run.precision": "bf16", STEP: 2.1},
     {"hardware.preset": ["nvidia-h100-sxm5-80gb", "nvidia-h100-pcie-80gb", "nvidia-h100-nvl-94gb"]}),
    ("Llama 3.1 70B on 512 H100 SXM, 2.1 s/step, seq 8192, batch 1024",
     {"model.preset": "llama-3.1-70b", "run.devices": 512, "hardware.preset": "nvidia-h100-sxm5-80gb", STEP: 2.1,
      "run.sequence_length": 8192, "run.global_batch": 1024}, {}),
    ("512 张 H20 96GB，每步 2.1 秒", {"run.devices": 512, "hardware.preset": "nvidia-h20-96gb", STEP: 2.1}, {}),
    ("昇腾910B2 × 1024，Qwen2.5-72B，序列长度 4096，全局批量 512，单步耗时 12.3 秒，MFU 41%",
     {"hardware.preset": "huawei-ascend-910b2", "run.devices": 1024, "model.preset": "qwen2.5-72b",
      "run.sequence_length": 4096, "run.global_batch": 512, STEP: 12.3, "reported.mfu": 0.41}, {}),
    ("吞吐 3200 tokens/s/卡，MI300X 64 张", {EACH: 3200.0, "hardware.preset": "amd-mi300x", "run.devices": 64}, {}),
    ("chatglm3-6b 每卡每秒 3200 tokens", {"model.preset": "chatglm3-6b", EACH: 3200.0}, {}),
    ("step time = 6200 ms, 512 GPUs", {STEP: 6.2, "run.devices": 512}, {}),
    ("0.5 it/s on 8 GPUs", {STEP: 2.0, "run.devices": 8}, {}),
    ("64 nodes × 8 MI300X, 8.57 s per iteration", {"run.devices": 512, "hardware.preset": "amd-mi300x", STEP: 8.57},
     {}),
    ("64 台 8 卡 MI300X", {"run.devices": 512, "hardware.preset": "amd-mi300x"}, {}),
    ("8 MI300X per node, 64 nodes", {"hardware.preset": "amd-mi300x"}, {"run.devices": [8]}),
    ("5605 tokens/s/GPU", {EACH: 5605.0}, {}),
    ("1.2M tokens/s total", {TOKENS: 1.2e6}, {}),
    ("total throughput 1,103,997 tokens/s", {TOKENS: 1103997.0}, {}),
    ("throughput 12,000 tokens/s", {}, {TOKENS: [12000.0, 12000.0]}),
    ("140 TFLOPs per GPU", {}, {FLOPS: [140.0, 140.0]}),
    ("420 TFLOPS", {}, {FLOPS: [420.0, 420.0, 420.0]}),
    ("2.1 s/step, 400 TFLOPS/GPU", {STEP: 2.1, "reported.tflops_per_device": 400.0}, {}),
    ("41% MFU", {}, {"reported.mfu": [0.41, 0.41]}),
    ("HFU 52.3 %, 2 s/step", {"reported.hfu": 0.523, STEP: 2.0}, {}),
    ("seq 8k", {}, {"run.sequence_length": [8192, 8000]}),
    ("8K context", {}, {"run.sequence_length": [8192, 8000]}),
    ("16k GPUs", {}, {"run.devices": [16384, 16000]}),
    ("bs 4", {}, {"run.global_batch": [4, 4]}),
    ("gbs 2048 mbs 2", {"run.global_batch": 2048, "run.micro_batch": 2}, {}),
    ("seq 4096, batch size 4194304 tokens", {"run.sequence_length": 4096, "run.global_batch": 1024}, {}),
    ("TP8 PP4 CP2 EP8 VPP 2 DP16 ZeRO-1",
     {"run.parallel.tensor": 8, "run.parallel.pipeline": 4, "run.parallel.context": 2, "run.parallel.expert": 8,
      "run.parallel.virtual_pipeline": 2, "run.replicas": 16, "run.parallel.zero_stage": "1"}, {}),
    ("FSDP, full activation checkpointing", {"run.recompute": "full"}, {"run.parallel.zero_stage": ["3"]}),
    ("选择性重计算，FP8", {"run.recompute": "selective", "run.precision": "fp8"}, {}),
    ("took 2.1 s on 8 GPUs", {"run.devices": 8}, {STEP: [2.1]}),
    ("DeepSeek-V3\nQwen3 32B", {}, {"model.preset": ["qwen3-32b"]}),
    ("Mixtral 8x7B", {"model.preset": "mixtral-8x7b"}, {}),
    ("Llama-3.1-8B", {"model.preset": "llama-3.1-8b"}, {}),
    ("Llama3.1-70B", {"model.preset": "llama-3.1-70b"}, {}),
    ("qwen2.5 72b", {"model.preset": "qwen2.5-72b"}, {}),
    ("meta-llama/Llama-3.1-405B", {"model.preset": "llama-3.1-405b"}, {}),
    ("GPT-3 175B on 1024 A100 SXM4 80GB",
     {"model.preset": "gpt3-175b", "run.devices": 1024, "hardware.preset": "nvidia-a100-sxm4-80gb"}, {}),
    ("８卡，每步２.１秒", {"run.devices": 8, STEP: 2.1}, {}),
)


@pytest.mark.parametrize(("text", "sure", "open_"), SENTENCES, ids=[text[:40] for text, _, _ in SENTENCES])
def test_sentences(text: str, sure: dict[str, Any], open_: dict[str, list[Any]]) -> None:
    pasted = read(text)
    assert pasted.kind == "text"
    assert certain(pasted) == sure
    assert asked(pasted) == open_


ARGUMENTS = """torchrun --nnodes 16 --nproc_per_node 8 pretrain_gpt.py \\
    --tensor-model-parallel-size 4 --pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 4 \\
    --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 \\
    --group-query-attention --num-query-groups 8 --swiglu --untie-embeddings-and-output-weights \\
    --vocab-size 128256 --seq-length 8192 --max-position-embeddings 8192 --micro-batch-size 1 \\
    --global-batch-size 128 --bf16 --recompute-granularity full --use-distributed-optimizer --lr 1e-4"""
AS_YAML = "\n".join(("num_layers: 32", "hidden_size: 4096", "ffn_hidden_size: 14336", "num_attention_heads: 32",
                     "num_query_groups: 8", "swiglu: true", "untie_embeddings_and_output_weights: true",
                     "vocab_size: 128256", "seq_length: 8192"))
DUMP = "\n".join(f"  {name} {'.' * (48 - len(name))} {value}" for name, value in (
    ("num_layers", 32), ("hidden_size", 4096), ("ffn_hidden_size", 14336), ("num_attention_heads", 32),
    ("num_query_groups", 8), ("group_query_attention", True), ("swiglu", True),
    ("untie_embeddings_and_output_weights", True), ("padded_vocab_size", 128256), ("seq_length", 8192),
    ("world_size", 128)))


@pytest.mark.parametrize("text", [ARGUMENTS, AS_YAML, DUMP], ids=["command line", "yaml", "dump of a log"])
def test_arguments_that_describe_a_model(text: str) -> None:
    """Llama 3.1 8B in Megatron's arguments has the parameters of Llama 3.1 8B."""
    pasted = read(text)
    assert pasted.kind == "arguments"
    assert certain(pasted)["run.sequence_length"] == 8192
    options = [p.options[0] for p in pasted.proposals if p.certain]
    made = apply(SCENARIO, options, PRESETS)
    assert evaluate(made).parameters.total == evaluate(SCENARIO).parameters.total == 8_030_261_248


def test_arguments_of_a_run() -> None:
    pasted = read(ARGUMENTS)
    made = apply(SCENARIO, [p.options[0] for p in pasted.proposals if p.certain], PRESETS)
    assert made.run == RunSpec(devices=128, sequence_length=8192, global_batch=128, micro_batch=1, recompute="full",
                               parallel=Parallel(tensor=4, pipeline=2, virtual_pipeline=4, zero_stage=1))
    assert pasted.unread == ("lr: 1e-4",)


def test_a_vocabulary_that_is_left_to_a_tokenizer_is_marked() -> None:
    pasted = read(ARGUMENTS.replace("--vocab-size 128256", ""))
    model = next(p for p in pasted.proposals if p.options[0].key == "model.hf_config")
    assert model.doubt == "paste_vocabulary"
    assert not model.certain


def test_arguments_that_say_too_little_of_a_model_make_none() -> None:
    pasted = read(ARGUMENTS + " --multi-latent-attention")
    assert [p.doubt for p in pasted.proposals if not p.options] == ["paste_model_unsaid"]


def test_the_width_that_megatron_gives_a_gated_mlp() -> None:
    """Two thirds of 4h, rounded down to a multiple of 64: 10,880 for a hidden size of 4096."""
    pasted = read(ARGUMENTS.replace("--ffn-hidden-size 14336", ""))
    assert certain(pasted)["model.hf_config"]["intermediate_size"] == 10_880


MEGATRON = (" [2024-05-01 10:00:00] iteration       20/     100 | consumed samples:         5120 | elapsed time per "
            "iteration (ms): 8570.0 | throughput per GPU (TFLOP/s/GPU): 420.1 | learning rate: 1.0E-04 | "
            "global batch size:   256 | lm loss: 3.2 |")
TORCHTITAN = ("[titan] 2025-01-01 00:00:00,000 - root - INFO - step: 10  loss: 7.1  memory: 35.0GiB(44.2%)  "
              "tps: 5,605  tflops: 324.6  mfu: 32.82%")


@pytest.mark.parametrize(("line", "expected"), [
    (MEGATRON, {STEP: 8.57, "run.global_batch": 256, "reported.tflops_per_device": 420.1}),
    (TORCHTITAN, {EACH: 5605.0, "reported.mfu": 0.3282, "reported.tflops_per_device": 324.6}),
], ids=["Megatron-LM", "torchtitan"])
def test_a_line_of_a_log(line: str, expected: dict[str, Any]) -> None:
    pasted = read(line)
    assert pasted.kind == "log"
    assert pasted.detail
    assert certain(pasted) == expected


def test_a_log_with_its_arguments_says_both() -> None:
    pasted = read(DUMP + "\n" + MEGATRON)
    assert pasted.kind == "log"
    assert certain(pasted).keys() >= {"model.hf_config", "run.devices", STEP, "run.global_batch"}


@pytest.mark.parametrize("text", [
    "", "   ", "hello world", "the quick brown fox jumps over the lazy dog", "step", "batch", "\x00\x01\x02", "{",
    "%s %n",
    "<b>bold</b>", "../../etc/passwd", "x" * 5000, "8" * 5000, "=" * 3000, "--" * 3000, "你好", "19,926 s per step",
    "8 8 8 8 8 8", "lr 3e-4",
], ids=lambda text: text[:12])
def test_texts_that_mean_nothing_here(text: str) -> None:
    assert read_pasted(text, NAMES, SCENARIO) is None


@pytest.mark.parametrize("text", [
    "1e99999 s/step 8 GPUs", "0 s/step, 8 GPUs", "-5 s/step, 8 GPUs", "99999999999999 GPUs", "MFU 4100 %, 8 GPUs",
    "TP0, 8 GPUs", "--num-layers 99999999999999999 --hidden-size 0 --seq-length 8",
    "H100 " * 700, "--num-layers " * 300 + " 3 --seq-length 4 --bf16",
])
def test_hostile_texts_are_refused_or_read_but_never_break(text: str) -> None:
    pasted = read_pasted(text, NAMES, SCENARIO)
    for proposal in () if pasted is None else pasted.proposals:
        for option in proposal.options:
            with contextlib.suppress(InputError):
                apply(SCENARIO, [option], PRESETS)


@given(st.lists(st.sampled_from(("512", "H100", "×", "s", "2.1", "/", "step", "Llama", "3.1", "70B", "batch", "seq",
                                 "8k",
                                 "tokens", "TP8", "昇腾", "910B", "每步", "秒", "张", ",", "MFU", "41%", "--num-layers",
                                 "nodes", "TFLOPS", "GPU")), max_size=14).map(" ".join))
@settings(max_examples=150, deadline=None)
def test_any_mix_of_words_is_read_and_every_reading_can_be_named(text: str) -> None:
    pasted = read_pasted(text, NAMES, SCENARIO)
    for proposal in () if pasted is None else pasted.proposals:
        assert proposal.options or proposal.doubt
        assert all(option.key and option.value not in (None, "") for option in proposal.options)
        assert not (proposal.certain and len(proposal.options) != 1)
