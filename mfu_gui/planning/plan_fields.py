"""The table of fields of a plan: what can be edited, in which unit, and what it means.

They stand under ``plan`` of a scenario.  An empty field takes its usual value, or what the scenario has.
Choices that stand for several keys (how tokens are given, what is known of failures) clear the others.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any, Literal

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import BY_KEY, N_, Field, Kind
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.spec import FAILURE_RATES, FailureSpec, PlanSpec, plan_spec, with_plan

Part = Literal["", "failures", "energy", "inference", "post_training"]
Applies = Callable[[Scenario], bool]
USUAL_TOKENS_PER_PARAMETER = 20.0


def put(scenario: Scenario, part: Part, **changes: Any) -> Scenario:
    """The scenario with other inputs in one part of its plan."""
    spec = plan_spec(scenario)
    if part:
        inner = getattr(spec, part) or FailureSpec()
        changes = {part: replace(inner, **changes)}
    return with_plan(scenario, replace(spec, **changes))


def _field(part: Part, key: str, label: str, kind: Kind, help_: str, *, unit: str = "", least: float = 0.0,
           most: float = 1e18, step: float | Literal["double"] = 1, optional: bool = True, main: bool = True,
           applies: Applies = lambda s: True) -> Field:
    place = f"plan.{part}.{key}" if part else f"plan.{key}"

    def get(scenario: Scenario) -> Any:
        spec = plan_spec(scenario)
        holder = getattr(spec, part) if part else spec
        return None if holder is None else getattr(holder, key)

    return Field(key=place, panel="run", label=label, kind=kind, unit=unit, minimum=least, maximum=most, step=step,
                 optional=optional, get=get, set=lambda s, value: put(s, part, **{key: value}), help=help_, main=main,
                 applies=applies)


def _choice(part: Part, key: str, label: str, choices: tuple[tuple[str, str], ...], help_: str) -> Field:
    place = f"plan.{part}.{key}" if part else f"plan.{key}"
    return Field(key=place, panel="run", label=label, kind="choice", choices=choices, help=help_,
                 get=lambda s: getattr(getattr(plan_spec(s), part) if part else plan_spec(s), key),
                 set=lambda s, value: put(s, part, **{key: value}))


def _unknown(*names: str) -> Applies:
    return lambda scenario: plan_spec(scenario).unknown not in names


# Tokens

TOKEN_CHOICES = (("tokens", N_("a number")), ("tokens_per_parameter", N_("per parameter")),
                 ("hoffmann", N_("Chinchilla, as printed")), ("epoch_replication", N_("Chinchilla, fitted again")))


def token_rule(scenario: Scenario) -> str:
    """How the plan says its tokens: a key of TOKEN_CHOICES."""
    spec = plan_spec(scenario)
    if spec.compute_optimal is not None:
        return spec.compute_optimal
    return "tokens" if spec.tokens_per_parameter is None else "tokens_per_parameter"


def _with_token_rule(scenario: Scenario, rule: str) -> Scenario:
    cleared: dict[str, Any] = {"tokens": None, "tokens_per_parameter": None, "compute_optimal": None}
    if rule in ("hoffmann", "epoch_replication"):
        cleared["compute_optimal"] = rule
    elif rule == "tokens_per_parameter":
        cleared["tokens_per_parameter"] = USUAL_TOKENS_PER_PARAMETER
    return put(scenario, "", **cleared)


def _tokens_are(rule: str) -> Applies:
    return lambda scenario: plan_spec(scenario).unknown != "tokens" and token_rule(scenario) == rule


def _with_start_date(scenario: Scenario, text: str | None) -> Scenario:
    day = (text or "").strip()
    try:
        if day:
            day = date.fromisoformat(day).isoformat()
    except ValueError:
        raise InputError("bad_date", "plan.start_date", value=text) from None
    return put(scenario, "", start_date=day or None)


UNKNOWN_CHOICES = (("days", N_("how long it takes")), ("devices", N_("how many devices")),
                   ("budget", N_("what it costs")), ("tokens", N_("how many tokens")),
                   ("mfu", N_("which MFU it needs")))

GOAL_FIELDS: tuple[Field, ...] = (
    _choice("", "unknown", N_("To be found"), UNKNOWN_CHOICES,
            N_("What is to be computed; the others are given, or follow.")),
    Field(key="plan.token_rule", panel="run", label=N_("Tokens"), kind="choice", choices=TOKEN_CHOICES,
          get=token_rule, set=_with_token_rule, applies=_unknown("tokens"),
          help=N_("A number, so many for each active parameter, or what a fit of Chinchilla finds best. "
                  "The two fits differ by a factor of 2 to 7.")),
    _field("", "tokens", N_("Number of tokens"), "real", N_("Tokens of the whole run: 15T, 300B."),
           unit=N_("tokens"), least=1, most=1e30, step="double", applies=_tokens_are("tokens")),
    _field("", "tokens_per_parameter", N_("Per parameter"), "real",
           N_("Tokens for each active parameter; 20 is the rule."), unit=N_("tokens"), least=1e-6, most=1e9,
           step="double", optional=False, applies=_tokens_are("tokens_per_parameter")),
    _field("", "devices", N_("Devices"), "integer", N_("Empty: those of the run."), least=1, most=10**9,
           step="double", applies=_unknown("devices")),
    _field("", "mfu", N_("MFU of the steps"), "fraction", N_("Empty: that of the run, as measured."), unit="%",
           least=1e-6, most=1.0, applies=_unknown("mfu")),
    _field("", "days", N_("Time"), "real", N_("Wall time, failures and checkpoints included."), unit=N_("days"),
           least=1e-6, most=1e6, applies=_unknown("days")),
    Field(key="plan.start_date", panel="run", label=N_("First day"), kind="text", optional=True,
          get=lambda s: plan_spec(s).start_date, set=_with_start_date,
          help=N_("Year-month-day, such as 2025-03-01; gives the last day.")),
)
MONEY_FIELDS: tuple[Field, ...] = (
    _field("", "price_per_device_hour", N_("Price"), "real",
           N_("Price of one device for an hour. Empty: the usual one of the accelerator, if it is known."),
           unit=N_("per hour"), most=1e9, step=0.1),
    _choice("", "currency", N_("Currency"),
            tuple((code, code) for code in ("USD", "CNY", "EUR", "GBP", "JPY", "KRW", "INR")),
            N_("What prices and budgets are in. Nothing is converted.")),
    _field("", "budget", N_("Budget"), "real", N_("Money for the whole run; where it is not needed, a limit."),
           least=1e-6, step="double", applies=_unknown("budget")),
    _field("", "billed_device_hours", N_("Billed hours"), "real",
           N_("Device-hours that a finished run was billed: gives its whole-run utilization."), unit=N_("h"),
           least=1e-6, step="double", main=False),
)
ENERGY_FIELDS: tuple[Field, ...] = (
    _field("energy", "power_w", N_("Power of a device"), "real", N_("Rated power. Empty: the accelerator's."), unit="W",
           least=1e-3, most=1e6, step=10),
    _field("energy", "draw", N_("Share drawn"), "fraction",
           N_("What is drawn of the rated power; 60 to 90% is usual while training."), unit="%", least=0.01, most=2.0),
    _field("energy", "pue", "PUE", "real", N_("Overhead of the building; 1.1 is usual."), least=1, most=10, step=0.05),
    _field("energy", "host_factor", N_("Host factor"), "real",
           N_("All power over that of the devices: hosts and network; 1 leaves them out."),
           least=1, most=10, step=0.05, optional=False, main=False),
    _field("energy", "grid_kg_per_kwh", N_("Grid emissions"), "real",
           N_("CO₂ equivalent of a kilowatt-hour; 0.385 is the average of the United States in LLaMA's paper."),
           unit="kg/kWh", most=10, step=0.01),
)

# Failures

FAILURE_CHOICES = (("none", N_("not counted")), ("goodput", N_("goodput is known")),
                   ("device_mtbf_hours", N_("per device")), ("mtbf_hours", N_("of the whole run")),
                   ("failures_per_node_day", N_("per node and day")))
_USUAL_RATES = {"device_mtbf_hours": 50_000.0, "mtbf_hours": 24.0, "failures_per_node_day": 0.0065}
_USUAL_GOODPUT = 0.95


def failure_rule(scenario: Scenario) -> str:
    """What the plan knows of failures: a key of FAILURE_CHOICES."""
    spec = plan_spec(scenario)
    if spec.goodput is not None:
        return "goodput"
    return next((key for key in FAILURE_RATES if spec.failures is not None and
                 getattr(spec.failures, key) is not None), "none")


def _with_failure_rule(scenario: Scenario, rule: str) -> Scenario:
    spec = plan_spec(scenario)
    kept = replace(spec.failures or FailureSpec(), **dict.fromkeys(FAILURE_RATES))
    failures = replace(kept, **{rule: _USUAL_RATES[rule]}) if rule in FAILURE_RATES else kept
    return with_plan(scenario, replace(spec, failures=None if failures == FailureSpec() else failures,
                                       goodput=_USUAL_GOODPUT if rule == "goodput" else None))


def _fails_by(*rules: str) -> Applies:
    return lambda scenario: failure_rule(scenario) in rules


FAILURE_FIELDS: tuple[Field, ...] = (
    Field(key="plan.failure_rule", panel="run", label=N_("Failures"), kind="choice", choices=FAILURE_CHOICES,
          get=failure_rule, set=_with_failure_rule,
          help=N_("What is known of failures. Llama 3 had one in about 50,000 device-hours.")),
    _field("", "goodput", N_("Goodput"), "fraction", N_("Share of the wall time that steps take."), unit="%",
           least=1e-6, most=1.0, optional=False, applies=_fails_by("goodput")),
    _field("failures", "device_mtbf_hours", N_("Between failures"), "real", N_("Device-hours between failures."),
           unit=N_("device-hours"), least=1e-3, step="double", optional=False, applies=_fails_by("device_mtbf_hours")),
    _field("failures", "mtbf_hours", N_("Between failures"), "real", N_("Hours between failures, whatever the size."),
           unit=N_("h"), least=1e-3, step="double", optional=False, applies=_fails_by("mtbf_hours")),
    _field("failures", "failures_per_node_day", N_("Failures"), "real", N_("Failures of one node in one day."),
           unit=N_("per day"), least=1e-9, most=1e3, step=0.001, optional=False,
           applies=_fails_by("failures_per_node_day")),
    _field("failures", "checkpoint_s", N_("Checkpoint"), "time",
           N_("Time that saving stops the training; of an asynchronous checkpoint only the stall."), unit=N_("s"),
           most=1e9, optional=False, applies=_fails_by(*FAILURE_RATES)),
    _field("failures", "restart_s", N_("Restart"), "time", N_("From a failure to the first step after it."),
           unit=N_("s"), most=1e9, optional=False, applies=_fails_by(*FAILURE_RATES)),
    _field("failures", "interval_s", N_("Checkpoint every"), "time",
           N_("Work between two checkpoints. Empty: what loses least, by Young."), unit=N_("s"), least=1e-3, most=1e9,
           applies=_fails_by(*FAILURE_RATES)),
)

SERVING_FIELDS: tuple[Field, ...] = (
    _field("inference", "devices", N_("Devices"), "integer", N_("Devices that serve one copy. Empty: those of a node."),
           least=1, most=10**6, step="double"),
    _field("inference", "prompt_tokens", N_("Prompt"), "integer", N_("Tokens of a prompt. Empty: the sequence length."),
           unit=N_("tokens"), least=1, most=10**12, step="double"),
    _field("inference", "prefix_tokens", N_("of it cached"), "integer", N_("Tokens whose cache is used again."),
           unit=N_("tokens"), most=10**12, step="double", optional=False),
    _field("inference", "output_tokens", N_("Answer"), "integer", N_("Tokens that are generated."), unit=N_("tokens"),
           least=1, most=10**12, step="double", optional=False),
    _field("inference", "batch", N_("Batch"), "integer", N_("Sequences that are decoded together."),
           unit=N_("sequences"), least=1, most=10**12, step="double", optional=False),
    _field("inference", "weight_bytes", N_("Weight"), "real", N_("Bytes of one weight: 2, 1 for 8 bits, 0.5 for 4."),
           unit=N_("bytes"), most=64, step=0.5, optional=False),
    _field("inference", "kv_bytes", N_("Cached value"), "real", N_("Bytes of one value in the KV cache."),
           unit=N_("bytes"), most=64, step=0.5, optional=False),
    _choice("inference", "head", N_("LM head"),
            (("last", N_("at the last position")), ("all", N_("at every position"))),
            N_("Where a prompt's logits are computed; serving engines need the last only.")),
    _field("inference", "compute_efficiency", N_("Compute reached"), "fraction", N_("Share of the peak at best."),
           unit="%", least=0.01, most=1.0, optional=False),
    _field("inference", "bandwidth_efficiency", N_("Bandwidth reached"), "fraction",
           N_("Share of the memory bandwidth at best."), unit="%", least=0.01, most=1.0, optional=False),
    _field("inference", "collectives_s", N_("Collectives"), "time", N_("Their time in one decode step."), unit=N_("s"),
           most=1e6, optional=False),
    _field("inference", "prefill_s", N_("Measured prefill"), "time",
           N_("Time to the first token: gives the prefill MFU."), unit=N_("s"), least=1e-9, most=1e6),
    _field("inference", "time_per_token_s", N_("Measured per token"), "time",
           N_("Time of one decode step: gives MBU and decode MFU."), unit=N_("s"), least=1e-9, most=1e6),
)

# Fine-tuning and reinforcement learning


def _loops(scenario: Scenario) -> bool:
    return plan_spec(scenario).post_training.method != "sft"


def _ppo(scenario: Scenario) -> bool:
    return plan_spec(scenario).post_training.method == "ppo"


def _switch(key: str, label: str, help_: str) -> Field:
    return Field(key=f"plan.post_training.{key}", panel="run", label=label, kind="choice",
                 choices=(("on", N_("yes")), ("off", N_("no"))), help=help_, applies=_loops,
                 get=lambda s: "on" if getattr(plan_spec(s).post_training, key) else "off",
                 set=lambda s, value: put(s, "post_training", **{key: value == "on"}))


def _loop(key: str, label: str, help_: str, unit: str = "", applies: Applies = _loops) -> Field:
    return _field("post_training", key, label, "integer", help_, unit=unit, least=1, most=10**12, step="double",
                  optional=False, applies=applies)


POST_TRAINING_FIELDS: tuple[Field, ...] = (
    _choice("post_training", "method", N_("Method"),
            (("sft", N_("fine-tuning")), ("grpo", "GRPO"), ("ppo", "PPO")),
            N_("Supervised fine-tuning, or reinforcement learning with a group or with a critic.")),
    replace(BY_KEY["run.trainable"], key="plan.run.trainable"),
    replace(BY_KEY["run.trainable.lora_rank"], key="plan.run.lora_rank"),
    _loop("prompts_per_step", N_("Prompts per step"), N_("Prompts of one step of the loop.")),
    _loop("group_size", N_("Answers each"), N_("Answers to each prompt (the group of GRPO).")),
    _loop("prompt_tokens", N_("Prompt"), N_("Tokens of a prompt."), N_("tokens")),
    _loop("generated_tokens", N_("Answer"), N_("Tokens of an answer."), N_("tokens")),
    _loop("inner_epochs", N_("Epochs"), N_("How often each answer is trained on.")),
    _switch("reference", N_("Reference model"), N_("A forward pass of a frozen copy.")),
    _switch("old_log_probs", N_("Old log-probs"),
            N_("Computed again before training; no: those of the rollout are used.")),
    _switch("shared_prefill", N_("Shared prompt"), N_("Each prompt is read once for all its answers.")),
    _field("post_training", "critic_parameters", N_("Critic"), "real", N_("Parameters. Empty: as many as the model."),
           most=1e15, step="double", applies=_ppo),
    _field("post_training", "reward_parameters", N_("Reward model"), "real",
           N_("Parameters; 0 where a rule gives the reward."), most=1e15, step="double", optional=False,
           applies=_loops),
    _loop("rollout_concurrency", N_("At once"), N_("Answers that one copy of the model writes together."),
          N_("sequences")),
    _field("post_training", "rollout_mbu", N_("Rollout MBU"), "fraction",
           N_("Bandwidth utilization of generating, which its time follows from."), unit="%", least=0.01, most=1.0,
           optional=False, applies=_loops),
    _field("inference", "devices", N_("Devices per copy"), "integer",
           N_("Devices that one copy of the model generates on. Empty: those of a node."), least=1, most=10**6,
           step="double", applies=_loops),
)
SECTIONS: dict[str, tuple[tuple[str, tuple[Field, ...]], ...]] = {
    "run": ((N_("Goal"), GOAL_FIELDS), (N_("Money"), MONEY_FIELDS), (N_("Failures"), FAILURE_FIELDS),
            (N_("Energy"), ENERGY_FIELDS)),
    "serving": ((N_("Serving"), SERVING_FIELDS),),
    "post_training": ((N_("Post-training"), POST_TRAINING_FIELDS),),
}
"""Forms by view: headings and fields."""


def usual(scenario: Scenario, key: str) -> float | int | None:
    """What an empty field stands for, where the scenario or the accelerator says it."""
    hardware, run = scenario.hardware, scenario.run
    units = hardware.framework_devices if scenario.peak.devices_are == "framework_devices" else 1
    if key == "plan.devices":
        return run.devices
    if key == "plan.price_per_device_hour" and plan_spec(scenario).currency == PlanSpec().currency:
        return None if hardware.price_per_hour_usd is None else hardware.price_per_hour_usd / units
    if key == "plan.energy.power_w":
        return None if hardware.power_w is None else hardware.power_w / units
    if key == "plan.inference.devices":
        return hardware.devices_per_node or 1
    if key == "plan.inference.prompt_tokens":
        return run.sequence_length
    return {"plan.energy.draw": 1.0, "plan.energy.pue": 1.1, "plan.energy.grid_kg_per_kwh": 0.385}.get(key)
