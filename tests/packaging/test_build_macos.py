"""What macOS is told of the application, and that its scripts can be read."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest
from buildlib import icons, macos
from buildlib.contents import reason_to_drop

from mfu_gui.formats.scenario_file import SUFFIX
from mfu_gui.formats.workspace_file import SUFFIX as WORKSPACE_SUFFIX

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "packaging" / "macos").glob("*.sh"))


def test_the_file_types() -> None:
    described = plistlib.loads(plistlib.dumps(macos.info_plist("1.2.3")))
    documents, exported = described["CFBundleDocumentTypes"], described["UTExportedTypeDeclarations"]
    assert [each["LSItemContentTypes"] for each in documents] == [[each["UTTypeIdentifier"]] for each in exported]
    assert len({each["UTTypeIdentifier"] for each in exported}) == 2
    tags = [each["UTTypeTagSpecification"] for each in exported]
    assert [f".{ending}" for tag in tags for ending in tag["public.filename-extension"]] == [SUFFIX, WORKSPACE_SUFFIX]
    mime = (ROOT / "packaging/linux").glob("*.mime.xml").__next__().read_text(encoding="utf-8")
    assert all(f'<mime-type type="{name}">' in mime for tag in tags for name in tag["public.mime-type"])
    assert tags[0]["public.mime-type"] == [icons.MIME_ICON.replace("application-", "application/")]
    assert described["CFBundleShortVersionString"] == "1.2.3"
    assert described["CFBundleLocalizations"] == ["en", "zh_CN"]


def test_the_entitlements_can_be_read() -> None:
    data = plistlib.loads((ROOT / "packaging/macos/entitlements.plist").read_bytes())
    assert all(key.startswith("com.apple.security.cs.") and value is True for key, value in data.items())


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash reads the scripts")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_the_scripts_can_be_read(script: Path) -> None:
    assert os.name == "nt" or os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", str(script)], check=True)
    # Each wants its arguments and says so.
    done = subprocess.run(["bash", str(script)], capture_output=True, text=True)
    assert done.returncode != 0
    assert "is missing" in done.stderr


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("PySide6/Qt/lib/QtCore.framework/Versions/A/QtCore", True),
        ("PySide6/Qt/lib/QtOpenGLWidgets.framework/Versions/A/QtOpenGLWidgets", True),
        ("PySide6/Qt/lib/QtPrintSupport.framework/Versions/A/QtPrintSupport", True),
        ("PySide6/Qt/plugins/platforms/libqcocoa.dylib", True),
        ("PySide6/Qt/lib/QtNetwork.framework/Versions/A/QtNetwork", False),
        ("PySide6/Qt/lib/QtQuickControls2.framework/Versions/A/QtQuickControls2", False),
        ("PySide6/Qt/lib/QtPdf.framework/Versions/A/QtPdf", False),
        ("PySide6/Qt/plugins/tls/libqsecuretransportbackend.dylib", False),
        ("libssl.3.dylib", False),
    ],
)
def test_what_belongs_into_the_application(name: str, kept: bool) -> None:
    assert (reason_to_drop(name) is None) is kept
