"""The Chinese font of the portable edition: Noto Sans CJK, cut down to the characters that can be needed.

The .deb asks the system for the font instead. A portable edition must run where nobody can install one, and
without it Qt draws hollow boxes.
"""

from __future__ import annotations

import os
from pathlib import Path

from buildlib.errors import BuildError
from buildlib.run import output, step

FACES = ("Regular", "Bold")
FOLDERS = (
    Path("/usr/share/fonts/opentype/noto"),
    Path("/usr/share/fonts/noto-cjk"),
    Path("/usr/share/fonts/google-noto-cjk"),
)
# Latin with accents, Greek, punctuation, arrows, mathematics, CJK punctuation, full-width forms.
RANGES = ((0x20, 0x17F), (0x391, 0x3C9), (0x2010, 0x2044), (0x2070, 0x209C), (0x20A0, 0x20BF), (0x2100, 0x214F),
          (0x2190, 0x21FF), (0x2200, 0x22FF), (0x2460, 0x2473), (0x25A0, 0x25FF), (0x2605, 0x2606), (0x2713, 0x2717),
          (0x3000, 0x303F), (0xFF01, 0xFF5E))  # fmt: skip

NOTICE = """\
Noto Sans CJK SC {version} (fonts/NotoSansCJKsc-Regular.otf and -Bold.otf)
Licence: OFL-1.1, text at the end
Copyright 2014-2021 Adobe (http://www.adobe.com/). Noto is a trademark of Google LLC.

The two files are cut down to the characters of the program's texts and of GB 2312; the shapes are unchanged.
"""

# Runs in the build environment, which has fontTools.
_SUBSET = """
import sys
from pathlib import Path
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTCollection

source, target, characters = sys.argv[1:]
fonts = TTCollection(source, lazy=True).fonts
font = next(each for each in fonts if each["name"].getDebugName(1) == "Noto Sans CJK SC")
features = ["kern", "ccmp", "locl", "tnum", "pnum", "pwid"]
options = Options(recalc_timestamp=False, notdef_outline=True, layout_features=features)
subsetter = Subsetter(options)
subsetter.populate(text=Path(characters).read_text(encoding="utf-8"))
subsetter.subset(font)
font.flavor = None
font.recalcTimestamp = False
font.save(target)
print(font["name"].getDebugName(5).split(";")[0].removeprefix("Version "))
"""


def characters(source: Path) -> str:
    """What the font must contain, sorted: the program's texts and names, GB 2312, and `RANGES`."""
    wanted = {chr(code) for first, last in RANGES for code in range(first, last + 1)}
    # What a person may type as the name of a scenario: the 6,763 characters of the common standard.
    for high in range(0xB0, 0xF8):
        for low in range(0xA1, 0xFF):
            try:
                wanted.add(bytes((high, low)).decode("gb2312"))
            except UnicodeDecodeError:
                continue
    for pattern in ("i18n/*.po", "help/*", "presets/**/*.json", "published/**/*.json"):
        for path in sorted((source / "resources").glob(pattern)):
            wanted.update(path.read_text(encoding="utf-8"))
    return "".join(sorted(each for each in wanted if each.isprintable()))


def find(face: str) -> Path:
    """The collection of one weight: in MFU_BUILD_CJK_FONTS or where distributions put it."""
    given = os.environ.get("MFU_BUILD_CJK_FONTS")
    for folder in [Path(given)] if given else FOLDERS:
        path = folder / f"NotoSansCJK-{face}.ttc"
        if path.is_file():
            return path
    raise BuildError(
        f"NotoSansCJK-{face}.ttc was not found. On Debian and Ubuntu: apt-get install fonts-noto-cjk; "
        "or name its folder in MFU_BUILD_CJK_FONTS."
    )


def subset(python: Path, source: Path, work: Path, target: Path) -> str:
    """Write the two faces into the folder `target`; the paragraph for the notices."""
    step("Cutting the Chinese font down")
    target.mkdir(parents=True, exist_ok=True)
    wanted = work / "characters.txt"
    wanted.write_text(characters(source), encoding="utf-8")
    version = ""
    for face in FACES:
        version = output([python, "-c", _SUBSET, find(face), target / f"NotoSansCJKsc-{face}.otf", wanted]).strip()
    return NOTICE.format(version=version)
