"""evaluate: Scenario -> Result.  Pure, exact, and fast enough to run on every key press."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from mfu_gui.engine.axes import axes_of, padded_axes, tokens_per_sequence
from mfu_gui.engine.checks import notices
from mfu_gui.engine.conventions import Convention, chosen
from mfu_gui.engine.conventions.reading import Number, Row, compile_reading, units2_of
from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.recompute import first_layers, repeats, share_of, to_integer
from mfu_gui.engine.run import Recompute, RunSpec
from mfu_gui.engine.scenario import ComponentFlops, Flops, Result, Scenario
from mfu_gui.engine.terms import Axes, Measure, PairCounting
from mfu_gui.engine.utilization import peak_tflops_per_device, throughput

Known = dict[tuple[Measure, PairCounting], int]


def evaluate(scenario: Scenario) -> Result:
    """Count the scenario by its convention and relate the count to peak and time.

    Raises InputError for what cannot be computed (no such peak, unknown convention or component).
    """
    convention = chosen(scenario.convention)
    flops, tokens_per_step = count(scenario.model, scenario.run, convention)
    peak = peak_tflops_per_device(scenario.hardware, scenario.run.precision, scenario.peak)
    rates = throughput(scenario.run, tokens_per_step, flops.per_step, flops.per_token, peak)
    utilization = None if rates.tflops_per_device is None else rates.tflops_per_device / peak
    hardware = None
    if utilization is not None:
        hardware = utilization * (flops.hardware_per_token / flops.per_token) if flops.per_token else utilization
    mfu, hfu, implied = _possible(convention, utilization, hardware)
    result = Result(
        convention=scenario.convention, convention_kind=convention.kind,
        parameters=ledger(scenario.model, 0, False).parameters, flops=flops, throughput=rates,
        peak_tflops_per_device=peak, mfu=mfu, hfu=hfu, implied_mfu=implied, tokens_per_step=tokens_per_step)
    return _with_warnings(result, (*_about_kind(convention, implied, hardware),
                                   *notices(scenario, convention, result, utilization)))


def _with_warnings(result: Result, warnings: tuple[Notice, ...]) -> Result:
    if not warnings:
        return result
    values = {name: getattr(result, name) for name in Result.__struct_fields__}
    values["warnings"] = warnings
    return Result(**values)


def _possible(convention: Convention, utilization: float | None, hardware: float | None,
              ) -> tuple[float | None, float | None, float | None]:
    """(mfu, hfu, implied_mfu): nothing above 100 % is shown as a utilization."""
    if utilization is None or utilization > 1:
        return None, None, utilization
    return (None if convention.kind == "hardware" else utilization), (
        None if hardware is None or hardware > 1 else hardware), None


def _about_kind(convention: Convention, implied: float | None, hardware: float | None) -> list[Notice]:
    warnings: list[Notice] = []
    if convention.kind == "hardware":
        warnings.append(Notice("hardware_convention", "convention.id", {"title": convention.title}))
    if implied is None and hardware is not None and hardware > 1:
        warnings.append(Notice("hfu_above_one", "run.recompute", {"implied_hfu": hardware}))
    return warnings


def count(model: ModelSpec, run: RunSpec, convention: Convention, *, as_executed: bool = False,
          ) -> tuple[Flops, int | None]:
    """FLOPs of one step by ``convention``, and its tokens (None without a global batch)."""
    rows = compile_reading(convention, model, run.multi_token_prediction, as_executed, run.trainable)
    axes, known = axes_of(model, run), Known()
    batch = run.global_batch
    scale = batch or 1
    forward = _by_component((row, row.forward, units2_of(row, axes, known)) for row in rows)
    backward = _by_component((row, row.backward, units2_of(row, axes, known)) for row in rows)
    repeated = _recomputed(model, run, convention, rows, axes, known)
    components = {
        name: ComponentFlops(to_integer(forward.get(name, 0) * scale), to_integer(backward.get(name, 0) * scale),
                             to_integer(repeated.get(name, 0) * scale))
        for name in forward | backward  # a triangular solve has products in its backward pass only
    }
    total_forward = sum(part.forward for part in components.values())
    total_backward = sum(part.backward for part in components.values())
    total_repeated = sum(part.recompute for part in components.values())
    padding = to_integer(_padding(model, run, rows) * scale)
    tokens = tokens_per_sequence(model, run)
    per_step = total_forward + total_backward
    whole = batch is not None
    flops = Flops(
        per_token=per_step / (tokens * scale), per_step=per_step if whole else None,
        forward=total_forward if whole else None, backward=total_backward if whole else None,
        recompute=total_repeated if whole else None, padding=padding if whole else None, components=components,
        hardware_per_token=(per_step + total_repeated + padding) / (tokens * scale))
    return flops, tokens * batch if batch is not None else None


def _by_component(parts: Iterable[tuple[Row, Number, int]]) -> dict[str, Number]:
    """FLOPs of one sequence by component; parts are (row, per unit, twice the units)."""
    sums: dict[str, Number] = {}
    for row, per_unit, units in parts:
        if per_unit:
            sums[row.component] = sums.get(row.component, 0) + per_unit * units
    return {name: value // 2 if isinstance(value, int) and value % 2 == 0 else Fraction(value) / 2
            for name, value in sums.items()}


def _recomputed(model: ModelSpec, run: RunSpec, convention: Convention, rows: tuple[Row, ...], axes: Axes,
                known: Known) -> dict[str, Number]:
    """Forward FLOPs of one sequence that run again, by component."""
    return _by_component((row, per_unit, units2_of(row, axes, known))
                         for row, per_unit in repeated_rows(model, run, convention, rows))


def repeated_rows(model: ModelSpec, run: RunSpec, convention: Convention, rows: tuple[Row, ...],
                  ) -> list[tuple[Row, Number]]:
    """What runs again: rows with the forward FLOPs per unit that do.

    A flash kernel computes QKᵀ once more in its backward pass (Dao 2023, arXiv 2307.08691).
    """
    shares = repeats(run)
    flash = run.attention_kernel == "flash"
    if convention.kind == "hardware" or (not shares and not flash):
        return []  # a hardware convention has its recomputation built in
    _check_components(shares, rows, run)
    repeated = rows
    if isinstance(run.recompute, Recompute) and run.recompute.layers is not None:
        part = first_layers(model, run.recompute.layers)
        repeated = compile_reading(convention, part, run.multi_token_prediction, False) if part is not None else ()
    parts: list[tuple[Row, Number]] = [(row, row.forward * share_of(row, shares)) for row in repeated]
    if flash:
        parts += [(row, row.forward) for row in rows if row.source == "attention_qk"]
    return parts


def _check_components(shares: dict[str, Fraction], rows: tuple[Row, ...], run: RunSpec) -> None:
    """A share for a component that no model has would silently do nothing: refuse it."""
    if not isinstance(run.recompute, Recompute):
        return
    known = {row.source for row in rows} | {row.component for row in rows} | {"*", *COMPONENTS}
    for name in shares:
        if name not in known:
            raise InputError("unknown_component", "run.recompute.repeat", name=name, allowed=", ".join(sorted(known)))


COMPONENTS = ("attention_proj", "attention_qk", "attention_av", "mlp", "experts", "shared_experts", "router",
              "shared_expert_gate", "lm_head")


def _padding(model: ModelSpec, run: RunSpec, rows: tuple[Row, ...]) -> Number:
    """FLOPs executed on padding in one sequence, as one more document of that length."""
    axes = padded_axes(model, run)
    if axes is None:
        return 0
    known = Known()
    total: Number = sum((row.forward + row.backward) * units2_of(row, axes, known) for row in rows)
    return Fraction(total) / 2
