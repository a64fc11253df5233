"""Scenario files: what is saved comes back, with the numbers it was saved with, and bad ones are named."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mfu_gui.engine.conventions import CONVENTIONS
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.hardware import PRECISIONS, HardwareSpec
from mfu_gui.engine.model import MLA, Attention, Dense, Head, Layer, ModelSpec, MoE, Stack
from mfu_gui.engine.run import MEASURED_KEYS, Measured, Parallel, Recompute, RunSpec, Trainable
from mfu_gui.engine.scenario import ConventionChoice, Peak, Reported, Scenario, Source
from mfu_gui.formats.preset_file import HardwarePreset, ModelPreset
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.scenario_file import (
    dump_scenario,
    load_scenario,
    read_scenario,
    write_scenario,
)
from mfu_gui.planning.spec import EnergySpec, PlanSpec, plan_spec
from mfu_gui.texts import translator
from mfu_gui.texts.sentences import SENTENCES

MODEL = ModelSpec(
    name="Toy",
    vocabulary=1000,
    stacks=(
        Stack(
            hidden_size=64,
            kinds=(
                Layer(name="block", mixers=(Attention(heads=4, kv_heads=2, head_dim=16),), ffns=(Dense(width=256),)),
            ),
            order=(("block", 4),),
        ),
    ),
)
CARD = HardwareSpec(name="Card X", peak_tflops={"bf16": 400, "fp8": 800}, sparse_factor=2)
CONFIG = {
    "model_type": "llama",
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 128,
    "vocab_size": 1000,
    "tie_word_embeddings": False,
}


@pytest.fixture
def store(profile: Path) -> PresetStore:
    store = PresetStore()
    store.save(ModelPreset(kind="mfu-model", schema=1, id="toy", name="Toy", spec=MODEL))
    store.save(HardwarePreset(kind="mfu-hardware", schema=1, id="card-x", name="Card X", spec=CARD))
    return store


def document(**parts: Any) -> dict[str, Any]:
    return {
        "kind": "mfu-scenario",
        "schema": 1,
        "model": {"preset": "toy"},
        "hardware": {"preset": "card-x"},
        "run": {"devices": 8, "sequence_length": 1024, "global_batch": 16, "measured": {"step_time_s": 2}},
        **parts,
    }


def load(store: PresetStore, value: Any) -> Any:
    return load_scenario(json.dumps(value).encode(), store, source="x.mfu")


def codes(loaded: Any) -> list[tuple[str, str]]:
    return [(notice.code, notice.field) for notice in loaded.notices]


def test_reads_every_part(store: PresetStore) -> None:
    loaded = load(
        store,
        document(
            name="名",
            notes="n",
            hardware={
                "preset": "card-x",
                "peak_tflops": 380,
                "peak_kind": "measured",
                "devices_are": "framework_devices",
            },
            reported={"mfu": 0.4, "hfu": 0.5},
            convention={"id": "matmul-full", "options": {"router": False}},
            plan={"tokens": 10**13, "unknown": "days", "failures": {"mtbf_hours": 3}},
        ),
    )
    scenario = loaded.scenario
    assert (scenario.name, scenario.notes, loaded.base_name) == ("名", "n", "x")
    assert (scenario.model, scenario.hardware) == (MODEL, CARD)
    assert scenario.peak == Peak(tflops=380, kind="measured", devices_are="framework_devices")
    assert scenario.run.measured == Measured(step_time_s=2)
    assert scenario.reported == Reported(mfu=0.4, hfu=0.5)
    assert scenario.convention == ConventionChoice(id="matmul-full", options={"router": False})
    assert scenario.plan == {"tokens": 10**13, "unknown": "days", "failures": {"mtbf_hours": 3}}
    assert (scenario.model_source, scenario.hardware_source) == (Source(preset="toy"), Source(preset="card-x"))
    assert loaded.notices == ()
    mixed = load(store, document(hardware={"preset": "card-x", "precision_mix": {"fp8": 0.8, "bf16": 0.2}}))
    assert mixed.scenario.peak.mix == {"fp8": 0.8, "bf16": 0.2}


def test_whole_numbers_may_be_written_with_a_point(store: PresetStore) -> None:
    """2048.0 is the number 2048 to JSON; in the run, the plan and a config.json, and what is saved is whole."""
    config = {"model_type": "llama", "hidden_size": 64.0, "num_hidden_layers": 2.0, "num_attention_heads": 4.0,
              "intermediate_size": 128, "vocab_size": 1000.0, "rope_theta": 10000.0}
    run = {"devices": 8.0, "sequence_length": 1024.0, "global_batch": 16, "measured": {"step_time_s": 2},
           "document_lengths": [512.0, 512], "parallel": {"tensor": 4.0}}
    plan = {"tokens": 1e13, "inference": {"devices": 32.0}}
    pointed = load(store, document(schema=1.0, model={"hf_config": config}, run=run, plan=plan)).scenario
    whole = load(store, document(model={"hf_config": {**config, "hidden_size": 64, "num_hidden_layers": 2}},
                                 run={**run, "devices": 8, "sequence_length": 1024}, plan=plan)).scenario
    assert pointed.run == whole.run
    assert pointed.model == whole.model
    assert [type(each) for each in (pointed.run.devices, pointed.run.sequence_length, pointed.run.parallel.tensor,
                                    pointed.model.vocabulary, *pointed.run.document_lengths)] == [int] * 6
    assert type(pointed.plan["inference"]["devices"]) is int
    assert plan_spec(pointed).inference.devices == 32
    assert pointed.model_source.hf_config == config  # as it was given
    assert load_scenario(dump_scenario(pointed), store).scenario == pointed
    with pytest.raises(InputError) as caught:
        load(store, document(run={**run, "devices": 8.5}))
    assert (caught.value.code, caught.value.field) == ("wrong_type", "run.devices")


def test_saved_file_is_complete_and_readable(store: PresetStore, tmp_path: Path) -> None:
    scenario = load(store, document(name="名")).scenario
    write_scenario(tmp_path / "s.mfu", scenario)
    text = (tmp_path / "s.mfu").read_text(encoding="utf-8")
    assert text.endswith("}\n")
    assert "名" in text
    saved = json.loads(text)
    assert list(saved) == ["kind", "schema", "name", "model", "hardware", "run", "convention", "resolved"]
    assert saved["model"] == {"preset": "toy"}
    assert saved["convention"] == {"id": "matmul-causal"}
    assert (saved["run"]["precision"], saved["run"]["recompute"]) == ("bf16", "none")
    assert saved["resolved"]["model_from"] == "toy"
    assert msgspec.convert(saved["resolved"]["model"], ModelSpec) == MODEL
    again = read_scenario(tmp_path / "s.mfu", store)
    assert (again.scenario, again.notices, again.base_name) == (scenario, (), "s")
    assert dump_scenario(again.scenario).decode() == text


def test_changed_presets_do_not_change_the_numbers(store: PresetStore) -> None:
    saved = dump_scenario(load(store, document()).scenario)
    wider = replace(MODEL, vocabulary=2000)
    store.save(ModelPreset(kind="mfu-model", schema=1, id="toy", name="Toy", spec=wider), overwrite=True)
    faster = replace(CARD, peak_tflops={"bf16": 500})
    store.save(HardwarePreset(kind="mfu-hardware", schema=1, id="card-x", name="Card X", spec=faster), overwrite=True)
    loaded = load_scenario(saved, store)
    assert (loaded.scenario.model, loaded.scenario.hardware) == (MODEL, CARD)
    assert codes(loaded) == [("preset_differs", "model"), ("preset_differs", "hardware")]
    assert loaded.notices[0].values == {"id": "toy"}


def test_a_new_name_of_a_preset_is_no_difference(store: PresetStore) -> None:
    saved = dump_scenario(load(store, document()).scenario)
    renamed = replace(MODEL, name="Toy, renamed")
    store.save(ModelPreset(kind="mfu-model", schema=1, id="toy", name="Toy, renamed", spec=renamed), overwrite=True)
    assert load_scenario(saved, store).notices == ()


def test_missing_or_broken_presets_do_not_stop_a_saved_file(store: PresetStore, profile: Path) -> None:
    saved = dump_scenario(load(store, document()).scenario)
    store.delete("mfu-model", "toy")
    (profile / "presets" / "hardware" / "card-x.json").write_bytes(b"{")
    store.refresh()
    loaded = load_scenario(saved, store)
    assert (loaded.scenario.model, loaded.scenario.hardware) == (MODEL, CARD)
    assert codes(loaded) == [("preset_missing", "model.preset"), ("preset_missing", "hardware.preset")]
    with pytest.raises(InputError, match="unknown_preset"):
        load(store, document())


def test_an_id_edited_by_hand_leaves_the_saved_numbers_aside(store: PresetStore) -> None:
    saved = json.loads(dump_scenario(load(store, document()).scenario))
    other = replace(MODEL, vocabulary=3000)
    store.save(ModelPreset(kind="mfu-model", schema=1, id="other", name="Other", spec=other))
    saved["model"] = {"preset": "other"}
    saved["hardware"] = {"preset": "nvidia-h100-sxm5-80gb"}
    loaded = load(store, saved)
    assert loaded.scenario.model.vocabulary == 3000
    assert loaded.scenario.hardware.peak_tflops["bf16"] == 989.4
    assert loaded.notices == ()


def test_a_preset_without_a_name_in_its_spec_gets_its_own(store: PresetStore) -> None:
    nameless = replace(MODEL, name="")
    store.save(ModelPreset(kind="mfu-model", schema=1, id="nameless", name="Its name", spec=nameless))
    assert load(store, document(model={"preset": "nameless"})).scenario.model.name == "Its name"


def test_config_json_inside_a_scenario(store: PresetStore) -> None:
    loaded = load(store, document(model={"hf_config": CONFIG}))
    assert loaded.scenario.model.vocabulary == 1000
    assert loaded.scenario.model_source == Source(hf_config=CONFIG)
    assert all(notice.field.startswith("model.hf_config") for notice in loaded.notices)
    saved = dump_scenario(loaded.scenario)
    again = load_scenario(saved, store)
    assert (again.scenario, again.notices) == (loaded.scenario, loaded.notices)

    edited = json.loads(saved)
    edited["model"]["hf_config"]["vocab_size"] = 2000
    assert load(store, edited).scenario.model.vocabulary == 2000

    differs = json.loads(saved)
    differs["resolved"]["model"]["vocabulary"] = 3000
    loaded = load(store, differs)
    assert loaded.scenario.model.vocabulary == 3000
    assert codes(loaded) == [("config_differs", "model.hf_config")]


def test_config_json_that_cannot_be_read(store: PresetStore) -> None:
    with pytest.raises(InputError) as caught:
        load(store, document(model={"hf_config": {**CONFIG, "hidden_size": -1}}))
    assert caught.value.field == "model.hf_config.hidden_size"
    assert caught.value.values["file"] == "x.mfu"
    saved = json.loads(dump_scenario(load(store, document(model={"hf_config": CONFIG})).scenario))
    saved["model"]["hf_config"] = {"model_type": "from-the-future"}
    del saved["resolved"]["model_from"]
    loaded = load(store, saved)
    assert loaded.scenario.model.vocabulary == 1000
    assert codes(loaded) == [("config_differs", "model.hf_config")]


def test_infinity_only_inside_a_config_json(store: PresetStore) -> None:
    text = json.dumps(document(model={"hf_config": {**CONFIG, "time_step_limit": [0.0, float("inf")]}}))
    assert "Infinity" in text
    scenario = load_scenario(text.encode(), store).scenario
    saved = dump_scenario(scenario)
    assert json.loads(saved)["model"]["hf_config"]["time_step_limit"] == [0.0, "Infinity"]
    again = load_scenario(saved, store).scenario
    assert (again.model, again.notes) == (scenario.model, scenario.notes)

    bad = document(model={"hf_config": {**CONFIG, "time_step_limit": float("inf")}}, plan={"days": float("inf")})
    for value in (bad, document(plan={"days": float("inf")}), document(notes="", reported={"mfu": float("inf")})):
        with pytest.raises(InputError, match="not_finite"):
            load(store, value)


@pytest.mark.parametrize(
    ("place", "value", "code", "field"),
    [
        ([], [], "wrong_type", ""),
        (["kind"], "mfu-model", "wrong_kind", "kind"),
        (["schema"], 2, "newer_schema", "schema"),
        (["runs"], {}, "unknown_key", ""),
        (["run"], None, "wrong_type", "run"),
        (["model"], {}, "exactly_one", "model"),
        (["model"], {"preset": "toy", "hf_config": {}}, "exactly_one", "model"),
        (["model"], {"preset": None}, "exactly_one", "model"),
        (["model", "preset"], "tyo", "unknown_preset", "model.preset"),
        (["model", "preset"], "../../etc/passwd", "unknown_preset", "model.preset"),
        (["model", "preset"], 7, "wrong_type", "model.preset"),
        (["model"], {"hf_config": {}}, "model_type_missing", "model.hf_config.model_type"),
        (["hardware"], {}, "exactly_one", "hardware"),
        (["hardware", "preset"], "card-y", "unknown_preset", "hardware.preset"),
        (["hardware", "peak_tflops"], 0, "not_positive", "hardware.peak_tflops"),
        (["hardware", "peak_tflops"], 10**12, "out_of_range", "hardware.peak_tflops"),
        (["hardware", "peak_kind"], "densest", "unknown_choice", "hardware.peak_kind"),
        (["hardware", "precision_mix"], {"fp8": 0.7, "bf16": 0.2}, "mix_not_one", "hardware.precision_mix"),
        (["hardware", "precision_mix"], {"fp8": 0.7, "fp4": 0.3}, "peak_missing", "hardware.precision_mix"),
        (["run", "precision"], "fp4", "peak_missing", "run.precision"),
        (["run", "devices"], -8, "out_of_range", "run.devices"),
        (["run", "devices"], "eight", "wrong_type", "run.devices"),
        (["run", "sequence_length"], 1e3 + 0.5, "wrong_type", "run.sequence_length"),
        (["run", "measured"], {"step_time_s": 1, "mfu": 0.5}, "exactly_one", "run.measured"),
        (["run", "measured"], {"step_time": 1}, "unknown_key", "run.measured"),
        (["run", "recompute"], {"repeat": {"*": -1}}, "out_of_range", "run.recompute.repeat.*"),
        (["run", "document_lengths"], [1000, 25], "documents_too_long", "run.document_lengths"),
        (["run", "multi_token_prediction"], 1, "no_multi_token_prediction", "run.multi_token_prediction"),
        (["run", "trainable"], {"lora_rank": 8}, "required", "run.trainable.targets"),
        (["convention"], {"id": "matmul-ful"}, "unknown_convention", "convention.id"),
        (["convention"], {"id": "palm", "options": {"router": True}}, "unknown_option", "convention.options"),
        (["reported"], {"mfu": "40 %"}, "wrong_type", "reported.mfu"),
        (["plan"], 3, "wrong_type", "plan"),
        (["plan"], {"token": 1}, "unknown_key", "plan"),
        (["plan"], {"days": 0}, "not_positive", "plan.days"),
        (["plan"], {"energy": {"pue": 0.5}}, "out_of_range", "plan.energy.pue"),
        (["plan"], {"unknown": "weeks"}, "unknown_choice", "plan.unknown"),
        (["plan"], {"start_date": "1 May 2025"}, "wrong_form", "plan.start_date"),
        (["plan"], {"start_date": "2025-02-30"}, "bad_date", "plan.start_date"),
        (["plan"], {"tokens": 1, "tokens_per_parameter": 20}, "contradiction", "plan"),
        (["plan"], {"failures": {"mtbf_hours": 3, "device_mtbf_hours": 5e4}}, "contradiction", "plan.failures"),
        (["resolved"], {"model": {}}, "missing", "resolved.model"),
    ],
    ids=str,
)
def test_bad_values_are_named(store: PresetStore, place: list[str], value: Any, code: str, field: str) -> None:
    bad = document()
    at: Any = {"": bad}
    for part in ["", *place][:-1]:
        at = at[part]
    at[["", *place][-1]] = value
    if not place:
        bad = value
    with pytest.raises(InputError) as caught:
        load(store, bad)
    assert (caught.value.code, caught.value.field) == (code, field)
    assert caught.value.values["file"] == "x.mfu"
    for language in ("en", "zh"):
        line = translator(language).describe(caught.value)
        assert "\n" not in line
        assert code in SENTENCES


@pytest.mark.parametrize("data", [b"", b"{", b"[NaN]", b"\xff", b"[" * 999, b'{"kind": 1, "kind": 2}'])
def test_bad_json_is_named(store: PresetStore, data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        load_scenario(data, store, source="x.mfu")
    assert caught.value.field == "x.mfu"


def test_a_file_that_is_not_there(store: PresetStore, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not_found"):
        read_scenario(tmp_path / "no.mfu", store)


# Round trips of whatever a scenario can be

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
WIDTHS = st.integers(1, 10**6)
POSITIVE = st.floats(1e-6, 1e6)
@st.composite
def attentions(draw: st.DrawFn) -> Attention:
    kv_heads = draw(st.integers(1, 16))
    return Attention(
        heads=kv_heads * draw(st.integers(1, 16)),
        kv_heads=kv_heads,
        head_dim=draw(WIDTHS),
        window=draw(st.none() | WIDTHS),
        biases=draw(st.sampled_from([(), ("q", "k", "v")])),
        gate=draw(st.sampled_from(["none", "elementwise"])),
        sinks=draw(st.booleans()),
    )


@st.composite
def mixtures(draw: st.DrawFn) -> MoE:
    experts = draw(st.integers(1, 1000))
    return MoE(
        experts=experts,
        top_k=draw(st.integers(1, experts)),
        width=draw(WIDTHS),
        shared_width=draw(st.integers(0, 1000)),
        router_buffer=draw(st.booleans()),
    )


LATENT = st.builds(
    MLA,
    heads=WIDTHS,
    q_lora_rank=st.none() | WIDTHS,
    kv_lora_rank=WIDTHS,
    qk_nope_head_dim=WIDTHS,
    qk_rope_head_dim=st.integers(0, 100),
    value_dim=WIDTHS,
)
DENSE = st.builds(Dense, width=WIDTHS, matrices=st.sampled_from([2, 3]), biases=st.booleans())


@st.composite
def models(draw: st.DrawFn) -> ModelSpec:
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    kinds = tuple(
        Layer(
            name=name,
            mixers=tuple(draw(st.lists(attentions() | LATENT, max_size=2))),
            ffns=tuple(draw(st.lists(DENSE | mixtures(), max_size=2))),
            norms=draw(st.integers(0, 4)),
        )
        for name in names
    )
    order = draw(st.lists(st.tuples(st.sampled_from(names), st.integers(1, 1000)), min_size=1, max_size=5))
    return ModelSpec(
        name=draw(NAMES),
        vocabulary=draw(st.integers(0, 10**6)),
        head=draw(st.none() | st.builds(Head, tied=st.booleans())),
        stacks=(
            Stack(hidden_size=draw(WIDTHS), kinds=kinds, order=tuple(order), position_table=draw(st.integers(0, 9))),
        ),
        context_length=draw(st.none() | WIDTHS),
    )


CARDS = st.builds(
    HardwareSpec,
    name=NAMES,
    vendor=NAMES,
    peak_tflops=st.fixed_dictionaries(dict.fromkeys(PRECISIONS, POSITIVE)),
    sparse_factor=st.floats(1, 4),
    framework_devices=st.integers(1, 64),
    memory_gb=st.none() | POSITIVE,
    price_per_hour_usd=st.none() | POSITIVE,
)
RUNS = st.builds(
    RunSpec,
    sequence_length=st.integers(1, 10**12),
    devices=st.none() | st.integers(1, 10**12),
    global_batch=st.none() | st.integers(1, 10**12),
    precision=st.sampled_from(PRECISIONS),
    measured=st.none()
    | st.sampled_from(MEASURED_KEYS).flatmap(
        lambda key: st.floats(1e-9, 1).map(lambda value: Measured(**{key: value}))
    ),
    recompute=st.sampled_from(["none", "full", "palm"])
    | st.builds(Recompute, layers=st.none() | st.integers(0, 99), repeat=st.dictionaries(NAMES, st.floats(0, 16))),
    parallel=st.none() | st.builds(Parallel, tensor=st.integers(1, 64), zero_stage=st.integers(0, 3)),
    attention_kernel=st.none() | st.sampled_from(["flash", "unfused"]),
    trainable=st.sampled_from(["full", Trainable(frozen=("layers[0:1]",))]),
)
PEAKS = (
    st.builds(
        Peak,
        tflops=st.none() | POSITIVE,
        kind=st.sampled_from(["dense", "sparse"]),
        devices_are=st.sampled_from(["units", "framework_devices"]),
    )
    | st.builds(Peak, tflops=POSITIVE, kind=st.just("measured"))
    | st.floats(0.01, 0.99).map(lambda share: Peak(mix={"fp8": share, "bf16": 1 - share}))
)
CHOICES = st.sampled_from([ConventionChoice(id=convention.id) for convention in CONVENTIONS]) | st.sampled_from(
    [ConventionChoice(id="matmul-full", options={"router": value}) for value in (True, False)]
)
SCENARIOS = st.builds(
    Scenario,
    name=NAMES,
    notes=NAMES,
    model=models(),
    hardware=CARDS,
    run=RUNS,
    peak=PEAKS,
    convention=CHOICES,
    reported=st.none() | st.builds(Reported, mfu=st.floats(0.001, 2)),
    plan=st.none() | st.builds(PlanSpec, tokens=st.none() | POSITIVE, days=st.none() | POSITIVE,
                               currency=st.sampled_from(["USD", "元"]),
                               energy=st.builds(EnergySpec, pue=st.none() | st.floats(1, 9)),
                               ).map(msgspec.to_builtins),
    model_source=st.sampled_from([Source(), Source(preset="toy"), Source(preset="gone")]),
    hardware_source=st.sampled_from([Source(), Source(preset="card-x"), Source(preset="gone")]),
)


@given(SCENARIOS)
def test_round_trip_is_exact(scenario: Scenario) -> None:
    """Whatever presets are installed: the saved numbers are the scenario."""
    data = dump_scenario(scenario)
    loaded = load_scenario(data, PresetStore())
    assert loaded.scenario == scenario
    assert dump_scenario(loaded.scenario) == data
    assert {notice.code for notice in loaded.notices} <= {"preset_differs", "preset_missing"}


JUNK = st.sampled_from(
    [None, True, -1, 0, 10**40, 1.5, 1e300, "", "x", "layers[0:1]", [], [1], {}, {"a": 1}, [[["a", 1]]]]
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, child in children for place in _places(child, (*path, key)))]


WHOLE = json.loads(
    dump_scenario(
        Scenario(
            model=MODEL,
            hardware=CARD,
            run=RunSpec(
                sequence_length=64,
                devices=8,
                global_batch=4,
                measured=Measured(mfu=0.5),
                document_lengths=(30, 34),
                recompute=Recompute(repeat={"*": 1.0}),
                parallel=Parallel(tensor=2),
                trainable=Trainable(lora_rank=8, targets=("q",)),
            ),
            peak=Peak(mix={"fp8": 0.5, "bf16": 0.5}),
            reported=Reported(mfu=0.4),
            plan={"tokens": 1e12, "failures": {"mtbf_hours": 3}, "energy": {"pue": 1.1}},
            hardware_source=Source(preset="y"),
        )
    )
)


@given(st.sampled_from(_places(WHOLE)[1:]), JUNK, st.booleans())
def test_any_damage_is_refused_in_one_line_or_harmless(place: tuple[Any, ...], junk: Any, remove: bool) -> None:
    damaged = copy.deepcopy(WHOLE)
    at: Any = damaged
    for part in place[:-1]:
        at = at[part]
    if remove:
        del at[place[-1]]
    else:
        at[place[-1]] = junk
    error = _error_of(json.dumps(damaged).encode())
    if error is not None:
        assert error.code in SENTENCES
        assert "\n" not in translator("en").describe(error)


def _error_of(data: bytes) -> InputError | None:
    """What is wrong with a scenario file, up to its evaluation."""
    try:
        evaluate(load_scenario(data, PresetStore(), source="x.mfu").scenario)
    except InputError as error:
        return error
    return None
