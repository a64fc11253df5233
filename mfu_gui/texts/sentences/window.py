"""What the window says about typed numbers and about its own state."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

SENTENCES: dict[str, str | tuple[str, ...]] = {
    "number_empty": N_("Enter a number."),
    "number_unreadable": N_("“{text}” is not a number."),
    "number_groups": N_("The digits of “{text}” are not in groups of three."),
    "number_ambiguous": N_("“{text}” could mean {first} or {second}; please write one of them."),
    "number_not_whole": N_("A whole number is needed here, not “{text}”."),
    "number_unit": (
        N_("“{unit}” does not fit here; expected {expected}."),
        N_("“{unit}” does not fit here."),
    ),
    "number_width": N_("After ± a width is needed that is smaller than the number, not “{text}”."),
    "days_need_tokens": N_("The tokens that these days were for are needed: enter them above."),
    "number_too_large": N_("“{text}” is too large."),
    "list_unreadable": N_("“{text}” is not a whole number above 0; write lengths such as 1024 2048 or 4×1024."),
    "paste_vocabulary": N_("The arguments leave the vocabulary to a tokenizer; that of the present model is taken."),
    "paste_model_unsaid": N_("This says too little of the model (latent attention, shared experts and mixed layers need more). "
                             "Load its config.json instead."),
    "paste_not_whole_cards": N_("So many dies are no whole number of cards of this hardware."),
    "paste_time_of_what": N_("Nothing says that this is the time of a step."),
    "paste_fsdp": N_("FSDP is stage 3 where it shards the weights too, as it does by default."),
    "paste_one_node": N_("This may be the number in one node."),
    "paste_tokens_of_batch": N_("A batch in tokens needs a sequence length that divides it."),
    "paste_replicas": N_("The number of devices says this already."),
    "paste_twice": N_("The text says this in several ways; take one."),
    "session_recovered": N_("The program ended unexpectedly; these are your changes as they were last."),
    "changed_on_disk": N_("Another program has changed {file} since it was read."),
    "session_unread": N_("Not everything that was open could be opened again. It is kept in {kept}."),
    "session_not_kept": N_("Nothing can be written to {folder}: after a crash, changes that are in no file would be lost."),
}
