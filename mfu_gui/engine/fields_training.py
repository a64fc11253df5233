"""Fields of how a model is trained: what gets a gradient, what is executed again, and what one sequence holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.field import N_, Field
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.recompute import repeats
from mfu_gui.engine.run import Recompute, Trainable
from mfu_gui.engine.scenario import Scenario
from mfu_gui.engine.training import FROZEN_PARTS, adaptable_parts

FIRST_RANK = 16
_LAYERS = re.compile(r"layers\[(.*)\]")
ADAPTED = (("q", "q"), ("k", "k"), ("v", "v"), ("o", "o"), ("gate", "gate"), ("up", "up"), ("down", "down"),
           ("experts", N_("experts")), ("head", N_("head")))
FROZEN = (("embedding", N_("embedding")), ("head", N_("head")), ("encoder", N_("encoder")), ("vision", N_("vision")))
RECOMPUTE_PREFIX = "run.recompute.repeat."
RECOMPUTED = (
    ("*", N_("Every layer component")), ("attention_proj", N_("Attention projections")),
    ("attention_qk", N_("Scores (QKᵀ)")), ("attention_av", N_("Values (AV)")),
    ("attention_indexer", N_("Indexer")), ("mlp", N_("MLP")), ("experts", N_("Experts")),
    ("shared_experts", N_("Shared experts")), ("router", N_("Router")), ("ssm_proj", N_("State projections")),
    ("ssm_conv", N_("State convolution")), ("ssm_core", N_("State scan")),
    ("linear_attention_proj", N_("Linear projections")), ("linear_attention_conv", N_("Linear convolution")),
    ("linear_attention_core", N_("Linear core")), ("recurrent_proj", N_("Recurrent projections")),
    ("recurrent_core", N_("Recurrent core")), ("lm_head", N_("LM head")),
)


def _with(scenario: Scenario, **values: Any) -> Scenario:
    return replace(scenario, run=replace(scenario.run, **values))


# What is trained


def trained(scenario: Scenario) -> str:
    """``full``, ``lora`` or ``frozen``."""
    trainable = scenario.run.trainable
    if trainable == "full" or not isinstance(trainable, Trainable):
        return "full"
    return "lora" if trainable.lora_rank is not None or trainable.targets else "frozen"


def _set_trained(scenario: Scenario, value: str) -> Scenario:
    if value == trained(scenario):
        return scenario
    if value == "full":
        return _with(scenario, trainable="full")
    if value == "lora":
        possible = adaptable_parts(scenario.model)
        usual = [name for name in possible if name in ("q", "v")] or possible[:1]
        return _with(scenario, trainable=replace(Trainable(lora_rank=FIRST_RANK), targets=tuple(usual)))
    first = "vision" if "vision" in frozen_parts(scenario) else "embedding"
    return _with(scenario, trainable=Trainable(frozen=(first,)))


def frozen_parts(scenario: Scenario) -> tuple[str, ...]:
    """Parts of the model that can be frozen as a whole."""
    model = scenario.model
    there = {"embedding": model.vocabulary > 0, "head": model.head is not None,
             "encoder": model.stack("encoder") is not None, "vision": model.stack("vision") is not None}
    return tuple(part for part in FROZEN_PARTS if there[part])


def _trainable(scenario: Scenario) -> Trainable:
    found = scenario.run.trainable
    return found if isinstance(found, Trainable) else Trainable()


def _set_frozen(scenario: Scenario, value: tuple[str, ...]) -> Scenario:
    layers = tuple(entry for entry in _trainable(scenario).frozen if entry.startswith("layers"))
    return _with(scenario, trainable=Trainable(frozen=(*value, *layers)))


def _frozen_layers(scenario: Scenario) -> str | None:
    found = [_LAYERS.fullmatch(entry) for entry in _trainable(scenario).frozen]
    return ", ".join(match[1] for match in found if match) or None


def _set_frozen_layers(scenario: Scenario, value: str | None) -> Scenario:
    parts = tuple(entry for entry in _trainable(scenario).frozen if not entry.startswith("layers"))
    ranges = [part.strip() for part in (value or "").split(",") if part.strip()]
    for part in ranges:
        if not re.fullmatch(r"\d*:\d*", part):
            raise InputError("layers_out_of_range", "run.trainable.frozen_layers", value=part,
                             layers=scenario.model.main.layer_count())
    return _with(scenario, trainable=Trainable(frozen=(*parts, *(f"layers[{part}]" for part in ranges))))


# What is executed again


def set_recompute(scenario: Scenario, value: str) -> Scenario:
    """A named recomputation; an empty name keeps what runs again and lets each component be chosen."""
    if value:
        return _with(scenario, recompute=value)
    if isinstance(scenario.run.recompute, Recompute):
        return scenario
    shares = {name: float(share) for name, share in repeats(scenario.run).items()}
    return _with(scenario, recompute=Recompute(repeat=shares))


@lru_cache(maxsize=16)
def layer_components(model: ModelSpec) -> frozenset[str]:
    """Components of layers that have FLOPs, and the head."""
    terms = ledger(model).terms
    return frozenset(term.component for term in terms if term.per_unit and (term.layer or term.component == "lm_head"))


def _repeat_of(name: str) -> tuple[Callable[[Scenario], Any], Callable[[Scenario, Any], Scenario]]:
    def get(scenario: Scenario) -> float | None:
        recompute = scenario.run.recompute
        return recompute.repeat.get(name) if isinstance(recompute, Recompute) else None

    def put(scenario: Scenario, value: float | None) -> Scenario:
        recompute = scenario.run.recompute
        if not isinstance(recompute, Recompute):
            return scenario
        repeat = {key: share for key, share in recompute.repeat.items() if key != name}
        if value is not None:
            repeat[name] = value
        return _with(scenario, recompute=replace(recompute, repeat=repeat))

    return get, put


def _by_component(scenario: Scenario) -> bool:
    return isinstance(scenario.run.recompute, Recompute)


def _recomputed_field(name: str, label: str) -> Field:
    get, put = _repeat_of(name)
    return Field(
        key=f"{RECOMPUTE_PREFIX}{name}", panel="run", label=label, kind="fraction", unit="%", minimum=0, maximum=16,
        optional=True, get=get, set=put,
        applies=lambda s: _by_component(s) and (name == "*" or name in layer_components(s.model)),
        help=N_("Share of its forward pass that is executed again. Empty: as every layer component; the head belongs "
                "to no layer."))


def _recomputed_layers(scenario: Scenario) -> int | None:
    recompute = scenario.run.recompute
    return recompute.layers if isinstance(recompute, Recompute) else None


def _set_recomputed_layers(scenario: Scenario, value: int | None) -> Scenario:
    recompute = scenario.run.recompute
    if not isinstance(recompute, Recompute):
        return scenario
    return _with(scenario, recompute=replace(recompute, layers=value))


TRAINING_FIELDS: tuple[Field, ...] = (
    Field(key="run.trainable", panel="run", label=N_("Trained part"), kind="choice", get=trained, set=_set_trained,
          choices=(("full", N_("everything")), ("lora", N_("LoRA adapters")),
                   ("frozen", N_("all but a part"))),
          help=N_("What gets a gradient. The backward pass leaves out what is frozen and what nothing trained "
                  "stands before.")),
    Field(key="run.trainable.lora_rank", panel="run", label=N_("Adapter rank"), kind="integer", minimum=1,
          maximum=10**5, step="double", get=lambda s: _trainable(s).lora_rank,
          set=lambda s, v: _with(s, trainable=replace(_trainable(s), lora_rank=v)),
          applies=lambda s: trained(s) == "lora", help=N_("Rank r of the two matrices beside each frozen one.")),
    Field(key="run.trainable.targets", panel="run", label=N_("Adapted matrices"), kind="set", choices=ADAPTED,
          get=lambda s: _trainable(s).targets,
          set=lambda s, v: _with(s, trainable=replace(_trainable(s), targets=v)),
          offers=lambda s: tuple(adaptable_parts(s.model)), applies=lambda s: trained(s) == "lora",
          help=N_("Matrices that have an adapter. With multi-head latent attention, q means both of its parts.")),
    Field(key="run.trainable.frozen", panel="run", label=N_("Frozen parts"), kind="set", choices=FROZEN,
          get=lambda s: tuple(part for part in _trainable(s).frozen if not part.startswith("layers")),
          set=_set_frozen, offers=frozen_parts, applies=lambda s: trained(s) == "frozen",
          help=N_("Parts that are not trained. A tied embedding and head are one part.")),
    Field(key="run.trainable.frozen_layers", panel="run", label=N_("Frozen layers"), kind="text", optional=True,
          get=_frozen_layers, set=_set_frozen_layers, applies=lambda s: trained(s) == "frozen",
          help=N_("First layer and the one after the last, counted from 0: 0:16. Several ranges with commas.")),
    Field(key="run.attention_kernel", panel="run", label=N_("Attention kernel"), kind="choice",
          choices=(("", N_("not stated")), ("flash", N_("flash (repeats QKᵀ)")), ("unfused", N_("unfused"))),
          get=lambda s: s.run.attention_kernel or "", set=lambda s, v: _with(s, attention_kernel=v or None),
          help=N_("A flash kernel computes QKᵀ again in the backward pass; that counts in HFU only.")),
    Field(key="run.multi_token_prediction", panel="run", label=N_("Multi-token prediction"), kind="integer",
          unit=N_("depths"), minimum=0, maximum=64, get=lambda s: s.run.multi_token_prediction,
          set=lambda s, v: _with(s, multi_token_prediction=v),
          applies=lambda s: s.model.multi_token_prediction is not None,
          help=N_("Extra prediction depths trained in this run; 0 leaves them out.")),
    Field(key="run.document_lengths", panel="run", label=N_("Documents"), kind="lengths", optional=True,
          get=lambda s: s.run.document_lengths, set=lambda s, v: _with(s, document_lengths=v),
          help=N_("Lengths of the documents packed in one sequence, such as 1024 2048 or 4×1024; attention stays "
                  "inside each. What is missing to the sequence length is padding. Empty: one document.")),
    *(_recomputed_field(name, label) for name, label in RECOMPUTED),
    Field(key="run.recompute.layers", panel="run", label=N_("First layers only"), kind="integer", minimum=0,
          maximum=100_000, optional=True, get=_recomputed_layers, set=_set_recomputed_layers, applies=_by_component,
          help=N_("Recompute only in the first so many layers. Empty: in all.")),
)
"""The part of the run panel that most runs can leave alone."""
