"""Reading training logs: 40 MB/s of Megatron-like text with half noise, 250,000 one-line records/s, 80 B a step.

A log of a few ten megabytes is made once; `wc -l` and `grep` over the same file are measured beside it, so that the
ratio to what only looks at the bytes is seen.
"""

# ruff: noqa: E501 - lines of logs are as long as they are
from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mfu_gui.formats.training_logs.reading import read_log

RECORDS = 200_000
SHORT_RECORDS = 500_000
NOISE = (("[rank3]:W0110 08:00:06.200114 140110937163584 torch/distributed/c10d_logger.py:79] UserWarning: barrier(): using "
         "the device under current context. You can specify `device_id` in `init_process_group` to mute this warning.\n"),
         "host-12:1234:5678 [3] NCCL INFO Channel 07/0 : 3[3] -> 4[4] via P2P/CUMEM/read\n",
         "  successfully saved checkpoint from iteration to /checkpoints/run-12/iter_0000100, it took 12.4 s; mem 60.1 GiB\n")


@pytest.fixture(scope="module")
def megatron(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records and as many bytes of other lines."""
    path = tmp_path_factory.mktemp("logs") / "megatron.log"
    with path.open("w") as file:
        for n in range(1, RECORDS + 1):
            ms = 6200 + (n * 7919) % 311
            file.write(f" [2026-01-{n // 13000 % 28 + 1:02d} {n // 540 % 24:02d}:{n // 9 % 60:02d}:{n * 6 % 60:02d}.200114] "
                       f"iteration {n:8d}/  500000 | consumed samples: {n * 256:12d} | elapsed time per iteration (ms): "
                       f"{ms}.{n % 10} | throughput per GPU (TFLOP/s/GPU): {255 - ms % 7}.{n % 10} | learning rate: "
                       f"3.000000E-05 | global batch size:   256 | lm loss: {8 - n / 1e5:.6E} | loss scale: 1.0 | grad norm: "
                       f"1.{n % 1000:03d} | number of skipped iterations:   0 | number of nan iterations:   0 |\n")
            file.write(NOISE[n % 3] * (4 if n % 3 == 1 else 2))
    return path


@pytest.fixture(scope="module")
def nanogpt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("logs") / "nanogpt.log"
    with path.open("w") as file:
        for n in range(SHORT_RECORDS):
            file.write(f"iter {n}: loss {8 - n / 1e6:.4f}, time {412 + n % 13}.{n % 100:02d}ms, mfu {40 + n % 2}.{n % 100:02d}%\n")
    return path


def test_megatron_with_half_noise(benchmark: Any, megatron: Path) -> None:
    log = benchmark.pedantic(read_log, (megatron,), rounds=3)
    assert len(log.normal) == RECORDS
    benchmark.extra_info["MB/s"] = round(megatron.stat().st_size / 1e6 / benchmark.stats.stats.min, 1)


@pytest.mark.parametrize("command", [("wc", "-l"), ("grep", "-c", "elapsed time per iteration")], ids=["wc", "grep"])
def test_floor(benchmark: Any, megatron: Path, command: tuple[str, ...]) -> None:
    benchmark.pedantic(subprocess.run, ([*command, str(megatron)],), {"capture_output": True, "check": True}, rounds=3)
    benchmark.extra_info["MB/s"] = round(megatron.stat().st_size / 1e6 / benchmark.stats.stats.min, 1)


def test_records(benchmark: Any, nanogpt: Path) -> None:
    log = benchmark.pedantic(read_log, (nanogpt,), rounds=3)
    assert len(log.normal) == SHORT_RECORDS
    benchmark.extra_info["records/s"] = round(SHORT_RECORDS / benchmark.stats.stats.min)


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process is read from /proc")
@pytest.mark.parametrize("form", ["jsonl", "text"])
def test_memory_and_time_of_the_process(benchmark: Any, nanogpt: Path, form: str) -> None:
    """The goal is 64 MiB and 80 bytes a step; jsonl with blocks is what the window reads."""
    arguments = ["--format", form, *(["--block", "4096"] if form == "jsonl" else [])]
    # VmHWM, because ru_maxrss of a child begins with what its parent had.
    program = ("import re, runpy, sys\nsys.argv[0] = 'mfu-gui'\n"
               "try:\n    runpy.run_module('mfu_gui', run_name='__main__')\nfinally:\n"
               "    sys.stderr.write(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1])\n")
    command = [sys.executable, "-c", program, "log", str(nanogpt), *arguments]

    def run() -> int:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True, text=True)
        return int(done.stderr.split()[-1])

    most = benchmark.pedantic(run, rounds=1)
    benchmark.extra_info["MiB"] = round(most / 2**10)
    benchmark.extra_info["goal MiB"] = round(64 + 80 * SHORT_RECORDS / 2**20)
