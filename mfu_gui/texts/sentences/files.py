"""Files that are read or written."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

SENTENCES: dict[str, str | tuple[str, ...]] = {
    "not_found": N_("There is no such file."),
    "is_folder": N_("This is a folder; a file is needed."),
    "folder_without_config": N_("This folder has no config.json directly in it; give a file, or the folder of a model."),
    "folder_missing": N_("The folder does not exist."),
    "special_file": N_("This is not an ordinary file."),
    "no_permission": N_("You are not permitted to read this file."),
    "not_readable": (
        N_("The file cannot be read: {reason}"),
        N_("The file cannot be read."),
    ),
    "not_writable": (
        N_("The file cannot be written: {reason}"),
        N_("The file cannot be written."),
    ),
    "file_in_use": (
        N_("The file is open in another program (see {lock} beside it). Close it there, or choose another name."),
        N_("The file is open in another program. Close it there, or choose another name."),
    ),
    "report_kind": (
        N_("“{ending}” is no kind of report; the name of the file must end in one of {allowed}."),
        N_("The name of the file must end in one of {allowed}; it says which kind of report is written."),
    ),
    "no_font_for_chinese": N_("No font on this computer has Chinese characters, so the window stays in English. Install one, such as Noto Sans CJK (on Debian and Ubuntu the package fonts-noto-cjk), and start the program again."),
    "no_chinese_font": N_("The report has Chinese text, but no font on this computer has Chinese characters. Install one, such as Noto Sans CJK, or choose another kind of file."),
    "not_printed": N_("The printer does not accept the report. Check that it is connected and ready."),
    "bad_epoch": N_("“{value}” is not a time in seconds since 1970."),
    "too_large": (
        N_("The file has {size:bytes}; at most {limit:bytes} are read."),
        N_("The file is too large."),
    ),
    "no_text_file": N_("This is no text file. What can be opened are scenarios (.mfu), workspaces (.mfuw), a model's config.json, presets and training logs."),
    "not_utf8": (
        N_("The file is {encoding} text; UTF-8 is needed."),
        N_("The file is not UTF-8 text: it goes wrong in line {line}, column {column}."),
        N_("The file is not UTF-8 text: byte {offset} cannot be read."),
        N_("The file is not UTF-8 text."),
    ),
    "bad_json": (
        N_("This is not JSON: “{found}” is not possible in line {line}, column {column}."),
        N_("This is not JSON: {reason} in line {line}, column {column}."),
        N_("This is not JSON: it goes wrong in line {line}, column {column}."),
        N_("This is not JSON."),
    ),
    "trailing_comma": (
        N_("This is not JSON: nothing follows the comma in line {line}, column {column}."),
        N_("This is not JSON: nothing follows a comma."),
    ),
    "json_number_too_large": (
        N_("{value} is too large a number (line {line}, column {column})."),
        N_("{value} is too large a number."),
    ),
    "truncated_json": (
        N_("The JSON ends too early, in line {line}, column {column}."),
        N_("The JSON ends too early."),
    ),
    "empty_file": N_("The file is empty."),
    "too_deep": (
        N_("The JSON is nested more than {limit} levels deep."),
        N_("The JSON is nested too deeply."),
    ),
    "duplicate_key": (
        N_("The key “{key}” appears twice in the same object (line {line}, column {column})."),
        N_("The key “{key}” appears twice in the same object."),
    ),
    "wrong_kind": (
        N_("This file is a “{found_kind}”; a “{wanted_kind}” is needed."),
        N_("This file says nothing about its kind; a “{wanted_kind}” is needed."),
        N_("This is not a file of the kind that is needed."),
    ),
    "newer_schema": (
        N_("The file was written by a newer version of this program: its schema is {schema}, and this version reads up to {supported}."),
        N_("The file was written by a newer version of this program."),
    ),
}
