"""The language of a first start on a system that has no font with Chinese characters."""

from __future__ import annotations

import pytest

from mfu_gui.ui import app, fonts
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.settings import Settings
from mfu_gui.ui.status_line import language_names, set_language
from mfu_gui.ui.widgets.link import Link


@pytest.fixture
def no_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "write_chinese", lambda: False)


def shown(window: MainWindow) -> str:
    return " ".join(banner.label.text() for banner in window.headline.remarks.banners)


@pytest.mark.usefixtures("no_chinese")
def test_the_window_stays_in_english_and_says_why(window: MainWindow) -> None:
    services = window.services
    set_language(services, "zh")
    assert services.language.code == "en"
    assert window.status.language.currentData() == "en"
    assert services.settings.stored.language != "zh"
    window.headline.remarks.refresh(services.workspace.active)
    assert "fonts-noto-cjk" in shown(window)


@pytest.mark.usefixtures("no_chinese")
def test_nothing_is_written_in_characters_that_nobody_sees(window: MainWindow) -> None:
    assert dict(language_names())["zh"] == "Chinese"
    window.headline.remarks._shown = None
    window.headline.remarks.refresh(window.services.workspace.active)
    links = [link.text() for link in window.headline.remarks.findChildren(Link)]
    assert all(text.isascii() for text in links)


@pytest.mark.usefixtures("no_chinese")
def test_a_chinese_system_without_the_font_starts_in_english() -> None:
    settings = Settings()
    settings.stored.language = "zh"
    assert app.make_services(settings).language.code == "en"
    assert settings.stored.language == "zh"  # for the day on which there is one


def test_chinese_is_offered_by_its_own_name_where_it_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "write_chinese", lambda: True)
    assert dict(language_names())["zh"] == "简体中文"


@pytest.mark.parametrize(("language", "reading"), [("en", "our reading"), ("zh", "我们的理解")])
def test_the_example_says_what_of_it_is_our_reading_and_its_banner_stays_short(
        window: MainWindow, language: str, reading: str) -> None:
    set_language(window.services, language)
    window.headline.remarks.refresh(window.services.workspace.active)
    assert "selective" in window.services.workspace.active.scenario.notes
    assert reading in window.services.workspace.active.scenario.notes
    assert "5,605" in shown(window)
    assert reading not in shown(window)
    set_language(window.services, "en")
