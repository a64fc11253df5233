"""The installed program on a desktop: opened through its file type, without a network, looked at, timed."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from buildlib import traffic
from buildlib.bare_root import USER, BareRoot
from buildlib.errors import BuildError
from buildlib.run import step
from buildlib.screen import Screen, stop

MIME = "application/x-mfu-scenario+json"
HOME = f"/home/{USER}"
# A blank screen has one colour, a frame without text a few dozen.
FEWEST_COLOURS = 200
RUNS = 5


class DesktopProof:
    """What a user sees and the program may not do."""

    def __init__(
        self, root: BareRoot, screen: Screen, out: Path, example: Path, note: Callable[[str, str], None]
    ) -> None:
        self.root = root
        self.screen = screen
        self.out = out
        self.note = note
        self.example = f"{HOME}/Scenario with a space.mfu"
        root.share_display()
        shutil.copyfile(example, root.folder / self.example.lstrip("/"))
        root.run("chown", f"{USER}:{USER}", self.example)

    def prove(self) -> None:
        """All of it, for the package."""
        self.association()
        self.open_by_double_click()
        self.look("zh_CN.UTF-8", "window-zh.png")
        self.start_up("mfu-gui")

    def prove_portable(self) -> None:
        """The window in Chinese where only the program itself brings a Chinese font."""
        fonts = self.root.output("fc-list", ":lang=zh-cn", user=USER)
        if fonts.strip():
            raise BuildError(f"this system has Chinese fonts: {fonts}")
        program = f"{HOME}/.local/bin/mfu-gui"
        print(self.root.output(program, "--self-test", user=USER).strip())
        self.look("zh_CN.UTF-8", "window-portable-zh.png", program)
        self.start_up(program)

    def association(self) -> None:
        step("Asking the desktop about the file type")
        default = self.root.output("xdg-mime", "query", "default", MIME, user=USER).strip()
        by_name = self.root.output("xdg-mime", "query", "filetype", self.example, user=USER).strip()
        if not default.endswith(".MfuCalculator.desktop") or by_name != MIME:
            raise BuildError(f"the file type is not known: {default!r}, {by_name!r}")
        # The same content under another name: known by what it says.
        other = f"{HOME}/attachment"
        self.root.output("cp", self.example, other, user=USER)
        by_content = self.root.output("xdg-mime", "query", "filetype", other, user=USER).strip()
        self.root.output("rm", other, user=USER)
        if by_content != MIME:
            raise BuildError(f"the file type is not known by its content: {by_content!r}")
        print(f"   {MIME}, by name and by content, opens with {default}")

    def open_by_double_click(self) -> None:
        """xdg-open, as file managers do it, in a network name space without a network, watched by strace."""
        step("Opening a scenario through its file type, without a network")
        record = self.out / "network-calls.txt"
        words = self.root.command("xdg-open", self.example, user=USER, env={"DISPLAY": self.screen.name})
        command = traffic.command(record, ["unshare", "--net", *words])
        program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self._picture("DeepSeek-V3", "window-en.png")
        finally:
            self._end(program)
        text = record.read_text(encoding="utf-8", errors="replace")
        foreign = traffic.foreign(text)
        if foreign or traffic.families(text) - {"AF_UNIX"}:
            raise BuildError("the program asked for more than sockets of this machine:\n  " + "\n  ".join(foreign[:10]))
        if not traffic.places(text):
            raise BuildError("strace saw nothing, not even the connection to the screen")
        self.note("sockets", f"{', '.join(sorted(traffic.families(text)))} to {', '.join(traffic.places(text))}")

    def look(self, language: str, picture: str, program: str = "mfu-gui") -> None:
        """The window in another language."""
        step(f"Opening the window with LANG={language}")
        variables = {"DISPLAY": self.screen.name, "LANG": language}
        # A bare system has no Chinese locale; Qt says so and goes on.
        command = self.root.command(program, self.example, user=USER, env=variables)
        window = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            self._picture("DeepSeek-V3", picture)
        finally:
            self._end(window)

    def _picture(self, title: str, name: str) -> None:
        self.screen.wait_for(title)
        time.sleep(3)  # the plot and the tabs come after the first paint
        colours = self.screen.picture(self.out / name)
        windows = self.screen.windows()
        if len(windows) != 1:
            raise BuildError(f"one window was expected, but there are {windows}; see {self.out / name}")
        if colours < FEWEST_COLOURS:
            raise BuildError(f"{name} has only {colours} colours: nothing is drawn")
        self._check_log()
        print(f"   {self.out / name}: “{windows[0]}”, {colours} colours")

    def _check_log(self) -> None:
        for log in (self.root.folder / HOME.lstrip("/") / ".local").rglob("*.log"):
            text = log.read_text(encoding="utf-8", errors="replace")
            if " ERROR " in text or " CRITICAL " in text or "Traceback" in text:
                raise BuildError(f"the program noted an error of its own:\n{text[-1500:]}")

    def _end(self, program: subprocess.Popen[bytes]) -> None:
        """End the window; it may be a grandchild of what was started."""
        self.screen.end_programs()
        stop(program)

    def start_up(self, program: str) -> None:
        """How long it takes until something is there: first run and the median of the next ones."""
        step("Measuring the start")
        window = self.root.command(program, self.example, user=USER, env={"DISPLAY": self.screen.name})
        compute = self.root.command(program, "compute", self.example, user=USER)
        drop_page_cache()
        first = self.screen.seconds_to_window(window)
        later = sorted(self.screen.seconds_to_window(window) for _ in range(RUNS))[RUNS // 2]
        self.note("start to window, cold / warm", f"{first:.2f} s / {later:.2f} s")
        drop_page_cache()
        first = seconds(compute)
        later = sorted(seconds(compute) for _ in range(RUNS))[RUNS // 2]
        self.note("compute, cold / warm", f"{first:.2f} s / {later:.3f} s")


def seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def drop_page_cache() -> None:
    """Forget what is cached of the disk, as after switching the machine on; not every container allows it."""
    subprocess.run(["sync"], check=True)
    try:
        Path("/proc/sys/vm/drop_caches").write_text("1\n", encoding="ascii")
    except OSError:
        print("   (the disk cache cannot be dropped here: “cold” is not cold)")
