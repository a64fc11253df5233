"""What goes into the frozen program and what stays out, each with its reason.

The tables speak of names inside the bundle, with `/` between folders.
"""

from __future__ import annotations

import re

# Modules that PyInstaller must not follow. Reason -> names.
EXCLUDED_MODULES: dict[str, tuple[str, ...]] = {
    "the program has no network: nothing that could open a connection is shipped": (
        "socket", "_socket", "ssl", "_ssl", "_hashlib", "socketserver", "http", "urllib.request", "urllib.robotparser",
        "ftplib", "smtplib", "poplib", "imaplib", "telnetlib", "nntplib", "xmlrpc", "webbrowser", "asyncio", "_asyncio",
        "multiprocessing", "_multiprocessing", "_posixshmem", "pyqtgraph.multiprocess", "wsgiref", "mailbox",
        "pydoc", "pydoc_data", "concurrent.futures.process", "logging.handlers", "logging.config",
        "PySide6.QtNetwork", "PySide6.QtDBus",
    ),
    "other toolkits and tools of developers": (
        "tkinter", "_tkinter", "turtle", "curses", "_curses", "_curses_panel", "readline", "pdb", "bdb", "doctest",
        "unittest", "test", "lib2to3", "idlelib", "ensurepip", "venv", "setuptools", "pkg_resources", "distutils",
        "pip", "wheel", "PyInstaller", "pytest", "IPython", "PySide6.QtTest", "PySide6.scripts",
        "PySide6.support.deprecated", "_testcapi",
    ),
    "compression that no reader of the program offers": ("bz2", "_bz2", "lzma", "_lzma"),
    "databases": ("sqlite3", "_sqlite3", "dbm", "_dbm", "_gdbm", "shelve"),
    "optional helpers of numpy and pyqtgraph that the plots never use": (
        "numpy.f2py", "numpy.testing", "numpy.distutils", "numpy._pyinstaller", "numpy.ctypeslib",
        "pyqtgraph.examples", "pyqtgraph.opengl", "pyqtgraph.console", "pyqtgraph.flowchart", "pyqtgraph.jupyter",
        "pyqtgraph.canvas", "pyqtgraph.dockarea", "PIL", "scipy", "matplotlib", "h5py", "cupy", "numba", "OpenGL",
        "colorcet", "jupyter_rfb", "fontTools",
    ),
    "parts of Qt that a widget program never uses": (
        "PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtSql", "PySide6.QtDesigner", "PySide6.QtHelp",
    ),
}

# Files dropped from what PyInstaller collects: (pattern, reason). The first match counts.
DROPPED_FILES: tuple[tuple[str, str], ...] = (
    (r"libQt6Network|/plugins/(tls|networkinformation)/|QtNetwork", "no network code"),
    (r"^lib(ssl|crypto)[.-]", "no network code"),
    (r"libqgtk3", "brings GTK and 30 more libraries; the window has its own theme"),
    (r"/plugins/(egldeviceintegrations|generic|xcbglintegrations|wayland-graphics-integration-\w+)/",
     "drawing on bare devices or through OpenGL; widgets are painted in software"),
    (r"/plugins/platforms/libq(eglfs|linuxfb|minimal|minimalegl|vkkhrdisplay|vnc)\b", "screens that are no desktop"),
    (r"/plugins/wayland-shell-integration/lib(fullscreen|ivi|qt|wl)-", "shells of cars and of old compositors"),
    (r"/plugins/platforminputcontexts/libqtvirtualkeyboard", "brings Qt Quick"),
    (r"/plugins/imageformats/libq(?!ico|svg)", "the window shows SVG and PNG (which needs no plugin) only"),
    (r"/plugins/(sqldrivers|qmltooling|qmllint|designer|vectorimageformats)/", "unused parts of Qt"),
    (r"libQt6(EglF|Eglf|Quick|Qml|Pdf|VirtualKeyboard|Sql|Designer|Test|Labs|Shader|Xml|Help|WlShell)",
     "unused parts of Qt"),
    (r"/Qt(Quick|Qml|Pdf|VirtualKeyboard|Sql|Designer|Test|Labs|Shader|Xml|Help)\w*\.framework/|/plugins/permissions/",
     "unused parts of Qt"),
    (r"/translations/(?!qtbase_zh_CN\.qm$)", "texts of Qt in languages that the program does not speak"),
    (r"^PySide6/(Qt/(qml|resources|metatypes|libexec)|include|typesystems|doc|glue)/", "files of developers"),
    (r"^(PySide6|shiboken6|numpy|msgspec)/.*\.(pyi?|typed|h|lib|pxd|pyx|c)$", "files of developers"),
    (r"^pyqtgraph/(examples/|icons/peegee/|.*\.(pyi?|ui|ico)$)", "pictures and sources that are never read"),
    (r"^pyqtgraph/colors/maps/(CET|PAL|CC-BY)", "colour maps with terms of their own that no plot uses"),
    (r"lib-dynload/(xxsubtype|_uuid)\b|/_multiarray_tests\.", "examples and tests"),
    (r"\.dist-info/|\.egg-info/", "metadata of packages; the notices have the licences"),
    (r"^setuptools/|^pkg_resources/", "tools of developers"),
)

# Libraries that every desktop has and that belong to the system, because they talk to its graphics driver,
# fonts, message bus or C library. They are declared as dependencies of the .deb. Library -> dependency.
# "Newer" names follow after "|".
SYSTEM_LIBRARIES: dict[str, str] = {
    "ld-linux-x86-64.so.2": "libc6",
    "ld-linux-aarch64.so.1": "libc6",
    "libc.so.6": "libc6",
    "libdl.so.2": "libc6",
    "libm.so.6": "libc6",
    "libpthread.so.0": "libc6",
    "librt.so.1": "libc6",
    "libutil.so.1": "libc6",
    "libgcc_s.so.1": "libgcc-s1",
    "libstdc++.so.6": "libstdc++6",
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libcups.so.2": "libcups2 | libcups2t64",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0 | libglib2.0-0t64",
    "libgthread-2.0.so.0": "libglib2.0-0 | libglib2.0-0t64",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}

# Of these, what the program starts and works without: only Qt's plugin for printers is linked to it, and without
# that plugin the dialog still prints into a PDF.
RECOMMENDED_LIBRARIES = frozenset({"libcups.so.2"})

# Libraries of the system that are bundled all the same: small, stable, and missing on many desktops.
BUNDLED_LIBRARIES = re.compile(r"^lib(xcb-[a-z-]+|ffi|bz2|lzma|uuid|expat|mpdec|b2)(-[0-9a-f.]+)?\.so\.")

# Modules that PyInstaller adds although nothing imports them.
DROPPED_MODULES: tuple[tuple[str, str], ...] = (
    (r"^_sysconfigdata", "names folders of the machine that built Python"),
    (r"^_aix_support$", "another system"),
)


def excluded_modules() -> list[str]:
    return sorted({name for names in EXCLUDED_MODULES.values() for name in names})


def reason_to_drop(name: str) -> str | None:
    """Why the file of this name stays out of the bundle, or None when it belongs there."""
    for pattern, reason in DROPPED_FILES:
        if re.search(pattern, name):
            return reason
    base = name.rsplit("/", 1)[-1]
    if ".so" in base and "/" not in name and not base.startswith("libpython"):
        if base in SYSTEM_LIBRARIES:
            return "belongs to the system"
        if not BUNDLED_LIBRARIES.match(base):
            return "needed only by what was dropped"
    return None


def reason_to_drop_module(name: str) -> str | None:
    """The same for a Python module."""
    return next((reason for pattern, reason in DROPPED_MODULES if re.search(pattern, name)), None)
