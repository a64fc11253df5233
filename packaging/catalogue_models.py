"""Model presets made from the source table resources/catalogue/models.json.

Run by catalogue.py. A row has the keys of its config.json, which are read as anybody's config.json is, or the
shape that a paper prints. A row whose kind of model cannot be read yet makes no preset. A preset whose count
is not the expected or published one must be in models_exceptions.json, with the reason.
"""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec import convert
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import Attention, Dense, Head, Layer, ModelSpec, Stack, Vector
from mfu_gui.formats.hf_config import read_config
from mfu_gui.formats.preset_file import ModelPreset
from mfu_gui.resources import resource_path

Row = dict[str, Any]

PAPER_TOLERANCE = 0.03

# Families under the names that Chinese readers know them by.
CHINESE = {
    "Qwen": ("通义千问", "千问", "阿里"), "GLM": ("智谱", "智谱清言"), "InternLM": ("书生", "书生浦语"),
    "Baichuan": ("百川",), "Yi": ("零一万物",), "DeepSeek": ("深度求索",), "Kimi": ("月之暗面",),
    "MiniMax": ("稀宇",), "ERNIE": ("文心", "文心一言", "百度"), "Hunyuan": ("混元", "腾讯混元"),
    "Seed": ("豆包", "字节"), "MiMo": ("小米",), "Step": ("阶跃星辰",), "LongCat": ("龙猫", "美团"),
    "dots": ("小红书",), "PanGu": ("盘古", "华为盘古"), "MiniCPM": ("面壁",), "ChatGLM": ("智谱", "清言"),
}
_SIZE = re.compile(r"\b\d+(?:\.\d+)?(?:x\d+(?:\.\d+)?)?[BMT]\b")


def table() -> Row:
    """The source table."""
    found: Row = json.loads(resource_path("catalogue", "models.json").read_bytes())
    return found


def exceptions() -> dict[str, Row]:
    """Presets that do not have the expected count, with both counts and the reason."""
    found: dict[str, Row] = json.loads(resource_path("catalogue", "models_exceptions.json").read_bytes())
    return found


def presets() -> list[ModelPreset]:
    """All models of the table that can be read, in the table's order."""
    document, known = table(), exceptions()
    made = []
    for row in document["models"]:
        spec = spec_of(row)
        if spec is None or not confirmed(row, spec):
            continue
        problem = deviation(row, spec)
        reason = known.get(row["id"], {})
        if problem is not None and problem != {key: reason.get(key) for key in problem}:
            raise SystemExit(f"{row['id']} is not as expected, and models_exceptions.json does not say why: {problem}")
        made.append(preset_of(row, spec, document["date"]))
    return made


def spec_of(row: Row) -> ModelSpec | None:
    """The model of one row, or None where its type cannot be read yet."""
    if "shape" in row:
        builder = SHAPES.get(row["shape"].get("kind", row["model_type"]))
        return None if builder is None else replace(builder(row["shape"]), name=row["name"])
    try:
        spec = read_config(row["config"]).spec
    except InputError as error:
        if error.code == "unknown_model_type":
            return None
        raise SystemExit(f"{row['id']}: {error}") from error
    return replace(spec, name=row["name"])


def confirmed(row: Row, spec: ModelSpec) -> bool:
    """Whether there is any count to hold the model to: an expected or exact one, or a paper's rounded one that
    is met within 3 %."""
    published = row["published"]["total"]
    if row["expected_total"] is not None:
        return True
    if published is None or row["published"]["basis"] != "model parameters":
        return False
    return bool(abs(ledger(spec).parameters.total / published - 1) < PAPER_TOLERANCE)


def deviation(row: Row, spec: ModelSpec) -> Row | None:
    """The count, the table's expected one and the exact published one of the whole model, where they differ.

    Stored router corrections may or may not be in either.
    """
    published = row["published"]
    exact = published["quality"].startswith("exact") and published["basis"] == "model parameters"
    parameters = ledger(spec).parameters
    both = {"expected": row["expected_total"], "published": published["total"] if exact else None}
    if all(value in (None, parameters.total, parameters.checkpoint_total) for value in both.values()):
        return None
    return {"counted": parameters.total, **both}


def preset_of(row: Row, spec: ModelSpec, date: str) -> ModelPreset:
    """The preset of one row."""
    published, source = row["published"], row["config_source"]
    notes = list(row["notes"])
    known = exceptions().get(row["id"])
    if known is not None:
        notes.append(known["reason"])
    return convert({
        "kind": "mfu-model", "schema": 1, "id": row["id"], "name": row["name"], "family": row["family"],
        "model_type": row["model_type"], "hf_id": row["hf_id"] or "",
        "source": _source(source),
        "date": date, "confidence": confidence_of(row), "aliases": aliases_of(row), "notes": "; ".join(notes),
        "published_total_parameters": published["total"], "published_active_parameters": published["active"],
        "published_source": published["source"] or "",
        "training_sequence_length": row["train_sequence_length"],
        "facts": {key: published[key] for key in ("quality", "basis", "active_source") if published.get(key)},
        "spec": spec,
    }, ModelPreset, from_attributes=True)


def _source(source: Row) -> str:
    """Where the shape comes from, for people; the table's "recalled" is a figure nobody looked up again."""
    kind, where = source["kind"], source.get("where") or ""
    if kind == "recalled":
        return f"{where.removeprefix('recalled ') or 'public config.json'} (not looked up again)"
    text = f"{kind.replace(', recalled', '')}: {where}" if where else kind
    text = text.replace("recalled overrides", "overrides that were not looked up again")
    return text.replace("(recalled)", "(not looked up again)")


def confidence_of(row: Row) -> str:
    """High where an exact published count, looked up, confirms the shape; low where both are from memory."""
    quality, kind = row["published"]["quality"], row["config_source"]["kind"]
    if quality == "exact+looked_up" and row["published"]["basis"] == "model parameters":
        return "high"
    recalled = "recalled" in kind and quality.endswith("recalled")
    return "low" if recalled and not quality.startswith("exact") else "medium"


def aliases_of(row: Row) -> list[str]:
    """The repository's name, the size alone, the name without punctuation, Chinese names."""
    name = row["name"]
    found = list(row.get("aliases", []))
    if row["hf_id"]:
        found.append(row["hf_id"].rpartition("/")[2])
    found += _SIZE.findall(name)
    found.append(re.sub(r"[\s\-_]+", " ", re.sub(r"[()]", "", name)).lower())
    found.append(re.sub(r"[^a-z0-9.]", "", name.lower()))
    for prefix, names in CHINESE.items():
        if row["family"].startswith(prefix) or name.startswith(prefix):
            found += names
    return [alias for alias in dict.fromkeys(found) if alias and alias not in (name, row["id"])]


def _stack(shape: Row, layer: Layer, **more: Any) -> Stack:
    return Stack(hidden_size=shape["hidden_size"], kinds=(layer,), order=((layer.name, shape["num_hidden_layers"]),),
                 **more)


def _attention(shape: Row, **more: Any) -> Attention:
    return Attention(heads=shape["num_attention_heads"], kv_heads=shape["num_key_value_heads"],
                     head_dim=shape["head_dim"], **more)


def _gpt(shape: Row) -> ModelSpec:
    """GPT-3 and Megatron: learned positions, biases, LayerNorm, plain MLP, tied head."""
    layer = Layer(mixers=(_attention(shape, biases=("q", "k", "v", "o")),),
                  ffns=(Dense(width=shape["intermediate_size"], matrices=2, biases=True),))
    stack = _stack(shape, layer, norm_vectors=2, position_table=shape["max_position_embeddings"])
    return ModelSpec(vocabulary=shape["vocab_size"], stacks=(stack,), head=Head(tied=True),
                     context_length=shape["max_position_embeddings"])


def _pangu(shape: Row) -> ModelSpec:
    """PanGu-α: a GPT with one more layer on top whose queries come from a second table of positions."""
    rows = shape["max_position_embeddings"]
    spec = _gpt({**shape, "num_hidden_layers": shape["num_hidden_layers"] + 1, "max_position_embeddings": 2 * rows})
    return replace(spec, context_length=rows)


def _palm(shape: Row) -> ModelSpec:
    """PaLM: one KV head, gated MLP beside attention behind one norm, no biases, tied head."""
    layer = Layer(mixers=(_attention(shape),), ffns=(Dense(width=shape["intermediate_size"]),), norms=1)
    return ModelSpec(vocabulary=shape["vocab_size"], stacks=(_stack(shape, layer),), head=Head(tied=True),
                     context_length=2048)


def _gopher(shape: Row) -> ModelSpec:
    """Gopher and Chinchilla: plain MLP, RMSNorm, and a projection of relative positions in each layer.

    That projection reads positions, not tokens: it runs once a step, so it has parameters and no FLOPs here.
    """
    hidden = shape["hidden_size"]
    relative = Vector(name="relative_positions", size=hidden * hidden, store="attention")
    layer = Layer(mixers=(_attention(shape),), ffns=(Dense(width=shape["intermediate_size"], matrices=2), relative))
    return ModelSpec(vocabulary=shape["vocab_size"], stacks=(_stack(shape, layer),), head=Head(tied=True),
                     context_length=2048)


def _glm_130b(shape: Row) -> ModelSpec:
    """GLM-130B: gated GELU, DeepNorm, rotary positions, biases, tied head; attention is bidirectional over
    the prefix and causal after it, counted as causal."""
    layer = Layer(mixers=(_attention(shape, biases=("q", "k", "v", "o")),),
                  ffns=(Dense(width=shape["intermediate_size"], biases=True),))
    return ModelSpec(vocabulary=shape["vocab_size"], stacks=(_stack(shape, layer, norm_vectors=2),),
                     head=Head(tied=True), context_length=2048)


SHAPES = {"gpt3": _gpt, "megatron": _gpt, "pangu": _pangu, "palm": _palm, "gopher": _gopher, "glm-130b": _glm_130b}
