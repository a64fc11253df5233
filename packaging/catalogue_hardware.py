"""Accelerator presets made from the source table resources/catalogue/hardware.json.

Run by catalogue.py.  A row without any dense peak that a training run could use makes no preset.
"""

from __future__ import annotations

import json
from typing import Any

from msgspec import convert

from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.formats.preset_file import HardwarePreset
from mfu_gui.resources import resource_path

Row = dict[str, Any]

# Precision of a run -> columns that hold its dense peak. fp32 is the rate of fp32 matrix products, which a
# matrix core may do faster than the ordinary cores; fp16 counts only with fp32 accumulation.
PEAKS: dict[str, tuple[str, ...]] = {
    "bf16": ("peak_bf16_dense_tflops",),
    "fp16": ("peak_fp16_fp32acc_dense_tflops",),
    "fp8": ("peak_fp8_dense_tflops",),
    "fp4": ("peak_fp4_dense_tflops",),
    "int8": ("peak_int8_dense_tops",),
    "tf32": ("peak_tf32_dense_tflops",),
    "fp32": ("peak_fp32_vector_tflops", "peak_fp32_matrix_tflops"),
}
# Columns kept as they are, because nothing is computed from them.
FACTS = (
    "counted_unit", "peak_fp64_vector_tflops", "peak_fp64_matrix_tflops", "peak_fp16_fp16acc_dense_tflops",
    "peak_fp8_fp16acc_dense_tflops", "vendor_headline_is_sparse", "sparse_factor_basis", "compute_units",
    "boost_clock_mhz", "bf16_or_fp16_flop_per_clock_per_cu", "memory_label_unit",
)
GIB = 2**30


def presets() -> list[HardwarePreset]:
    """All accelerators of the table with a usable peak, in the table's order."""
    table = json.loads(resource_path("catalogue", "hardware.json").read_bytes())
    return [preset_of(row, table) for row in table["accelerators"] if peaks_of(row)]


def peaks_of(row: Row) -> dict[str, float]:
    """Dense peak of one counted unit by precision, TFLOP/s."""
    found = {
        precision: [row[column] for column in columns if row.get(column) is not None]
        for precision, columns in PEAKS.items()
    }
    return {precision: max(values) for precision, values in found.items() if values}


def preset_of(row: Row, table: Row) -> HardwarePreset:
    """The preset of one row."""
    vendor = row["vendor"]
    preset = {
        "kind": "mfu-hardware",
        "schema": 1,
        "id": row["id"],
        "name": row["name"],
        "vendor": vendor,
        "source": "; ".join(row["sources"]),
        "date": table["date"],
        "confidence": row["confidence"],
        "verification": row["verification"],
        "runtime_names": row.get("runtime_device_names", []),
        "aliases": [*row.get("aliases", []), *table["vendor_aliases"].get(vendor, [])],
        "notes": row.get("notes", ""),
        "form_factor": row.get("form_factor", ""),
        "architecture": row.get("architecture", ""),
        "release_year": row.get("release_year"),
        "memory_type": row.get("memory_type", ""),
        "scale_up_interconnect": row.get("scale_up_interconnect", ""),
        "price": price_of(row),
        "facts": {key: row[key] for key in FACTS if key in row},
    }
    return convert({**preset, "spec": spec_of(row)}, HardwarePreset)


def spec_of(row: Row) -> Row:
    """The figures that the program computes with; links are one way, memory bandwidth in GB/s."""
    spec = {
        "name": row["name"],
        "vendor": row["vendor"],
        "peak_tflops": peaks_of(row),
        "sparse_factor": sparse_factor(row),
        "unit": row["counted_unit"],
        "framework_devices": row["framework_devices_per_unit"],
        "memory_gb": row.get("memory_gb"),
        "memory_gib": memory_gib(row),
        "memory_bandwidth_gb_s": scaled(row.get("memory_bandwidth_tb_s"), 1000),
        "scale_up_gb_s": row.get("scale_up_unidirectional_gb_s"),
        "scale_up_domain": row.get("scale_up_domain_devices"),
        "scale_out_gbit_s": row.get("scale_out_typical_gbit_s_per_device"),
        "devices_per_node": row.get("devices_per_node"),
        "power_w": row.get("tdp_w"),
        # The low end of what was seen; the preset keeps the range with its date.
        "price_per_hour_usd": row.get("cloud_usd_per_hour_low"),
    }
    convert(spec, HardwareSpec)
    return spec


def sparse_factor(row: Row) -> float | None:
    """Sparse headline divided by the dense peak; None where no sparse figure is known."""
    if row.get("vendor_headline_is_sparse"):
        return row.get("headline_to_dense_divisor")
    return row.get("sparse_factor")


def memory_gib(row: Row) -> float | None:
    """What the driver reports, else what the label means; None where that is not known."""
    reported, label = row.get("memory_gib_reported"), row.get("memory_gb")
    if reported is not None or label is None:
        return reported
    unit = row.get("memory_label_unit")
    if unit in ("GiB", "GiB_labelled_GB"):
        return label
    return round(label * 1e9 / GIB, 3) if unit == "decimal_GB" else None


def price_of(row: Row) -> Row | None:
    """On-demand prices that were seen, with their date."""
    if "cloud_usd_per_hour_low" not in row:
        return None
    return {
        "low": row["cloud_usd_per_hour_low"],
        "high": row["cloud_usd_per_hour_high"],
        "date": row["cloud_price_date"],
        "sources": row.get("cloud_price_sources", []),
    }


def scaled(value: float | None, factor: float) -> float | None:
    """``value × factor`` without the dust of binary fractions."""
    return None if value is None else round(value * factor, 6)
