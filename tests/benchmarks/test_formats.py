"""What reading files may cost: goals in milliseconds, printed by `dev.py bench`, never asserted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mfu_gui.formats import strict_json
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.scenario_file import dump_scenario, load_scenario

SCENARIO = Path(__file__).parents[1] / "data" / "scenarios" / "gpt2-124m-nanogpt.mfu"
USERS_OWN = 200


@pytest.fixture
def store(profile: Path) -> PresetStore:
    store = PresetStore()
    preset = store.hardware("nvidia-h800-sxm5-80gb")
    from msgspec.structs import replace

    for number in range(USERS_OWN):
        store.save(replace(preset, id=f"card-{number}"))
    return store


def test_preset_index(benchmark: Any, profile: Path) -> None:
    """Goal 15 ms: the list of all presets, as the window or `presets` needs it first."""
    benchmark(lambda: PresetStore().infos())


def test_preset_index_with_many_of_the_users_own(benchmark: Any, store: PresetStore) -> None:
    benchmark(lambda: PresetStore().infos())


def test_rescan_of_the_users_own(benchmark: Any, store: PresetStore) -> None:
    benchmark(store.refresh)


def test_one_preset(benchmark: Any, profile: Path) -> None:
    """Goal 2 ms, from the file."""
    store = PresetStore()
    store.infos()
    benchmark(store.hardware, "nvidia-h800-sxm5-80gb")


def test_first_find(benchmark: Any, profile: Path) -> None:
    def first() -> None:
        PresetStore().find("h100 sxm")

    benchmark(first)


def test_find(benchmark: Any, profile: Path) -> None:
    """Each key press in a search field."""
    store = PresetStore()
    store.find("h")
    benchmark(store.find, "h100 sxm")


def test_load_scenario(benchmark: Any, profile: Path) -> None:
    store = PresetStore()
    data = dump_scenario(load_scenario(SCENARIO.read_bytes(), store).scenario)
    benchmark(load_scenario, data, store)


def test_dump_scenario(benchmark: Any, profile: Path) -> None:
    scenario = load_scenario(SCENARIO.read_bytes(), PresetStore()).scenario
    benchmark(dump_scenario, scenario)


def test_parse_a_config_of_five_kilobytes(benchmark: Any) -> None:
    config = b'{"architectures": ["X"], ' + b",".join(b'"key_%d": %d' % (n, n) for n in range(350)) + b"}"
    benchmark(strict_json.parse, config)
