"""A screen without a monitor, what appears on it and when, and what it looks like."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from buildlib.errors import BuildError
from buildlib.run import output, run, tool

SIZE = "1280x800x24"
_SUBSTRUCTURE_NOTIFY = 1 << 19
_MAP_NOTIFY = 19


class Screen:
    """An X server of our own, as a context manager; `name` is its DISPLAY."""

    def __init__(self) -> None:
        self.name = ""
        self._server: subprocess.Popen[str] | None = None

    def __enter__(self) -> Screen:
        reader, writer = os.pipe()
        # The server picks a free number and writes it into the pipe when it is ready. -ac lets other users in.
        command = [tool("Xvfb"), "-displayfd", str(writer), "-screen", "0", SIZE, "-nolisten", "tcp", "-ac",
                   "-noreset"]  # a screen that starts anew after each last window cannot be reached meanwhile
        self._server = subprocess.Popen(command, pass_fds=(writer,), stderr=subprocess.DEVNULL, text=True)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise BuildError("Xvfb did not start")
        self.name = f":{number}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.terminate()
            self._server.wait()

    def _environment(self) -> dict[str, str]:
        return dict(os.environ, DISPLAY=self.name)

    def _xdotool(self, *words: str) -> str:
        done = subprocess.run([tool("xdotool"), *words], env=self._environment(), capture_output=True, text=True)
        return done.stdout.strip()

    def _visible(self) -> list[str]:
        return self._xdotool("search", "--onlyvisible", "--name", ".").split()

    def windows(self) -> list[str]:
        """The titles of the visible windows."""
        titles = (self._xdotool("getwindowname", window) for window in self._visible())
        return [title for title in titles if title]

    def end_programs(self) -> None:
        """Ask the programs whose windows are on this screen to end, and wait until the windows are gone."""
        for window in self._visible():
            process = self._xdotool("getwindowpid", window)
            if process:
                with suppress(ProcessLookupError):
                    os.kill(int(process), signal.SIGTERM)
        end = time.monotonic() + 10
        while self._visible() and time.monotonic() < end:
            time.sleep(0.1)

    def wait_for(self, words: str, seconds: float = 20) -> str:
        """The title of the first window with these words in it; `BuildError` when none comes."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for title in self.windows():
                if words in title:
                    return title
            time.sleep(0.25)
        raise BuildError(f"no window with {words!r} in its title came up; there are {self.windows()}")

    def picture(self, target: Path) -> int:
        """Save what is on the screen as PNG; how many colours it has (a blank screen has one)."""
        target.parent.mkdir(parents=True, exist_ok=True)
        run([tool("import"), "-window", "root", target], env=self._environment())
        return int(output(["identify", "-format", "%k", target]))

    def seconds_to_window(self, command: list[str]) -> float:
        """From starting the program to its window being on the screen, by the X server's own message."""
        library = ctypes.CDLL("libX11.so.6")
        library.XOpenDisplay.restype = ctypes.c_void_p
        library.XDefaultRootWindow.restype = ctypes.c_ulong
        library.XDefaultRootWindow.argtypes = [ctypes.c_void_p]
        library.XSelectInput.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_long]
        library.XNextEvent.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        library.XPending.argtypes = [ctypes.c_void_p]
        library.XCloseDisplay.argtypes = [ctypes.c_void_p]
        display = library.XOpenDisplay(self.name.encode())
        if not display:
            raise BuildError(f"the screen {self.name} cannot be reached")
        library.XSelectInput(display, library.XDefaultRootWindow(display), _SUBSTRUCTURE_NOTIFY)
        library.XPending(display)  # sends the request
        event = (ctypes.c_long * 24)()
        started = time.perf_counter()
        program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while time.perf_counter() - started < 30:
                if not library.XPending(display):
                    time.sleep(0.002)
                    continue
                library.XNextEvent(display, event)
                if event[0] & 0xFFFFFFFF == _MAP_NOTIFY:
                    return time.perf_counter() - started
            raise BuildError("the window did not come up within 30 s")
        finally:
            stop(program)
            library.XCloseDisplay(display)


def stop(program: subprocess.Popen[bytes]) -> None:
    """End a program that we started, as a log-out does."""
    program.terminate()
    try:
        program.wait(timeout=10)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()
