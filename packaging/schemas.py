"""JSON Schemas of the files that people write, made from the types and their docstrings.

Run by catalogue.py.  Generated, because the docstrings of fields are only in the source.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from itertools import pairwise
from typing import Any

import msgspec
from schema_words import WORDS

from mfu_gui.formats.preset_file import HardwarePreset, ModelPreset
from mfu_gui.formats.scenario_file import ScenarioFile
from mfu_gui.formats.workspace_file import WorkspaceFile

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"

FILES: dict[str, tuple[type[msgspec.Struct], str, list[Any]]] = {
    "scenario": (
        ScenarioFile,
        "Scenario file of MFU Calculator (.mfu)",
        [
            {
                "kind": "mfu-scenario", "schema": 1, "name": "DeepSeek-V3, 2048 H800",
                "model": {"preset": "deepseek-v3"},
                "hardware": {"preset": "nvidia-h800-sxm5-80gb", "peak_tflops": 989},
                "run": {"devices": 2048, "sequence_length": 4096, "global_batch": 15360, "precision": "bf16",
                        "measured": {"step_time_s": 19.926}},
                "reported": {"mfu": 0.4373},
                "convention": {"id": "matmul-full", "options": {"router": False}},
            },
            {
                "kind": "mfu-scenario", "schema": 1, "name": "A model of my own, 64 devices",
                "model": {"spec": {
                    "name": "my-7b", "vocabulary": 32000, "head": {"tied": False},
                    "stacks": [{
                        "hidden_size": 4096,
                        "kinds": [{
                            "name": "block",
                            "mixers": [{"type": "attention", "heads": 32, "kv_heads": 8, "head_dim": 128}],
                            "ffns": [{"type": "dense", "width": 14336}],
                        }],
                        "order": [["block", 32]],
                    }],
                }},
                "hardware": {"spec": {"name": "my-card", "peak_tflops": {"bf16": 400}}},
                "run": {"devices": 64, "sequence_length": 8192, "global_batch": 512, "precision": "bf16",
                        "measured": {"tokens_per_s_per_device": 4200}, "recompute": "full"},
            },
        ],
    ),
    "model": (
        ModelPreset,
        "Model preset of MFU Calculator",
        [{
            "kind": "mfu-model", "schema": 1, "id": "my-7b", "name": "My 7B", "source": "our own",
            "spec": {
                "vocabulary": 32000,
                "stacks": [{
                    "hidden_size": 4096,
                    "kinds": [{
                        "name": "block",
                        "mixers": [{"type": "attention", "heads": 32, "kv_heads": 8, "head_dim": 128}],
                        "ffns": [{"type": "dense", "width": 14336}],
                    }],
                    "order": [["block", 32]],
                }],
            },
        }],
    ),
    "hardware": (
        HardwarePreset,
        "Hardware preset of MFU Calculator",
        [{
            "kind": "mfu-hardware", "schema": 1, "id": "my-card", "name": "My card", "source": "data sheet",
            "spec": {"peak_tflops": {"bf16": 400, "fp8": 800}, "memory_gb": 96},
        }],
    ),
}
FILES["workspace"] = (
    WorkspaceFile,
    "Workspace file of MFU Calculator (.mfuw)",
    [{"kind": "mfu-workspace", "schema": 1, "name": "Two clusters", "active": 0,
      "scenarios": [FILES["scenario"][2][0], FILES["scenario"][2][1]]}],
)
# Parts of which exactly one key is given.
EXACTLY_ONE = {"ModelPart": ("preset", "hf_config", "spec"), "HardwarePart": ("preset", "spec"),
               "Measured": ("step_time_s", "tokens_per_s", "tokens_per_s_per_device", "tflops_per_device", "mfu")}


def files() -> dict[str, bytes]:
    """File name in resources/schemas -> content."""
    return {f"{name}.json": encoded(schema_of(*parts)) for name, parts in FILES.items()}


def encoded(schema: Schema) -> bytes:
    return (json.dumps(schema, indent=2, ensure_ascii=False) + "\n").encode()


def schema_of(kind: type[msgspec.Struct], title: str, examples: list[Any]) -> Schema:
    """The schema of one kind of file, with a description on every field."""
    schema = msgspec.json.schema(kind)
    structs = {struct.__name__: struct for struct in all_structs()}
    for name, part in schema["$defs"].items():
        describe(part, structs[name])
        if name in EXACTLY_ONE:
            part["oneOf"] = [{"required": [key]} for key in EXACTLY_ONE[name]]
    return {"$schema": DIALECT, "title": title, "examples": examples, **schema}


def describe(part: Schema, struct: type[msgspec.Struct]) -> None:
    """Put the docstrings of the class and of its fields into its schema."""
    part["description"] = plain(part.get("description", ""))
    docs = field_docs(struct)
    for field, shape in part["properties"].items():
        text = docs.get(field) or WORDS.get(f"{struct.__name__}.{field}") or WORDS.get(field)
        if text:
            rest = dict(shape)
            shape.clear()
            # A reference with words beside it is fine since draft 2019-09.
            shape.update({"description": plain(text), **rest})


def plain(text: str) -> str:
    """A docstring as running text without markup."""
    return re.sub(r"\s+", " ", text.replace("``", "")).strip()


def field_docs(struct: type[msgspec.Struct]) -> dict[str, str]:
    """Docstrings that follow the fields in the source, those of base classes too."""
    docs: dict[str, str] = {}
    for base in reversed(struct.__mro__):
        if not issubclass(base, msgspec.Struct) or base is msgspec.Struct:
            continue
        body = ast.parse(inspect.getsource(base)).body[0].body
        for line, following in pairwise(body):
            named = isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
            if named and isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
                docs[line.target.id] = inspect.cleandoc(str(following.value.value))
    return docs


def all_structs() -> list[type[msgspec.Struct]]:
    """Every Struct of the package that is loaded."""
    found: list[type[msgspec.Struct]] = []
    waiting = list(msgspec.Struct.__subclasses__())
    while waiting:
        struct = waiting.pop()
        if sys.modules[struct.__module__].__name__.startswith("mfu_gui."):
            found.append(struct)
        waiting += struct.__subclasses__()
    return found


def undescribed(schema: Schema) -> list[str]:
    """Fields without a description, as "Struct.field"."""
    return [
        f"{name}.{field}"
        for name, part in schema["$defs"].items()
        for field, shape in part["properties"].items()
        if not shape.get("description")
    ]
