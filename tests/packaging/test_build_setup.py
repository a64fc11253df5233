"""The setup program for Windows: what its script promises, and the signatures."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from buildlib import nsis, signing, tree, windows
from buildlib.errors import BuildError

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "packaging" / "windows" / "installer.nsi"

needs_signer = pytest.mark.skipif(
    shutil.which("osslsigncode") is None or shutil.which("openssl") is None, reason="osslsigncode signs"
)
needs_nsis = pytest.mark.skipif(shutil.which("makensis") is None, reason="makensis (nsis) makes the setup program")


@pytest.fixture(scope="module")
def script() -> str:
    return SCRIPT.read_text(encoding="utf-8")


def test_every_text_is_in_both_languages(script: str) -> None:
    texts = re.findall(r'^LangString (\w+) \$\{LANG_(\w+)\} "(.+)"', script, re.MULTILINE)
    names = {name for name, _, _ in texts}
    assert {(name, language) for name, language, _ in texts} == {
        (name, language) for name in names for language in ("ENGLISH", "SIMPCHINESE")
    }
    used = set(re.findall(r"\$\((\w+)\)", script))
    assert used == names
    chinese = [text for _, language, text in texts if language == "SIMPCHINESE"]
    assert all(re.search(r"[\u4e00-\u9fff]", text) for text in chinese)


def test_nothing_of_anybody_else_is_removed(script: str) -> None:
    """Whole folders are removed only below _internal, which is ours; the rest file by file."""
    recursive = re.findall(r"RMDir /r +(\S+)", script)
    assert recursive
    assert set(recursive) == {'"$INSTDIR\\_internal.old"'}
    removal = script[script.index('Section "Uninstall"') :]
    assert removal.index("${MARK}") < removal.index("Call un.MoveAway") < removal.index("RMDir /r")


def test_every_file_beside_internal_is_removed(script: str) -> None:
    removal = script[script.index('Section "Uninstall"') :]
    names = {"${EXE}": "MFU Calculator.exe", "${CONSOLE_EXE}": "mfu-gui.exe"}
    removed = {names.get(name, name) for name in re.findall(r'Delete "\$INSTDIR\\(.+?)"', removal)}
    source = Path(windows.__file__).read_text(encoding="utf-8")
    texts = set(re.findall(r'product\.folder / "([\w.]+)"', source))
    assert texts == {"LICENSE.txt", "README.txt"}
    assert removed == {"MFU Calculator.exe", "mfu-gui.exe", "uninstall.exe"} | texts


def expanded(script: str) -> str:
    """The script with what its own macros about types of files stand for."""
    macros = dict(re.findall(r"^!macro (\w+_TYPE .+?)\n(.*?)^!macroend", script, re.MULTILINE | re.DOTALL))
    for head, body in macros.items():
        name, *names = head.split()
        script = script.replace(f"!macro {head}\n{body}", "")
        for use in re.findall(rf"^ *!insertmacro {name} .+$", script, re.MULTILINE):
            text = body
            for each, value in zip(names, re.findall(r'"([^"]*)"', use), strict=True):
                text = text.replace(f"${{{each}}}", value)
            script = script.replace(use, text)
    return script


def test_every_key_of_the_registry_is_removed(script: str) -> None:
    installation, removal = expanded(script).split('Section "Uninstall"')
    assert r"Classes\.mfuw" in installation
    written = set(re.findall(r'WriteReg\w+ HKCU "([^"]+)"', installation))
    removed = set(re.findall(r'DeleteReg\w+ (?:/ifempty )?HKCU "([^"]+)"', removal))
    left = [key for key in written if not any(key == gone or key.startswith(f"{gone}\\") for gone in removed)]
    assert left == []


def test_the_file_types_fit_the_other_systems(script: str) -> None:
    mime = (ROOT / "packaging/linux/io.github.mfu_calculator.MfuCalculator.mime.xml").read_text(encoding="utf-8")
    types = dict(re.findall(r'Classes\\(\.\w+)" "Content Type" "([^"]+)"', expanded(script)))
    found = re.findall(r'<mime-type type="([^"]+)">.*?<glob pattern="\*(\.\w+)"/>', mime, re.DOTALL)
    assert types == {ending: name for name, ending in found}
    assert set(types) == {".mfu", ".mfuw"}


@pytest.fixture
def small(tmp_path: Path) -> windows.WindowsProduct:
    folder = tmp_path / "MFU Calculator"
    for name in ("MFU Calculator.exe", "mfu-gui.exe", "LICENSE.txt", "README.txt", "_internal/a.dll", windows.MARK):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, encoding="utf-8")
    return windows.WindowsProduct(folder, ROOT, "a.b.C", "1.2.3", 1700000000)


@needs_nsis
def test_setup_is_made_the_same_each_time(small: windows.WindowsProduct, tmp_path: Path) -> None:
    icon = next(Path("/usr/share/nsis/Contrib/Graphics/Icons").glob("*.ico"))
    tree.settle(small.folder, small.date)
    one = nsis.build(small, icon, tmp_path / "work", tmp_path / "one")
    # Unpacked elsewhere, in another order.
    shutil.move(small.folder, tmp_path / "moved")
    for path in sorted((each for each in (tmp_path / "moved").rglob("*") if each.is_file()), reverse=True):
        target = small.folder / path.relative_to(tmp_path / "moved")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    tree.settle(small.folder, small.date)
    two = nsis.build(small, icon, tmp_path / "other-work", tmp_path / "two")
    assert one.name == "mfu-gui-1.2.3-windows-x86_64-setup.exe"
    assert one.read_bytes()[:2] == b"MZ"
    assert one.read_bytes() == two.read_bytes()


def test_the_signing_command_must_say_where_files_go(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "a.exe"
    file.write_bytes(b"MZ")
    monkeypatch.delenv(signing.VARIABLE, raising=False)
    assert signing.sign(file) is False
    monkeypatch.setenv(signing.VARIABLE, "signtool sign")
    with pytest.raises(BuildError, match=r"\{in\} and \{out\}"):
        signing.sign(file)


@pytest.mark.skipif(os.name == "nt", reason="cp and true are commands of Unix")
def test_what_the_signing_command_writes_takes_the_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "with a space.exe"
    file.write_bytes(b"MZ")
    monkeypatch.setenv(signing.VARIABLE, "cp {in} {out}")
    assert signing.sign(file) is True
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    monkeypatch.setenv(signing.VARIABLE, "true {in} {out}")
    with pytest.raises(BuildError, match="wrote no file"):
        signing.sign(file)


@needs_signer
@needs_nsis
def test_a_signature_holds_until_the_file_changes(
    small: windows.WindowsProduct, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=Test"]
    words += ["-addext", "extendedKeyUsage=codeSigning", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(words, check=True, capture_output=True)
    icon = next(Path("/usr/share/nsis/Contrib/Graphics/Icons").glob("*.ico"))
    unsigned = nsis.build(small, icon, tmp_path / "work", tmp_path / "unsigned")
    assert signing.digests_agree(unsigned) is None
    command = f"osslsigncode sign -certs {certificate} -key {key} -h sha256 -in {{in}} -out {{out}}"
    monkeypatch.setenv(signing.VARIABLE, command)
    setup = nsis.build(small, icon, tmp_path / "work", tmp_path / "signed")
    assert signing.digests_agree(setup) is True
    assert set(signing.signers(setup)) == {"Test"}
    signing.verify(setup, certificate)
    data = bytearray(setup.read_bytes())
    data[5000] ^= 1
    setup.write_bytes(data)
    assert signing.digests_agree(setup) is False
    with pytest.raises(BuildError):
        signing.verify(setup, certificate)
