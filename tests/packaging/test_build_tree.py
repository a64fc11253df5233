"""The build takes what is committed, and makes the same of it wherever and whenever it runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from buildlib import source, tree
from buildlib.errors import BuildError

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="the exported commit is made with git")


def git(folder: Path, *words: str) -> None:
    people = ["-c", "user.name=A", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false"]
    environment = dict(os.environ, GIT_COMMITTER_DATE="1700000000 +0000", GIT_CONFIG_GLOBAL=os.devnull)
    subprocess.run(["git", *people, *words], cwd=folder, env=environment, check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    folder = tmp_path / "checkout"
    (folder / "mfu_gui").mkdir(parents=True)
    (folder / "mfu_gui" / "__init__.py").write_text('__version__ = "1.2.3"\n\nAPP_ID = "a.b.C"\n', encoding="utf-8")
    (folder / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    return folder


@needs_git
def test_only_what_is_committed_is_exported(checkout: Path, tmp_path: Path) -> None:
    git(checkout, "init", "-q")
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "first")
    (checkout / "draft.json").write_text("{}", encoding="utf-8")
    (checkout / "pyproject.toml").write_text("[half-written", encoding="utf-8")
    target = tmp_path / "export"
    target.mkdir()
    (target / "of an earlier build").write_text("", encoding="utf-8")
    source.export(checkout, target)
    files = sorted(path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file())
    assert files == ["mfu_gui/__init__.py", "pyproject.toml"]
    assert (target / "pyproject.toml").read_text(encoding="utf-8") == "[project]\n"
    assert source.date_of(checkout) == 1700000000


def test_a_source_archive_is_taken_without_the_rests_of_builds(checkout: Path, tmp_path: Path) -> None:
    for rest in ("build", "dist", ".venv", "mfu_gui/__pycache__"):
        (checkout / rest).mkdir()
        (checkout / rest / "rest").write_text("", encoding="utf-8")
    os.utime(checkout / "pyproject.toml", (1600000000, 1600000000))
    source.export(checkout, tmp_path / "export")
    files = {path.relative_to(tmp_path / "export").as_posix() for path in (tmp_path / "export").rglob("*")}
    assert files == {"mfu_gui", "mfu_gui/__init__.py", "pyproject.toml"}
    assert source.date_of(checkout) == 1600000000


def test_the_date_can_be_given(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1234567890")
    assert source.date_of(checkout) == 1234567890
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(BuildError, match="yesterday"):
        source.date_of(checkout)


def test_constants_are_read_without_importing(checkout: Path) -> None:
    assert source.constant(checkout, "__version__") == "1.2.3"
    assert source.constant(checkout, "APP_ID") == "a.b.C"
    with pytest.raises(BuildError, match="NOTHING"):
        source.constant(checkout, "NOTHING")


def make(root: Path, names: list[str], mode: int) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
        path.chmod(mode)
    (root / "link").symlink_to("a/one")
    return root


def test_two_trees_give_one_archive(tmp_path: Path) -> None:
    names = ["b/run", "a/one", "a/two"]
    first, second = make(tmp_path / "first", names, 0o600), make(tmp_path / "second", names[::-1], 0o777)
    for root in (first, second):
        tree.settle(root, 1700000000, frozenset({"b/run"}))
        tree.tar(root, "name-1.0", root.with_suffix(".tar"), 1700000000)
    assert (first / "b/run").stat().st_mode & 0o777 == 0o755
    assert (first / "a/one").stat().st_mode & 0o777 == 0o644
    assert (first / "a").stat().st_mtime == (second / "a/two").stat().st_mtime == 1700000000
    assert first.with_suffix(".tar").read_bytes() == second.with_suffix(".tar").read_bytes()


def test_sums_can_be_checked(tmp_path: Path) -> None:
    (tmp_path / "b.deb").write_bytes(b"two")
    (tmp_path / "a.run").write_bytes(b"one")
    tree.write_sums(tmp_path)
    sums = tree.write_sums(tmp_path)  # the file of an earlier build is not among the packages
    lines = sums.read_text(encoding="utf-8").splitlines()
    assert [line.split("  ")[1] for line in lines] == ["a.run", "b.deb"]
    assert lines[0].startswith("7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed")
    (tmp_path / "window-en.png").write_bytes(b"")
    assert tree.write_sums(tmp_path).read_text(encoding="utf-8").splitlines() == lines, "a picture is no package"
    (tmp_path / "window-en.png").unlink()
    assert tree.size(tmp_path) == 6 + sums.stat().st_size
