"""Computed beside published parameters of a preset.  No Qt here."""

from __future__ import annotations

from mfu_gui.engine.scenario import Parameters
from mfu_gui.formats.preset_file import ModelPreset
from mfu_gui.texts import Translator


def deviation(computed: int, published: int, tr: Translator) -> str:
    """``±0``, or the difference in percent with its sign."""
    if computed == published:
        return "±0"
    text = tr.numbers.percent(computed / published - 1)
    return text if text.startswith(("-", "<", ">")) else f"+{text}"


def published_line(preset: ModelPreset, parameters: Parameters, tr: Translator) -> str:
    """``published 671B (±0), active 37.0B (+1.5%)``; empty where nothing was published."""
    total, active = preset.published_total_parameters, preset.published_active_parameters
    count = tr.numbers.count
    parts = []
    if total is not None:
        parts.append(tr("published {n} ({deviation})", n=count(total),
                        deviation=deviation(_nearest(parameters, total), total, tr)))
    if active is not None:
        parts.append(tr("active {n} ({deviation})", n=count(active),
                        deviation=deviation(parameters.active, active, tr)))
    return tr.join(parts)


def published_tip(preset: ModelPreset, parameters: Parameters, tr: Translator) -> str:
    """All digits, and where the published figures are from."""
    lines = []
    for name, published, computed in (
        (tr("total"), preset.published_total_parameters, parameters.total),
        (tr("active"), preset.published_active_parameters, parameters.active),
    ):
        if published is not None:
            lines.append(tr("{name}: computed {computed}, published {published} ({deviation})", name=name,
                            computed=f"{computed:,}", published=f"{published:,}",
                            deviation=deviation(computed, published, tr)))
    if parameters.checkpoint_total != parameters.total:
        lines.append(tr("with stored buffers: {n}", n=f"{parameters.checkpoint_total:,}"))
    if preset.published_source:
        lines.append(tr("Source: {source}", source=preset.published_source))
    active = preset.facts.get("active_source")
    if isinstance(active, str) and active:
        lines.append(tr("Source of the active count: {source}", source=active))
    return "\n".join(lines)


def _nearest(parameters: Parameters, published: int) -> int:
    """The count that a file of weights has may include buffers, which training does not touch."""
    return min(parameters.total, parameters.checkpoint_total, key=lambda count: abs(count - published))
