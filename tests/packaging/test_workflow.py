"""The workflow that builds the installers can be read, and names only what is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "installers.yml"


@pytest.fixture(scope="module")
def workflow() -> dict[Any, Any]:
    read: dict[Any, Any] = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    return read


def test_every_job_is_complete(workflow: dict[Any, Any]) -> None:
    # YAML 1.1 takes the word “on” for true.
    assert set(workflow[True]) == {"push", "pull_request", "workflow_dispatch"}
    assert set(workflow["jobs"]) == {"linux", "windows-build", "windows-test", "macos"}
    for name, job in workflow["jobs"].items():
        assert job["runs-on"], name
        assert job["timeout-minutes"] <= 60, name
        assert set(job.get("needs", "").split()) <= set(workflow["jobs"]), name
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step), step


def test_nothing_may_be_written_by_it(workflow: dict[Any, Any]) -> None:
    assert workflow["permissions"] == {"contents": "read"}


def test_what_it_calls_is_there(workflow: dict[Any, Any]) -> None:
    commands = "\n".join(step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step)
    called = set(re.findall(r"packaging/[\w/]+\.\w+", commands))
    assert called == {
        "packaging/build.py",
        "packaging/prove.py",
        "packaging/windows/test_installed.ps1",
        "packaging/macos/test_image.sh",
    }
    assert all((ROOT / name).is_file() for name in called)


def test_text_of_others_never_becomes_a_command(workflow: dict[Any, Any]) -> None:
    """Only the workflow's own matrix is put into commands; everything else goes through the environment."""
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            used = re.findall(r"\$\{\{ *([\w.-]+) *\}\}", step.get("run", ""))
            assert all(name.startswith("matrix.") for name in used), step


def test_releasing_names_the_variables() -> None:
    text = (ROOT / "packaging" / "RELEASING.md").read_text(encoding="utf-8")
    for name in re.findall(r"vars\.(\w+)", WORKFLOW.read_text(encoding="utf-8")):
        assert name in text
