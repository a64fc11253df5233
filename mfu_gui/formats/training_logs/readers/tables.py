"""Tables: exports of Weights & Biases and TensorBoard, Lightning's metrics.csv, and any other with known names."""

from __future__ import annotations

from mfu_gui.formats.training_logs.form import Format
from mfu_gui.formats.training_logs.tabular import TableReader, head_of

TABLE = Format(id="table", name="CSV or TSV table", literals=(), reader=TableReader, weight=30)
LIGHTNING_CSV = Format(id="lightning-csv", name="Lightning metrics.csv", literals=(), reader=TableReader, weight=35,
                       convention="lightning")
WANDB_CSV = Format(id="wandb-csv", name="Weights & Biases CSV", literals=(), reader=TableReader, weight=35)
TENSORBOARD_CSV = Format(id="tensorboard-csv", name="TensorBoard CSV", literals=(), reader=TableReader, weight=35,
                         remarks=("log_metric_without_name",))

FORMATS = (TABLE, LIGHTNING_CSV, WANDB_CSV, TENSORBOARD_CSV)


def table_format(text: bytes) -> Format | None:
    """The kind of table that a log begins with; None when it begins with none."""
    head = head_of(text)
    if head is None:
        return None
    names = [name.lower() for name in head.names]
    if names == ["wall time", "step", "value"]:
        return TENSORBOARD_CSV
    if any(" - " in name for name in names) or "relative time (process)" in names:
        return WANDB_CSV
    if "epoch" in names and "step" in names:
        return LIGHTNING_CSV
    return TABLE
