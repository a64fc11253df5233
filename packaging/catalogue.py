"""Makes the shipped presets and their index from the source tables in resources/catalogue, and the JSON
Schemas of resources/schemas from the types.

    python packaging/catalogue.py           write what has changed, remove what is no longer made
    python packaging/catalogue.py --check   change nothing; exit 1 and name what is not current

Run it with the project's own Python (.venv) after a change of a table or of a type that files have. Hand
edits of what it makes are lost.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
for folder in (str(HERE), str(HERE.parent)):
    if folder not in sys.path:
        sys.path.insert(0, folder)

import schemas  # noqa: E402

from mfu_gui.formats.preset_file import FOLDERS, Preset, encode_preset  # noqa: E402
from mfu_gui.formats.preset_index import FILE_NAME, encode_index  # noqa: E402
from mfu_gui.resources import resource_path  # noqa: E402

# Each has `presets()`, in the order of lists.
MAKERS = ("catalogue_models", "catalogue_hardware")


def expected() -> dict[Path, bytes]:
    """Every generated file with what must be in it."""
    root = resource_path("presets")
    files: dict[Path, bytes] = {}
    presets: list[Preset] = []
    for name in MAKERS:
        if find_spec(name) is None:
            continue
        for preset in import_module(name).presets():
            path = root / FOLDERS[preset.kind] / f"{preset.id}.json"
            if path in files:
                raise SystemExit(f"two presets have the id {preset.id}")
            files[path] = encode_preset(preset)
            presets.append(preset)
    files[root / FILE_NAME] = encode_index(presets)
    for name, data in schemas.files().items():
        files[resource_path("schemas", name)] = data
    return files


def differences(files: dict[Path, bytes]) -> tuple[list[Path], list[Path]]:
    """What has to be written, and what has to go."""
    present = {path for folder in ("presets", "schemas") for path in resource_path(folder).rglob("*.json")}
    changed = [path for path, data in files.items() if path not in present or path.read_bytes() != data]
    return changed, sorted(present - files.keys())


def main(arguments: list[str]) -> int:
    files = expected()
    changed, stale = differences(files)
    if "--check" in arguments:
        for path in changed:
            print(f"not current: {path}")
        for path in stale:
            print(f"not made by any table: {path}")
        return 1 if changed or stale else 0
    for path in changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(files[path])
    for path in stale:
        path.unlink()
    print(f"{len(files)} files; {len(changed)} written, {len(stale)} removed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
