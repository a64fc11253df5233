"""What the names of metrics mean: tags of TensorBoard, keys of Weights & Biases, columns of CSV, keys of JSON lines.

A name that can mean two things has several meanings, the likely one first; whoever reads asks.
"""

from __future__ import annotations

from typing import NamedTuple

from mfu_gui.formats.training_logs.columns import Average

UNITS: dict[str, dict[str, float]] = {
    "time": {"s": 1.0, "ms": 1e3, "us": 1e6, "min": 1 / 60, "h": 1 / 3600},
    "share": {"fraction": 1.0, "percent": 100.0},
    "flops": {"TFLOP/s": 1.0, "GFLOP/s": 1e3, "FLOP/s": 1e12, "PFLOP/s": 1e-3},
    "plain": {"": 1.0},
}
"""Unit -> what a value in it is divided by."""

KIND_OF: dict[str, str] = {
    "step_time_s": "time", "wall_s": "time", "elapsed_s": "time", "mfu": "share", "hfu": "share",
    "tflops_per_device": "flops", "hardware_tflops_per_device": "flops",
}


def units_of(column: str) -> dict[str, float]:
    """The units that a value of this column can be written in; the first is the column's own."""
    return UNITS[KIND_OF.get(column, "plain")]


class Meaning(NamedTuple):
    """The column that a metric belongs to, the unit it is written in, and what it is a mean over."""

    column: str
    unit: str = ""
    average: Average = "interval"


_PERCENT, _FRACTION = "percent", "fraction"


def _table() -> dict[str, tuple[Meaning, ...]]:
    known: dict[str, tuple[Meaning, ...]] = {}

    def add(names: str, *meanings: Meaning) -> None:
        known.update(dict.fromkeys(names.split(";"), meanings))

    add("trainer/global_step;train/global_step;training/global_step;global_step;iteration;current_steps;step;steps;"
        "Step;_step;iter", Meaning("step"))
    add("_timestamp;Wall time;timestamp", Meaning("wall_s", "s"))
    add("_runtime;Relative Time (Process);relative time", Meaning("elapsed_s", "s", "cumulative"))
    add("iteration-time;time_metrics/end_to_end(s);train_step_timing in s;train_step_timing;throughput/duration;"
        "step_time_s;step time (s)", Meaning("step_time_s", "s"))
    add("timing_s/step;perf/time_per_step;perf/step_time;perf/step_time_seconds;train/dt;time/step",
        Meaning("step_time_s", "s", "instant"))
    add("step_time_ms;iteration_time_ms;time_per_iteration_ms;elapsed_time_per_iteration_ms;iter_time_ms;"
        "elapsed time per iteration (ms)", Meaning("step_time_s", "ms"))
    add("step_time;iter_time;time_per_step;time_per_iteration;iteration_time;step_duration;time;dt",
        Meaning("step_time_s", "s"), Meaning("step_time_s", "ms"))
    add("throughput/batches_per_sec;throughput/device/BPS;throughput/device/batches_per_sec;batches_per_sec",
        Meaning("steps_per_s", "", "running"))
    add("train_steps_per_second;interval_steps_per_second;steps_per_second", Meaning("steps_per_s"))
    add("train_speed(iter/s)", Meaning("steps_per_s", "", "cumulative"))
    add("throughput/tokens_per_sec;tokens_per_sec;train/tok_per_sec;throughput/tokens_per_second;"
        "train_tokens_per_second;tokens_per_second_global", Meaning("tokens_per_s"))
    add("throughput(tps);throughput/device/tokens_per_sec;throughput/device/TPS;tokens_per_sec_per_gpu;"
        "tokens/train_per_sec_per_gpu;tokens_per_second_per_gpu;interval_tokens_per_second_per_device;"
        "perf/throughput;perf/per_device_tokens_per_sec;tps_per_gpu;tgs;tokens_per_second_per_device;"
        "device/items_per_sec", Meaning("tokens_per_s_per_device"))
    add("tokens_per_second;tps;tokens/s;tok/s;tok/sec;tokens_per_s;throughput/tps",
        Meaning("tokens_per_s"), Meaning("tokens_per_s_per_device"))
    add("throughput/samples_per_sec;train_samples_per_second;interval_samples_per_second;runtime/samples_per_sec;"
        "samples_per_second;samples/s", Meaning("samples_per_s"))
    add("device/samples_per_sec;throughput/device/samples_per_sec", Meaning("samples_per_s_per_device", "", "running"))
    add("throughput/tflops/device;tflops;TFLOPS_per_GPU;model_tflops_per_gpu;perf/per_device_tflops_per_sec;"
        "perf/actor_train_tflops;model-flops-throughput-per-npu;tflops_per_gpu;throughput per GPU (TFLOP/s/GPU)",
        Meaning("tflops_per_device", "TFLOP/s"))
    add("throughput/device/flops_per_sec;device/flops_per_sec", Meaning("tflops_per_device", "FLOP/s", "running"))
    add("hardware_tflops_per_gpu;interval_hardware_tflops_per_device",
        Meaning("hardware_tflops_per_device", "TFLOP/s"))
    add("runtime/flops_per_sec_per_gpu;flops/s/gpu", Meaning("hardware_tflops_per_device", "FLOP/s"))
    add("throughput", Meaning("tflops_per_device", "TFLOP/s"), Meaning("tokens_per_s"),
        Meaning("tokens_per_s_per_device"), Meaning("samples_per_s"))
    add("mfu(%);throughput/mfu;throughput/device/MFU;train/mfu;perf/mfu", Meaning("mfu", _PERCENT))
    add("throughput/device/mfu;device/mfu", Meaning("mfu", _FRACTION, "running"))
    add("perf/mfu/actor;perf/mfu/actor_train", Meaning("mfu", _FRACTION, "instant"))
    add("mfu;MFU", Meaning("mfu", _FRACTION), Meaning("mfu", _PERCENT))
    add("hfu;HFU", Meaning("hfu", _FRACTION), Meaning("hfu", _PERCENT))
    add("global_batch_size;batch-size;global batch size;global_batch", Meaning("global_batch"))
    add("sequence_length;seq_length;seqlen;actual seqlen;curriculum_seqlen", Meaning("sequence_length"))
    add("perf/total_num_tokens;tokens_per_step;global_seqlen/sum", Meaning("tokens", "", "instant"))
    add("consumed_samples;consumed-samples;consumed samples", Meaning("total_samples", "", "cumulative"))
    add("total_tokens;num_input_tokens_seen;train/num_input_tokens_seen;throughput/total_tokens;"
        "throughput/total tokens;consumed_tokens;tokens/total;n_tokens_seen;progress/train/total_tokens",
        Meaning("total_tokens", "", "cumulative"))
    add("loss;train/loss;train_loss;lm loss;lm_loss;train/CE loss;loss/train/total;reduced_train_loss;"
        "learning/loss;loss_metrics/global_avg_loss;actor/pg_loss;train/lm_loss;training_loss",
        Meaning("loss", "", "instant"))
    return known


KNOWN = _table()
_FOLDED: dict[str, str] = {name.lower(): name for name in reversed(KNOWN)}
STEP_NAMES = tuple(name for name, meanings in KNOWN.items() if meanings[0].column == "step")
"""Names of a step number; of several in one log the first counts."""


def meanings_of(name: str) -> tuple[Meaning, ...]:
    """What a metric of this name can mean, the likely first; nothing for an unknown name.

    Case matters where it must (``throughput/device/MFU`` is in percent, ``…/mfu`` a fraction).
    """
    name = name.strip()
    return KNOWN.get(name) or KNOWN.get(_FOLDED.get(name.lower(), ""), ())
