"""The sample logs of tests/data/logs: every file is read as what its index entry says."""

from __future__ import annotations

import json
from math import fsum, isnan
from typing import Any

import pytest

from mfu_gui.formats.training_logs.reading import read_log
from mfu_gui.formats.training_logs.registry import FORMATS
from tests.formats.training_logs.samples import FOLDER, INDEX, generated

ENTRIES: list[dict[str, Any]] = json.loads(INDEX.read_text("utf-8"))
WHOLE = {"hf-state", "megatron-golden-values", "tensorboard-csv", "tensorboard-events"}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["file"])
def test_sample(entry: dict[str, Any]) -> None:
    log = read_log(FOLDER / entry["file"])
    assert log.form.id == entry["format"]
    assert len(log.normal) == entry["steps"] + ("inf-bom" in entry["file"])
    for name, (first, last, total) in entry["columns"].items():
        column = log.normal.table.column(name)
        assert column is not None, name
        values = [value for value in column.values() if not isnan(value)]
        if "inf-bom" in entry["file"] and len(values) > entry["steps"]:
            del values[9]  # a count that needs no time, of the step that has none
        assert values[0] == pytest.approx(first, rel=1e-9)
        assert values[-1] == pytest.approx(last, rel=1e-9)
        assert fsum(values) == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize("name", sorted(str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*")
                                        if path.parent.name in WHOLE))
def test_files_of_one_object(name: str) -> None:
    log = read_log(FOLDER / name)
    assert log.form.id == name.partition("/")[0]
    times = [value for value in log.normal.all("step_time_s") if not isnan(value)]
    if log.form.id == "hf-state":
        assert times == [186.0 / 30]
        assert log.normal.typical("global_batch") == 256
    else:
        assert len(log.normal) == 29
        assert times[0] == pytest.approx(6.337 if log.form.id == "tensorboard-csv" else 6.2411, rel=1e-4)


def test_every_format_has_three_samples_and_the_index_knows_each() -> None:
    files = {str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*")}
    for form in FORMATS:
        if form.id != "tensorboard-events":
            assert sum(name.startswith(f"{form.id}/") for name in files) >= 3, form.id
    assert {name for name in files if name.partition("/")[0] not in WHOLE} == {entry["file"] for entry in ENTRIES}


def test_samples_are_what_is_written_today() -> None:
    for name, sample in generated().items():
        assert (FOLDER / name).read_bytes() == sample.data, name
