"""Which language to speak."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

# The languages of the program and the name of the catalogue of each; English needs none.
LANGUAGES: dict[str, str | None] = {"en": None, "zh": "zh_CN"}

_CHINESE_ON_WINDOWS = 0x04  # the primary language of every Chinese LANGID


def known_language(name: str | None) -> str:
    """The language of the program that suits a locale or language tag such as `zh_CN.UTF-8` or `zh-Hans`.

    English if there is none.
    """
    primary = (name or "").replace("-", "_").partition("_")[0].partition(".")[0].lower()
    return primary if primary in LANGUAGES else "en"


def system_language(environment: Mapping[str, str] | None = None) -> str:
    """The language of the user's session, `en` or `zh`.

    Reads the variables of POSIX in their order of precedence and, where a program started from an icon has
    none of them, Windows' own setting.
    """
    variables = os.environ if environment is None else environment
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if variables.get(name):
            return known_language(variables[name])
    return _windows_language() if environment is None else "en"


def _windows_language() -> str:
    if sys.platform == "win32":
        import ctypes

        language_id = ctypes.windll.kernel32.GetUserDefaultUILanguage()
        return "zh" if language_id & 0x3FF == _CHINESE_ON_WINDOWS else "en"
    return "en"
