"""Anything that was copied elsewhere: arguments of a script, lines of a log, a sentence about a run.

``read_pasted`` says what it may mean, ``apply`` makes a scenario of what the user agreed to.
"""

from __future__ import annotations

from msgspec.structs import replace

from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.pasted.arguments import read_arguments
from mfu_gui.formats.pasted.free_text import read_sentence
from mfu_gui.formats.pasted.log_line import read_log_lines
from mfu_gui.formats.pasted.names import Names
from mfu_gui.formats.pasted.proposal import Option, Pasted, Proposal

__all__ = ["LONGEST_PASTE", "Names", "Option", "Pasted", "Proposal", "group_of", "read_pasted"]

LONGEST_PASTE = 4 * 2**20
"""Characters; whoever has more has a file."""


def read_pasted(text: str, names: Names, scenario: Scenario) -> Pasted | None:
    """What a text may mean for ``scenario``; None when nothing of it is understood."""
    if not text.strip() or len(text) > LONGEST_PASTE:
        return None
    log = read_log_lines(text, scenario)
    arguments = read_arguments(text, scenario)
    if log is not None and arguments is not None:
        taken = {option.key for proposal in log.proposals for option in proposal.options}
        more = [p for p in arguments.proposals if not any(option.key in taken for option in p.options)]
        log = Pasted("log", (*more, *log.proposals), (), log.detail)
    found = log or arguments or read_sentence(text, names)
    return None if found is None else replace(found, proposals=_apart(found.proposals))


def group_of(key: str) -> str:
    """Options of one group exclude each other: a run has one model, one device, one measured quantity."""
    if key.startswith("run.measured."):
        return "run.measured"
    return "model" if key.startswith("model.") else key


def _apart(proposals: tuple[Proposal, ...]) -> tuple[Proposal, ...]:
    """What is said twice is said once; of what is said in two ways, the user has to take one."""
    values: dict[str, set[str]] = {}
    for proposal in proposals:
        if proposal.options:
            values.setdefault(group_of(proposal.options[0].key), set()).add(repr(proposal.options))
    kept: list[Proposal] = []
    for proposal in proposals:
        if not proposal.options:
            kept.append(proposal)
        elif len(values[group_of(proposal.options[0].key)]) > 1:
            kept.append(replace(proposal, doubt=proposal.doubt or "paste_twice"))
        elif not any(other.options == proposal.options for other in kept):
            kept.append(proposal)
    return tuple(kept)
