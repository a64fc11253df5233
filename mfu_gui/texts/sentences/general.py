"""Values and keys, wherever they come from."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

# What `expected` and `found` may name: the kinds of JSON values, by the words of msgspec.
KINDS: dict[str, str] = {
    "int": N_("a whole number"),
    "float": N_("a number"),
    "str": N_("text"),
    "bool": N_("true or false"),
    "array": N_("a list"),
    "object": N_("an object"),
    "null": N_("null"),
}

SENTENCES: dict[str, str | tuple[str, ...]] = {
    "required": N_("A value is needed here."),
    "missing": (
        N_("The key “{key}” is missing."),
        N_("Something that is needed here is missing."),
    ),
    "unknown_key": (
        N_("“{key}” is not a known key here; did you mean “{nearest}”?"),
        N_("“{key}” is not a known key here. Known are: {allowed}."),
        N_("“{key}” is not a known key here."),
    ),
    "unknown_choice": (
        N_("“{value}” is not one of the choices; did you mean “{nearest}”? The choices are: {allowed}."),
        N_("“{value}” is not one of the choices: {allowed}."),
        N_("“{value}” is not one of the choices."),
    ),
    "wrong_type": (
        N_("Expected {expected}, but found {found}: {value}"),
        N_("Expected {expected}, but found {found}."),
        N_("Expected {expected}."),
    ),
    "not_finite": (
        N_("Expected a finite number, but found {value} (line {line}, column {column})."),
        N_("Expected a finite number, but found {value}."),
        N_("Expected a finite number."),
    ),
    "out_of_range": (
        N_("{value} is outside of what is possible here: {minimum:,.12g} to {maximum:,.12g}."),
        N_("{value} is too small: the least that is possible here is {minimum:,.12g}."),
        N_("{value} is too large: the most that is possible here is {maximum:,.12g}."),
        N_("{value} is not possible here."),
    ),
    "wrong_length": (
        N_("Expected a list of {expected_length}, but found one of {found_length}."),
        N_("The least length that is possible here is {minimum}; this has {found_length}."),
        N_("The greatest length that is possible here is {maximum}; this has {found_length}."),
        N_("This has not the length that is needed here."),
    ),
    "wrong_form": N_("“{value}” does not have the form that is needed here: {pattern}"),
    "duplicate_name": N_("The name “{name}” is used twice; each may occur once."),
    "not_positive": N_("Expected a number above zero, but found {value}."),
    "not_divisible": N_("{value} cannot be divided evenly by {divisor}."),
    "exactly_one": (
        N_("Exactly one of these is needed: {allowed}. Found: {found_keys}."),
        N_("Exactly one of these is needed: {allowed}."),
    ),
    "contradiction": N_("“{key}” and “{other}” cannot be given together."),
}
