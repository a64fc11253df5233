"""What the pages for maintainers name is there: a newcomer must find each file, and each word of the code."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ARCHITECTURE = "mfu_gui/README.md"
PAGES = ("README.md", ARCHITECTURE, "mfu_gui/formats/hf_config/README.md")
MINUTES, WORDS_A_MINUTE = 10, 200
FOLDERS = ("mfu_gui", "resources", "packaging", "tests", ".ci")
CODE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"\.?[\w*-]+(?:/[\w.*-]+)*(?:\.(?:py|md|po|json|log|toml)|/)")
NAME = re.compile(r"(?:[a-z_]+\.)?(?:[A-Z][a-z]+[A-Za-z0-9]*|[A-Z]{2}[A-Z_]+|[a-z]+(?:_[a-z]+)+)")
MADE = re.compile(r"\b(?:NAME|<\w+>)")
"""Stands for what the reader will make."""
ELSEWHERE = frozenset({"config.json", "run.mfu", "model_type", "vision_config", "dist/", "reference.log"})
"""Files of the user, and keys of other programs."""


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def maintainers(name: str) -> str:
    """What of a page is for those who change the program."""
    text = page(name)
    return text[text.index("## For developers"):] if name == "README.md" else text


@cache
def tree() -> tuple[str, ...]:
    return tuple(path.relative_to(ROOT).as_posix() + ("/" if path.is_dir() else "") for folder in FOLDERS
                 for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts) + tuple(
        f"{folder}/" for folder in FOLDERS)


@cache
def source() -> str:
    return "\n".join((ROOT / path).read_text(encoding="utf-8") for path in tree()
                     if path.endswith(".py") and path.startswith(("mfu_gui/", "packaging/", "tests/")))


def exists(path: str) -> bool:
    """Whether a file or folder has this path, or the end of its path: pages leave out where they are."""
    wanted = MADE.sub("*", path)
    return any(fnmatch(each, wanted) or fnmatch(each, f"*/{wanted}") for each in tree())


@pytest.mark.parametrize("name", PAGES)
def test_the_files_that_a_page_names_are_there(name: str) -> None:
    words = {word for code in CODE.findall(maintainers(name)) for word in code.split() if FILE.fullmatch(word)}
    assert len(words) > 8, "the pattern finds nothing"
    assert sorted(word for word in words - ELSEWHERE if not exists(word)) == []


@pytest.mark.parametrize("name", PAGES)
def test_the_names_of_the_code_are_those_of_the_code(name: str) -> None:
    words = {code for code in CODE.findall(maintainers(name)) if NAME.fullmatch(code)} - ELSEWHERE
    missing = [word for word in words if not re.search(rf"\b{word.rpartition('.')[2]}\b", source())]
    assert sorted(word for word in missing if not MADE.search(word)) == []


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", page(name))
    assert [link for link in links if not ((ROOT / name).parent / link).exists()] == []


def test_the_architecture_is_read_in_ten_minutes() -> None:
    assert len(page(ARCHITECTURE).split()) <= MINUTES * WORDS_A_MINUTE


def test_every_guide_has_at_most_five_steps() -> None:
    guides = page(ARCHITECTURE)[page(ARCHITECTURE).index("## Adding something"):].split("\nA **")[1:]
    assert len(guides) == 5, "a family of models, a convention, a format of logs, a device, a language"
    for guide in [*guides[1:], page("mfu_gui/formats/hf_config/README.md")]:
        assert 1 < len(re.findall(r"^\d+\. ", guide, re.MULTILINE)) <= 5


def test_the_file_for_contributors_is_a_section() -> None:
    assert "### Contributing" in page("README.md")
