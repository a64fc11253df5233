"""Model descriptions in the form of a config.json."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

SENTENCES: dict[str, str | tuple[str, ...]] = {
    "unknown_model_type": (
        N_("Models of the type “{model_type}” cannot be read. These can: {supported}."),
        N_("Models of the type “{model_type}” cannot be read."),
    ),
    "model_type_missing": N_("The configuration has no “model_type”, so it is not known what kind of model it describes."),
}
