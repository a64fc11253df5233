"""What can be wrong, as data: a code, the field it is about, and the values a sentence needs.

The engine never writes sentences; ``mfu_gui.texts`` turns a code and its values into one, in the
language of the reader.
"""

from __future__ import annotations

from typing import Any

import msgspec

Values = dict[str, Any]


class Notice(msgspec.Struct, frozen=True):
    """A warning or remark that does not stop the calculation.

    ``field`` is the key of the field it is about (``run.devices``), or empty.
    """

    code: str
    field: str = ""
    values: Values = {}


class InputError(Exception):
    """Something the user gave cannot be used.

    ``code`` names the sentence, ``field`` the place (``run.devices``, ``model.spec.stacks[0]``, a
    file name), ``values`` fill the sentence: what was found, what is allowed.
    """

    def __init__(self, code: str, field: str = "", **values: Any) -> None:
        super().__init__(code, field, values)
        self.code = code
        self.field = field
        self.values: Values = values

    def bare(self) -> InputError:
        """This error, to be kept: without the frames it was raised in, which hold scenarios and windows."""
        self.__context__ = self.__cause__ = None
        return self.with_traceback(None)

    def __str__(self) -> str:
        details = ", ".join(f"{key}={value!r}" for key, value in self.values.items())
        return f"{self.code} at {self.field or '-'}: {details}"
