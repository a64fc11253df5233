"""Which language to speak."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

# The languages of the program and the name of the catalogue of each; English needs none.
LANGUAGES: dict[str, str | None] = {"en": None, "zh": "zh_CN"}

_CHINESE_ON_WINDOWS = 0x04  # the primary language of every Chinese LANGID


_NO_LANGUAGE = frozenset({"", "c", "posix"})
"""Locales of programs, not of people: they say nothing about a language, and English is what they expect."""
_ENGLISH_ON_WINDOWS = 0x09


def _primary(name: str | None) -> str:
    return (name or "").replace("-", "_").partition("_")[0].partition(".")[0].lower()


def known_language(name: str | None) -> str:
    """The language of the program that suits a locale or language tag such as `zh_CN.UTF-8` or `zh-Hans`.

    English if there is none.
    """
    primary = _primary(name)
    return primary if primary in LANGUAGES else "en"


def system_language(environment: Mapping[str, str] | None = None) -> str:
    """The language of the user's session, `en` or `zh`; English for all others.

    Reads the variables of POSIX in their order of precedence and, where a program started from an icon has
    none of them, Windows' own setting.
    """
    return system_language_or_none(environment) or "en"


def system_language_or_none(environment: Mapping[str, str] | None = None) -> str | None:
    """As ``system_language``, but None where the session speaks another language than the program can."""
    variables = os.environ if environment is None else environment
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if variables.get(name):
            primary = _primary(variables[name])
            return "en" if primary in _NO_LANGUAGE else primary if primary in LANGUAGES else None
    return _windows_language() if environment is None else "en"


def _windows_language() -> str | None:
    if sys.platform == "win32":
        import ctypes

        language_id = ctypes.windll.kernel32.GetUserDefaultUILanguage()
        return {_CHINESE_ON_WINDOWS: "zh", _ENGLISH_ON_WINDOWS: "en"}.get(language_id & 0x3FF)
    return "en"
