"""All ways of counting the FLOPs of a token that a reported number may rest on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.axes import axes_of, tokens_per_sequence
from mfu_gui.engine.conventions import CONVENTIONS, Convention, chosen
from mfu_gui.engine.conventions.parts import always
from mfu_gui.engine.conventions.predicates import is_moe
from mfu_gui.engine.conventions.reading import Known, total2
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import count
from mfu_gui.engine.explain_reasons import (
    ALL_EXPERTS,
    COSTS,
    COUNTED_BY,
    HARDWARE_FLOPS,
    NOT_RECOMPUTED,
    RECOMPUTE_NAMES,
    RECOMPUTED,
    RECOMPUTED_AS_MFU,
    WITH_DEPTHS,
    WITH_OPTION,
    WITHOUT_DEPTHS,
    Reason,
)
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.scenario import ConventionChoice, OptionValue, Scenario

DEFAULT = ConventionChoice().id


class Counting(msgspec.Struct, frozen=True, kw_only=True):
    """FLOPs of one token by one convention, with or without recomputation, and what that costs."""

    flops_per_token: float
    convention: Convention
    options: dict[str, OptionValue]
    depths: int
    recompute: str | None
    cost: float
    reasons: tuple[Reason, ...]


def countings(scenario: Scenario) -> list[Counting]:
    """Every counting, cheapest first.  They depend on what kind of number is reported, not on the number."""
    return in_order(each_counting(scenario))


def in_order(found: Iterable[Counting]) -> list[Counting]:
    """Cheapest first, without those that count nothing."""
    return sorted((one for one in found if one.flops_per_token > 0), key=lambda counting: counting.cost)


def each_counting(scenario: Scenario) -> Iterator[Counting]:
    """Every counting, one after the other: whoever must not wait for all of them can do other things between."""
    model, run = scenario.model, scenario.run
    axes, known, tokens = axes_of(model, run), Known(), tokens_per_sequence(model, run)
    for convention, options, cost, reasons in _conventions(scenario):
        for depths, extra, words in _depths(convention, model, run):
            asked = replace(run, multi_token_prediction=depths)
            flops = float(total2(convention, model, asked, axes, known) / (2 * tokens))
            plain = Counting(flops_per_token=flops, convention=convention, options=options, depths=depths,
                             recompute=None, cost=cost + extra, reasons=reasons + words)
            yield from _recomputations(scenario, plain, asked)


def _conventions(scenario: Scenario) -> Iterator[tuple[Convention, dict[str, OptionValue], float, tuple[Reason, ...]]]:
    """(convention with options, options, cost, reasons)."""
    choice, model = scenario.convention, scenario.model
    known = [c.id for c in CONVENTIONS]
    for convention_id in known if choice.id in known else [*known, choice.id]:
        is_chosen = convention_id == choice.id
        default = chosen(choice if is_chosen else ConventionChoice(id=convention_id))
        if default.status(model)[0] == "undefined" and not is_chosen:
            continue
        base = _cost(default, scenario, is_chosen)
        words = _words(default, model)
        own = dict(choice.options) if is_chosen else {}
        shown = tuple(_option_reason(default, name, value) for name, value in own.items())
        yield default, own, base, words + shown
        for name, value in _variants(default, own):
            options = {**own, name: value}
            convention = chosen(ConventionChoice(id=convention_id, options=options))
            yield (convention, options, base + COSTS["option"] + _kind_cost(convention, scenario),
                   (*_words(convention, model), *shown, _option_reason(default, name, value)))


def _option_reason(convention: Convention, name: str, value: OptionValue) -> Reason:
    title = next((option.title for option in convention.options if option.name == name), name)
    return Reason(WITH_OPTION, {"option": title, "value": value})


def _variants(convention: Convention, own: dict[str, OptionValue]) -> Iterator[tuple[str, OptionValue]]:
    """Each other value of each option that lists its values."""
    for option in convention.options:
        for value in option.values:
            if value != own.get(option.name, option.default):
                yield option.name, value


def _kind_cost(convention: Convention, scenario: Scenario) -> float:
    if convention.kind == "model" or scenario.reported is None or scenario.reported.hfu is not None:
        return 0.0
    return COSTS["hardware_for_mfu" if scenario.reported.mfu is not None else "hardware_for_tflops"]


def _cost(convention: Convention, scenario: Scenario, is_chosen: bool) -> float:
    cost = _kind_cost(convention, scenario)
    if is_chosen:
        return cost
    cost += COSTS["base" if convention.id.startswith("matmul-") else "framework"]
    cost += _quirk_cost(convention, scenario.model)
    cost += COSTS["dated"] if "@" in convention.id else 0.0
    # The window's default was not picked by anybody; another one was, and is likely what the number means.
    return cost + (COSTS["not_the_chosen_one"] if not scenario.convention.id.startswith("matmul-") else 0.0)


def _quirk_cost(convention: Convention, model: ModelSpec) -> float:
    """What a framework does to every model is its way of counting; what it gets wrong in this model in
    particular makes it an unlikely source."""
    rules = [rule for rule in convention.statuses if rule.applies(model)]
    own = sum(rule.applies is always for rule in rules)
    others = len(rules) - own
    cost = COSTS["own_quirk"] if own else 0.0
    return cost + COSTS["quirk"] + COSTS["more_quirks"] * (others - 1) if others else cost


def _words(convention: Convention, model: ModelSpec) -> tuple[Reason, ...]:
    words = [Reason(COUNTED_BY, {"title": convention.title})]
    if convention.kind == "hardware":
        words.append(Reason(HARDWARE_FLOPS))
    if is_moe(model) and any(c.by == "all_parameters" and c.passes for c in convention.counts):
        words.append(Reason(ALL_EXPERTS))
    return tuple(words)


def _depths(convention: Convention, model: ModelSpec, run: RunSpec) -> Iterator[tuple[int, float, tuple[Reason, ...]]]:
    """(depths of multi-token prediction, cost, reasons): as the run says, none, all the model has."""
    asked = run.multi_token_prediction
    yield asked, 0.0, ()
    if model.multi_token_prediction is None or convention.mtp != "run":
        return
    for depths in sorted({0, model.multi_token_prediction.depths} - {asked}):
        yield depths, COSTS["depths"], (Reason(WITH_DEPTHS, {"depths": depths}) if depths else Reason(WITHOUT_DEPTHS),)


def _recomputations(scenario: Scenario, plain: Counting, run: RunSpec) -> Iterator[Counting]:
    """``plain`` itself, and with what may have been executed again."""
    reported = scenario.reported
    is_hfu = reported is not None and reported.hfu is not None
    is_hardware = plain.convention.kind == "hardware"
    if is_hfu and not is_hardware:
        yield replace(plain, cost=plain.cost + COSTS["none_for_hfu"], reasons=(*plain.reasons, Reason(NOT_RECOMPUTED)))
    else:
        yield plain
    is_own = plain.convention.id == scenario.convention.id
    if is_hardware or not (is_own or plain.convention.status(scenario.model)[0] == "sound"):
        return
    for name in RECOMPUTE_NAMES:
        if name == "run" and run.recompute == "none" and run.attention_kernel != "flash":
            continue
        flops = _hardware_flops(scenario.model, run, plain.convention, name)
        if flops is not None:
            is_mfu = reported is not None and reported.mfu is not None
            word = Reason(RECOMPUTED_AS_MFU if is_mfu else RECOMPUTED, {"recompute": RECOMPUTE_NAMES[name]})
            yield replace(plain, flops_per_token=flops, recompute=name, reasons=(*plain.reasons, word),
                          cost=plain.cost + _recompute_cost(scenario, name))


def _recompute_cost(scenario: Scenario, name: str) -> float:
    reported = scenario.reported
    if reported is None or reported.hfu is not None:
        return 0.0 if name == "run" else COSTS["recompute_for_hfu"]
    if reported.mfu is None:
        return COSTS["recompute_for_tflops"]
    return COSTS["run_recompute_for_mfu" if name == "run" else "other_recompute_for_mfu"]


def _hardware_flops(model: ModelSpec, run: RunSpec, convention: Convention, name: str) -> float | None:
    """FLOPs executed for one token; None where the run's own recompute names a part that is not there."""
    asked = run if name == "run" else replace(run, recompute=name)
    try:
        return count(model, asked, convention)[0].hardware_per_token
    except InputError:
        return None
