"""N_, which marks a text where it is written down."""

from __future__ import annotations


def N_(message: str) -> str:
    """Mark a text for translation and return it unchanged; `tr` translates it where it is shown."""
    return message
