"""Lines of every format in its exact shape, with the values that stand in them.

Each shape writes one step as text and says which columns it must be read as.  Figures of one run fit together:
tokens/s of one device × devices × step time = global batch × sequence length.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import NamedTuple

from mfu_gui.formats.training_logs.crc32c import masked_crc32c

Values = dict[str, float]
GPUS, LENGTH, BATCH = 32, 4096, 256


class Step(NamedTuple):
    """One step: its number, its time in seconds (one decimal of a millisecond), its loss."""

    number: int
    time_s: float
    loss: float

    @property
    def ms(self) -> float:
        return round(self.time_s * 1000, 1)

    @property
    def tokens_per_s(self) -> float:
        return BATCH * LENGTH / self.time_s


class Shape(NamedTuple):
    """``line``: the text of a step, with its line ends; ``read``: what must be read from it."""

    id: str
    line: Callable[[Step], str]
    read: Callable[[Step], Values]
    head: str = ""


def steps(first: int, last: int, interval: int = 1, time_s: float = 6.2) -> list[Step]:
    """Steps with times that differ a little, the first one slow."""
    numbers = range(first, last + 1, interval)
    return [Step(n, round(time_s * (3 if n == first == 1 else 1) + 0.0137 * (n * 7 % 11), 4), round(8 - 0.01 * n, 4))
            for n in numbers]


def _clock(step: Step, separator: str = ",") -> str:
    seconds = step.number * 7
    return f"2026-01-10 {8 + seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{separator}{step.number % 1000:03d}"


def _megatron(step: Step, tail: str = "") -> str:
    return (f" [{_clock(step, '.')}000] iteration {step.number:8d}/   10000 | consumed samples: {step.number * BATCH:12d} | "
            f"elapsed time per iteration (ms): {step.ms:.1f} | throughput per GPU (TFLOP/s/GPU): {1581 / step.time_s:.1f} | "
            f"learning rate: 3.000000E-05 | global batch size: {BATCH:5d} | lm loss: {step.loss:.6E} | loss scale: 1.0 | "
            f"grad norm: 1.250 | number of skipped iterations:   0 | number of nan iterations:   0 |{tail}\n")


def _megatron_values(step: Step) -> Values:
    return {"step_time_s": step.ms / 1000, "global_batch": BATCH, "loss": float(f"{step.loss:.6E}"),
            "tflops_per_device": float(f"{1581 / step.time_s:.1f}"), "total_samples": step.number * BATCH}


def _deepspeed_megatron(step: Step) -> str:
    rate = BATCH / step.time_s
    return (f" iteration {step.number:8d}/     500 | consumed samples: {step.number * BATCH:12d} | consumed tokens: "
            f"{step.number * BATCH * 2048:12d} | elapsed time per iteration (ms): {step.ms:.1f} | learning rate: 3.000E-05 | "
            f"global batch size: {BATCH:5d} | lm loss: {step.loss:.6E} | loss scale: 1.0 | grad norm: 1.200 | actual seqlen:"
            f"  2048 | number of skipped iterations:   0 | number of nan iterations:   0 | samples per second: {rate:.3f} | "
            f"tokens per gpu per second (tgs): {rate * 2048 / GPUS:.3f} | TFLOPs: {rate * 3:.2f} |\n")


def _deepspeed_megatron_values(step: Step) -> Values:
    rate = BATCH / step.time_s
    return {"step_time_s": step.ms / 1000, "samples_per_s": float(f"{rate:.3f}"), "sequence_length": 2048,
            "tokens_per_s_per_device": float(f"{rate * 2048 / GPUS:.3f}"),
            "hardware_tflops_per_device": float(f"{rate * 3:.2f}"), "loss": float(f"{step.loss:.6E}")}


def _neox(step: Step) -> str:
    return (f" samples/sec: {BATCH / step.time_s:.3f} | iteration {step.number:8d}/     500 | elapsed time per iteration (ms): "
            f"{step.ms:.1f} | learning rate: 3.000E-05 | approx flops per GPU: {1000 / step.time_s:.1f}TFLOPS | MFU: "
            f"{190 / step.time_s:.2f}% | HFU: {250 / step.time_s:.2f}% | lm_loss: {step.loss:.6E} | "
            f"number of skipped iterations:   0 | number of nan iterations:   0 |\n")


def _neox_values(step: Step) -> Values:
    return {"step_time_s": step.ms / 1000, "samples_per_s": float(f"{BATCH / step.time_s:.3f}"),
            "hardware_tflops_per_device": float(f"{1000 / step.time_s:.1f}"),
            "mfu": float(f"{190 / step.time_s:.2f}") / 100, "hfu": float(f"{250 / step.time_s:.2f}") / 100}


def _bridge(step: Step) -> str:
    return f"Step Time : {step.time_s:.2f}s GPU utilization: {1581 / step.time_s:.1f}MODEL_TFLOP/s/GPU\n"


def _bridge_values(step: Step) -> Values:
    return {"step_time_s": float(f"{step.time_s:.2f}"), "tflops_per_device": float(f"{1581 / step.time_s:.1f}")}


def _progress(step: Step) -> str:
    return (f"2026-01-10 08:{step.number % 60:02d}:06\tJob ID: 1234\t# GPUs: {GPUS}\tSaved checkpoint\tIteration: {step.number}"
            f"\tJob throughput: {1581 / step.time_s:.1f} TFLOP/s/GPU\tCumulative throughput: {1500 / step.time_s:.1f} "
            f"TFLOP/s/GPU\tFloating-point operations: 1.00e+21\tTokens (in billions): {step.number / 100:.2f}\n")


def _progress_values(step: Step) -> Values:
    return {"tflops_per_device": float(f"{1581 / step.time_s:.1f}"), "total_tokens": step.number * 1e7, "devices": GPUS}


def _nemo(step: Step) -> str:
    return (f"Training epoch 0, iteration {step.number}/9999 | lr: 3e-05 | global_batch_size: {BATCH} | global_step: {step.number} "
            f"| max_memory_reserved: 64424509440 | reduced_train_loss: {step.loss:.3f} | train_step_timing in s: {step.time_s:.3f} "
            f"| TFLOPS_per_GPU: {1581 / step.time_s:.2e} | consumed_samples: {step.number * BATCH}\n")


def _nemo_values(step: Step) -> Values:
    return {"step_time_s": float(f"{step.time_s:.3f}"), "tflops_per_device": float(f"{1581 / step.time_s:.2e}"),
            "global_batch": BATCH, "loss": float(f"{step.loss:.3f}")}


def _nemo_bar(step: Step) -> str:
    return (f"Epoch 0:   2%|▏         | {step.number}/2000 [02:44<2:13:48,  {step.time_s:.2f}s/it, loss={step.loss:.1f}, v_num=, "
            f"reduced_train_loss={step.loss:.3f}, global_step={step.number}.00, consumed_samples={step.number * BATCH}.0, "
            f"train_step_timing in s={step.time_s:.3f}]\n")


def _nemo_bar_values(step: Step) -> Values:
    return {"step_time_s": float(f"{step.time_s:.3f}"), "total_samples": step.number * BATCH,
            "loss": float(f"{step.loss:.3f}")}


def _automodel(step: Step) -> str:
    return (f"{_clock(step, '.')[:-4]} | INFO | root | step {step.number} | epoch 0 | loss {step.loss:.4f} | grad_norm 0.8800 | "
            f"lr 1.00e-04 | mem 60.20 GiB | tps {step.tokens_per_s:.2f}({step.tokens_per_s / GPUS:.2f}/gpu) | "
            f"num_label_tokens 50000\n")


def _automodel_values(step: Step) -> Values:
    return {"tokens_per_s": float(f"{step.tokens_per_s:.2f}"), "loss": float(f"{step.loss:.4f}"),
            "tokens_per_s_per_device": float(f"{step.tokens_per_s / GPUS:.2f}")}


def _nanogpt(step: Step) -> str:
    return f"iter {step.number}: loss {step.loss:.4f}, time {step.ms:.2f}ms, mfu {2.5 / step.time_s * 100:.2f}%\n"


def _nanogpt_values(step: Step) -> Values:
    return {"step_time_s": step.ms / 1000, "mfu": float(f"{2.5 / step.time_s * 100:.2f}") / 100,
            "loss": float(f"{step.loss:.4f}")}


def _nanochat(step: Step) -> str:
    return (f"step {step.number:05d}/21400 ({step.number / 214:.2f}%) | loss: {step.loss:.6f} | lrm: 1.00 | dt: {step.ms:.2f}ms | "
            f"tok/sec: {step.tokens_per_s:,.0f} | mfu: {250 / step.time_s:.2f} | total time: {step.number * 0.1:.2f}m\n")


def _nanochat_values(step: Step) -> Values:
    return {"step_time_s": step.ms / 1000, "tokens_per_s": float(f"{step.tokens_per_s:.0f}"),
            "mfu": float(f"{250 / step.time_s:.2f}") / 100, "loss": float(f"{step.loss:.6f}")}


def _modded(step: Step) -> str:
    return f"step:{step.number}/1750 train_time:{step.number * 98 + 25}ms step_avg:{98 + 25 / step.number:.2f}ms\n"


def _modded_values(step: Step) -> Values:
    return {"elapsed_s": (step.number * 98 + 25) / 1000}


def _titan(step: Step) -> str:
    rate = step.tokens_per_s / GPUS
    return (f"[titan] {_clock(step)} - root - INFO - step: {step.number:2d}  loss: {step.loss:8.5f}  grad_norm:  2.1000  memory: "
            f"60.10GiB(76.00%)  tps: {rate:,.0f}  tflops: {rate * 0.05791:,.2f}  mfu: {rate * 0.005856:.2f}%\n")


def _titan_values(step: Step) -> Values:
    rate = step.tokens_per_s / GPUS
    return {"tokens_per_s_per_device": float(f"{rate:.0f}"), "tflops_per_device": float(f"{rate * 0.05791:.2f}"),
            "mfu": float(f"{rate * 0.005856:.2f}") / 100, "loss": float(f"{step.loss:.5f}")}


def _maxtext(step: Step) -> str:
    rate = 32768 / step.time_s
    return (f"I0110 08:{step.number // 60 % 60:02d}:{step.number % 60:02d}.230209 140110937163584 metric_logger.py:214] completed step: "
            f"{step.number}, seconds: {step.time_s:.3f}, TFLOP/s/device: {1686.58 / step.time_s:.3f}, Tokens/s/device: {rate:.3f}, "
            f"total_weights: 262144, loss: {step.loss:.3f}, lm_loss: {step.loss:.3f}, perplexity: 8955.293\n")


def _maxtext_values(step: Step) -> Values:
    return {"step_time_s": float(f"{step.time_s:.3f}"), "tflops_per_device": float(f"{1686.58 / step.time_s:.3f}"),
            "tokens_per_s_per_device": float(f"{32768 / step.time_s:.3f}"), "weighted_tokens": 262144,
            "loss": float(f"{step.loss:.3f}")}


def _verl(step: Step) -> str:
    tokens = 1310720 + step.number
    return (f"(TaskRunner pid=1234) step:{step.number} - global_seqlen/mean:{tokens / 8:.3f} - actor/pg_loss:{step.loss / 100:.6f} - "
            f"actor/grad_norm:0.070 - perf/mfu/actor_infer:0.300 - perf/mfu/actor:{2.5 / step.time_s:.3f} - "
            f"perf/max_memory_allocated_gb:40.100 - timing_s/gen:{step.time_s - 1:.3f} - timing_s/update_actor:1.000 - "
            f"timing_s/step:{step.time_s:.3f} - perf/total_num_tokens:{tokens} - perf/time_per_step:{step.time_s:.3f} - "
            f"perf/throughput:{tokens / step.time_s / 8:.3f}\n")


def _verl_values(step: Step) -> Values:
    tokens = 1310720 + step.number
    return {"step_time_s": float(f"{step.time_s:.3f}"), "tokens": tokens, "mfu": float(f"{2.5 / step.time_s:.3f}"),
            "tokens_per_s_per_device": float(f"{tokens / step.time_s / 8:.3f}")}


def _prime(step: Step) -> str:
    return (f"{step.number % 24:02d}:00:00 SUCCESS Step {step.number} | Time: {step.time_s:.2f}s | Loss: {step.loss:.4f} | Grad. Norm: "
            f"5.0000 | LR: 2.00e-05 | Throughput: {step.tokens_per_s:.0f} tokens/s | MFU: {250 / step.time_s:.1f}% | Peak Mem.: 29.1 GiB\n")


def _prime_values(step: Step) -> Values:
    return {"step_time_s": float(f"{step.time_s:.2f}"), "tokens_per_s": float(f"{step.tokens_per_s:.0f}"),
            "mfu": float(f"{250 / step.time_s:.1f}") / 100, "loss": float(f"{step.loss:.4f}")}


def _slime(step: Step) -> str:
    return (f"[{_clock(step, '.')[:-4]}] train_metric_utils.py:44 - perf {step.number}: {{'perf/train_wait_time': 1.5, "
            f"'perf/actor_train_time': 2.25, 'perf/actor_train_tflops': {200 / step.time_s!r}, 'perf/step_time': {step.time_s!r}, "
            f"'perf/wait_time_ratio': 0.2}}\n")


def _slime_values(step: Step) -> Values:
    return {"step_time_s": step.time_s, "tflops_per_device": 200 / step.time_s}


def _deepspeed(step: Step) -> str:
    return (f"[{_clock(step)}] [INFO] [timer.py:260:stop] epoch=0/micro_step={step.number * 8}/global_step={step.number}, "
            f"RunningAvgSamplesPerSec={BATCH / 6.3:.6f}, CurrSamplesPerSec={BATCH / step.time_s:.6f}, MemAllocated=6.01GB, "
            f"MaxMemAllocated=19.52GB\n")


def _deepspeed_values(step: Step) -> Values:
    return {"samples_per_s": float(f"{BATCH / step.time_s:.6f}")}


def _short(value: float) -> str:
    for suffix, size in (("T", 1e12), ("B", 1e9), ("M", 1e6), ("K", 1e3)):
        if value >= size:
            return f"{value / size:.3g}{suffix}"
    return f"{value:.3g}"


def _nanotron(step: Step) -> str:
    return (f"01/10/2026 08:{step.number // 60 % 60:02d}:{step.number % 60:02d} [INFO|DP=0|PP=0|TP=0]: iteration: {step.number} / 10000 | "
            f"consumed_tokens: {_short(step.number * 2097152.0)} | time_per_iteration_ms: {_short(step.ms)} | tokens_per_sec: "
            f"{_short(2097152 / step.time_s)} | tokens_per_sec_per_gpu: {_short(32768 / step.time_s)} | global_batch_size: "
            f"2.1M | lm_loss: {step.loss:.3g} | lr: 3e-05 | model_tflops_per_gpu: {1581 / step.time_s:.3g} | eta: 22:10:40\n")


def _unshort(text: str) -> float:
    return float(text.rstrip("TBMK")) * {"T": 1e12, "B": 1e9, "M": 1e6, "K": 1e3}.get(text[-1], 1.0)


def _nanotron_values(step: Step) -> Values:
    return {"step_time_s": _unshort(_short(step.ms)) / 1000, "tokens_per_s": _unshort(_short(2097152 / step.time_s)),
            "tokens_per_s_per_device": _unshort(_short(32768 / step.time_s)), "tokens": 2.1e6,
            "tflops_per_device": float(f"{1581 / step.time_s:.3g}"), "loss": float(f"{step.loss:.3g}")}


def _composer(step: Step) -> str:
    rate = step.tokens_per_s
    return (f"[batch={step.number}/1000]:\n\t Train time/batch: {step.number}\n\t Train loss/train/total: {step.loss:.4f}\n"
            f"\t Train throughput/batches_per_sec: {1 / step.time_s:.4f}\n\t Train throughput/samples_per_sec: "
            f"{BATCH / step.time_s:.4f}\n\t Train throughput/tokens_per_sec: {rate:.4f}\n\t Train throughput/device/tokens_per_sec: "
            f"{rate / GPUS:.4f}\n\t Train throughput/device/flops_per_sec: {rate / GPUS * 5.147e10:.4f}\n"
            f"\t Train throughput/device/mfu: {2.6 / step.time_s:.4f}\n\t Train time/train: {step.number * step.time_s / 3600:.4f}\n")


def _composer_values(step: Step) -> Values:
    rate = step.tokens_per_s
    return {"steps_per_s": float(f"{1 / step.time_s:.4f}"), "tokens_per_s": float(f"{rate:.4f}"),
            "tokens_per_s_per_device": float(f"{rate / GPUS:.4f}"), "mfu": float(f"{2.6 / step.time_s:.4f}"),
            "tflops_per_device": float(f"{rate / GPUS * 5.147e10:.4f}") / 1e12, "loss": float(f"{step.loss:.4f}")}


def _litgpt(step: Step) -> str:
    return (f"Epoch 1 | iter {step.number * 4} step {step.number} | loss train: {step.loss:.3f}, val: n/a | iter time: "
            f"{step.ms / 4:.2f} ms (step) remaining time: 5:10:20\n")


def _litgpt_values(step: Step) -> Values:
    return {"step_time_s": float(f"{step.ms / 4:.2f}") / 1000 * 4, "loss": float(f"{step.loss:.3f}")}


def _olmo(step: Step) -> str:
    rate = step.tokens_per_s / GPUS
    return (f"{_clock(step, '.')}\thost:0\tolmo_core.train.callbacks.console_logger:80\tINFO\t[step={step.number}/1000,epoch=1,eta=2:15:00]\n"
            f"    train/CE loss={step.loss:.3f}\n    throughput/device/TPS={rate:,.0f}\n    throughput/device/TPS (actual avg)=6,950\n"
            f"    throughput/device/MFU={250 / step.time_s:.2f}\n    throughput/device/BPS={1 / step.time_s:.4f}\n")


def _olmo_values(step: Step) -> Values:
    return {"tokens_per_s_per_device": float(f"{step.tokens_per_s / GPUS:.0f}"), "loss": float(f"{step.loss:.3f}"),
            "mfu": float(f"{250 / step.time_s:.2f}") / 100, "steps_per_s": float(f"{1 / step.time_s:.4f}")}


def _levanter(step: Step) -> str:
    return (f"Progress on:train {step.number}.0it/900it rate:{step.time_s:.1f}s/it remaining:1:37:46 elapsed:13:20 postfix:loss="
            f"{step.loss:.3f}\n")


def _levanter_values(step: Step) -> Values:
    return {"steps_per_s": 1 / float(f"{step.time_s:.1f}"), "loss": float(f"{step.loss:.3f}")}


def _mindformers(step: Step) -> str:
    name = "[mindformers/core/callback/callback.py:"
    return (f"{_clock(step)} - {name}529] - INFO - {{ Epoch:[  1/  1], step:[{step.number:5d}/ 1000], loss: {step.loss:.3f}, per_step_time: "
            f"{step.ms:.0f}ms, lr: 1e-05, overflow cond: False, loss_scale: 1.0, global_norm: [1.2], train_throughput_per_npu: "
            f"{600 / step.time_s:.3f}T\n{_clock(step)} - {name}540] - INFO -    2.0% |{'█' * (step.number % 5 + 1):<50}| "
            f"{8 / step.time_s:.5f} samples/s/p  1:05:20 }}\n")


def _mindformers_values(step: Step) -> Values:
    return {"step_time_s": float(f"{step.ms:.0f}") / 1000, "tflops_per_device": float(f"{600 / step.time_s:.3f}"),
            "samples_per_s_per_device": float(f"{8 / step.time_s:.5f}"), "loss": float(f"{step.loss:.3f}")}


def _paddle(step: Step) -> str:
    return (f"[{_clock(step)}] [    INFO] - loss: {step.loss:.4f}, learning_rate: 1e-05, global_step: {step.number}, interval_runtime: "
            f"{step.time_s:.4f}, interval_samples_per_second: {BATCH / step.time_s:.4f}, interval_tokens_per_second_per_device: "
            f"{step.tokens_per_s / GPUS:.4f}, interval_hardware_tflops_per_device: {1581 / step.time_s:.2f}, "
            f"interval_steps_per_second: {1 / step.time_s:.4f}, progress_or_epoch: 0.01\n")


def _paddle_values(step: Step) -> Values:
    return {"step_time_s": float(f"{step.time_s:.4f}"), "samples_per_s": float(f"{BATCH / step.time_s:.4f}"),
            "tokens_per_s_per_device": float(f"{step.tokens_per_s / GPUS:.4f}"),
            "hardware_tflops_per_device": float(f"{1581 / step.time_s:.2f}")}


def _xtuner(step: Step) -> str:
    return (f"[XTuner][RANK 0][{_clock(step)[:-4]}][INFO] Step {step.number}/1000 data_time: 0.0100 lr: 0.000020 time: {step.time_s:.4f} "
            f"text_tokens: 16384.0 total_loss: {step.loss:.3f} reduced_llm_loss: {step.loss:.3f} max_memory: 40.10 GB "
            f"reserved_memory: 45.00 GB grad_norm: 1.200 tgs: {16384 / step.time_s:.1f} e2e_tgs: 4000.0\n")


def _xtuner_values(step: Step) -> Values:
    return {"step_time_s": float(f"{step.time_s:.4f}"), "tokens_per_device": 16384,
            "tokens_per_s_per_device": float(f"{16384 / step.time_s:.1f}"), "loss": float(f"{step.loss:.3f}")}


def _mmengine(step: Step) -> str:
    return (f"{_clock(step)[:-4].replace('-', '/')} - mmengine - INFO - Iter(train) [{step.number:5d}/15000]  lr: 7.5001e-07  eta: "
            f"1:36:41  time: {step.time_s:.4f}  data_time: 0.0030  memory: 9806  loss: {step.loss:.4f}\n")


def _mmengine_values(step: Step) -> Values:
    return {"step_time_s": float(f"{step.time_s:.4f}"), "loss": float(f"{step.loss:.4f}")}


def _colossal(step: Step) -> str:
    return (f"Throughput: {BATCH / step.time_s:.2f} samples/sec, TFLOPS per GPU by Megatron: {1581 / step.time_s:.2f}, TFLOPS per GPU: "
            f"{1500 / step.time_s:.2f}\n")


def _colossal_values(step: Step) -> Values:
    return {"samples_per_s": float(f"{BATCH / step.time_s:.2f}"),
            "hardware_tflops_per_device": float(f"{1581 / step.time_s:.2f}")}


def _libai(step: Step) -> str:
    return (f"[01/10 08:{step.number // 60 % 60:02d}:{step.number % 60:02d} lb.utils.events]:  eta: 1:05:20  iteration: {step.number}/10000  "
            f"consumed_samples: {step.number * BATCH}  total_loss: {step.loss:.3f}  time: {step.time_s:.4f} s/iter  data_time: "
            f"0.0021 s/iter total_throughput: {BATCH / step.time_s:.2f} samples/s lr: 1.50e-04\n")


def _libai_values(step: Step) -> Values:
    return {"step_time_s": float(f"{step.time_s:.4f}"), "samples_per_s": float(f"{BATCH / step.time_s:.2f}"),
            "total_samples": step.number * BATCH, "loss": float(f"{step.loss:.3f}")}


def _mllog(step: Step) -> str:
    event = {"namespace": "", "time_ms": 1768032000000 + step.number * 6200, "event_type": "POINT_IN_TIME", "key": "tracked_stats",
             "value": {"train_step_timing": step.time_s, "throughput": step.tokens_per_s},
             "metadata": {"file": "callbacks.py", "lineno": 20, "step": step.number * BATCH * LENGTH}}
    return f":::MLLOG {json.dumps(event)}\n"


_MLLOG_HEAD = "".join(
    f':::MLLOG {{"namespace": "", "time_ms": 1768032000000, "event_type": "POINT_IN_TIME", "key": "{key}", "value": {value}, '
    f'"metadata": {{"file": "train.py", "lineno": 10}}}}\n'
    for key, value in (("global_batch_size", BATCH), ("max_sequence_length", LENGTH)))


def _mllog_values(step: Step) -> Values:
    return {"step_time_s": step.time_s, "tokens_per_s": step.tokens_per_s, "global_batch": BATCH,
            "sequence_length": LENGTH}


def _elapsed(step: Step) -> float:
    return round(step.number * 9.01 + 3.3, 2)


def _hms(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def _trainer(step: Step) -> str:
    whole = int(_elapsed(step))
    clock = f"{whole // 60:02d}:{whole % 60:02d}" if whole < 3600 else _hms(whole)
    return (f" {step.number // 4:2d}%|█▏        | {step.number}/400 [{clock}<52:48,  9.01s/it]\r{{'loss': {step.loss:.4f}, "
            f"'grad_norm': 0.91, 'learning_rate': 1.9e-05, 'epoch': {step.number / 400:.2f}}}\n")


def _trainer_values(step: Step) -> Values:
    return {"elapsed_s": int(_elapsed(step)), "loss": float(f"{step.loss:.4f}")}


def _factory(step: Step) -> str:
    tokens = step.number * BATCH * 1024
    record = {"current_steps": step.number, "total_steps": 400, "loss": round(step.loss, 4), "lr": 9.9e-06, "epoch": 0.05,
              "percentage": step.number / 4, "elapsed_time": _hms(_elapsed(step)), "remaining_time": "1:03:20",
              "throughput": round(tokens / _elapsed(step), 2), "total_tokens": tokens}
    return json.dumps(record) + "\n"


def _factory_values(step: Step) -> Values:
    tokens = step.number * BATCH * 1024
    return {"elapsed_s": tokens / round(tokens / _elapsed(step), 2), "total_tokens": tokens, "loss": round(step.loss, 4)}


def _swift_record(step: Step) -> dict[str, object]:
    whole = int(_elapsed(step))
    return {"loss": round(step.loss, 8), "grad_norm": 1.97, "learning_rate": 0.0001, "memory(GiB)": 2.44,
            "train_speed(iter/s)": round(step.number / _elapsed(step), 6), "epoch": 0.1,
            "global_step/max_steps": f"{step.number}/9060", "percentage": "0.01%",
            "elapsed_time": f"{whole // 60}m {whole % 60}s" if whole >= 60 else f"{whole}s", "remaining_time": "9h 30m 16s"}


def _swift(step: Step) -> str:
    return json.dumps(_swift_record(step)) + "\n"


def _swift_console(step: Step) -> str:
    return f"{_swift_record(step)}\n"


def _swift_values(step: Step) -> Values:
    return {"elapsed_s": step.number / round(step.number / _elapsed(step), 6), "loss": round(step.loss, 8)}


def _wandb_csv(step: Step) -> str:
    return (f'"{step.number}","{step.time_s}","{step.time_s}","{step.time_s}","{step.tokens_per_s / GPUS}","","","{step.loss}","",""\n')


_WANDB_HEAD = ('"Step","llama - time_metrics/end_to_end(s)","llama - time_metrics/end_to_end(s)__MIN",'
               '"llama - time_metrics/end_to_end(s)__MAX","llama - throughput(tps)","llama - throughput(tps)__MIN",'
               '"llama - throughput(tps)__MAX","llama - train/loss","llama - train/loss__MIN","llama - train/loss__MAX"\n')


def _wandb_values(step: Step) -> Values:
    return {"step_time_s": step.time_s, "tokens_per_s_per_device": step.tokens_per_s / GPUS, "loss": step.loss}


def _wandb_json(step: Step) -> str:
    return json.dumps({"_step": step.number, "_runtime": step.number * 6.3, "_timestamp": 1768032000 + step.number * 6.3,
                       "throughput/duration": step.time_s, "throughput/tokens_per_second": step.tokens_per_s,
                       "throughput/mfu": 250 / step.time_s, "train/loss": step.loss}) + "\n"


def _wandb_json_values(step: Step) -> Values:
    return {"step_time_s": step.time_s, "tokens_per_s": step.tokens_per_s, "mfu": 250 / step.time_s / 100,
            "loss": step.loss, "elapsed_s": step.number * 6.3}


def _lightning(step: Step) -> str:
    return (f"0,{step.number},{step.loss},{step.tokens_per_s / GPUS},{step.tokens_per_s / GPUS * 5.147e10},{2.6 / step.time_s},\n")


def _lightning_values(step: Step) -> Values:
    return {"tokens_per_s_per_device": step.tokens_per_s / GPUS, "mfu": 2.6 / step.time_s, "loss": step.loss,
            "tflops_per_device": step.tokens_per_s / GPUS * 5.147e10 / 1e12}


def _table(step: Step) -> str:
    return f"{step.number}\t{step.ms}\t{BATCH}\t{step.loss}\n"


def _table_values(step: Step) -> Values:
    return {"step_time_s": step.ms / 1000, "global_batch": BATCH, "loss": step.loss}


def _json_lines(step: Step) -> str:
    return json.dumps({"step": step.number, "step_time_ms": step.ms, "train_loss": step.loss, "note": "x"}) + "\n"


def _json_lines_values(step: Step) -> Values:
    return {"step_time_s": step.ms / 1000, "loss": step.loss}


SHAPES: dict[str, Shape] = {shape.id: shape for shape in (
    Shape("megatron-lm", _megatron, _megatron_values),
    Shape("megatron-deepspeed", _deepspeed_megatron, _deepspeed_megatron_values),
    Shape("gpt-neox", _neox, _neox_values),
    Shape("megatron-bridge", _bridge, _bridge_values),
    Shape("megatron-progress", _progress, _progress_values),
    Shape("nemo-2", _nemo, _nemo_values),
    Shape("nemo-1", _nemo_bar, _nemo_bar_values),
    Shape("nemo-automodel", _automodel, _automodel_values),
    Shape("nanogpt", _nanogpt, _nanogpt_values),
    Shape("nanochat", _nanochat, _nanochat_values),
    Shape("modded-nanogpt", _modded, _modded_values),
    Shape("torchtitan", _titan, _titan_values),
    Shape("maxtext", _maxtext, _maxtext_values),
    Shape("verl", _verl, _verl_values),
    Shape("prime-rl", _prime, _prime_values),
    Shape("slime", _slime, _slime_values),
    Shape("deepspeed", _deepspeed, _deepspeed_values),
    Shape("nanotron", _nanotron, _nanotron_values),
    Shape("composer", _composer, _composer_values),
    Shape("litgpt", _litgpt, _litgpt_values),
    Shape("olmo-core", _olmo, _olmo_values),
    Shape("levanter", _levanter, _levanter_values),
    Shape("mindformers", _mindformers, _mindformers_values),
    Shape("paddlenlp", _paddle, _paddle_values),
    Shape("xtuner", _xtuner, _xtuner_values),
    Shape("mmengine", _mmengine, _mmengine_values),
    Shape("colossalai", _colossal, _colossal_values),
    Shape("libai", _libai, _libai_values),
    Shape("mllog", _mllog, _mllog_values, _MLLOG_HEAD),
    Shape("hf-trainer", _trainer, _trainer_values),
    Shape("llama-factory", _factory, _factory_values),
    Shape("ms-swift", _swift, _swift_values),
    Shape("wandb-csv", _wandb_csv, _wandb_values, _WANDB_HEAD),
    Shape("wandb-json", _wandb_json, _wandb_json_values),
    Shape("lightning-csv", _lightning, _lightning_values,
          "epoch,step,train_loss,device/items_per_sec,device/flops_per_sec,device/mfu,val_loss\n"),
    Shape("table", _table, _table_values, "step\tstep_time_ms\tglobal_batch_size\tloss\n"),
    Shape("json-lines", _json_lines, _json_lines_values),
)}
SWIFT_CONSOLE = Shape("ms-swift", _swift_console, _swift_values)

NUMBERED_IN_ORDER = frozenset({"megatron-bridge", "colossalai"})
"""Formats whose lines have no step numbers."""


def event_file(records: list[tuple[float, int, dict[str, float]]]) -> bytes:
    """A TensorBoard event file of (wall time, step, scalars), one event for each scalar, as PyTorch writes it."""
    first = _field(1, 1, struct.pack("<d", records[0][0] if records else 0.0)) + _field(3, 2, b"brain.Event:2")
    return b"".join(tf_record(event) for event in (first, *(
        scalar_event(wall, step, tag, value) for wall, step, scalars in records for tag, value in scalars.items())))


def scalar_event(wall: float, step: int, tag: str, value: float) -> bytes:
    """One ``Event`` with one ``simple_value``."""
    inner = _field(1, 2, tag.encode()) + _field(2, 5, struct.pack("<f", value))
    return _field(1, 1, struct.pack("<d", wall)) + _field(2, 0, _varint(step)) + _field(5, 2, _field(1, 2, inner))


def tensor_event(wall: float, step: int, tag: str, value: float) -> bytes:
    """One ``Event`` with a scalar as a float tensor, as ``tf.summary.scalar`` writes it."""
    tensor = _field(1, 0, _varint(1)) + _field(2, 2, b"") + _field(4, 2, struct.pack("<f", value))
    inner = _field(1, 2, tag.encode()) + _field(8, 2, tensor)
    return _field(1, 1, struct.pack("<d", wall)) + _field(2, 0, _varint(step)) + _field(5, 2, _field(1, 2, inner))


def tf_record(data: bytes) -> bytes:
    """Length, its checksum, the data, their checksum."""
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked_crc32c(length)) + data + struct.pack("<I", masked_crc32c(data))


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _field(number: int, wire: int, data: bytes) -> bytes:
    return _varint(number << 3 | wire) + (_varint(len(data)) if wire == 2 else b"") + data
