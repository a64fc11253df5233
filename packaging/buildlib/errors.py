"""The one exception of the build."""

from __future__ import annotations


class BuildError(Exception):
    """The build cannot go on; the message tells the person why and what to do."""
