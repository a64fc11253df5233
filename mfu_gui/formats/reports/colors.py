"""Colours of reports: those of the window in its light form, since reports are read on white."""

from __future__ import annotations

TEXT, MUTED, LINE, ACCENT, BAND = "#1a2330", "#5c6878", "#dde2e8", "#2563c9", "#dcebf9"
SOFT = "#f4f6f8"
WARNING, WARNING_SOFT, ERROR, ERROR_SOFT = "#8a4b00", "#fff4de", "#b3261e", "#fdecea"
CHOSEN_SOFT = "#e4edfb"

_ATTENTION_PROJECTION, _ATTENTION_CORE, _EXPERTS, _SHARED = "#0072b2", "#56b4e9", "#e69f00", "#f3cf7c"
_ROUTER, _HEAD, _OTHER = "#cc79a7", "#009e73", "#93a0b0"
_COMPONENTS = {
    "attention_proj": _ATTENTION_PROJECTION,
    "attention_qk": _ATTENTION_CORE,
    "attention_av": _ATTENTION_CORE,
    "attention_term": _ATTENTION_CORE,
    "attention_indexer": _ROUTER,
    "mlp": _EXPERTS,
    "experts": _EXPERTS,
    "parameters_term": _EXPERTS,
    "shared_experts": _SHARED,
    "shared_expert_gate": _ROUTER,
    "router": _ROUTER,
    "lm_head": _HEAD,
    "embedding": _HEAD,
}


def component_color(name: str) -> str:
    """The colour that stands for a component, as ``#rrggbb``."""
    return _COMPONENTS.get(name, _OTHER)
