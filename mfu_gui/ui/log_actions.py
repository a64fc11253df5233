"""What a log may change in the scenario: its measured value, and what its header says of the run.

Each is one step of undo, and only done when the user asks for it.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import N_, with_measured
from mfu_gui.engine.run import Parallel
from mfu_gui.engine.scenario import Scenario, Source
from mfu_gui.texts import Translator
from mfu_gui.ui.log_data import LogView
from mfu_gui.ui.workspace import Document, Workspace

_RUN = ("sequence_length", "global_batch", "precision", "micro_batch", "recompute")


def use_measured(workspace: Workspace, document: Document, key: str, value: float, label: str) -> None:
    """Make a figure of the log the measured value (``step_time_s``, ``tokens_per_s_per_device``)."""
    scenario = with_measured(document.scenario, key, float(f"{value:.6g}"))
    workspace.edit(document, f"run.measured.{key}", scenario, label=label)


MEDIAN, MEAN, WALL = N_("Median of the log"), N_("Mean of the log"), N_("Wall average of the log")


def header_of(view: LogView) -> dict[str, Any]:
    """What the log says of the run and the model, in the form of a scenario file."""
    parts: dict[str, Any] = dict(view.data.document.get("scenario") or {})
    run: dict[str, Any] = dict(parts.get("run") or {})
    for name in ("devices", "sequence_length", "global_batch"):
        fact = view.data.facts().get(name)
        if fact is not None and fact.origin != "scenario":
            run.setdefault(name, int(fact.value))
    batch = view.data.column("global_batch")
    if batch is not None and len(batch) and batch[-1] == batch[-1]:
        run["global_batch"] = int(batch[-1])
    if run:
        parts["run"] = run
    return parts


def with_header(scenario: Scenario, header: dict[str, Any]) -> Scenario:
    """The scenario changed to what the log's header says, as far as that can be evaluated."""
    run = scenario.run
    given: dict[str, Any] = header.get("run") or {}
    changes = {name: given[name] for name in _RUN if name in given and getattr(run, name) != given[name]}
    if "devices" in given:
        framework = scenario.peak.devices_are == "framework_devices"
        units = 1 if framework else scenario.hardware.framework_devices
        if given["devices"] % units == 0 and run.devices != given["devices"] // units:
            changes["devices"] = given["devices"] // units
    if "parallel" in given:
        known = {name: value for name, value in given["parallel"].items() if name in Parallel.__struct_fields__}
        parallel = replace(run.parallel or Parallel(), **known)
        if parallel != run.parallel:
            changes["parallel"] = parallel
    if changes.get("precision") and changes["precision"] not in scenario.hardware.peak_tflops:
        del changes["precision"]
    if changes:
        scenario = replace(scenario, run=replace(run, **changes))
    return _with_model(scenario, header)


def _with_model(scenario: Scenario, header: dict[str, Any]) -> Scenario:
    config = (header.get("model") or {}).get("hf_config")
    if not isinstance(config, dict):
        return scenario
    from mfu_gui.formats.hf_config import read_config

    try:
        found = read_config(config, "").spec
    except InputError:
        return scenario
    if found == scenario.model:
        return scenario
    return replace(scenario, model=found, model_source=Source(hf_config=config))


def header_words(header: dict[str, Any], tr: Translator) -> str:
    """What would be taken over, in words."""
    run: dict[str, Any] = header.get("run") or {}
    words = []
    if "devices" in run:
        words.append(tr("{n:integer} devices", n=run["devices"]))
    if "sequence_length" in run:
        words.append(tr("sequences of {n:integer}", n=run["sequence_length"]))
    if "global_batch" in run:
        words.append(tr("batch {n:integer}", n=run["global_batch"]))
    if "precision" in run:
        words.append(str(run["precision"]))
    if "parallel" in run:
        words.append(tr("parallel layout"))
    if "recompute" in run:
        words.append(tr("recomputation"))
    if "model" in header:
        words.append(tr("model"))
    return " · ".join(words)


def take_header(workspace: Workspace, document: Document, header: dict[str, Any]) -> None:
    """Take over what the header says, as one step of undo."""
    workspace.edit(document, "run.devices", with_header(document.scenario, header), label=N_("Values of the log"))
