"""The presets that come with the program: current, complete, and with figures that others print too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import catalogue
import catalogue_hardware
import pytest

from mfu_gui.engine.hardware import PRECISIONS
from mfu_gui.engine.validation import validate_model
from mfu_gui.formats.preset_file import FOLDERS, checked_id, decode_preset
from mfu_gui.formats.presets import PresetStore
from mfu_gui.resources import resource_path

DATA = json.loads((Path(__file__).parents[1] / "data" / "hardware_peaks.json").read_bytes())
TABLE: list[dict[str, Any]] = json.loads(resource_path("catalogue", "hardware.json").read_bytes())["accelerators"]
NAMES = {row["id"]: row.get("runtime_device_names", []) for row in TABLE if catalogue_hardware.peaks_of(row)}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> PresetStore:
    return PresetStore(user=tmp_path_factory.mktemp("user"))


def test_generated_files_are_current() -> None:
    changed, stale = catalogue.differences(catalogue.expected())
    assert [path.name for path in changed] == [], "run: .venv/bin/python packaging/catalogue.py"
    assert [path.name for path in stale] == [], "run: .venv/bin/python packaging/catalogue.py"


def test_the_check_sees_what_is_not_current(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = (resource_path("presets"), resource_path("schemas"))
    files = {path: path.read_bytes() for folder in folders for path in folder.rglob("*.json")}
    path = resource_path("presets", "hardware", "nvidia-h100-sxm5-80gb.json")
    files[path] = files[path].replace(b"989.4", b"1979")
    del files[resource_path("presets", "hardware", "nvidia-l4.json")]
    monkeypatch.setattr(catalogue, "expected", lambda: files)
    assert catalogue.main(["--check"]) == 1
    printed = capsys.readouterr().out
    assert f"not current: {path}" in printed
    assert "not made by any table" in printed
    assert "nvidia-l4.json" in printed


def test_every_file_is_a_preset_of_that_name() -> None:
    for kind, folder in FOLDERS.items():
        for path in resource_path("presets", folder).glob("*.json"):
            preset = decode_preset(path.read_bytes(), path.name)
            assert (preset.kind, preset.id) == (kind, path.stem)
            assert checked_id(preset.id)
            assert preset.source, path
            assert preset.date, path
            assert preset.confidence, path
            if preset.kind == "mfu-model":
                validate_model(preset.spec)


def test_the_index_lists_every_file_once(store: PresetStore) -> None:
    for kind, folder in FOLDERS.items():
        files = sorted(path.stem for path in resource_path("presets", folder).glob("*.json"))
        assert sorted(info.id for info in store.infos(kind)) == files


def test_every_row_with_a_dense_peak_is_a_preset(store: PresetStore) -> None:
    usable = [row["id"] for row in TABLE if catalogue_hardware.peaks_of(row)]
    assert [info.id for info in store.infos("mfu-hardware")] == usable
    without = {row["id"] for row in TABLE} - set(usable)
    assert without == {"amd-mi308x", "amd-mi350p", "intel-gaudi1", "cerebras-wse3", "hygon-bw1000"}


@pytest.mark.parametrize("row", DATA["peaks"], ids=lambda row: f"{row['id']}-{row['precision']}")
def test_peaks_are_those_that_others_print(store: PresetStore, row: dict[str, Any]) -> None:
    """To the three digits that all tables have."""
    peak = store.hardware(row["id"]).spec.peak_tflops[row["precision"]]
    assert f"{peak:.3g}" == f"{row['tflops']:.3g}", row["source"]


@pytest.mark.parametrize("row", DATA["sparse_headlines"], ids=lambda row: f"{row['id']}-{row['precision']}")
def test_sparse_headlines_follow_from_the_dense_peak(store: PresetStore, row: dict[str, Any]) -> None:
    spec = store.hardware(row["id"]).spec
    assert spec.sparse_factor is not None
    assert f"{spec.peak_tflops[row['precision']] * spec.sparse_factor:.3g}" == f"{row['tflops']:.3g}", row["source"]


def test_peaks_agree_with_units_and_clock() -> None:
    """bf16 or fp16 peak = compute units × clock × FLOP per clock, as vendors compute it; what is rounded
    more coarsely than to one per cent has its reason in the vendor's own figure."""
    coarse = {"huawei-ascend-910a"}  # 256 is printed for 262
    checked = 0
    for row in TABLE:
        parts = [row.get(key) for key in ("compute_units", "boost_clock_mhz", "bf16_or_fp16_flop_per_clock_per_cu")]
        peak = row.get("peak_bf16_dense_tflops") or row.get("peak_fp16_fp32acc_dense_tflops")
        if None in parts or peak is None or row["id"] in coarse:
            continue
        units, clock, flop = parts
        assert units * clock * flop / 1e6 == pytest.approx(peak, rel=0.01), row["id"]
        checked += 1
    assert checked >= 80


def test_figures_have_the_units_of_the_spec(store: PresetStore) -> None:
    h100 = store.hardware("nvidia-h100-sxm5-80gb").spec
    assert (h100.memory_gb, h100.memory_gib, h100.memory_bandwidth_gb_s) == (80, 79.6, 3350)
    assert (h100.scale_up_gb_s, h100.scale_up_domain, h100.scale_out_gbit_s, h100.power_w) == (450, 8, 400, 700)
    mi250x = store.hardware("amd-mi250x").spec
    assert (mi250x.unit, mi250x.framework_devices, mi250x.peak_tflops["bf16"]) == ("module", 2, 383)
    assert mi250x.peak_tflops["fp32"] == 95.7  # matrix cores, AMD Instinct MI250X data sheet
    assert store.hardware("nvidia-b300-sxm").spec.memory_gib == 268.6
    assert store.hardware("nvidia-b100-sxm").spec.memory_gib == 178.814  # 192 decimal GB
    p100 = store.hardware("nvidia-p100-sxm2-16gb").spec
    assert p100.peak_tflops == {"fp32": 10.6}  # its fp16 has no fp32 accumulation
    assert p100.sparse_factor is None


def test_prices_have_a_date_and_the_spec_the_low_end(store: PresetStore) -> None:
    priced = 0
    for info in store.infos("mfu-hardware"):
        preset = store.hardware(info.id)
        assert (preset.price is None) == (preset.spec.price_per_hour_usd is None)
        if preset.price is not None:
            priced += 1
            assert preset.price.date
            assert preset.price.low <= preset.price.high
            assert preset.spec.price_per_hour_usd == preset.price.low
    assert priced > 20


def test_every_precision_is_offered_by_some_device(store: PresetStore) -> None:
    found = {
        precision for info in store.infos("mfu-hardware") for precision in store.hardware(info.id).spec.peak_tflops
    }
    assert found == set(PRECISIONS)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("A100 80", "nvidia-a100-sxm4-80gb"),
        ("h100 sxm", "nvidia-h100-sxm5-80gb"),
        ("H100", "nvidia-h100-sxm5-80gb"),
        ("h100 pcie", "nvidia-h100-pcie-80gb"),
        ("B200", "nvidia-b200-sxm"),
        ("GB200", "nvidia-gb200-nvl72"),
        ("a40", "nvidia-a40"),
        ("A4000", "nvidia-rtx-a4000"),
        ("L40S", "nvidia-l40s"),
        ("rtx4090", "nvidia-rtx-4090"),
        ("4090 laptop", "nvidia-rtx-4090-laptop"),
        ("MI250X", "amd-mi250x"),
        ("mi300x", "amd-mi300x"),
        ("TPU v4", "google-tpu-v4"),
        ("tpuv5p", "google-tpu-v5p"),
        ("Trillium", "google-tpu-v6e"),
        ("ironwood", "google-tpu-v7x"),
        ("trn2", "aws-trainium2"),
        ("昇腾910B", "huawei-ascend-910b2"),
        ("昇腾 910B3", "huawei-ascend-910b3"),
        ("Ascend910_9382", "huawei-ascend-910c"),
        ("寒武纪 370", "cambricon-mlu370-x8"),
        ("海光", "hygon-k100"),
        ("沐曦", "metax-c500"),
        ("摩尔线程", "moorethreads-s4000"),
        ("燧原", "enflame-t20"),
        ("天数", "iluvatar-bi-v100"),
        ("昆仑芯 P800", "kunlunxin-p800"),
        ("壁仞", "biren-br100"),
        ("平头哥", "thead-ppu"),
    ],
)
def test_find(store: PresetStore, text: str, first: str) -> None:
    assert store.find(text, "mfu-hardware")[0].id == first


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("405B", "llama-3.1-405b"),
        ("llama 3.1 70b", "llama-3.1-70b"),
        ("Meta-Llama-3-8B", "llama-3-8b"),
        ("deepseek v3", "deepseek-v3"),
        ("gpt2", "gpt2"),
        ("gpt-2", "gpt2"),
        ("palm 540", "palm-540b"),
        ("通义千问 2.5 72B", "qwen2.5-72b"),
    ],
)
def test_find_models(store: PresetStore, text: str, first: str) -> None:
    assert store.find(text, "mfu-model")[0].id == first


def test_find_a_vendor_lists_all_of_it(store: PresetStore) -> None:
    assert {found.group for found in store.find("昇腾")} == {"Huawei"}
    assert len(store.find("昇腾")) == 8


@pytest.mark.parametrize("preset_id", [preset_id for preset_id, names in NAMES.items() if names])
def test_names_that_a_driver_shows_lead_to_the_device(store: PresetStore, preset_id: str) -> None:
    """Where several devices share one name (H20, MI250X, GAUDI3), all of them come first."""
    for name in NAMES[preset_id]:
        named = {other for other, names in NAMES.items() if name in names}
        assert {found.id for found in store.find(name, "mfu-hardware")[: len(named)]} == named, name
