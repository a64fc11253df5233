"""Whose work comes with the program, and under which licences."""

from __future__ import annotations

from mfu_gui.resources import resource_path

# The packages that the program runs on; an installer carries more, and its own list of them.
PACKAGES = (
    "PySide6-Essentials", "shiboken6", "pyqtgraph", "numpy", "msgspec", "platformdirs", "XlsxWriter", "colorama",
)

RULE = "=" * 80


def third_party_notices() -> str:
    """The complete text, in English as licences are.

    An installer has it as a file, made from what it carries.  Where pip installed the program, the text is
    put together from what pip recorded of the packages beside it.
    """
    shipped = resource_path("THIRD_PARTY_NOTICES.txt")
    if shipped.is_file():
        return shipped.read_text(encoding="utf-8")
    return _of_installed_packages()


def _of_installed_packages() -> str:
    from importlib.metadata import Distribution, PackageNotFoundError, distribution

    head = (
        "THIRD-PARTY NOTICES\n\nMFU Calculator is published under the MIT licence. "
        "It runs on the following packages, which were installed beside it."
    )
    sections = [head]

    def licence(found: Distribution) -> str:
        metadata = found.metadata
        stated = metadata.get_all("License-Expression") or metadata.get_all("License")
        return stated[0].splitlines()[0] if stated else "see below"

    for name in PACKAGES:
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue
        head = f"{RULE}\n{found.metadata['Name']} {found.version}\nLicence: {licence(found)}"
        texts = [file.read_text() for file in found.files or () if _is_licence(file.parts)]
        sections.append("\n\n".join([head, *(text.strip("\n") for text in texts)]))
    return "\n\n".join(sections) + "\n"


def _is_licence(parts: tuple[str, ...]) -> bool:
    return parts[0].endswith(".dist-info") and parts[-1].upper().startswith(("LICEN", "COPYING", "NOTICE"))
