"""Saves that are killed, or that the disk, the folder or another copy of the program is in the way of."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.formats import atomic
from mfu_gui.formats.preset_file import ModelPreset
from mfu_gui.formats.presets import PresetStore
from tests.formats.saving import KINDS, saved

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="fork, signals and limits of POSIX")
NOBODY = 65534
limits = pytest.importorskip("resource", reason="limits of POSIX")


def killed(folder: Path, count: int, seed: int) -> dict[str, int]:
    """Kill a saving process; shared with the fuzz run."""
    done = subprocess.run([sys.executable, "-m", "tests.formats.saving", str(folder), str(count), str(seed)],
                          cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    seen: dict[str, int] = json.loads(done.stdout)
    return seen


def test_a_killed_save_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    seen = killed(tmp_path, 20, 7)
    assert seen["first"] + seen["other"] == 20
    assert [seen[kind] for kind in KINDS] == [4] * 5
    assert seen["first"], "no save was ever interrupted"


def in_child(act: Callable[[], None]) -> str:
    """Do something in a process of its own, as a user who may not write everywhere; the code of its InputError."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        code = "done"
        try:
            act()
        except InputError as error:
            code = f"{error.code}: {error.values.get('reason')}"
        except BaseException as error:  # noqa: BLE001 - told to the parent, which fails
            code = repr(error)
        finally:
            os.write(writer, code.encode())
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        code = answer.read()
    os.waitpid(child, 0)
    return code


def as_nobody() -> None:
    """The superuser may write anywhere; nobody may not."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


@pytest.fixture
def open_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that everybody can reach."""
    import shutil
    import tempfile

    made = Path(tempfile.mkdtemp(prefix="mfu-gui-test-"))
    made.chmod(0o777)
    yield made
    made.chmod(0o777)
    shutil.rmtree(made)


def test_a_full_disk_leaves_the_old_file(open_folder: Path) -> None:
    """The limit on the size of files fails a write in the middle of it, as a full disk does."""
    file = open_folder / "a.mfu"
    file.write_bytes(b"old")

    def save() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        limits.setrlimit(limits.RLIMIT_FSIZE, (5_000, 5_000))
        atomic.write_bytes(file, b"n" * 20_000)

    assert in_child(save).startswith("not_writable: ")
    assert [(entry.name, entry.read_bytes()) for entry in open_folder.iterdir()] == [("a.mfu", b"old")]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of a megabyte."""
    if sys.platform != "linux":
        pytest.skip("a file system in memory is made as Linux does")
    if os.geteuid() != 0:
        pytest.skip("only the superuser can mount a file system")
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], check=False,
                          capture_output=True)
    if made.returncode != 0:
        pytest.skip("mounting a file system is not permitted here")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)  # the lock of a session may still be held


def fill(disk: Path) -> None:
    """Leave no room for a further byte."""
    with (disk / "filler").open("wb", buffering=0) as filler:
        try:
            for _ in range(2**15):
                filler.write(b"x" * 4096)
        except OSError:
            return
    raise AssertionError("the disk did not become full")


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk_leaves_each_kind_of_file(small_disk: Path, kind: str) -> None:
    """Scenario, workspace and preset say so; settings and session, which nobody asked to save, go on without."""
    one = saved(kind, small_disk)
    contents = one.contents()
    before = sorted(path.name for path in one.path.parent.iterdir())
    fill(small_disk)
    if kind in ("settings", "session"):
        one.saves[0]()
    else:
        with pytest.raises(InputError) as caught:
            one.saves[0]()
        assert caught.value.code == "not_writable"
        assert "space" in caught.value.values["reason"]
    assert one.path.read_bytes() == contents[1]
    assert [name for name in sorted(path.name for path in one.path.parent.iterdir()) if name != "filler"] == before
    (small_disk / "filler").unlink()
    one.saves[0]()
    assert one.path.read_bytes() == contents[0], "when there is room again it is saved"
    one.read()


@pytest.mark.parametrize("kind", KINDS)
def test_a_read_only_folder_leaves_each_kind_of_file(open_folder: Path, kind: str) -> None:
    one = saved(kind, open_folder)
    contents = one.contents()
    folders = [path for path in (open_folder, *open_folder.rglob("*")) if path.is_dir()]
    for path in open_folder.rglob("*"):
        path.chmod(0o777)
    for path in folders:
        path.chmod(0o555)

    def save() -> None:
        as_nobody()
        one.saves[0]()

    said = in_child(save)
    assert said == ("done" if kind in ("settings", "session") else f"not_writable: {os.strerror(13)}")
    assert one.path.read_bytes() == contents[1]
    for path in folders:
        path.chmod(0o777)


def test_a_read_only_folder_is_said_and_keeps_its_file(open_folder: Path) -> None:
    file = open_folder / "a.mfu"
    file.write_bytes(b"old")
    file.chmod(0o666)
    open_folder.chmod(0o555)

    def save() -> None:
        as_nobody()
        atomic.write_bytes(file, b"new")

    assert in_child(save) == f"not_writable: {os.strerror(13)}"
    assert file.read_bytes() == b"old"


def test_a_home_that_cannot_be_written_has_no_presets_and_no_failure(open_folder: Path) -> None:
    open_folder.chmod(0o555)
    preset = replace(PresetStore().model("gpt2"), id="mine")

    def use() -> None:
        as_nobody()
        store = PresetStore(user=open_folder / "presets")
        store.refresh()
        assert store.model("gpt2").id == "gpt2"
        assert store.broken() == []
        store.save(preset)

    assert in_child(use) == f"not_writable: {os.strerror(13)}"


# Several copies of the program, one folder


@pytest.fixture
def presets(tmp_path: Path) -> tuple[PresetStore, PresetStore, ModelPreset]:
    """Two copies of the program with one folder, and a preset of the user's."""
    first, other = PresetStore(user=tmp_path), PresetStore(user=tmp_path)
    mine = replace(first.model("gpt2"), id="mine", name="mine", notes="")
    return first, other, mine


def test_of_two_copies_that_take_one_id_one_is_refused(presets: tuple[PresetStore, PresetStore, ModelPreset]) -> None:
    """Both look first, both find the id free; only one may have it."""
    first, other, mine = presets
    for round_ in range(20):
        barrier, told = threading.Barrier(2), list[str]()

        def save(store: PresetStore, name: str, preset: ModelPreset = mine, round_: int = round_,
                 barrier: threading.Barrier = barrier, told: list[str] = told) -> None:
            barrier.wait()
            try:
                store.save(replace(preset, id=f"mine-{round_}", name=name))
                told.append(name)
            except InputError as error:
                told.append(error.code)

        threads = [threading.Thread(target=save, args=each) for each in ((first, "a"), (other, "b"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert "preset_exists" in told
        winner = next(name for name in told if name != "preset_exists")
        first.refresh()
        assert first.model(f"mine-{round_}").name == winner


def edit_presets(folder: Path, name: str, seed: int) -> None:
    """What one copy of the program does in a folder that another uses: ids of its own, and some that both want."""
    chance, store = random.Random(seed), PresetStore(user=folder)
    base = replace(store.model("gpt2"), notes="")
    for number in range(25):
        store.save(replace(base, id=f"{name}-{number}", name=name))
        shared = f"shared-{chance.randrange(4)}"
        try:
            act = chance.randrange(4)
            if act == 0:
                store.save(replace(base, id=shared, name=name))
            elif act == 1:
                store.update(store.model(shared), lambda now: replace(now, notes=f"{now.notes}x"[-50:]))
            elif act == 2:
                store.rename("mfu-model", shared, f"{shared}-{name}-{number}")
            else:
                store.delete("mfu-model", shared)
        except InputError as error:
            if error.code not in ("preset_exists", "unknown_preset", "not_writable"):
                raise  # a half-written or broken file, for example


def test_two_programs_in_one_folder_lose_and_break_nothing(tmp_path: Path) -> None:
    children = []
    for seed, name in enumerate(("one", "other")):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                edit_presets(tmp_path, name, seed)
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0]
    store = PresetStore(user=tmp_path)
    assert store.broken() == []
    for name in ("one", "other"):
        assert [store.model(f"{name}-{number}").name for number in range(25)] == [name] * 25
    assert [path.name for path in (tmp_path / "models").iterdir() if path.suffix != ".json"] == []


def test_one_that_only_looked_early_is_refused_too(presets: tuple[PresetStore, PresetStore, ModelPreset],
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    first, other, mine = presets
    path = first.save(mine)
    monkeypatch.setattr(Path, "exists", lambda self: False)
    with pytest.raises(InputError, match="preset_exists"):
        other.save(replace(mine, name="of the other"))
    monkeypatch.undo()
    assert first.model("mine").name == "mine"
    assert [entry.name for entry in path.parent.iterdir()] == ["mine.json"]


def test_a_rename_takes_what_another_program_wrote_meanwhile(
        presets: tuple[PresetStore, PresetStore, ModelPreset]) -> None:
    first, other, mine = presets
    first.save(mine)
    assert first.model("mine").notes == ""
    other.save(replace(mine, notes="written by the other"), overwrite=True)
    first.rename("mfu-model", "mine", "renamed")
    assert first.model("renamed").notes == "written by the other"


def test_a_clock_that_was_set_back_hides_no_change(presets: tuple[PresetStore, PresetStore, ModelPreset]) -> None:
    first, other, mine = presets
    path = first.save(mine)
    assert first.model("mine").notes == ""
    before = path.stat()
    other.save(replace(mine, notes="later"), overwrite=True)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns - 10**15))
    assert first.refresh()
    assert first.model("mine").notes == "later"


def test_a_preset_that_another_program_breaks_is_named_and_comes_back(
        presets: tuple[PresetStore, PresetStore, ModelPreset]) -> None:
    first, _, mine = presets
    path = first.save(mine)
    good = path.read_bytes()
    path.write_bytes(good[: len(good) // 2])
    assert first.refresh()
    assert [broken.path for broken in first.broken()] == [path]
    with pytest.raises(InputError, match="truncated_json"):
        first.model("mine")
    path.write_bytes(good)
    assert first.refresh()
    assert first.model("mine") == mine
