"""The finder of resources in its two places; the wheel's test covers an installation."""

from __future__ import annotations

from pathlib import Path

import pytest

from mfu_gui import resources


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "mfu_gui"
    folder.mkdir()
    monkeypatch.setattr(resources, "__file__", str(folder / "resources.py"))
    resources._root.cache_clear()
    yield folder
    resources._root.cache_clear()


def test_checkout_has_them_beside_the_package(package: Path) -> None:
    assert resources.resource_path("i18n", "a.mo") == package.parent / "resources" / "i18n" / "a.mo"


def test_installation_has_them_inside(package: Path) -> None:
    (package / "_resources").mkdir()
    assert resources.resource_path("i18n") == package / "_resources" / "i18n"


def test_this_checkout() -> None:
    assert resources.resource_path("i18n", "zh_CN.mo").is_file()
