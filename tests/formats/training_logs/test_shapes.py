"""Every format: what is written is read, value by value, also with noise around and within it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.training_logs.reading import Log, read_bytes
from mfu_gui.formats.training_logs.registry import FORMATS
from tests.formats.training_logs.shapes import NUMBERED_IN_ORDER, SHAPES, SWIFT_CONSOLE, Shape, Step, steps

ALL = sorted(SHAPES)
WHOLE = {"wandb-csv", "wandb-json", "lightning-csv", "table", "json-lines"}
TEXT = [name for name in ALL if name not in WHOLE]
MANY_LINES = {"composer", "olmo-core", "mindformers"}
NOISE = ("Some parameters are on the meta device", "NCCL INFO Channel 00/24 : 0 1 2 3 4 5 6 7", "",
         "WARNING:root:step was slow: 12, loss, time 3, tps", "/usr/lib/python3/site.py:12: UserWarning: a | b = c")


def text_of(shape: Shape, run: list[Step]) -> str:
    return shape.head + "".join(shape.line(step) for step in run)


def check(log: Log, shape: Shape, run: list[Step]) -> None:
    """All values of ``run`` are there, at their steps, and nothing else."""
    assert log.form.id == shape.id
    table = log.normal.table
    numbers = range(1, len(run) + 1) if shape.id in NUMBERED_IN_ORDER else [step.number for step in run]
    assert list(table.columns["step"].values()) == list(numbers)
    for index, step in enumerate(run):
        for name, value in shape.read(step).items():
            column = table.column(name)
            assert column is not None, name
            assert column[index] == pytest.approx(value, rel=1e-12), (name, step)


def test_every_format_has_a_shape() -> None:
    special = {"hf-state", "megatron-golden-values", "tensorboard-csv", "tensorboard-events"}
    assert {form.id for form in FORMATS} == set(SHAPES) | special


@pytest.mark.parametrize("name", ALL)
def test_plain(name: str) -> None:
    run = steps(2, 60)
    log = read_bytes(text_of(SHAPES[name], run).encode())
    check(log, SHAPES[name], run)
    assert log.others == ()
    assert log.confidence >= 0.7


def test_swift_console() -> None:
    run = steps(1, 40)
    check(read_bytes(text_of(SWIFT_CONSOLE, run).encode()), SWIFT_CONSOLE, run)


@pytest.mark.parametrize("name", ALL)
def test_small_pieces_read_the_same(name: str) -> None:
    """However the bytes are cut, nothing is lost or doubled."""
    from mfu_gui.formats.training_logs.reading import Reading

    run = steps(2, 40)
    data = text_of(SHAPES[name], run).encode()
    reading = Reading()
    for start in range(0, len(data), 997):
        reading.feed(data[start : start + 997])
    reading.feed(b"", True)
    check(reading.finish(), SHAPES[name], run)


def with_noise(text: str) -> str:
    lines = text.split("\n")
    out = []
    for index, line in enumerate(lines):
        out += [line, NOISE[index % len(NOISE)]]
    return "\n".join(out)


CHANGES: dict[str, Callable[[str], bytes]] = {
    "noise": lambda text: with_noise(text).encode(),
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "bom": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "utf-16": lambda text: text.encode("utf-16"),
    "utf-16-be without mark": lambda text: text.encode("utf-16-be"),
    "gbk": lambda text: ("开始训练，数据集：中文语料\n" + text + "训练结束，共用时 3 小时\n").encode("gb18030"),
    "colours": lambda text: "".join(f"\x1b[32m{line}\x1b[39m" for line in text.splitlines(keepends=True)).encode(),
    "lost colours": lambda text: "".join(f"[32m{line[:-1]}[0m\n" for line in text.splitlines(keepends=True)).encode(),
    "cut": lambda text: (text + text.splitlines(keepends=True)[-1][:15]).encode(),
    "zeros": lambda text: b"\0" * 500 + text.encode(),
    "emptied while it was long": lambda text: b"\0" * 3_000_000 + text.encode(),
    "hole": lambda text: b"starting\n" + b"\0" * 5000 + b"\n" + text.encode(),
}


@pytest.mark.parametrize("change", list(CHANGES))
@pytest.mark.parametrize("name", TEXT)
def test_changed(name: str, change: str) -> None:
    run = steps(2, 30)
    if change == "noise" and name in MANY_LINES:
        pytest.skip("lines of one record would be torn apart")
    check(read_bytes(CHANGES[change](text_of(SHAPES[name], run))), SHAPES[name], run)


@pytest.mark.parametrize("change", ["crlf", "bom", "utf-16", "utf-16-be without mark"])
@pytest.mark.parametrize("name", sorted(WHOLE))
def test_changed_tables(name: str, change: str) -> None:
    run = steps(2, 30)
    check(read_bytes(CHANGES[change](text_of(SHAPES[name], run))), SHAPES[name], run)


@pytest.mark.parametrize("name", [name for name in TEXT if name not in NUMBERED_IN_ORDER | {"hf-trainer"}])
def test_restart(name: str) -> None:
    """Steps 21 to 30 were lost and are done again, with other times."""
    before, after = steps(2, 30), [step._replace(time_s=step.time_s + 0.01) for step in steps(21, 40)]
    killed = "Traceback (most recent call last):\n  killed\n"
    text = text_of(SHAPES[name], before) + killed + text_of(SHAPES[name], after)
    log = read_bytes(text.encode())
    check(log, SHAPES[name], [*before[:19], *after])
    assert log.normal.table.restarts == [21.0]
    assert log.normal.table.replaced == 10


@pytest.mark.parametrize("name", [name for name in TEXT if name not in NUMBERED_IN_ORDER | {"hf-trainer", "xtuner"}])
def test_every_rank_prints(name: str) -> None:
    run = steps(2, 30)
    lines = [[f"[rank{rank}]:{part}\n" if part else "\n" for part in SHAPES[name].line(step).rstrip("\n").split("\n")]
             for step in run for rank in range(4)]
    check(read_bytes((SHAPES[name].head + "".join(map("".join, lines))).encode()), SHAPES[name], run)


SHORT = {"megatron-bridge", "modded-nanogpt", "nanogpt", "levanter", "hf-trainer", "colossalai"}
WRAPPED = [name for name in TEXT if name not in MANY_LINES | SHORT]


def broken(text: str, width: int) -> bytes:
    lines = text.encode().split(b"\n")
    return b"\n".join(line[at : at + width] for line in lines for at in range(0, max(1, len(line)), width))


@pytest.mark.parametrize("name", WRAPPED)
def test_broken_at_80_characters(name: str) -> None:
    run = steps(2, 30)
    check(read_bytes(broken(text_of(SHAPES[name], run), 80)), SHAPES[name], run)


def test_joined_lines_are_told() -> None:
    log = read_bytes(broken(text_of(SHAPES["megatron-lm"], steps(2, 30)), 80))
    assert "log_was_wrapped" in {notice.code for notice in log.notices}


def test_zeros_alone_are_no_log() -> None:
    with pytest.raises(InputError) as caught:
        read_bytes(bytes(100_000))
    assert caught.value.code == "log_not_text"
