"""Config: typed reading of a config.json, with class defaults and a record of what was assumed.

Three things that look alike are kept apart: a key that is absent (the class default of that
``model_type`` applies), a key that is null (which often means "derive it"), and a key that has a value.
A wrong type or a value out of range is an InputError that names the key as the file spells it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.model import MAX_LAYERS, MAX_WIDTH, ModelSpec

Values = Mapping[str, Any]
Names = Mapping[str, tuple[str, ...]]

_KINDS = {bool: "bool", int: "int", float: "float", str: "str", list: "array", tuple: "array", type(None): "null"}
_LONGEST_VALUE = 60


class Family(NamedTuple):
    """How one ``model_type`` is read.

    ``defaults`` are the values of its configuration class for keys that change a count; ``names`` maps
    our name of a key to the spellings in files, the usual one first.
    """

    read: Callable[[Config], ModelSpec]
    defaults: Values = MappingProxyType({})
    names: Names = MappingProxyType({})


def kind_of(value: object) -> str:
    """The word for a JSON value's kind, as the sentences know it."""
    return _KINDS.get(type(value), "object")


def shortened(value: object) -> object:
    """``value`` for a sentence: long or nested values become a short text."""
    if isinstance(value, bool | int | float | None):
        return value
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _whole(value: float) -> int | float:
    """2048 for 2048.0, which JSON has for the same number."""
    from mfu_gui.formats.whole_numbers import as_whole

    whole = as_whole(value)
    return value if whole is None else whole


class Config:
    """One level of a config.json, read as ``model_type``."""

    __slots__ = ("_data", "_defaults", "_names", "assumptions", "has_head", "keys_read", "model_type", "path")

    def __init__(self, data: Values, model_type: str, family: Family, path: str = "",
                 assumptions: dict[str, Notice] | None = None) -> None:
        self._data = data
        self._defaults = family.defaults
        self._names = family.names
        self.model_type = model_type
        self.path = path
        self.assumptions: dict[str, Notice] = {} if assumptions is None else assumptions
        self.keys_read: set[str] = set()
        self.has_head = True

    def place(self, key: str) -> str:
        """Where ``key`` stands, as the file spells it."""
        name = self._spelling(key)
        return f"{self.path}.{name}" if self.path else name

    def _spelling(self, key: str) -> str:
        names = self._names.get(key, (key,))
        return next((name for name in names if name in self._data), names[0])

    def _lookup(self, key: str) -> tuple[bool, Any]:
        """Whether the file has the key, and its value; two spellings that disagree are refused."""
        names = self._names.get(key, (key,))
        found = [name for name in names if name in self._data]
        self.keys_read.update(found)
        if not found:
            return False, None
        values = [self._data[name] for name in found]
        for name, value in zip(found[1:], values[1:], strict=True):
            if value is not None and values[0] is not None and value != values[0]:
                raise InputError("config_disagrees", self.place(key), key=found[0], value=shortened(values[0]),
                                 other=name, other_value=shortened(value))
        return True, next((value for value in values if value is not None), None)

    def has(self, key: str) -> bool:
        """Whether the file has the key with a value other than null."""
        return self._lookup(key)[1] is not None

    @property
    def names_architectures(self) -> bool:
        """Whether the file has ``architectures``, be it null."""
        return "architectures" in self._data

    def knows(self, key: str) -> bool:
        """Whether the class has a default for the key."""
        return key in self._defaults

    def assume(self, key: str, value: object) -> None:
        """Record that ``value`` was not in the file."""
        place = self.place(key)
        self.assumptions.setdefault(place, Notice("assumed_default", place, {
            "key": place, "value": value, "model_type": self.model_type}))

    def remark(self, code: str, key: str) -> None:
        """Record something about a key that the reader of the result should know."""
        place = self.place(key)
        self.assumptions.setdefault(f"{code} {place}", Notice(code, place, {"key": place}))

    def value(self, key: str, default: object = ...) -> Any:
        """The raw value: from the file, else the class default (recorded as assumed unless null)."""
        present, value = self._lookup(key)
        if present:
            return value
        fallback = self._defaults.get(key, default)
        if fallback is ...:
            raise InputError("config_key_missing", self.place(key), key=self._spelling(key),
                             model_type=self.model_type)
        if fallback is not None:
            self.assume(key, fallback)
        return fallback

    def _wrong_type(self, key: str, value: object, expected: str) -> InputError:
        return InputError("wrong_type", self.place(key), expected=expected, found=kind_of(value),
                          value=shortened(value))

    def _checked(self, place: str, value: Any, minimum: int, maximum: int) -> int:
        if isinstance(value, float):
            value = _whole(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise InputError("wrong_type", place, expected="int", found=kind_of(value), value=shortened(value))
        if not minimum <= value <= maximum:
            raise InputError("out_of_range", place, value=value, minimum=minimum, maximum=maximum)
        return value

    def integer(self, key: str, minimum: int = 1, maximum: int = MAX_WIDTH, default: object = ...) -> int:
        """A whole number in range; null is refused."""
        return self._checked(self.place(key), self.value(key, default), minimum, maximum)

    def optional_integer(self, key: str, minimum: int = 1, maximum: int = MAX_WIDTH) -> int | None:
        """A whole number in range, or None where it is null, or absent without a default."""
        value = self.value(key, None)
        return None if value is None else self._checked(self.place(key), value, minimum, maximum)

    def flag(self, key: str, default: object = ...) -> bool:
        """True or false; null is taken as the class default, false without one."""
        value = self.value(key, default)
        if value is None:
            value = self._defaults.get(key) or False
        if not isinstance(value, bool):
            raise self._wrong_type(key, value, "bool")
        return value

    def text(self, key: str) -> str | None:
        """A text, or None where it is null or absent."""
        value = self.value(key, None)
        if value is not None and not isinstance(value, str):
            raise self._wrong_type(key, value, "str")
        return value

    def number(self, key: str, minimum: float = 0, maximum: float = MAX_WIDTH) -> float | None:
        """A number, whole or not, or None where it is null or absent."""
        value = self.value(key, None)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong_type(key, value, "float")
        if not minimum <= value <= maximum:
            raise InputError("out_of_range", self.place(key), value=value, minimum=minimum, maximum=maximum)
        return value

    def items(self, key: str, length: int | None = None) -> Sequence[Any] | None:
        """A list, or None where it is null or absent; a wrong length is refused."""
        value = self.value(key, None)
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            raise self._wrong_type(key, value, "array")
        if length is not None and len(value) != length:
            raise InputError("config_list_length", self.place(key), found_length=len(value), length=length)
        return value

    def integers(self, key: str, length: int | None = None, minimum: int = 0,
                 maximum: int = MAX_WIDTH) -> list[int] | None:
        """A list of whole numbers in range, or None."""
        items = self.items(key, length)
        if items is None:
            return None
        place = self.place(key)
        return [self._checked(f"{place}[{index}]", item, minimum, maximum) for index, item in enumerate(items)]

    def choices(self, key: str, allowed: Mapping[str, str], length: int | None = None) -> list[str] | None:
        """A list of words, each translated by ``allowed``; another word is refused. Or None."""
        items = self.items(key, length)
        if items is None:
            return None
        words = []
        for index, item in enumerate(items):
            word = allowed.get(item) if isinstance(item, str) else None
            if word is None:
                raise InputError("unknown_choice", f"{self.place(key)}[{index}]", value=shortened(item),
                                 allowed=", ".join(allowed))
            words.append(word)
        return words

    def layers(self, key: str = "num_hidden_layers") -> int:
        """The number of layers."""
        return self.integer(key, 1, MAX_LAYERS)

    def changed(self, key: str, value: object) -> Config:
        """The same level with another value for one key."""
        family = Family(_unread, self._defaults, self._names)
        data = {**self._data, self._spelling(key): value}
        config = Config(data, self.model_type, family, self.path, self.assumptions)
        config.has_head = self.has_head
        return config

    def section(self, key: str, defaults: Values | None = None, names: Names | None = None) -> Config:
        """A nested object as a Config of the same model type; empty where it is absent or null."""
        value = self._lookup(key)[1]
        if value is not None and not isinstance(value, Mapping):
            raise self._wrong_type(key, value, "object")
        family = Family(_unread, defaults or {}, names or {})
        return Config(value or {}, self.model_type, family, self.place(key), self.assumptions)


def _unread(config: Config) -> ModelSpec:
    raise InputError("unknown_model_type", config.place("model_type"), model_type=config.model_type)
