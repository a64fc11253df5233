"""What goes into the Windows edition and what stays out, beside the tables of `contents`.

There nothing is traced: whole wheels and Python's embeddable edition are the material, and what is not wanted is
taken out. Names are relative to the folder _internal, with `/` between folders.
"""

from __future__ import annotations

import re

from buildlib.contents import excluded_modules

# Packages that are only for making bundles; everything else in the lock file belongs to the program.
BUILD_TOOLS = frozenset(
    ("altgraph", "fonttools", "macholib", "packaging", "pefile", "pyinstaller", "pyinstaller-hooks-contrib",
     "pywin32-ctypes", "setuptools")
)  # fmt: skip

# The parts of Qt that the program and pyqtgraph import. Qt's libraries follow from what these are linked to.
QT_MODULES = ("QtCore", "QtGui", "QtWidgets", "QtOpenGL", "QtOpenGLWidgets", "QtSvg", "QtPrintSupport")

# Files dropped from wheels and from Python's embeddable edition: (pattern, reason). The first match counts.
DROPPED: tuple[tuple[str, str], ...] = (
    (r"Qt6Network|QtNetwork|/plugins/(tls|networkinformation)/", "no network code"),
    (r"^(_ssl|_socket|_hashlib|_asyncio|_overlapped|_multiprocessing|select)\.pyd$", "no network code"),
    (r"^lib(ssl|crypto)-", "no network code"),
    (r"^(_sqlite3\.pyd|sqlite3\.dll)$", "databases"),
    (r"^(_bz2|_lzma)\.pyd$", "compression that no reader of the program offers"),
    (r"^(_uuid|winsound)\.pyd$", "never asked for"),
    (r"^python(w)?\.exe$|^python\.cat$|^python3\d+\._pth$", "the program has a launcher and a path of its own"),
    (rf"^PySide6/(?!({'|'.join(QT_MODULES)})\.)Qt\w+\.pyd$", "bindings of parts of Qt that are never used"),
    (r"^PySide6/opengl32sw\.dll$", "drawing 3D without a graphics driver; widgets are painted in software"),
    (r"^PySide6/plugins/(?!(platforms|imageformats|iconengines|printsupport)/)", "unused parts of Qt"),
    (r"^PySide6/plugins/platforms/q(direct2d|minimal)\.dll$", "screens that are no desktop"),
    (r"^PySide6/plugins/imageformats/q(?!ico|svg)", "the window shows SVG and PNG (which needs no plugin) only"),
    (r"^PySide6/translations/(?!qtbase_zh_CN\.qm$)", "texts of Qt in languages that the program does not speak"),
    (r"^PySide6/(qml|resources|metatypes|include|typesystems|doc|glue|lib|scripts|support|Qt)/", "files of developers"),
    (r"^shiboken6/(include|lib)/", "files of developers"),
    (r"^(PySide6|shiboken6)/(concrt140|vcamp140|vccorlib140|vcomp140|msvcp140_codecvt_ids)\.dll$",
     "parts of Microsoft's run time that nothing here is linked to"),
    (r"^[a-z0-9_]+/.*/?tests?/|_tests\b[^/]*\.pyd$", "tests"),
    (r"\.(pyi|typed|h|lib|a|pxd|pyx|c|cmake|exe|f2py_f2cmap|pdb|qmltypes|prl)$", "files of developers"),
    (r"^pyqtgraph/(examples/|icons/peegee/|.*\.(ui|ico)$)", "pictures and sources that are never read"),
    (r"^pyqtgraph/colors/maps/(CET|PAL|CC-BY)", "colour maps with terms of their own that no plot uses"),
    (r"^bin/", "commands of the wheels"),
)  # fmt: skip

# Packages of Python's own library that no part of the program imports, beside `contents.EXCLUDED_MODULES`.
UNUSED_LIBRARY = frozenset(
    ("_pyrepl", "_aix_support", "_android_support", "_apple_support", "_ios_support", "_osx_support", "antigravity",
     "__hello__", "__phello__", "idlelib", "mailbox", "modulefinder", "netrc", "nturl2path",
     "pickletools", "pty", "pyclbr", "rlcompleter", "sched", "symtable", "tabnanny", "this", "trace", "tty", "wave",
     "zipapp", "site-packages", "ensurepip", "venv", "test")
)  # fmt: skip

# Libraries of Windows 10 and later. What is not here and not in the bundle is missing.
SYSTEM_LIBRARIES = frozenset(
    ("advapi32.dll", "authz.dll", "bcrypt.dll", "comctl32.dll", "comdlg32.dll", "crypt32.dll", "d2d1.dll",
     "d3d11.dll", "d3d12.dll", "d3d9.dll", "dcomp.dll", "dwmapi.dll", "dwrite.dll", "dxgi.dll", "gdi32.dll",
     "icuuc.dll", "icuin.dll", "imm32.dll", "iphlpapi.dll", "kernel32.dll", "mpr.dll", "msvcrt.dll", "netapi32.dll",
     "ntdll.dll", "ole32.dll", "oleaut32.dll", "opengl32.dll", "powrprof.dll", "propsys.dll", "rpcrt4.dll",
     "secur32.dll", "setupapi.dll", "shcore.dll", "shell32.dll", "shlwapi.dll", "uiautomationcore.dll",
     "user32.dll", "userenv.dll", "uxtheme.dll", "version.dll", "winmm.dll", "winspool.drv", "ws2_32.dll",
     "wtsapi32.dll")
)  # fmt: skip
# Names under which Windows 10 offers parts of itself, its C library among them.
_API_SET = re.compile(r"^(ucrtbase|api-ms-win-(core|crt|shcore)-[a-z-]+-l\d-\d-\d)\.dll$")


def is_system_library(name: str) -> bool:
    """Whether Windows 10 and later bring this library; names in any case."""
    return name.lower() in SYSTEM_LIBRARIES or _API_SET.match(name.lower()) is not None


def reason_to_drop(name: str) -> str | None:
    """Why the file of this name stays out of the bundle, or None when it belongs there."""
    for pattern, reason in DROPPED:
        if re.search(pattern, name):
            return reason
    if name.endswith((".py", ".pyc")):
        return reason_to_drop_module(module_name(name))
    return None


def module_name(name: str) -> str:
    """`xml/sax/__init__.pyc` -> `xml.sax`."""
    return name.rsplit(".", 1)[0].replace("/", ".").removesuffix(".__init__")


def reason_to_drop_module(module: str) -> str | None:
    """The same for a Python module, given by its dotted name."""
    parents = [module[:at] for at in (*(i for i, letter in enumerate(module) if letter == "."), len(module))]
    if set(parents) & set(excluded_modules()):
        return "excluded from every edition"
    if parents[0] in UNUSED_LIBRARY:
        return "a part of Python's library that nothing here imports"
    return None
