"""What is built: the files of one commit, its version and its date."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

from buildlib.errors import BuildError
from buildlib.run import output, step


def has_commit(root: Path) -> bool:
    """Whether `root` is a git checkout, rather than an unpacked source archive."""
    return (root / ".git").exists() and shutil.which("git") is not None


def date_of(root: Path) -> int:
    """The date of the source in seconds since 1970: all dates inside the packages are this one.

    SOURCE_DATE_EPOCH wins; then the commit; then, in an unpacked `git archive`, the date of its files,
    which is that of the commit.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given:
        if not given.isdecimal():
            raise BuildError(f"SOURCE_DATE_EPOCH must be a whole number of seconds, not {given!r}")
        return int(given)
    if has_commit(root):
        return int(output(["git", "log", "-1", "--format=%ct"], cwd=root))
    return int((root / "pyproject.toml").stat().st_mtime)


def export(root: Path, target: Path) -> None:
    """Put the committed files of `root` into the new folder `target`.

    What lies about in a checkout (drafts, caches, presets being written) must not slip into an installer.
    Without git, an unpacked source archive, all files but those of earlier builds are taken.
    """
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    if not has_commit(root):
        skipped = shutil.ignore_patterns(".git", ".venv", "build", "dist", "__pycache__", ".*_cache")
        shutil.copytree(root, target, dirs_exist_ok=True, ignore=skipped)
        return
    changed = output(["git", "status", "--porcelain"], cwd=root).splitlines()
    if changed:
        step(f"Note: {len(changed)} files differ from the commit; the commit is built, without them")
    archive = subprocess.run(["git", "archive", "--format=tar", "HEAD"], cwd=root, capture_output=True)
    if archive.returncode != 0:
        raise BuildError(f"git archive failed: {archive.stderr.decode(errors='replace').strip()}")
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(target, filter="data")


def constant(source: Path, name: str) -> str:
    """The value of a string constant of mfu_gui/__init__.py, read without importing it."""
    text = (source / "mfu_gui" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(rf'^{name} *= *"([^"]+)"', text, re.MULTILINE)
    if found is None:
        raise BuildError(f"mfu_gui/__init__.py does not say what {name} is")
    return found.group(1)
