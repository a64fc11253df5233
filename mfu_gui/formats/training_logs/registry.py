"""All formats, in the order of their audience."""

from __future__ import annotations

from functools import cache

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.nearest import nearest
from mfu_gui.formats.training_logs.event_file import EventReader
from mfu_gui.formats.training_logs.form import Format
from mfu_gui.formats.training_logs.readers import (
    automodel,
    colossalai,
    composer,
    deepspeed,
    gpt_neox,
    hf_state,
    hf_trainer,
    json_files,
    levanter,
    libai,
    litgpt,
    llama_factory,
    maxtext,
    megatron,
    megatron_bridge,
    megatron_deepspeed,
    megatron_progress,
    mindformers,
    mllog,
    mmengine,
    modded_nanogpt,
    ms_swift,
    nanochat,
    nanogpt,
    nanotron,
    nemo,
    nemo_bar,
    olmo_core,
    paddle,
    prime_rl,
    slime,
    tables,
    torchtitan,
    verl,
    xtuner,
)

EVENT_FILE = Format(id="tensorboard-events", name="TensorBoard event file", literals=(), reader=EventReader, weight=35)

TEXT_FORMATS: tuple[Format, ...] = (
    hf_trainer.FORMAT, hf_state.FORMAT, llama_factory.FORMAT, ms_swift.FORMAT, megatron.FORMAT,
    megatron_bridge.FORMAT, megatron_progress.FORMAT, nanogpt.FORMAT, nanochat.FORMAT, modded_nanogpt.FORMAT,
    deepspeed.FORMAT, megatron_deepspeed.FORMAT, gpt_neox.FORMAT, verl.FORMAT, prime_rl.FORMAT, slime.FORMAT,
    torchtitan.FORMAT, nemo.FORMAT, nemo_bar.FORMAT, automodel.FORMAT, mindformers.FORMAT, paddle.FORMAT,
    maxtext.FORMAT, xtuner.FORMAT, mmengine.FORMAT, nanotron.FORMAT, composer.FORMAT, litgpt.FORMAT,
    olmo_core.FORMAT, levanter.FORMAT, colossalai.FORMAT, libai.FORMAT, mllog.FORMAT,
)
"""Formats that are found by their lines, anywhere in a log."""

WHOLE_FORMATS: tuple[Format, ...] = (*tables.FORMATS, *json_files.FORMATS, EVENT_FILE)
"""Formats that are the whole of a file, found by its beginning."""

FORMATS = (*TEXT_FORMATS, *WHOLE_FORMATS)


@cache
def _by_id() -> dict[str, Format]:
    return {form.id: form for form in FORMATS}


def find_format(format_id: str) -> Format:
    """The format with this id; InputError ``unknown_choice`` offers the nearest."""
    form = _by_id().get(format_id)
    if form is None:
        raise InputError("unknown_choice", "--as", value=format_id, nearest=nearest(format_id, list(_by_id())),
                         allowed=", ".join(_by_id()))
    return form


def whole_format(text: bytes) -> Format | None:
    """The format of a file that begins so, when the beginning decides it."""
    return json_files.json_format(text) or tables.table_format(text)
