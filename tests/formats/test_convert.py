"""Values become Structs, or an error that names the place, the value and what is allowed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
import pytest

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec
from mfu_gui.formats.convert import convert, settled
from mfu_gui.formats.nearest import nearest


class Leaf(msgspec.Struct, forbid_unknown_fields=True, tag_field="type", tag="leaf"):
    size: Annotated[int, msgspec.Meta(ge=2, le=9)]


class Twig(msgspec.Struct, forbid_unknown_fields=True, tag_field="type", tag="twig"):
    word: Annotated[str, msgspec.Meta(pattern="^[a-z]+$", max_length=4)]
    many: Annotated[tuple[int, ...], msgspec.Meta(min_length=1, max_length=2)] = (1,)


class Tree(msgspec.Struct, forbid_unknown_fields=True):
    parts: list[Leaf | Twig] = []
    named: dict[str, Leaf | Twig] = {}
    pairs: tuple[tuple[str, int], ...] = ()
    share: dict[Literal["a", "b"], Annotated[float, msgspec.Meta(gt=0)]] = {}
    choice: Literal["red", "green"] | Leaf | None = None


@pytest.mark.parametrize(
    ("value", "code", "field", "values"),
    [
        (3, "wrong_type", "", {"expected": ["object"], "found": "int"}),
        ({"part": []}, "unknown_key", "", {"key": "part", "nearest": "parts"}),
        ({"qqqq": 1}, "unknown_key", "", {"nearest": None, "allowed": ["parts", "named", "pairs", "share", "choice"]}),
        ({"parts": {}}, "wrong_type", "parts", {"expected": ["array"], "found": "object"}),
        ({"parts": [{"type": "leaf"}]}, "missing", "parts[0]", {"key": "size"}),
        ({"parts": [{"size": 3}]}, "missing", "parts[0]", {"key": "type"}),
        (
            {"parts": [{"type": "leef", "size": 3}]},
            "unknown_choice",
            "parts[0].type",
            {"value": "leef", "nearest": "leaf", "allowed": ["leaf", "twig"]},
        ),
        (
            {"parts": [{"type": "leaf", "size": 3}, {"type": "twig", "word": "a", "siez": 3}]},
            "unknown_key",
            "parts[1]",
            {"key": "siez", "allowed": ["type", "word", "many"]},
        ),
        (
            {"parts": [{"type": "leaf", "size": 1}]},
            "out_of_range",
            "parts[0].size",
            {"value": 1, "minimum": 2, "maximum": 9},
        ),
        (
            {"parts": [{"type": "leaf", "size": 10**40}]},
            "out_of_range",
            "parts[0].size",
            {"value": 10**40, "maximum": 9},
        ),
        ({"parts": [{"type": "leaf", "size": "3"}]}, "wrong_type", "parts[0].size", {"found": "str", "value": "3"}),
        ({"parts": [{"type": "leaf", "size": True}]}, "wrong_type", "parts[0].size", {"found": "bool"}),
        ({"parts": [{"type": "leaf", "size": 3.5}]}, "wrong_type", "parts[0].size", {"found": "float", "value": 3.5}),
        (
            {"parts": [{"type": "twig", "word": "A"}]},
            "wrong_form",
            "parts[0].word",
            {"value": "A", "pattern": "^[a-z]+$"},
        ),
        (
            {"parts": [{"type": "twig", "word": "abcde"}]},
            "wrong_length",
            "parts[0].word",
            {"maximum": 4, "found_length": 5},
        ),
        (
            {"parts": [{"type": "twig", "word": "a", "many": []}]},
            "wrong_length",
            "parts[0].many",
            {"minimum": 1, "found_length": 0},
        ),
        (
            {"named": {"x": {"type": "leaf", "size": 3}, "y": {"type": "leaf", "size": 0}}},
            "out_of_range",
            "named.y.size",
            {"value": 0},
        ),
        ({"named": {"x": 1}}, "wrong_type", "named.x", {"expected": ["object"], "value": 1}),
        ({"pairs": [["a", 1], ["b"]]}, "wrong_length", "pairs[1]", {"expected_length": 2, "found_length": 1}),
        ({"pairs": [["a", 1], ["b", None]]}, "wrong_type", "pairs[1][1]", {"expected": ["int"], "found": "null"}),
        ({"share": {"a": 1, "c": 1}}, "unknown_key", "share", {"key": "c", "allowed": ["a", "b"]}),
        ({"share": {"a": 1, "b": 0}}, "not_positive", "share.b", {"value": 0}),
        ({"share": {"a": "1"}}, "wrong_type", "share.a", {"expected": ["float"], "found": "str"}),
        (
            {"choice": "gren"},
            "unknown_choice",
            "choice",
            {"value": "gren", "nearest": "green", "allowed": ["red", "green"]},
        ),
        ({"choice": {"type": "leaf", "size": 99}}, "out_of_range", "choice.size", {"value": 99}),
    ],
)
def test_names_place_value_and_what_is_allowed(value: Any, code: str, field: str, values: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        convert(value, Tree, source="f.json")
    assert (caught.value.code, caught.value.field) == (code, field)
    assert {key: caught.value.values[key] for key in values} == values
    assert caught.value.values["file"] == "f.json"


def test_a_place_in_a_larger_file_comes_before_the_path() -> None:
    with pytest.raises(InputError) as caught:
        convert({"parts": [{"type": "leaf", "size": 0}]}, Tree, place="model.spec")
    assert caught.value.field == "model.spec.parts[0].size"
    assert "file" not in caught.value.values
    with pytest.raises(InputError) as caught:
        convert([], Tree, place="model.spec")
    assert caught.value.field == "model.spec"


@pytest.mark.parametrize(
    ("kind", "value", "field", "key"),
    [
        (RunSpec, {"sequence_length": 1, "sequence_lenght": 1}, "", "sequence_length"),
        (RunSpec, {"sequence_length": 1, "parallel": {"tensors": 1}}, "parallel", "tensor"),
        (HardwareSpec, {"peak_tflops": {"bf16": 1}, "memory": 1}, "", "memory_gb"),
        (
            ModelSpec,
            {"stacks": [{"hidden_size": 1, "order": [], "kinds": [{"mixers": [{"type": "mla", "kv_lora": 1}]}]}]},
            "stacks[0].kinds[0].mixers[0]",
            "kv_lora_rank",
        ),
    ],
)
def test_offers_the_nearest_key_of_the_real_types(kind: type, value: Any, field: str, key: str) -> None:
    with pytest.raises(InputError) as caught:
        convert(value, kind)
    assert (caught.value.code, caught.value.field, caught.value.values["nearest"]) == ("unknown_key", field, key)


def test_numbers_of_any_size_and_whole_numbers_for_real_ones() -> None:
    assert convert({"share": {"a": 3}}, Tree).share == {"a": 3.0}
    with pytest.raises(InputError):
        convert({"share": {"a": 10**400}}, Tree)


def test_nearest() -> None:
    assert nearest("DeepSeek-V3", ["deepseek-v2", "deepseek-v3", "gpt2"]) == "deepseek-v3"
    assert nearest("zzz", ["deepseek-v2"]) is None
    assert nearest(3, ["3"]) is None


@pytest.mark.parametrize(("value", "size"), [(3.0, 3), (9.0, 9)])
def test_a_whole_number_may_be_written_with_a_point(value: float, size: int) -> None:
    """To JSON 3 and 3.0 are one number; in whatever list, table or alternative it stands."""
    leaf = {"type": "leaf", "size": value}
    tree = convert({"parts": [leaf, {"type": "twig", "word": "a", "many": [1, value]}], "named": {"x": leaf},
                    "pairs": [["a", value]], "share": {"a": 1.0}, "choice": leaf}, Tree)
    assert (tree.parts[0], tree.named["x"], tree.choice) == (Leaf(size),) * 3
    twig = tree.parts[1]
    assert isinstance(twig, Twig)
    found = [*twig.many, *tree.pairs[0], *tree.share.values(), tree.parts[0].size]  # type: ignore[union-attr]
    assert [type(each) for each in found] == [int, int, str, int, float, int]


@pytest.mark.parametrize("value", [3.5, 2.0**53, 1e300, -1e300, float("inf"), float("nan"), "3.0"])
def test_a_float_that_may_be_another_number_is_none(value: Any) -> None:
    with pytest.raises(InputError, match="wrong_type") as caught:
        convert({"pairs": [["a", value]]}, Tree)
    assert caught.value.field == "pairs[0][1]"


def test_what_is_mended_is_a_copy() -> None:
    given = {"pairs": [["a", 2.0]], "choice": "red"}
    settled_value, tree = settled(given, Tree)
    assert type(given["pairs"][0][1]) is float
    assert type(settled_value["pairs"][0][1]) is int
    assert tree == convert(given, Tree)
