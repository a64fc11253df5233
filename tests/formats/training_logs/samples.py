"""Sample logs of every format: `python -m tests.formats.training_logs.samples` writes tests/data/logs and its index.

``reference*`` files hold lines as the projects' own threads and documents show them and are kept by hand (their
entries in the index too); the others are written here from ``shapes``, each with the noise that the index names.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tests.formats.training_logs.shapes import NUMBERED_IN_ORDER, SHAPES, Shape, Step, event_file, steps

FOLDER = Path(__file__).resolve().parents[2] / "data" / "logs"
INDEX = FOLDER / "index.json"
TABLES = frozenset({"wandb-csv", "wandb-json", "lightning-csv", "table", "json-lines"})
MANY_LINES = frozenset({"composer", "olmo-core", "mindformers"})
IN_ORDER = ("ranks-gbk", "restart-utf16", "interval")
TORN = ("noisy", "wrapped")
UNFIT = {**dict.fromkeys(NUMBERED_IN_ORDER, IN_ORDER), "hf-trainer": (*IN_ORDER, "wrapped"),
         **dict.fromkeys(MANY_LINES, TORN),
         "xtuner": ("ranks-gbk",), "megatron-progress": ("ranks-gbk",)}
WITHOUT_REFERENCE = frozenset({"megatron-progress", "mmengine", "modded-nanogpt", "ms-swift", "prime-rl", "slime",
                               *TABLES})
WITH_INF = ("megatron-lm", "gpt-neox", "nanochat", "maxtext", "deepspeed", "verl")
SUFFIX = {"llama-factory": "jsonl", "ms-swift": "jsonl", "wandb-csv": "csv", "wandb-json": "jsonl",
          "lightning-csv": "csv", "table": "tsv", "json-lines": "jsonl"}
BAR = "Downloading shards:  45%|████▌     | 450M/1.00G [00:12<00:15, 36.0MB/s]\r"
NOISE = ("NCCL INFO Channel 00/24 : 0 1 2 3 4 5 6 7", "", "W0110 08:00:00 warning: step was slow, loss, time, tps",
         "/usr/lib/python3/site.py:12: UserWarning: a | b = c", "保存检查点到 /data/ckpt，用时 3 秒")


class Sample(NamedTuple):
    """The bytes of a file and the steps that must be read from it."""

    data: bytes
    read: list[Step]


def written(shape: Shape, run: list[Step]) -> str:
    return shape.head + "".join(map(shape.line, run))


def noisy(shape: Shape) -> Sample:
    """Half of the lines are somebody else's, with colours, carriage returns of a bar and Windows line ends."""
    run = steps(2, 30)
    lines = [shape.head]
    for number, step in enumerate(run):
        lines.append(f"\x1b[32m{shape.line(step).rstrip()}\x1b[39m\n")
        lines.append(f"{BAR if number % 3 == 0 else ''}{NOISE[number % len(NOISE)]}\n")
    return Sample("".join(lines).replace("\n", "\r\n").encode(), run)


def gathered(shape: Shape) -> Sample:
    """Four ranks, colours that lost their escape character, in GBK."""
    run = steps(2, 12)
    lines = [f"[rank{rank}]:[33m{part}[0m\n" for step in run for rank in range(4)
             for part in shape.line(step).rstrip("\n").split("\n")]
    return Sample(("开始训练，数据集：中文语料\n" + shape.head + "".join(lines)).encode("gb18030"), run)


def begun_again(shape: Shape) -> Sample:
    """Killed at step 30, begun again at 21, the last line cut; UTF-16."""
    before, after = steps(2, 30), [step._replace(time_s=step.time_s + 0.01) for step in steps(21, 40)]
    text = written(shape, before) + "Traceback (most recent call last):\n  killed\n"
    text += "".join(map(shape.line, after)) + shape.line(steps(41, 41)[0])[:15]
    return Sample(text.encode("utf-16"), [*before[:19], *after])


def unmeasured(shape: Shape) -> Sample:
    """One step without an end: its time is inf, its rates are 0; a byte order mark in front."""
    run = steps(2, 30)
    run[9] = run[9]._replace(time_s=math.inf)
    return Sample(b"\xef\xbb\xbf" + written(shape, run).encode(), [step for step in run if step.time_s < math.inf])


def broken(shape: Shape) -> Sample:
    """Every line broken at 100 characters."""
    run = steps(2, 30)
    lines = written(shape, run).split("\n")
    parts = [line[at : at + 100] for line in lines for at in range(0, max(1, len(line)), 100)]
    return Sample("\n".join(parts).encode(), run)


def windows(shape: Shape) -> Sample:
    run = steps(2, 30)
    return Sample(written(shape, run).replace("\n", "\r\n").encode(), run)


def every_tenth(shape: Shape) -> Sample:
    run = steps(10, 120, 10)
    return Sample(written(shape, run).encode(), run)


def emptied(shape: Shape) -> Sample:
    """Emptied while it was written, so that it begins with zeros."""
    run = steps(2, 30)
    return Sample(b"\0" * 300 + written(shape, run).encode(), run)


KINDS: dict[str, tuple[Callable[[Shape], Sample], str]] = {
    "noisy": (noisy, "other lines in between, ANSI colours, carriage returns of a progress bar, CRLF"),
    "ranks-gbk": (gathered, "four ranks, colours without their escape character, GBK"),
    "restart-utf16": (begun_again, "begun again ten steps back, last line cut, UTF-16"),
    "inf-bom": (unmeasured, "a step with inf and 0, byte order mark"),
    "wrapped": (broken, "lines broken at 100 characters"),
    "zeros": (emptied, "zeros at the beginning"),
    "crlf": (windows, "CRLF"),
    "interval": (every_tenth, "a line every ten steps"),
}


@cache
def kinds_in_index() -> dict[str, list[str]]:
    """The kinds of noise that each format's samples have already."""
    found: dict[str, list[str]] = {}
    for entry in json.loads(INDEX.read_text("utf-8")) if INDEX.exists() else []:
        if not entry["reference"]:
            found.setdefault(entry["format"], []).append(Path(entry["file"]).stem)
    return found


def kinds_of(name: str) -> list[str]:
    """Two kinds of noise for each format, of those that it can have and still be one; inf where it can stand."""
    if name in TABLES:
        return ["interval", "crlf", "zeros" if name in ("wandb-json", "json-lines") else "restart-utf16"]
    kinds = [kind for kind in ("noisy", "restart-utf16", "ranks-gbk", "wrapped", "zeros", "interval")
             if kind not in UNFIT.get(name, ())]
    if name in kinds_in_index():  # a new format must not change the samples of the others
        return kinds_in_index()[name]
    place = sorted(SHAPES).index(name)
    distances = (0, 2, 4) if name in WITHOUT_REFERENCE else (0, 2)
    chosen = list(dict.fromkeys(kinds[(place + distance) % len(kinds)] for distance in distances))
    return [*chosen, "inf-bom"] if name in WITH_INF else chosen


def expected(shape: Shape, run: list[Step]) -> dict[str, list[float]]:
    """First and last value and the sum of every column, from what was written."""
    rows = [shape.read(step) for step in run]
    return {name: [rows[0][name], rows[-1][name], math.fsum(row[name] for row in rows)] for name in rows[0]}


def generated() -> dict[str, Sample]:
    """File name in the folder -> what is in it."""
    found = {f"{name}/{kind}.{SUFFIX.get(name, 'log')}": KINDS[kind][0](shape)
             for name, shape in SHAPES.items() for kind in kinds_of(name)}
    found |= {name: Sample(data, steps(2, 30)) for name, data in whole_files(steps(2, 30)).items()}
    return found


def whole_files(run: list[Step]) -> dict[str, bytes]:
    """Files that are one object: Trainer state, golden values, TensorBoard's."""
    history = [{"loss": step.loss, "step": step.number, "epoch": step.number / 100, "grad_norm": 1.2} for step in run]
    end = {"train_runtime": 186.0, "train_samples_per_second": 41.29, "train_steps_per_second": 0.161,
           "total_flos": 1.2e19, "train_loss": 7.8, "epoch": 1.0, "step": 30}
    state = {"epoch": 1.0, "global_step": 30, "max_steps": 30, "log_history": [*history, end],
             "train_batch_size": 8}
    results = {key: value for key, value in end.items() if key != "step"}
    golden = {"iteration-time": {"start_step": 2, "end_step": 30, "step_interval": 1,
                                 "values": {str(step.number): step.time_s for step in run}},
              "lm loss": {"start_step": 2, "end_step": 30, "step_interval": 1,
                          "values": {str(step.number): step.loss for step in run}}}
    old = {key: {**value, "values": list(value["values"].values())} for key, value in golden.items()}
    walls = [1768032000.0 + math.fsum(step.time_s for step in run[:count + 1]) for count in range(len(run))]
    wide = "Wall time,Step,Value\n" + "".join(f"{wall},{step.number},{step.time_s}\n"
                                              for wall, step in zip(walls, run, strict=True))
    tags = [(wall, step.number, {"iteration-time": step.time_s, "lm loss": step.loss, "throughput": 1581 / step.time_s})
            for wall, step in zip(walls, run, strict=True)]
    flops = [(wall, number, {"time_metrics/end_to_end(s)": scalars["iteration-time"], "tflops": 1581.0})
             for wall, number, scalars in tags]
    return {
        "hf-state/trainer_state.json": json.dumps(state, indent=2).encode(),
        "hf-state/all_results.json": json.dumps(results, indent=4).encode(),
        "hf-state/trainer_state-bom.json": b"\xef\xbb\xbf" + json.dumps(state).encode(),
        "megatron-golden-values/golden_values.json": json.dumps(golden).encode(),
        "megatron-golden-values/golden_values-lists.json": json.dumps(old, indent=1).encode(),
        "megatron-golden-values/golden_values-crlf.json": json.dumps(golden, indent=2).replace("\n", "\r\n").encode(),
        "tensorboard-csv/iteration-time.csv": wide.encode(),
        "tensorboard-csv/iteration-time-crlf.csv": wide.replace("\n", "\r\n").encode(),
        "tensorboard-csv/iteration-time-utf16.csv": wide.encode("utf-16"),
        "tensorboard-events/events.out.tfevents.1768032000.host": event_file(tags),
        "tensorboard-events/events.out.tfevents.titan": event_file(flops),
        "tensorboard-events/events.out.tfevents.cut": event_file(tags)[:-40],
    }


def main() -> None:
    known: list[dict[str, Any]] = json.loads(INDEX.read_text("utf-8")) if INDEX.exists() else []
    entries = [entry for entry in known if entry["reference"]]
    for name, sample in generated().items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(sample.data)
        form = name.partition("/")[0]
        if form not in SHAPES:
            continue
        entries.append({"file": name, "format": form, "reference": False, "noise": KINDS[path.stem][1],
                        "steps": len(sample.read), "columns": expected(SHAPES[form], sample.read)})
    INDEX.write_text(json.dumps(sorted(entries, key=lambda entry: str(entry["file"])), indent=1,
                                ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
