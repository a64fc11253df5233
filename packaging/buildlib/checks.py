"""What must be true of a finished bundle, found by looking at its files only."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from buildlib import elf
from buildlib.errors import BuildError
from buildlib.run import output

# Names that give away code for connections.
NETWORK_FILES = re.compile(
    r"Qt6?Network|/plugins/(tls|networkinformation)/|lib(ssl|crypto|curl|nghttp2|gnutls|krb5|soup|proxy)[-.0-9]"
    r"|(^|/)_?(ssl|socket|hashlib|asyncio|multiprocessing|posixshmem)\.(cpython|abi3|so|pyd)",
    re.IGNORECASE,
)
NETWORK_MODULES = frozenset(
    ("socket", "_socket", "ssl", "_ssl", "asyncio", "http", "socketserver", "ftplib", "smtplib", "poplib", "imaplib",
     "xmlrpc", "multiprocessing", "webbrowser", "requests", "urllib3", "PySide6.QtNetwork")
)  # fmt: skip
NETWORK_SUBMODULES = frozenset(("urllib.request", "logging.handlers"))
# Functions of the C library that open connections to other machines.
NETWORK_SYMBOLS = frozenset(("getaddrinfo", "gethostbyname", "gethostbyname_r", "res_search", "res_query"))


def demand(what: str, offenders: Sequence[object]) -> None:
    """`BuildError` unless nothing offends."""
    if offenders:
        raise BuildError(f"{what}: not so:\n  " + "\n  ".join(map(str, offenders[:20])))
    print(f"   {what}: yes", flush=True)


def network_files(names: Iterable[str]) -> list[str]:
    """The files, by name, that are code for connections."""
    return [name for name in names if NETWORK_FILES.search(name)]


def network_modules(modules: Iterable[str]) -> list[str]:
    """The Python modules, by name, that are code for connections."""
    found = []
    for module in modules:
        packages = {module, module.split(".")[0]}
        if packages & NETWORK_MODULES or module in NETWORK_SUBMODULES:
            found.append(module)
    return found


def frozen_modules(program: Path, python: Path) -> list[str]:
    """The Python modules inside the executable; `python` has PyInstaller, which reads its archives."""
    viewer = "PyInstaller.utils.cliutils.archive_viewer"
    listed = output([python, "-m", viewer, "--list", "--recursive", "--brief", program / "mfu-gui"])
    names = {line.strip() for line in listed.splitlines() if line.startswith(" ") and not line.startswith(" pyi-")}
    return sorted(names - {"PYZ.pyz"})


def library_modules(program: Path) -> list[str]:
    """The modules in the archive of Python's own library."""
    with zipfile.ZipFile(program / "_internal" / "base_library.zip") as library:
        names = {name.removesuffix(".pyc").replace("/", ".") for name in library.namelist()}
    return sorted(name.removesuffix(".__init__") for name in names)


def resolvers(program: Path) -> dict[str, list[str]]:
    """The libraries that could look up the name of another machine, and by which function."""
    found = {}
    for path in sorted(path for path in program.rglob("*") if path.is_file() and elf.is_elf(path)):
        used = sorted(NETWORK_SYMBOLS & elf.imported_functions(path))
        if used:
            found[path.relative_to(program).as_posix()] = used
    return found


def unnamed(program: Path, notices: str) -> list[str]:
    """The files below _internal, but for modules and the program's own, that the notices do not name."""
    internal = program / "_internal"
    lines = {line.strip() for line in notices.splitlines()}
    missing = []
    for path in sorted(internal.rglob("*")):
        name = path.relative_to(internal).as_posix()
        own = name.startswith("mfu_gui/") or re.fullmatch(r"installation\.txt|python3\d+\._pth", name)
        if not own and path.suffix != ".pyc" and path.is_file() and not path.is_symlink() and name not in lines:
            missing.append(name)
    return missing


def plain_modules(internal: Path) -> list[str]:
    """The modules of an edition where they are plain .pyc files."""
    return _module_names(path.relative_to(internal).as_posix() for path in internal.rglob("*.pyc"))


def zipped_modules(internal: Path) -> list[str]:
    """The modules in the archive python3*.zip, which is Python's own library."""
    names: list[str] = []
    for archive in internal.glob("python3*.zip"):
        with zipfile.ZipFile(archive) as library:
            names += library.namelist()
    return _module_names(names)


def _module_names(files: Iterable[str]) -> list[str]:
    return sorted(file.removesuffix(".pyc").replace("/", ".").removesuffix(".__init__") for file in files)


def unnamed_modules(modules: Iterable[str], notices: str) -> list[str]:
    """The top-level packages among the frozen modules that the notices do not name."""
    words = set(re.findall(r"\w+", notices))
    tops = {module.split(".")[0] for module in modules}
    # PyInstaller's loader is named as a whole; the rest is the program's own.
    own = re.compile(r"pyimod|pyiboot|pyi_rth|_pyi_rth|mfu_gui$|__main__$|rthook_absent_modules$|start$")
    return sorted(top for top in tops if top not in words and not own.match(top))


def replaceable_qt(program: Path) -> list[str]:
    """Qt's libraries that are files of their own, as the LGPL wants them."""
    return sorted(path.name for path in (program / "_internal" / "PySide6" / "Qt" / "lib").glob("libQt6*.so*"))
