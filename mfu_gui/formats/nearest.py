"""What somebody most likely meant."""

from __future__ import annotations

from typing import Any


def nearest(word: Any, known: list[str]) -> str | None:
    """The known word that is most like this one, if any is."""
    if not isinstance(word, str):
        return None
    # Only now: it is needed after a mistake, and costs more to load than to run.
    from difflib import get_close_matches

    lower = {name.lower(): name for name in known}
    matches = get_close_matches(word.lower(), lower, n=1, cutoff=0.6)
    return lower[matches[0]] if matches else None
