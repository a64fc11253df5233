"""`mfu-gui --self-test`: whether this installation is whole and computes what was published.

One line a check; nothing is written, no window is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from mfu_gui.cli import output
from mfu_gui.engine.errors import InputError
from mfu_gui.formats import strict_json
from mfu_gui.formats.presets import KINDS, PresetStore
from mfu_gui.resources import resource_path
from mfu_gui.texts import LANGUAGES, N_, Translator

EXAMPLES = "examples"
EXPECTED = "expected.json"
FIGURES = {"mfu_percent": "MFU, %", "hfu_percent": "HFU, %", "tflops_per_device": "TFLOP/s"}


class CheckError(Exception):
    """A check found something wrong; its text says what, in English as a log would."""


def run_self_test(tr: Translator) -> int:
    """Run all checks and print a line for each; 0 when all passed, else 1."""
    passed = True
    for name, check in _checks():
        try:
            found = check(tr)
            output.text(f"{tr('ok')}      {tr(name)}: {found}\n")
        except CheckError as failure:
            passed = False
            output.text(f"{tr('FAILED')}  {tr(name)}: {failure}\n")
        except InputError as error:
            passed = False
            output.text(f"{tr('FAILED')}  {tr(name)}: {tr.describe(error)}\n")
        except Exception as error:  # noqa: BLE001 - whatever a damaged file provokes, the other checks go on
            passed = False
            output.text(f"{tr('FAILED')}  {tr(name)}: {type(error).__name__}: {error}\n")
    output.text(tr("All checks passed.") + "\n" if passed else tr("This installation is damaged.") + "\n")
    return 0 if passed else 1


def _checks() -> Iterator[tuple[str, Callable[[Translator], str]]]:
    yield N_("presets"), _presets
    yield N_("conventions"), _conventions
    yield N_("schemas"), _schemas
    yield N_("translations"), _translations
    yield N_("published figures"), _published


def _presets(tr: Translator) -> str:
    """Every shipped preset can be read and is valid."""
    from mfu_gui.engine.validation import validate_model
    from mfu_gui.formats.preset_file import ModelPreset

    store = PresetStore()
    counts = []
    for kind in KINDS:
        infos = [info for info in store.infos(kind) if info.shipped]
        if not infos:
            raise CheckError(f"no {kind}")
        for info in infos:
            preset = store.get(kind, info.id)
            if isinstance(preset, ModelPreset):
                validate_model(preset.spec)
        counts.append(len(infos))
    return tr("{models:integer} models, {hardware:integer} accelerators", models=counts[0], hardware=counts[1])


def _conventions(tr: Translator) -> str:
    """Every convention reads a shipped model or says why it cannot."""
    from mfu_gui.engine.conventions import CONVENTIONS
    from mfu_gui.engine.evaluate import count

    scenarios = [_example(name) for name in sorted({row["file"] for row in _expected()})]
    for convention in CONVENTIONS:
        for scenario in scenarios:
            if convention.status(scenario.model)[0] == "undefined":
                continue
            flops, _ = count(scenario.model, scenario.run, convention)
            if not flops.per_token > 0:
                raise CheckError(f"{convention.id}: {flops.per_token} FLOPs for {scenario.model.name}")
    return tr.numbers.integer(len(CONVENTIONS))


def _schemas(tr: Translator) -> str:
    from mfu_gui.formats.schema import NAMES, schema_text

    for name in NAMES:
        strict_json.parse(schema_text(name).encode(), name)
    return tr.join(NAMES)


def _translations(tr: Translator) -> str:
    """Every language has its catalogue, and the catalogue speaks."""
    from gettext import GNUTranslations

    for name in LANGUAGES.values():
        if name is None:
            continue
        with resource_path("i18n", f"{name}.mo").open("rb") as file:
            spoken = GNUTranslations(file).gettext("ok")
        if spoken == "ok":
            raise CheckError(f"{name}: empty")
    return tr.join(list(LANGUAGES))


def _published(tr: Translator) -> str:
    """The shipped examples give the figures that were published for them."""
    from msgspec.structs import replace

    from mfu_gui.engine.evaluate import evaluate
    from mfu_gui.engine.scenario import ConventionChoice

    rows = _expected()
    shown = []
    for row in rows:
        choice = ConventionChoice(id=row["convention"]["id"], options=row["convention"].get("options", {}))
        result = evaluate(replace(_example(row["file"]), convention=choice))
        found = {"mfu_percent": _times_100(result.mfu), "hfu_percent": _times_100(result.hfu),
                 "tflops_per_device": result.throughput.tflops_per_device}
        for figure in FIGURES.keys() & row.keys():
            value = _as_printed(found[figure], row[figure])
            if value != row[figure]:
                raise CheckError(f"{row['file']} ({choice.id}): {FIGURES[figure]} = {value}, not {row[figure]}")
        shown.append(f"{row['mfu_percent']}%")
    return tr.join(shown)


def _times_100(share: float | None) -> float | None:
    return None if share is None else share * 100


def _as_printed(value: float | None, printed: str) -> str:
    """``value`` rounded half up to as many decimals as ``printed`` has."""
    if value is None:
        return "–"
    return str(Decimal(repr(value)).quantize(Decimal(printed), ROUND_HALF_UP))


def _expected() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = strict_json.load(resource_path(EXAMPLES, EXPECTED))["expected"]
    return rows


def _example(name: str) -> Any:
    from mfu_gui.formats.scenario_file import read_scenario

    return read_scenario(resource_path(EXAMPLES, name), PresetStore()).scenario
