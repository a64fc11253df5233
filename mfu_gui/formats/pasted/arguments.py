"""Arguments of a training script: ``--num-layers 32``, ``num_layers: 32``, or the list a log prints of them.

They are brought into the one form that logs have (``num_layers ... 32``), so that both are read by the same rules.
"""

from __future__ import annotations

import re
from typing import Any

from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.pasted.proposal import Option, Pasted, Proposal
from mfu_gui.formats.training_logs.header import Fact, Facts, model_config, read_header, scenario_parts

MOST_ARGUMENTS = 2000
_FLAG = re.compile(r"(?<!\S)--?([A-Za-z][\w.-]{1,80})(?:=|[ \t]+|$|\s*\\\s*\n)")
_PAIR = re.compile(r"^[\s|>*'\"(-]{0,40}([A-Za-z][\w.-]{1,80})['\")]{0,2}[ \t]*(?:\.{2,}|[:=])[ \t]*"
                   r"(\S[^\n#]{0,200})?$", re.MULTILINE)
_RUN_FIELDS = {"devices": "run.devices", "sequence_length": "run.sequence_length", "global_batch": "run.global_batch",
               "micro_batch": "run.micro_batch", "precision": "run.precision", "recompute": "run.recompute"}
_PARALLEL = ("tensor", "pipeline", "virtual_pipeline", "context", "expert")
_RENAMED = {"fp8_format": "fp8", "nproc_per_node": "nproc_per_node", "recompute_activations": "recompute_granularity",
            "tp": "tensor_model_parallel_size", "pp": "pipeline_model_parallel_size", "train_iters": "train_iters"}
_VALUES = {"recompute_activations": "selective"}
_TRUE = ("True", "true")
_FEWEST = 2
"""So many arguments that mean something make a list of arguments; one may be a word in any sentence."""
_ALSO_USED = frozenset({"use_distributed_optimizer", "num_layers_per_virtual_pipeline_stage", "moe_layer_freq"})
_PART_OF_MODEL = frozenset({"layers", "hidden", "ffn", "heads", "kv_heads", "head_dim", "vocabulary",
                            "padded_vocabulary", "experts", "top_k", "expert_ffn", "shared_expert_ffn", "positions",
                            "gated", "untied", "grouped", "latent", "position_kind"})


def read_arguments(text: str, scenario: Scenario) -> Pasted | None:
    """What a list of arguments says; None when the text is none.

    ``scenario`` lends the vocabulary where the arguments leave it to a tokenizer (that is marked as doubtful).
    """
    pairs = _pairs(text)
    if not pairs:
        return None
    lines = [f"{_RENAMED.get(name, name)}: {_VALUES.get(name, value)}" for name, value in pairs.items()]
    facts = read_header("\n".join(lines).encode())
    if len(facts) < _FEWEST:
        return None
    facts = _with_defaults(facts)
    proposals = [*_model(facts, pairs, scenario), *_run(facts, pairs, scenario)]
    used = {part.partition(":")[0].strip() for fact in facts.values() for part in fact.where.split(";")}
    used |= _ALSO_USED
    unread = tuple(f"{name}: {value}" for name, value in pairs.items() if _RENAMED.get(name, name) not in used)
    return Pasted("arguments", tuple(proposals), unread)


def _pairs(text: str) -> dict[str, str]:
    """Names, with underscores, and their values; a flag without one is True."""
    pairs: dict[str, str] = {}
    flags = list(_FLAG.finditer(text))[:MOST_ARGUMENTS]
    for number, match in enumerate(flags):
        end = flags[number + 1].start() if number + 1 < len(flags) else len(text)
        value = text[match.end() : end].strip(" \t\r\n\\")
        first = value.split()[0] if value.split() else "True"
        pairs.setdefault(_name(match[1]), _clean(first))
    if flags:
        return pairs
    for match in list(_PAIR.finditer(text))[:MOST_ARGUMENTS]:
        value = _clean((match[2] or "").strip())
        if value and " " not in value:
            pairs.setdefault(_name(match[1]), value)
    return pairs


def _with_defaults(facts: Facts) -> Facts:
    """What Megatron takes where an argument is left out (``validate_args`` of its ``arguments.py``): two experts a
    token; a gated MLP of two thirds of 4h, rounded down to a multiple of 64."""
    facts = dict(facts)
    if "experts" in facts and "top_k" not in facts:
        facts["top_k"] = Fact(2, "derived", facts["experts"].where)
    if "gated" in facts and facts["gated"].value in _TRUE and "ffn" not in facts and "hidden" in facts:
        width = int(4 * facts["hidden"].value * 2 / 3 / 64) * 64
        facts["ffn"] = Fact(width, "derived", facts["gated"].where)
    return facts


def _name(text: str) -> str:
    return text.rpartition(".")[2].replace("-", "_")


def _clean(text: str) -> str:
    text = text.strip().rstrip(",").strip("'\"")
    return text if text.isascii() and len(text) <= 60 else ""


def _model(facts: Facts, pairs: dict[str, str], scenario: Scenario) -> list[Proposal]:
    """The model, when the arguments describe one; parts of one say too little."""
    where = "; ".join(dict.fromkeys(fact.where for key, fact in facts.items() if key in _PART_OF_MODEL))
    if not {"layers", "hidden", "heads"} <= facts.keys():
        return []
    doubt = ""
    if not {"vocabulary", "padded_vocabulary"} & facts.keys():
        facts = {**facts, "vocabulary": Fact(scenario.model.vocabulary, "scenario")}
        doubt = "paste_vocabulary"
    some_dense = pairs.get("moe_layer_freq", "1") != "1"
    config = None if some_dense else model_config(facts)
    if config is None:
        return [Proposal(where, (), "paste_model_unsaid")]
    return [Proposal(where, (Option("model.hf_config", config, _describe(config)),), doubt)]


def _describe(config: dict[str, Any]) -> str:
    """A model by its sizes, which need no translation: "llama, L 32, d 4096, h 32/8, V 32000"."""
    def value(*names: str) -> Any:
        return next((config[name] for name in names if name in config), None)

    heads, kv_heads = value("num_attention_heads", "n_head"), value("num_key_value_heads")
    parts = [str(config["model_type"]), f"L {value('num_hidden_layers', 'n_layer')}",
             f"d {value('hidden_size', 'n_embd')}",
             f"h {heads}" + (f"/{kv_heads}" if kv_heads not in (None, heads) else ""),
             f"V {value('vocab_size')}"]
    if config.get("num_local_experts"):
        parts.append(f"E {config['num_local_experts']}, k {config['num_experts_per_tok']}")
    return ", ".join(parts)


def _run(facts: Facts, pairs: dict[str, str], scenario: Scenario) -> list[Proposal]:
    run = scenario_parts({key: fact for key, fact in facts.items() if key not in _PART_OF_MODEL}).get("run", {})
    found = []
    for key, field in _RUN_FIELDS.items():
        if key not in run:
            continue
        fact = facts["recompute_granularity" if key == "recompute" else key]
        value = run[key]
        if key == "devices":
            units = units_of(value, scenario)
            if units is None:
                found.append(Proposal(fact.where, (), "paste_not_whole_cards"))
                continue
            value = units
        found.append(Proposal(fact.where, (Option(field, value),)))
    found += [Proposal(facts[key].where, (Option(f"run.parallel.{key}", facts[key].value),))
              for key in _PARALLEL if key in facts]
    per_stage = pairs.get("num_layers_per_virtual_pipeline_stage", "")
    if per_stage.isdecimal() and int(per_stage) and {"layers", "pipeline"} <= facts.keys():
        stages, rest = divmod(facts["layers"].value, facts["pipeline"].value * int(per_stage))
        if not rest:
            found.append(Proposal(f"num_layers_per_virtual_pipeline_stage {per_stage}",
                                  (Option("run.parallel.virtual_pipeline", stages),)))
    if pairs.get("use_distributed_optimizer") in _TRUE:
        # Megatron's distributed optimizer shards the optimizer's states alone, which is stage 1.
        found.append(Proposal("use_distributed_optimizer", (Option("run.parallel.zero_stage", "1"),)))
    return found


def units_of(devices: int, scenario: Scenario) -> int | None:
    """Framework devices (dies) as the scenario counts devices; None where they make no whole number of cards."""
    each = 1 if scenario.peak.devices_are == "framework_devices" else scenario.hardware.framework_devices
    return devices // each if devices % each == 0 else None
