"""Other ways to say how fast a run is, each computed into one of the measured quantities when it is typed.

A scenario keeps only the quantity of its contract (tokens/s, or the step time); what was typed is read back
from it, so that the number stays as it was typed as long as nothing that it follows from is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from mfu_gui.engine.axes import tokens_per_sequence
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.field import N_, Field
from mfu_gui.engine.fields import with_measured
from mfu_gui.engine.scenario import Scenario

SECONDS_PER_DAY = 86_400
_DIGITS = 12
"""Of a number that went through a division and back: the last bits are not what was typed."""
_TOKEN_RULES = ("tokens_per_parameter", "compute_optimal")


def _plain(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def _rate(scenario: Scenario) -> float | None:
    """Tokens per second of all devices, where they are what is known."""
    return None if scenario.run.measured is None else scenario.run.measured.tokens_per_s


def _tokens_per_day(scenario: Scenario) -> float | None:
    rate = _rate(scenario)
    return None if rate is None else _plain(rate * SECONDS_PER_DAY)


def _with_tokens_per_day(scenario: Scenario, value: float | None) -> Scenario:
    return with_measured(scenario, "tokens_per_s", None if value is None else value / SECONDS_PER_DAY)


def _sequences_per_s(scenario: Scenario) -> float | None:
    """Where the batch is known a rate of sequences is a step time: that one stays when the sequence changes."""
    measured, batch = scenario.run.measured, scenario.run.global_batch
    if measured is None:
        return None
    if measured.step_time_s is not None and batch is not None:
        return _plain(batch / measured.step_time_s)
    if measured.tokens_per_s is not None and batch is None:
        return _plain(measured.tokens_per_s / tokens_per_sequence(scenario.model, scenario.run))
    return None


def _with_sequences_per_s(scenario: Scenario, value: float | None) -> Scenario:
    batch = scenario.run.global_batch
    if value is None:
        return with_measured(scenario, "tokens_per_s", None)
    if batch is not None:
        return with_measured(scenario, "step_time_s", batch / value)
    return with_measured(scenario, "tokens_per_s", value * tokens_per_sequence(scenario.model, scenario.run))


def plan_tokens(scenario: Scenario) -> float | None:
    """Tokens of the whole run, where the plan has a number of them."""
    value = (scenario.plan or {}).get("tokens")
    return float(value) if isinstance(value, int | float) else None


def _with_plan_tokens(scenario: Scenario, value: float | None) -> Scenario:
    """More tokens in the same days are a higher rate."""
    days = _days(scenario)
    plan = {key: part for key, part in (scenario.plan or {}).items() if key not in ("tokens", *_TOKEN_RULES)}
    if value is not None:
        plan["tokens"] = int(value) if float(value).is_integer() else value
    changed = replace(scenario, plan=plan or None)
    return changed if days is None or value is None else _with_days(changed, days)


def _days(scenario: Scenario) -> float | None:
    rate, tokens = _rate(scenario), plan_tokens(scenario)
    return None if rate is None or tokens is None else _plain(tokens / (rate * SECONDS_PER_DAY))


def _with_days(scenario: Scenario, value: float | None) -> Scenario:
    if value is None:
        return with_measured(scenario, "tokens_per_s", None)
    tokens = plan_tokens(scenario)
    if tokens is None:
        raise InputError("days_need_tokens", DAYS_TOKENS)
    return with_measured(scenario, "tokens_per_s", tokens / (value * SECONDS_PER_DAY))


def _field(key: str, label: str, unit: str, help_: str, maximum: float, get: Callable[[Scenario], float | None],
           put: Callable[[Scenario, Any], Scenario]) -> Field:
    return Field(key=f"run.measured.{key}", panel="measured", label=label, kind="real", unit=unit, minimum=1e-12,
                 maximum=maximum, optional=True, help=help_, get=get, set=put)


DAYS, DAYS_TOKENS = "run.measured.days", "run.measured.days_tokens"

STATED_FIELDS: tuple[Field, ...] = (
    _field("tokens_per_day", N_("Tokens per day, all devices"), N_("tokens/day"),
           N_("Throughput of the whole run in a day without interruption; kept as tokens per second."), 1e20,
           _tokens_per_day, _with_tokens_per_day),
    _field("sequences_per_s", N_("Sequences per second, all devices"), N_("sequences/s"),
           N_("Samples per second of the whole run; kept as the step time of the global batch."), 1e12,
           _sequences_per_s, _with_sequences_per_s),
    _field("days", N_("Days"), N_("days"),
           N_("Days that the tokens above took, without the time that was lost; kept as tokens per second."), 1e6,
           _days, _with_days),
)
"""Keys as of the measured quantities; none of them is in a file."""
CHOICES = {"days": N_("Days for so many tokens"), "tokens_per_day": N_("Tokens per day"),
           "sequences_per_s": N_("Sequences per second")}
"""What the choices are called, short enough for a list."""
DAYS_TOKENS_FIELD = Field(
    key=DAYS_TOKENS, panel="run", label=N_("Tokens of the run"), kind="real", minimum=1.0, maximum=1e30, optional=True,
    step="double", help=N_("Tokens of the whole run: 15T, 300B."), get=plan_tokens, set=_with_plan_tokens)
"""The second number of "days for tokens"; it is that of the plan."""


def kept_as(scenario: Scenario, key: str) -> str:
    """The measured quantity that a scenario keeps for a way to say it (for itself, if it is one of them)."""
    if key == "sequences_per_s" and scenario.run.global_batch is not None:
        return "step_time_s"
    return "tokens_per_s" if any(key_of(field) == key for field in STATED_FIELDS) else key


def key_of(field: Field) -> str:
    """``tokens_per_day`` and the like."""
    return field.key.rpartition(".")[2]
