"""The user's presets live beside the shipped ones, and nothing of either gets lost."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.model import Attention, Dense, Layer, ModelSpec, Stack
from mfu_gui.formats.folders import user_folder
from mfu_gui.formats.preset_file import (
    HardwarePreset,
    ModelPreset,
    checked_id,
    decode_preset,
    encode_preset,
    slug,
)
from mfu_gui.formats.preset_index import PresetInfo, decode_index, encode_index
from mfu_gui.formats.preset_search import Finder
from mfu_gui.formats.presets import PresetStore
from mfu_gui.texts import translator

SPEC = ModelSpec(
    vocabulary=1000,
    stacks=(
        Stack(
            hidden_size=64,
            kinds=(
                Layer(
                    name="block",
                    mixers=(Attention(heads=4, kv_heads=2, head_dim=16),),
                    ffns=(Dense(width=256),),
                ),
            ),
            order=(("block", 4),),
        ),
    ),
)
MODEL = ModelPreset(kind="mfu-model", schema=1, id="toy", name="Toy 1M", source="made up", family="Toys", spec=SPEC)
CARD = HardwarePreset(
    kind="mfu-hardware", schema=1, id="card-x", name="Card X", vendor="ACME", aliases=("卡",),
    spec=HardwareSpec(peak_tflops={"bf16": 100.0}),
)
H100 = "nvidia-h100-sxm5-80gb"


@pytest.fixture
def store(profile: Path) -> PresetStore:
    return PresetStore()


def code_of(call: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        call(*arguments, **options)
    assert "\n" not in translator("zh").describe(caught.value)
    return caught.value.code


def test_life_of_a_preset(store: PresetStore, profile: Path, tmp_path: Path) -> None:
    assert store.find("toy", "mfu-model") == []
    path = store.save(MODEL)
    assert path == profile / "presets" / "models" / "toy.json"
    assert store.model("toy") == MODEL
    assert [info.id for info in store.find("toy", "mfu-model")] == ["toy"]
    assert store.find("toy")[0].shipped is False

    assert code_of(store.save, MODEL) == "preset_exists"
    edited = replace(MODEL, notes="edited")
    store.save(edited, overwrite=True)
    assert store.model("toy") == edited

    renamed = store.rename("mfu-model", "toy", "toy-2", "Toy, second")
    assert (renamed.id, renamed.name, renamed.notes) == ("toy-2", "Toy, second", "edited")
    assert code_of(store.model, "toy") == "unknown_preset"
    assert [info.id for info in store.find("toy", "mfu-model")] == ["toy-2"]
    assert store.rename("mfu-model", "toy-2", "toy-2", "Toy").name == "Toy"

    store.export("mfu-model", "toy-2", tmp_path / "given-away.json")
    store.delete("mfu-model", "toy-2")
    assert code_of(store.model, "toy-2") == "unknown_preset"
    assert not list((profile / "presets" / "models").iterdir())
    assert code_of(store.delete, "mfu-model", "toy-2") == "unknown_preset"

    assert store.import_file(tmp_path / "given-away.json").id == "toy-2"
    assert store.model("toy-2").name == "Toy"
    assert code_of(store.import_file, tmp_path / "given-away.json") == "preset_exists"
    store.import_file(tmp_path / "given-away.json", overwrite=True)


def test_shipped_presets_cannot_be_touched(store: PresetStore, tmp_path: Path) -> None:
    copy = replace(CARD, id=H100)
    assert code_of(store.save, copy, overwrite=True) == "preset_taken"
    assert code_of(store.rename, "mfu-hardware", H100, "mine") == "preset_is_shipped"
    assert code_of(store.delete, "mfu-hardware", H100) == "preset_is_shipped"
    store.save(CARD)
    assert code_of(store.rename, "mfu-hardware", "card-x", H100) == "preset_taken"
    assert store.hardware("card-x") == CARD
    store.export("mfu-hardware", H100, tmp_path / "shipped.json")
    assert code_of(store.import_file, tmp_path / "shipped.json") == "preset_taken"


def test_a_shipped_id_among_the_users_files_is_broken_not_used(store: PresetStore, profile: Path) -> None:
    folder = profile / "presets" / "hardware"
    folder.mkdir(parents=True)
    (folder / f"{H100}.json").write_bytes(encode_preset(replace(CARD, id=H100)))
    assert store.hardware(H100).vendor == "NVIDIA"
    assert [(broken.path.name, broken.error.code) for broken in store.broken()] == [(f"{H100}.json", "preset_taken")]
    assert [info.shipped for info in store.infos("mfu-hardware") if info.id == H100] == [True]


def test_broken_presets_are_listed_and_do_not_stop_the_others(store: PresetStore, profile: Path) -> None:
    store.save(CARD)
    folder = profile / "presets" / "hardware"
    good = json.loads(encode_preset(CARD))
    bad = {
        "truncated": b'{"kind": "mfu-hard',
        "newer": json.dumps({**good, "id": "newer", "schema": 2}).encode(),
        "other-kind": json.dumps({**good, "id": "other-kind", "kind": "mfu-model"}).encode(),
        "other-id": json.dumps(good).encode(),
        "typo": json.dumps({**good, "id": "typo", "spec": {"peak_tflop": {}}}).encode(),
        "negative": json.dumps({**good, "id": "negative", "spec": {"peak_tflops": {"bf16": -1}}}).encode(),
    }
    for name, data in bad.items():
        (folder / f"{name}.json").write_bytes(data)
    (folder / "a-folder.json").mkdir()
    (folder / "ignored.txt").write_bytes(b"not a preset")
    (folder / ".hidden.json").write_bytes(b"not a preset")
    assert store.refresh()
    broken = {found.path.stem: found.error for found in store.broken()}
    assert {name: error.code for name, error in broken.items()} == {
        "truncated": "truncated_json", "newer": "newer_schema", "other-kind": "wrong_kind",
        "other-id": "id_is_not_stem", "typo": "unknown_key", "negative": "not_positive", "a-folder": "is_folder",
    }
    assert broken["typo"].field == "spec"
    assert broken["typo"].values["nearest"] == "peak_tflops"
    for found in store.broken():
        assert translator("en").describe(found.error).startswith(f"{found.path}: ")
    assert [info.id for info in store.infos("mfu-hardware") if not info.shipped] == ["card-x"]
    assert store.hardware("card-x") == CARD
    assert code_of(store.hardware, "newer") == "newer_schema"
    store.delete("mfu-hardware", "newer")
    assert "newer" not in {found.path.stem for found in store.broken()}


def test_sees_what_others_write(store: PresetStore, profile: Path) -> None:
    store.save(CARD)
    assert store.refresh() is False
    assert len(store.find("card x")) == 1
    path = profile / "presets" / "hardware" / "card-x.json"
    before = path.stat()
    changed = replace(CARD, name="Card Y")
    temporary = path.with_suffix(".new")
    temporary.write_bytes(encode_preset(changed))
    os.utime(temporary, ns=(before.st_atime_ns, before.st_mtime_ns))
    temporary.replace(path)
    assert store.refresh() is True
    assert store.hardware("card-x").name == "Card Y"
    assert len(store.find("card y")) == 1
    path.unlink()
    assert store.refresh() is True
    assert code_of(store.hardware, "card-x") == "unknown_preset"


def test_a_folder_that_cannot_be_made_is_said(store: PresetStore, profile: Path) -> None:
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "presets").write_bytes(b"a file is in the way")
    assert code_of(store.save, CARD) == "not_writable"


def test_user_folder_follows_the_variable(profile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert user_folder() == profile
    monkeypatch.delenv("MFU_GUI_HOME")
    assert user_folder().name == "mfu-gui"
    monkeypatch.setenv("MFU_GUI_HOME", "")
    assert user_folder().name == "mfu-gui"
    monkeypatch.setenv("MFU_GUI_HOME", "~/there")
    assert user_folder() == Path("~/there").expanduser()


def test_unknown_ids_offer_the_nearest(store: PresetStore) -> None:
    with pytest.raises(InputError) as caught:
        store.hardware("nvidia-h100-smx5-80gb")
    assert (caught.value.code, caught.value.values["nearest"]) == ("unknown_preset", H100)
    assert store.nearest("mfu-hardware", "h100") == H100
    assert store.nearest("mfu-hardware", "qqqq") is None
    assert store.nearest("mfu-hardware", "") is None
    assert code_of(store.hardware, "../../etc/passwd") == "unknown_preset"
    assert code_of(store.hardware, "") == "unknown_preset"


def test_free_ids(store: PresetStore) -> None:
    assert store.free_id("mfu-hardware", "card-x") == "card-x"
    store.save(CARD)
    store.save(replace(CARD, id="card-x-2"))
    assert store.free_id("mfu-hardware", "card-x") == "card-x-3"
    assert store.free_id("mfu-hardware", H100) == f"{H100}-2"


@pytest.mark.parametrize("good", ["a", "7b", "llama-3.1-8b", "gpt_2", "console", "com10", "x" * 80])
def test_good_ids(good: str) -> None:
    assert checked_id(good) == good


@pytest.mark.parametrize(
    "bad",
    ["", ".", "..", "a/b", "a\\b", "../a", "a..b", ".a", "a.", "-a", "a-", "A", "a b", "a:b", "a\n", "名", "é", "a\0",
     "con", "nul", "aux.v2", "com1", "lpt9.x", "index", "x" * 81, "~", "$x"],
)
def test_bad_ids(bad: str, store: PresetStore) -> None:
    with pytest.raises(InputError, match="bad_preset_id"):
        checked_id(bad)
    assert code_of(store.save, replace(CARD, id=bad)) == "bad_preset_id"


@given(st.text(max_size=120))
def test_any_name_gives_an_id(name: str) -> None:
    assert checked_id(slug(name))


def test_slugs_read_like_the_name() -> None:
    assert slug("Llama 3.1 8B (ours)") == "llama-3.1-8b-ours"
    assert slug("我的集群") == "preset"
    assert slug("CON") == "preset"
    assert slug("Café…/../x") == "cafe.-.-x"


def test_files_are_stable_and_exact() -> None:
    for preset in (MODEL, CARD):
        data = encode_preset(preset)
        assert decode_preset(data) == preset
        assert encode_preset(decode_preset(data)) == data
        assert data.endswith(b"}\n")
        assert list(json.loads(data))[:4] == ["kind", "schema", "id", "name"]


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"[]", "unknown_choice"), (b'{"kind": "mfu-scenario"}', "unknown_choice"), (b'{"kind": 3}', "unknown_choice"),
     (b'{"kind": "mfu-model"}', "missing"), (b'{"kind": "mfu-model", "schema": 1, "id": "a"}', "missing")],
)
def test_what_is_no_preset(data: bytes, code: str) -> None:
    with pytest.raises(InputError) as caught:
        decode_preset(data, "f.json")
    assert caught.value.code == code
    assert caught.value.values["file"] == "f.json"


def test_index_file_holds_what_lists_need() -> None:
    infos = decode_index(encode_index([MODEL, CARD]), "index.json")
    assert [info.id for info in infos] == ["toy", "card-x"]
    assert infos[1] == PresetInfo(
        kind="mfu-hardware", id="card-x", name="Card X", group="ACME", aliases=("卡",), figures={"bf16": 100.0}
    )
    with pytest.raises(InputError, match="damaged_installation"):
        decode_index(b"{}]", "index.json")


def info(name: str, **more: Any) -> PresetInfo:
    return PresetInfo(kind="mfu-hardware", id=slug(name), name=name, **more)


def test_finder_ranks_whole_words_of_the_name_first() -> None:
    finder = Finder([
        info("RTX A4000"), info("A40"), info("GB200 NVL72"), info("B200 SXM"), info("L40S"), info("L40"), info("L4"),
        info("H200 NVL 141GB"), info("H200 SXM5 141GB"), info("H20 96GB"), info("RTX 4090 Laptop"), info("RTX 4090"),
    ])

    def ids(text: str) -> list[str]:
        return [found.id for found in finder.find(text)]

    assert ids("a40") == ["a40", "rtx-a4000"]
    assert ids("B200")[0] == "b200-sxm"
    assert ids("l4") == ["l4", "l40s", "l40"]
    assert ids("L40") == ["l40", "l40s"]
    assert ids("h20")[0] == "h20-96gb"
    assert ids("4090")[0] == "rtx-4090"
    assert ids("rtx4090")[0] == "rtx-4090"
    assert ids("laptop 4090") == ["rtx-4090-laptop"]
    assert ids("h200 141") == ["h200-nvl-141gb", "h200-sxm5-141gb"]
    assert ids("h200 pcie") == []
    assert len(ids("  ")) == 12
    assert len(ids("…")) == 12
    assert ids("Ｈ２０")[0] == "h20-96gb"


@pytest.mark.parametrize("kind", [[], {}, None, 5])
def test_a_kind_that_is_no_word_is_no_preset(kind: object) -> None:
    with pytest.raises(InputError, match="unknown_choice"):
        decode_preset(json.dumps({"kind": kind}).encode(), "x.json")
