"""What conventions count that the ledger has no row for, each with the sentence that names it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from mfu_gui.engine.conventions.base import Extra, Extras, Number
from mfu_gui.engine.conventions.predicates import ffns_in, mixers_in
from mfu_gui.engine.count_ssm import delta_widths, scan_widths
from mfu_gui.engine.field import N_
from mfu_gui.engine.model import MLA, Attention, Dense, Ffn, Mamba1, Mixer, ModelSpec, MoE
from mfu_gui.engine.terms import FULL, Measure


def executed_mixers(model: ModelSpec) -> Iterator[tuple[Mixer, int]]:
    """Every mixer of the main stack with the number of layers that execute it."""
    for layer in model.main.kinds:
        times = sum(count for name, count in model.main.order if name == layer.name)
        for mixer in mixers_in(layer):
            yield mixer, times


def executed_ffns(model: ModelSpec) -> Iterator[tuple[Ffn, int]]:
    """Every ffn of the main stack with the number of layers that execute it."""
    for layer in model.main.kinds:
        times = sum(count for name, count in model.main.order if name == layer.name)
        for ffn in ffns_in(layer):
            yield ffn, times


def _attention_layers(model: ModelSpec) -> list[tuple[Attention | MLA, int]]:
    return [(m, times) for m, times in executed_mixers(model) if isinstance(m, Attention | MLA)]


def _positions(model: ModelSpec) -> Measure:
    return Measure("positions", model.main.axis)


def _pairs(model: ModelSpec) -> Measure:
    return Measure("pairs", model.main.axis)


def _softmax(model: ModelSpec, per_head: int) -> tuple[Extra, ...]:
    heads = sum(m.heads * times for m, times in _attention_layers(model))
    return (Extra(per_unit=per_head * heads, measure=_pairs(model), counting=FULL),)


def _core_of_width_h(model: ModelSpec, passes: Number, floor: bool) -> tuple[Extra, ...]:
    hidden, width = model.main.hidden_size, 0
    for mixer, times in _attention_layers(model):
        width += times * (hidden // mixer.heads * mixer.heads if floor else hidden)
    return (Extra(per_unit=4 * width, measure=_pairs(model), passes=passes, component="attention_term"),)


def _square_output(model: ModelSpec) -> tuple[Extra, ...]:
    layers = sum(times for _, times in _attention_layers(model))
    return (Extra(per_unit=2 * layers * model.main.hidden_size**2, measure=_positions(model),
                  component="attention_proj"),)


def _embedding_of_h(model: ModelSpec, factor: int, passes: Number) -> tuple[Extra, ...]:
    return (Extra(per_unit=factor * model.main.hidden_size, measure=_positions(model), passes=passes),)


def _elementwise(model: ModelSpec, factor: int, passes: Number) -> tuple[Extra, ...]:
    total = 0
    for ffn, times in executed_ffns(model):
        if isinstance(ffn, Dense):
            total += factor * times * ffn.width
        elif isinstance(ffn, MoE):
            total += factor * times * (ffn.width * ffn.top_k + ffn.shared_width)
    return (Extra(per_unit=total, measure=_positions(model), passes=passes),)


def _wide_values(model: ModelSpec) -> tuple[Extra, ...]:
    missing = sum(m.heads * (m.qk_nope_head_dim + m.qk_rope_head_dim - m.value_dim) * times
                  for m, times in _attention_layers(model) if isinstance(m, MLA))
    return (Extra(per_unit=2 * missing, measure=_pairs(model), component="attention_av"),) if missing else ()


def softmax(per_head: int) -> Extras:
    """``per_head`` FLOPs of softmax for each head and pair of the full square, forward."""
    return Extras(N_("softmax of the scores, {per_head} FLOPs each"), _softmax, (("per_head", per_head),))


def core_of_width_h(passes: Number = 3, *, floor: bool = False) -> Extras:
    """Scores and values of the hidden size: 4·h for each pair and layer; ``floor``: heads × (h // heads)."""
    return Extras(N_("scores and values as wide as the hidden size"), _core_of_width_h,
                  (("passes", passes if isinstance(passes, int) else Fraction(passes)), ("floor", floor)),
                  replaces="attention_core")


def embedding_of_h(factor: int, passes: Number = 3) -> Extras:
    """``factor``·h FLOPs for each token, as some count the embedding."""
    return Extras(N_("{factor}h FLOPs for the embedding of each token"), _embedding_of_h,
                  (("factor", factor), ("passes", passes if isinstance(passes, int) else Fraction(passes))))


def elementwise_products(factor: int = 1, passes: Number = 3) -> Extras:
    """The product of gate and up in each MLP: ``factor`` FLOPs an element."""
    return Extras(N_("the elementwise product in each MLP"), _elementwise,
                  (("factor", factor), ("passes", passes if isinstance(passes, int) else Fraction(passes))))


SQUARE_OUTPUT = Extras(N_("the output projection as h × h"), _square_output, replaces="attention_proj")
WIDE_VALUES = Extras(N_("values of latent attention as wide as its keys"), _wide_values)


def _kv_core(model: ModelSpec) -> tuple[Extra, ...]:
    width = sum(m.kv_heads * m.head_dim * times for m, times in _attention_layers(model) if isinstance(m, Attention))
    return (Extra(per_unit=4 * width, measure=_pairs(model), component="attention_term"),)


KV_CORE = Extras(N_("scores and values over the key and value heads only"), _kv_core, replaces="attention_core")


def _scan(model: ModelSpec, factor: int, passes: int) -> tuple[Extra, ...]:
    width = scan_widths(model)
    if not width:
        return ()
    return (Extra(per_unit=factor * width, measure=_positions(model), passes=passes, component="ssm_core"),)


def _skip_of_scan(model: ModelSpec, passes: int) -> tuple[Extra, ...]:
    width = sum(m.inner * times for m, times in executed_mixers(model) if isinstance(m, Mamba1))
    return (Extra(per_unit=width, measure=_positions(model), passes=passes, component="ssm_core"),) if width else ()


def _delta_core(model: ModelSpec, factor: int, passes: int) -> tuple[Extra, ...]:
    width = delta_widths(model)
    if not width:
        return ()
    return (Extra(per_unit=factor * width, measure=_positions(model), passes=passes,
                  component="linear_attention_core"),)


def _diagonal_with_sinks(model: ModelSpec) -> tuple[Extra, ...]:
    width = sum(m.heads * m.head_dim * times for m, times in _attention_layers(model)
                if isinstance(m, Attention) and m.sinks and m.window is None)
    return (Extra(per_unit=2 * width, measure=_positions(model), component="attention_qk"),) if width else ()


def scan(factor: int, passes: int = 3) -> Extras:
    """The scan of Mamba: ``factor`` × inner width × state for each position, forward."""
    return Extras(N_("the scan of Mamba, {factor} FLOPs for each state"), _scan,
                  (("factor", factor), ("passes", passes)), replaces="ssm_core")


SKIP_OF_SCAN = Extras(N_("the skip of Mamba's scan"), _skip_of_scan, (("passes", 3),), replaces="ssm_core")
SKIP_OF_SCAN_AGAIN = Extras(N_("the skip of Mamba's scan"), _skip_of_scan, (("passes", 4),), replaces="ssm_core")


def delta_core(factor: int, passes: int = 3) -> Extras:
    """The delta rule: ``factor`` × heads × key_dim × value_dim for each position, forward."""
    return Extras(N_("the delta rule, {factor} FLOPs for each state"), _delta_core,
                  (("factor", factor), ("passes", passes)), replaces="linear_attention_core")


DIAGONAL_WITH_SINKS = Extras(N_("each query with itself in full layers"), _diagonal_with_sinks)
