"""The notices of an installation by pip: every package that the program needs, with its licence."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from mfu_gui import notices, resources

ROOT = Path(__file__).resolve().parents[2]


def test_every_dependency_is_named_with_its_licence() -> None:
    text = notices.third_party_notices()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for requirement in project["dependencies"]:
        name = re.split(r"[<>=!]", requirement)[0]
        pattern = rf"^{re.escape(name)} [\d.]+\nLicence: (.+)$"
        assert re.search(pattern, text.replace("_", "-"), re.MULTILINE | re.IGNORECASE), name
    assert "Permission is hereby granted" in text


def test_an_installer_shows_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "THIRD_PARTY_NOTICES.txt").write_text("what this bundle carries\n", encoding="utf-8")
    monkeypatch.setattr(resources, "_root", lambda: tmp_path)
    assert notices.third_party_notices() == "what this bundle carries\n"
