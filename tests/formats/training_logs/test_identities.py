"""Figures of real logs, as their threads and documents print them: what must follow from them.

Sources are named with each.  The checks recompute; none of the expected values is our own output.
"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.scenario_file import load_scenario
from mfu_gui.formats.training_logs.analysis import analyse
from mfu_gui.formats.training_logs.normal import Normal
from mfu_gui.formats.training_logs.questions import Answers
from mfu_gui.formats.training_logs.reading import Log, read_bytes
from mfu_gui.formats.training_logs.rebase import Rebased, with_scenario
from mfu_gui.formats.training_logs.statistics import mean

MEGATRON = (" [2024-04-02 10:00:00] iteration {n:8d}/   10000 | consumed samples: {samples:12d} | elapsed time per "
            "iteration (ms): {ms} | throughput per GPU (TFLOP/s/GPU): {tflops} | learning rate: 3.000000E-05 | "
            "global batch size: {batch:5d} | lm loss: 6.120000E+00 | number of nan iterations:   0 |\n")


def scenario(model: Any, hardware: str, convention: str, **run: Any) -> Scenario:
    content = {"kind": "mfu-scenario", "schema": 1, "name": "", "hardware": {"preset": hardware},
               "model": model if isinstance(model, dict) else {"preset": model}, "convention": {"id": convention},
               "run": {"precision": "bf16", **run}}
    return load_scenario(msgspec.json.encode(content), PresetStore(), source="test").scenario


def rebased(log: Log, chosen: Scenario) -> tuple[Normal, Rebased]:
    normal = with_scenario(log.normal, chosen)
    return normal, Rebased(normal, chosen)


@pytest.mark.parametrize(("tps", "tflops", "mfu", "hardware", "peak"), [
    ("5,856", "339.16", "34.29", "nvidia-h100-sxm5-80gb", 989),  # pytorch/torchtitan issue 1287
    ("5,434", "314.71", "13.99", "nvidia-b200-sxm", 2250),  # pytorch/torchtitan issue 2389
])
def test_torchtitan(tps: str, tflops: str, mfu: str, hardware: str, peak: float) -> None:
    line = (f"[titan] 2025-01-10 08:00:06,200 - root - INFO - step: 10  loss:  7.8  memory: 60.10GiB(76.00%)  "
            f"tps: {tps}  tflops: {tflops}  mfu: {mfu}%\n")
    chosen = scenario("llama-3-8b", hardware, "torchtitan", sequence_length=8192, devices=8)
    _, ours = rebased(read_bytes(line.encode()), chosen)
    found = ours.comparison()
    assert found.peak_tflops == pytest.approx(peak, rel=0.005 / float(mfu) + 0.005 / float(tflops))
    assert float(f"{100 * float(tflops) / peak:.2f}") == float(mfu)
    if peak == 989:
        assert found.flops_per_token == pytest.approx(57.92e9, rel=2e-4)  # printed TFLOP/s ÷ printed tokens/s
        assert "torchtitan" in found.conventions
        assert ours.flops_per_token == pytest.approx(57.91e9, rel=1e-4)
        # The preset's peak is 989.4.
        assert 100 * ours.mfu(0, 1)[0] == pytest.approx(34.29 * 989 / 989.4, abs=0.005)


def test_maxtext_documents() -> None:
    """docs/guides/monitoring_and_debugging: 134.924 TFLOP/s of a TPU v5p are 29.40 %."""
    line = ("completed step: 9, seconds: 5.667, TFLOP/s/device: 134.924, Tokens/s/device: 11564.5, "
            "total_weights: 262144, loss: 9.1\n")
    chosen = scenario("deepseek-v2-lite", "google-tpu-v5p", "maxtext", sequence_length=8192, devices=4)
    _, ours = rebased(read_bytes(line.encode()), chosen)
    assert ours.peak == 459
    assert 100 * (ours.comparison().printed_tflops_share or 0) == pytest.approx(29.40, abs=0.005)


def test_nanogpt_on_titan_xp() -> None:
    """karpathy/nanoGPT issue 466: 0.96 % of 312 TFLOP/s, 262,144 tokens a step on two GPUs, vocabulary 44,902."""
    text = "".join(f"iter {n}: loss 4.0, time 33770.00ms, mfu 0.96%\n" for n in range(5, 60))
    config = {"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 44902, "n_positions": 512}
    chosen = scenario({"hf_config": config}, "nvidia-a100-sxm4-80gb", "nanogpt", sequence_length=512, devices=2,
                      global_batch=512)
    normal, ours = rebased(read_bytes(text.encode()), chosen)
    assert normal.typical("tokens") == 262144
    assert 100 * ours.mfu(0, 1)[0] == pytest.approx(0.962, abs=0.001)  # biases, which that run had not
    assert normal.get("reported_mfu_instant") is not None


def test_nanochat() -> None:
    """karpathy/nanochat issue 147: 524,288 tokens in 0.98944 s are 529,882 tokens/s."""
    line = ("step 00120/21400 (0.56%) | loss: 5.120000 | lrm: 1.00 | dt: 989.44ms | tok/sec: 529,882 | mfu: 20.8 | "
            "total time: 0.95m\n")
    log = read_bytes(line.encode())
    tokens = log.normal.all("tokens")[0]
    assert abs(tokens - 524288) <= 524288 * (0.005 / 989.44 + 1 / 529882)


def test_megatron_mixtral_tells_the_sequence_length() -> None:
    """NVIDIA/Megatron-LM issue 756: 16 H100, batch 128, 5361.6 ms, 243.6 TFLOP/s: 79.7 GFLOP/token, length 2048."""
    text = "".join(MEGATRON.format(n=n, samples=n * 128, ms=5361.6, tflops=243.6, batch=128) for n in range(10, 15))
    log = read_bytes(("using world size: 16, data-parallel size: 16\n" + text).encode())
    at_4096 = scenario("mixtral-8x7b", "nvidia-h100-sxm5-80gb", "megatron-lm", sequence_length=4096)
    _, ours = rebased(log, at_4096)
    assert ours.lengths_that_fit("megatron-lm") == (2048,)
    ours.check_length("megatron-lm")
    assert "log_length_fits" in {notice.code for notice in ours.notices}
    at_2048 = scenario("mixtral-8x7b", "nvidia-h100-sxm5-80gb", "megatron-lm", sequence_length=2048)
    _, ours = rebased(log, at_2048)
    assert ours.comparison().flops_per_token == pytest.approx(79.7e9, rel=1e-3)
    assert "matmul-full" in ours.comparison().conventions  # Megatron-LM of 2024 counted attention in full


@pytest.mark.parametrize(("rate", "ms", "batch", "length", "tgs", "devices"), [
    ("4.457", 14358.0, 64, 2048, "142.612", 64.0),
    ("53.753", 14287.5, 768, 4096, "1146.733", 192.0),
])
def test_devices_from_megatron_deepspeed(rate: str, ms: float, batch: int, length: int, tgs: str, devices: float) -> None:
    """bigscience-workshop/Megatron-DeepSpeed: samples/s × length ÷ tokens/s of a GPU is the number of GPUs."""
    line = (f" iteration       20/     500 | consumed samples:         5120 | elapsed time per iteration (ms): {ms:.1f} | "
            f"global batch size: {batch:5d} | lm loss: 6.1E+00 | actual seqlen:  {length} | samples per second: {rate} | "
            f"tokens per gpu per second (tgs): {tgs} | TFLOPs: 95.52 |\n")
    assert float(rate) * length / float(tgs) == pytest.approx(devices, abs=0.01)
    assert read_bytes(line.encode()).normal.value("devices") == devices


def test_nanotron_has_three_digits() -> None:
    """huggingface/nanotron issue 390: 11.5K ms, 22.8K tokens/s, 2 GPUs, 64 samples imply 4097, so 4096."""
    line = ("01/10/2025 08:00:06 [INFO|DP=0|PP=0|TP=0]: iteration: 20 / 10000 | consumed_tokens: 5.24M | "
            "elapsed_time_per_iteration_ms: 11.5K | tokens_per_sec: 22.8K | tokens_per_sec_per_gpu: 11.4K | "
            "global_batch_size: 64 | lm_loss: 6.1 | lr: 3e-05 | model_tflops_per_gpu: 38.3 | "
            "hardware_tflops_per_gpu: 38.3 | grad_norm: 1.2\n")
    normal = read_bytes(line.encode()).normal
    assert normal.value("devices") == 2
    assert normal.value("sequence_length") == 4096


def test_xtuner_rate_is_its_tokens_over_its_time() -> None:
    line = ("[XTuner][RANK 0][2026-01-10 08:00:06][INFO] Step 20/1000 data_time: 0.0100 lr: 0.000020 time: 4.9770 "
            "text_tokens: 4008.0 total_loss: 6.120, reduced_llm_loss: 6.120 max_memory: 40.10 GB tgs: 805.3 "
            "e2e_tgs: 800.0\n")
    normal = read_bytes(line.encode()).normal
    assert normal.all("tokens_per_s_per_device")[0] == pytest.approx(4008 / 4.977, abs=0.05)


def test_paddle_tutorial() -> None:
    """PaddleNLP's pretraining tutorial: 0.2556 s, 4006.9 tokens/s, 12.49 TFLOP/s are 3.117 GFLOP/token."""
    line = ("[2026-01-10 08:00:06,200] [    INFO] - loss: 6.12, learning_rate: 1e-05, global_step: 50, "
            "interval_runtime: 0.2556, interval_samples_per_second: 3.9124, interval_tokens_per_second_per_device: 4006.9, "
            "interval_hardware_tflops_per_device: 12.49, interval_steps_per_second: 3.9124, progress_or_epoch: 0.01\n")
    chosen = scenario("gpt2", "nvidia-a100-sxm4-80gb", "paddlenlp", sequence_length=1024)
    _, ours = rebased(read_bytes(line.encode()), chosen)
    assert ours.comparison().flops_per_token == pytest.approx(3.117e9, rel=5e-4)


@pytest.mark.parametrize(("convention", "tflops"), [("6n", 577), ("megatron-lm", 585), ("matmul-full", 593)])
def test_mlperf_gpt3(convention: str, tflops: float) -> None:
    """mlcommons/training_results_v3.1, NVIDIA eos-dfw: 0.93 s a step, 5,505,024 tokens, 10,752 GPUs.

    ``step`` counts tokens there.
    """
    events = [("global_batch_size", 2688, 0), ("max_sequence_length", 2048, 0)]
    text = "".join(f':::MLLOG {{"namespace": "", "time_ms": 1700000000000, "event_type": "POINT_IN_TIME", "key": "{key}", '
                   f'"value": {value}, "metadata": {{"file": "train.py", "lineno": 10}}}}\n' for key, value, _ in events)
    text += "".join(f'0: :::MLLOG {{"namespace": "", "time_ms": {1700000000000 + 930 * n}, "event_type": "POINT_IN_TIME", '
                    f'"key": "tracked_stats", "value": {{"train_step_timing": 0.93}}, '
                    f'"metadata": {{"file": "callbacks.py", "lineno": 20, "step": {5505024 * n}}}}}\n' for n in range(1, 8))
    chosen = scenario("gpt3-175b", "nvidia-h100-sxm5-80gb", convention, sequence_length=2048, devices=10752)
    normal, ours = rebased(read_bytes(text.encode()), chosen)
    assert list(normal.table.columns["step"].values()) == list(range(1, 8))
    assert normal.typical("tokens") == 5505024
    assert ours.tflops(0, 1)[0] == pytest.approx(tflops, rel=2.5e-3)


def test_llama_factory_tokens_of_a_step() -> None:
    """trainer_log.jsonl of k1h0/DeepSeek-Coder-7B-Instruct-query_nlx_8_1: 2,097,152 tokens a step, 20.8k tokens/s."""
    text = "".join(f'{{"current_steps": {n}, "total_steps": 400, "loss": 1.31, "lr": 9.9e-06, "epoch": 0.05, '
                   f'"percentage": 5.0, "elapsed_time": "{n * 100 // 3600}:{n * 100 // 60 % 60:02d}:{n * 100 % 60:02d}", '
                   f'"remaining_time": "1:03:20", "throughput": 20800.0, "total_tokens": {n * 2097152}}}\n'
                   for n in range(1, 21))
    normal = read_bytes(text.encode()).normal
    assert normal.typical("tokens") == 2097152
    assert normal.typical("tokens_per_s") == pytest.approx(20971.52, rel=0.02)


def test_answers_settle_devices() -> None:
    log = read_bytes(MEGATRON.format(n=1, samples=256, ms=6200.0, tflops=255.0, batch=256).encode(),
                     answers=Answers(facts={"devices": 32, "sequence_length": 4096}))
    rate, time = log.normal.typical("tokens_per_s_per_device"), log.normal.typical("step_time_s")
    assert rate * 32 * time == pytest.approx(256 * 4096)
    assert log.normal.questions == []


def test_mean_of_goodput() -> None:
    """NVIDIA-NeMo/Automodel issue 786: the mean of 1, 1 and 0.0025 is 0.6675."""
    assert mean([1.0, 1.0, 0.0025]) == pytest.approx(0.6675)


def test_first_steps_of_maxtext_are_warm_up() -> None:
    """Its own page shows 2400 TFLOP/s for step 1 on a chip of 459: steps 0 and 1 are no speed."""
    times = [120.0, 0.7, *[8.0 + 0.01 * (n % 3) for n in range(8)]]
    text = "".join(f"completed step: {n}, seconds: {t:.3f}, TFLOP/s/device: {1686.58 / t:.3f}, Tokens/s/device: "
                   f"{32768 / t:.3f}, total_weights: 262144, loss: 9.1\n" for n, t in enumerate(times))
    found = analyse(read_bytes(text.encode()).normal)
    assert found.warm_up == 2
    assert found.figures["step_time_s"].median == pytest.approx(8.01)
