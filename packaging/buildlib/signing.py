"""Signatures of Windows programs (Authenticode).

The key is nothing that a build script should know: today's certificates live in hardware or with a service. So
MFU_SIGN_COMMAND holds the command that signs, with {in} and {out} for the files, e.g.
`osslsigncode sign -pkcs11module /usr/lib/x86_64-linux-gnu/opensc-pkcs11.so -key … -certs chain.pem -h sha256
-ts http://timestamp.example -in {in} -out {out}`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from buildlib.errors import BuildError
from buildlib.run import output, tool

VARIABLE = "MFU_SIGN_COMMAND"


def command() -> str | None:
    """The command that signs, or None when nothing is to be signed."""
    given = os.environ.get(VARIABLE, "").strip()
    if not given:
        return None
    if "{in}" not in given or "{out}" not in given:
        raise BuildError(f"{VARIABLE} must say where the files go: {{in}} and {{out}}")
    return given


def sign(path: Path) -> bool:
    """Sign a file in place if a command is set; whether it was."""
    template = command()
    if template is None:
        return False
    signed = path.with_name(f"{path.name}.signed")
    signed.unlink(missing_ok=True)
    words = [word.replace("{in}", str(path)).replace("{out}", str(signed)) for word in shlex.split(template)]
    output(words)
    if not signed.is_file():
        raise BuildError(f"{VARIABLE} wrote no file {signed}")
    shutil.move(signed, path)
    return True


def digests_agree(path: Path) -> bool | None:
    """Whether the file still is what was signed; None without a signature. Who signed is another question."""
    done = subprocess.run([tool("osslsigncode"), "verify", "-in", path], capture_output=True, text=True)
    said = dict(re.findall(r"^(Current|Calculated) message digest\s*: (\w+)", done.stdout, re.MULTILINE))
    if "Current" not in said or "Calculated" not in said:
        return None
    return said["Current"] == said["Calculated"]


def signers(path: Path) -> list[str]:
    """The names in the certificates of a signature."""
    done = subprocess.run([tool("osslsigncode"), "verify", "-in", path], capture_output=True, text=True)
    return re.findall(r"Subject: .*?CN=([^/\n]+)", done.stdout)


def verify(path: Path, authority: Path) -> None:
    """`BuildError` unless a certificate of the file `authority` stands behind the signature."""
    output([tool("osslsigncode"), "verify", "-CAfile", authority, "-in", path])


if __name__ == "__main__":
    # NSIS has the uninstaller signed by this, while it packs it: python -m buildlib.signing FILE
    sys.exit(0 if sign(Path(sys.argv[1])) else 1)
