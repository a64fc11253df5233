"""Why two conventions differ on one scenario: a sum of named terms that adds up exactly.

One convention is turned into the other step by step: what each fails to see of the model, how pairs
are counted, how often each component is counted, what is added.  Every step is worth the change of
the exact total, so the terms add up to the difference whatever the conventions are.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.axes import axes_of, tokens_per_sequence
from mfu_gui.engine.conventions import CONVENTIONS, Convention
from mfu_gui.engine.conventions.base import Extras, Number
from mfu_gui.engine.conventions.counted import LABELS, label_of
from mfu_gui.engine.conventions.reading import (
    Known,
    Training,
    depths_of,
    known_units2,
    measure_of,
    see,
    split,
    unit_of,
)
from mfu_gui.engine.field import N_
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.terms import Axes, PairCounting

PAIR_RULES = {
    "exact": N_("each query with the keys it sees"), "half": N_("half the square"), "full": N_("the full square"),
}
WINDOW_RULES = {
    "exact": N_("windows exactly"), "ignored": N_("no windows"), "min": N_("windows as min(S, W)"),
    "half": N_("half of each window"), "continuous": N_("windows as S·W − W²/2"),
}
CHUNK_RULES = {
    "exact": N_("chunks exactly"), "half": N_("chunks as half squares"), "ignored": N_("no chunks"),
}
ONLY_ONE_COUNTS = N_("{title} counts {part}; {other} does not.")
OTHER_TIMES = N_("{title} counts {part} {times}×, {other} {other_times}×.")
OTHERWISE = N_("{title} and {other} count {part} in different ways.")
ONE_SEES_OTHERWISE = N_("{title} {clause}.")
ONE_ADDS = N_("{title} adds {part}.")
PAIRS_DIFFER = N_("Attention: {title} counts {rule}, {other} {other_rule}.")
DEPTHS_DIFFER = N_("{title} counts multi-token prediction {depths} deep, {other} {other_depths} deep.")
ORDER_DIFFERS = N_("{title} and {other} change the model in another order.")

TRANSLATED = frozenset({"title", "other", "part", "clause", "rule", "other_rule"})
"""Values that are message ids themselves."""


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One named term: ``flops_per_token`` is what the first convention counts more than the second.

    ``text`` is a message id, ``values`` fill it; those named in TRANSLATED are message ids, and
    ``clause`` and ``part`` may have placeholders that are in ``values`` as well.
    """

    text: str
    values: dict[str, Any]
    flops_per_token: Fraction


class _Share(msgspec.Struct):
    """What a convention counts under one label: FLOPs, and how often each product is counted."""

    flops: Fraction
    times: set[tuple[str, Number]]


_ORDER = {convention.id: index for index, convention in enumerate(CONVENTIONS)}


def differences(model: ModelSpec, run: RunSpec, first: Convention, second: Convention) -> tuple[Difference, ...]:
    """Named terms of ``first`` − ``second``, largest first; they add up exactly.

    The terms of ``second`` − ``first`` are the same with the opposite sign.
    """
    if (_ORDER.get(first.id, len(_ORDER)), first.id) < (_ORDER.get(second.id, len(_ORDER)), second.id):
        turned = differences(model, run, second, first)
        return tuple(replace(term, flops_per_token=-term.flops_per_token) for term in turned)
    path = _Path(model, run, first, second)
    found = [term for term in path.steps() if term.flops_per_token]
    return tuple(sorted(found, key=lambda term: -abs(term.flops_per_token)))


class _Path:
    """The way from one convention (``here``, at first the second one) to the other."""

    def __init__(self, model: ModelSpec, run: RunSpec, first: Convention, second: Convention) -> None:
        self.model, self.run = model, run
        self.first, self.second = first, second
        self.axes: Axes = axes_of(model, run)
        self.known = Known()
        self.tokens = tokens_per_sequence(model, run)
        self.here = second
        self.depths = depths_of(second, model, run.multi_token_prediction)
        self.total = self._sum(self.here)

    def steps(self) -> Iterator[Difference]:
        """All terms, those of no weight included."""
        yield from self._rewrites()
        yield from self._depths()
        yield from self._counting()
        yield from self._counts()

    def shares(self, convention: Convention) -> dict[str, _Share]:
        """What ``convention`` counts per token, by label, with the depths of this path."""
        fixed = replace(convention, mtp="run")
        trained: Training = self.run.trainable
        seen = see(fixed, self.model, self.depths, False, trained)
        found: dict[str, _Share] = {}

        def add(label: str, units2: int, per_unit: Number, by: str, passes: Number) -> None:
            share = found.setdefault(label, _Share(Fraction(0), set()))
            share.flops += Fraction(per_unit * units2, 2 * self.tokens)
            share.times.add((by, passes))

        for part in seen.taken:
            forward, backward = split(fixed, seen, part)
            if forward or backward:
                unit = unit_of(measure_of(seen.groups.layout, part), convention.counting)
                passes = part.count.passes if forward else 0
                add(label_of(seen.groups.shape.signatures[part.index], seen.tied, part.count),
                    known_units2(unit, self.axes, self.known), forward + backward, part.count.by, passes)
        for extras in convention.extras:
            for extra in extras(seen.model):
                unit = unit_of(extra.measure, extra.counting or convention.counting)
                add(extras.replaces or _extra_label(extras), known_units2(unit, self.axes, self.known),
                    extra.per_unit * extra.passes, extras.text, extra.passes)
        return found

    def _sum(self, convention: Convention) -> Fraction:
        return sum((share.flops for share in self.shares(convention).values()), Fraction(0))

    def _go(self, there: Convention, text: str, **values: Any) -> Difference:
        """Walk to ``there`` and say what the step is worth."""
        total = self._sum(there)
        worth, self.total, self.here = total - self.total, total, there
        return Difference(text=text, values=values, flops_per_token=worth)

    def _rewrites(self) -> Iterator[Difference]:
        ours, theirs = self.first.rewrites, self.second.rewrites
        kept = theirs
        for rewrite in reversed(theirs):
            if rewrite not in ours:
                kept = tuple(r for r in kept if r != rewrite)
                yield self._go(replace(self.here, rewrites=kept), ONE_SEES_OTHERWISE, title=self.second.title,
                               clause=rewrite.text, **dict(rewrite.values))
        kept = tuple(r for r in ours if r in kept)
        yield self._go(replace(self.here, rewrites=kept), ORDER_DIFFERS, title=self.first.title,
                       other=self.second.title)
        for rewrite in ours:
            if rewrite not in kept:
                kept = tuple(r for r in ours if r in kept or r == rewrite)
                yield self._go(replace(self.here, rewrites=kept), ONE_SEES_OTHERWISE, title=self.first.title,
                               clause=rewrite.text, **dict(rewrite.values))

    def _depths(self) -> Iterator[Difference]:
        theirs = self.depths
        self.depths = depths_of(self.first, self.model, self.run.multi_token_prediction)
        yield self._go(self.here, DEPTHS_DIFFER, title=self.first.title, other=self.second.title,
                       depths=self.depths, other_depths=theirs)

    def _counting(self) -> Iterator[Difference]:
        ours, theirs = self.first.counting, self.second.counting
        rules: tuple[tuple[str, dict[str, str]], ...] = (
            ("window", WINDOW_RULES), ("chunk", CHUNK_RULES), ("pairs", PAIR_RULES))
        for name, words in rules:
            if getattr(ours, name) == getattr(theirs, name):
                continue
            counting: PairCounting = replace(self.here.counting, **{name: getattr(ours, name)})
            yield self._go(replace(self.here, counting=counting), PAIRS_DIFFER, title=self.first.title,
                           other=self.second.title, rule=words[getattr(ours, name)],
                           other_rule=words[getattr(theirs, name)])

    def _counts(self) -> Iterator[Difference]:
        """What is left: the same model and pairs, counted by other rules."""
        ours, theirs = self.shares(self.first), self.shares(self.here)
        for label in [*ours, *(name for name in theirs if name not in ours)]:
            yield self._of_label(label, ours.get(label), theirs.get(label))

    def _of_label(self, label: str, ours: _Share | None, theirs: _Share | None) -> Difference:
        worth = (ours.flops if ours else Fraction(0)) - (theirs.flops if theirs else Fraction(0))
        names = {"title": self.first.title, "other": self.second.title}
        values: dict[str, Any] = {}
        part = LABELS.get(label)
        if part is None:
            extras = _extras_named(label, (*self.first.extras, *self.second.extras))
            if extras is None:
                part = LABELS["other"]
            else:
                who = self.first if extras in self.first.extras else self.second
                return Difference(text=ONE_ADDS, flops_per_token=worth,
                                  values={"title": who.title, "part": extras.text, **dict(extras.values)})
        values["part"] = part
        if theirs is None:
            return Difference(text=ONLY_ONE_COUNTS, values=names | values, flops_per_token=worth)
        if ours is None:
            names = {"title": names["other"], "other": names["title"]}
            return Difference(text=ONLY_ONE_COUNTS, values=names | values, flops_per_token=worth)
        if len(ours.times) == len(theirs.times) == 1:
            (by, times), (other_by, other_times) = next(iter(ours.times)), next(iter(theirs.times))
            if by == other_by and times != other_times:
                values |= {"times": float(times), "other_times": float(other_times)}
                return Difference(text=OTHER_TIMES, values=names | values, flops_per_token=worth)
        return Difference(text=OTHERWISE, values=names | values, flops_per_token=worth)


def _extra_label(extras: Extras) -> str:
    return f"extra:{extras.text}:{extras.values}"


def _extras_named(label: str, all_extras: tuple[Extras, ...]) -> Extras | None:
    return next((extras for extras in all_extras if _extra_label(extras) == label), None)
