"""All that the program says, in the reader's language.

English is the language of the source: a text is its own key in the catalogues (`resources/i18n/*.po`), so
that a text without a translation appears in English. Everything here is cheap to import; the catalogue and
the table of sentences are read when they are first needed.
"""

from mfu_gui.texts.language import LANGUAGES, known_language, system_language, system_language_or_none
from mfu_gui.texts.marking import N_
from mfu_gui.texts.numbers import Numbers
from mfu_gui.texts.translation import Translator, translator

__all__ = ["LANGUAGES", "N_", "Numbers", "Translator", "known_language", "system_language", "system_language_or_none",
           "translator"]
