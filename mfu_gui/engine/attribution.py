"""Why one scenario has another result than another one: the change, shared out over the fields that differ.

Fields act together (twice the devices at half the step time change nothing), so what one of them is worth
depends on which of the others have changed already.  Any fixed order would favour those that come late or
early.  Each part is therefore its mean over all orders in which the fields can be changed: Shapley's value
(Shapley 1953, A value for n-person games).  It is symmetric (the parts of B − A are those of A − B with the
opposite sign), a field without effect gets exactly nothing, and the sum is the whole change: results are
binary64, sums and weights are fractions, so there is no residue.

Not every mixture of two scenarios exists: fp8 on a device without an fp8 peak, a step time without devices.
Fields whose mixtures fail are taken together, as few as suffice.  With many fields the number of orders is
kept small by taking together what belongs together: the model, the hardware, the data, the training.  Device,
precision and peak are always together where a typed peak differs, because it takes the place of the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.fields import MODEL_FIELDS
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.engine.validation import validate

Quantity = Literal["mfu", "hfu", "tflops_per_device", "tokens_per_s_per_device", "step_time_s", "flops_per_token"]
QUANTITIES: tuple[Quantity, ...] = ("mfu", "hfu", "tflops_per_device", "tokens_per_s_per_device", "step_time_s",
                                    "flops_per_token")
MOST_PARTS = 6
"""With so many parts there are 64 mixtures to evaluate."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What the fields ``keys`` are worth together, in the unit of the quantity."""

    keys: tuple[str, ...]
    amount: Fraction


class Attribution(msgspec.Struct, frozen=True, kw_only=True):
    """``before + Σ amounts = after``, exactly; the parts in the order of the form."""

    quantity: Quantity
    before: Fraction
    after: Fraction
    parts: tuple[Part, ...]


class _Atom(NamedTuple):
    """A field that differs: its key, what it is taken together with, and how to carry it over."""

    key: str
    group: str
    take: Callable[[Scenario, Scenario], Scenario]


def value_of(result: Result, quantity: Quantity) -> float | None:
    """The quantity in a result.  Utilizations are not cut at 1, and ``mfu`` is that of the chosen convention
    even where it counts hardware FLOPs."""
    rates, flops = result.throughput, result.flops
    if quantity == "flops_per_token":
        return flops.per_token
    if quantity not in ("mfu", "hfu"):
        found: float | None = getattr(rates, quantity)
        return found
    if rates.tflops_per_device is None:
        return None
    used = rates.tflops_per_device / result.peak_tflops_per_device
    if quantity == "mfu" or not flops.per_token:
        return used
    return used * (flops.hardware_per_token / flops.per_token)


def changed_keys(before: Scenario, after: Scenario) -> tuple[str, ...]:
    """Keys of what differs and can have an effect on a result, in the order of the form."""
    return tuple(atom.key for atom in _atoms(before, after))


def attribute(before: Scenario, after: Scenario, quantity: Quantity = "mfu") -> Attribution | None:
    """The change of ``quantity`` from ``before`` to ``after`` by field; None where one of them does not have it."""
    ends = [_value(scenario, quantity) for scenario in (before, after)]
    if ends[0] is None or ends[1] is None:
        return None
    players = _few(_atoms(before, after))
    count = len(players)
    whole = (1 << count) - 1
    values: list[Fraction | None] = [ends[0]] * (whole + 1)
    for mask in range(1, whole):
        values[mask] = _value(_mixture(before, after, players, mask), quantity)
    values[whole] = ends[1]
    blocks = _blocks(values, count)
    parts = tuple(
        Part(keys=tuple(atom.key for number in _bits(block) for atom in players[number]), amount=amount)
        for block, amount in zip(blocks, _shapley(values, blocks), strict=True))
    return Attribution(quantity=quantity, before=ends[0], after=ends[1], parts=parts)


def factors(before: Result, after: Result) -> tuple[float, float, float] | None:
    """The change of MFU as a product: ratios of FLOPs per token, of tokens/s per device, and of 1 ÷ peak."""
    rates = before.throughput.tokens_per_s_per_device, after.throughput.tokens_per_s_per_device
    if not rates[0] or not rates[1] or not before.flops.per_token or not after.flops.per_token:
        return None
    return (after.flops.per_token / before.flops.per_token, rates[1] / rates[0],
            before.peak_tflops_per_device / after.peak_tflops_per_device)


def _value(scenario: Scenario, quantity: Quantity) -> Fraction | None:
    """The quantity, exactly the float that the result has; None for a scenario that has none."""
    try:
        validate(scenario)
        found = value_of(evaluate(scenario), quantity)
    except InputError:
        return None
    return None if found is None or not math.isfinite(found) else Fraction(found)


# What differs


def _of_run(name: str) -> Callable[[Scenario, Scenario], Scenario]:
    return lambda here, there: replace(here, run=replace(here.run, **{name: getattr(there.run, name)}))


def _of_peak(name: str) -> Callable[[Scenario, Scenario], Scenario]:
    return lambda here, there: replace(here, peak=replace(here.peak, **{name: getattr(there.peak, name)}))


_PEAK = (("hardware.peak_tflops", "tflops"), ("hardware.peak_kind", "kind"), ("hardware.precision_mix", "mix"),
         ("hardware.devices_are", "devices_are"))
_RUN = (("sequence_length", "data"), ("document_lengths", "data"), ("decoder_sequence_length", "data"),
        ("images", "data"), ("global_batch", "scale"), ("multi_token_prediction", "training"),
        ("trainable", "training"), ("recompute", "training"), ("attention_kernel", "training"))
_TOGETHER: tuple[frozenset[str], ...] = (
    frozenset({"model"}), frozenset({"hardware"}), frozenset({"data"}), frozenset({"training"}), frozenset({"scale"}),
    frozenset({"data", "training"}))
"""What is taken together, in this order, until there are few enough parts."""


def _atoms(before: Scenario, after: Scenario) -> list[_Atom]:
    """The fields that differ, in the order of the form: model, hardware, run, measured, convention."""
    found = list(_model_atoms(before, after))
    if before.hardware != after.hardware:
        found.append(_Atom("hardware", "hardware", lambda here, there: replace(here, hardware=there.hardware)))
    if before.run.precision != after.run.precision:
        found.append(_Atom("run.precision", "hardware", _of_run("precision")))
    found += [_Atom(key, "hardware", _of_peak(name)) for key, name in _PEAK
              if getattr(before.peak, name) != getattr(after.peak, name)]
    if before.run.devices != after.run.devices:
        found.append(_Atom("run.devices", "scale", _of_run("devices")))
    found += [_Atom(f"run.{name}", group, _of_run(name)) for name, group in _RUN
              if getattr(before.run, name) != getattr(after.run, name)]
    if before.run.measured != after.run.measured:
        found.append(_Atom("run.measured", "measured", _of_run("measured")))
    if before.convention != after.convention:
        found.append(_Atom("convention", "convention",
                           lambda here, there: replace(here, convention=there.convention)))
    return found


def _model_atoms(before: Scenario, after: Scenario) -> Iterator[_Atom]:
    """The fields of the model where they are all that differs, else the model as one."""
    if replace(before.model, name="") == replace(after.model, name=""):
        return
    fields = [field for field in MODEL_FIELDS if field.applies(before) and field.applies(after)
              and field.get(before) != field.get(after)]
    reached = before
    try:
        for field in fields:
            reached = field.set(reached, field.get(after))
    except InputError:
        fields = []
    if fields and replace(reached.model, name="") == replace(after.model, name=""):
        for field in fields:
            yield _Atom(field.key, "model",
                        lambda here, there, field=field: field.set(here, field.get(there)))  # type: ignore[misc]
        return
    yield _Atom("model", "model", lambda here, there: replace(here, model=there.model))


def _few(atoms: list[_Atom]) -> list[list[_Atom]]:
    """At most MOST_PARTS parts, each of one field or of several that belong together."""
    players = [[atom] for atom in atoms]
    typed = any(atom.key == "hardware.peak_tflops" for atom in atoms)
    for together in _TOGETHER:
        # A typed peak hides device and precision: beside one, they are one number in three fields.
        if len(players) <= MOST_PARTS and not (typed and "hardware" in together):
            continue
        inside = [atom for player in players for atom in player if atom.group in together]
        if len(inside) > 1:
            first = next(number for number, player in enumerate(players) if player[0].group in together)
            players = [player for player in players if player[0].group not in together]
            players.insert(first, inside)
    return players


def _mixture(before: Scenario, after: Scenario, players: list[list[_Atom]], mask: int) -> Scenario:
    """``before`` with the parts of ``mask`` as they are in ``after``."""
    here = before
    for number in _bits(mask):
        for atom in players[number]:
            here = atom.take(here, after)
    return here


def _bits(mask: int) -> list[int]:
    return [number for number in range(mask.bit_length()) if mask >> number & 1]


# Sharing out


def _blocks(values: list[Fraction | None], count: int) -> list[int]:
    """Parts as masks, joined until every mixture of them has a value.

    Of all pairs the one is joined that leaves the fewest mixtures without a value; the mixtures of the
    joined parts are among those that are known already.
    """
    blocks = [1 << number for number in range(count)]
    while _failures(values, blocks):
        pairs: list[list[int]] = [[*(b for b in blocks if b not in (first, second)), first | second]
                 for first, second in combinations(blocks, 2)]
        best = min(pairs, key=lambda joined: _failures(values, joined))
        blocks = sorted(best, key=lambda mask: mask & -mask)
    return blocks


def _failures(values: list[Fraction | None], blocks: list[int]) -> int:
    return sum(values[mask] is None for mask in _unions(blocks))


def _unions(blocks: list[int]) -> list[int]:
    """The mask of every set of blocks; the set is the index, bit by bit."""
    masks = [0]
    for block in blocks:
        masks += [mask | block for mask in masks]
    return masks


def _shapley(values: list[Fraction | None], blocks: list[int]) -> list[Fraction]:
    count, masks = len(blocks), _unions(blocks)
    known = [values[mask] or Fraction(0) for mask in masks]  # _blocks left no union without a value
    weights = [Fraction(math.factorial(size) * math.factorial(count - size - 1), math.factorial(count))
               for size in range(count)]
    amounts = []
    for number in range(count):
        one = 1 << number
        amounts.append(sum((weights[bin(union).count("1")] * (known[union | one] - known[union])
                            for union in range(len(masks)) if not union & one), Fraction(0)))
    return amounts
