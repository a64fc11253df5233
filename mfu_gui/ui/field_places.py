"""Where the editor of a field is: in a panel at the left, or on a page and in which of its views."""

from __future__ import annotations

from typing import NamedTuple

from mfu_gui.engine.field import Field


class Place(NamedTuple):
    """A field with the page that edits it (empty: a panel) and the view of that page."""

    field: Field
    page: str = ""
    view: str = ""


def field_places() -> tuple[Place, ...]:
    """Every field that can be edited somewhere, panels first.

    The tables of the pages are imported here: nobody needs them before a field is looked for.
    """
    from mfu_gui.engine.fields import BY_KEY
    from mfu_gui.planning.memory_fields import MEMORY_FIELDS
    from mfu_gui.planning.plan_fields import SECTIONS
    from mfu_gui.planning.step_fields import ANCHOR_FIELDS, PART_FIELDS, SPEED_FIELDS, WHAT_IF_FIELDS

    places = [Place(field) for field in BY_KEY.values()]
    places += [Place(field, "memory", "fields") for field in MEMORY_FIELDS]
    for view, sections in SECTIONS.items():
        places += [Place(field, "plan", view) for _, fields in sections for field in fields]
    for view, fields in (("waterfall", PART_FIELDS), ("model", SPEED_FIELDS),
                         ("what_if", (*WHAT_IF_FIELDS, *ANCHOR_FIELDS))):
        places += [Place(field, "step_time", view) for field in fields]
    return tuple(places)
