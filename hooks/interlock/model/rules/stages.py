from __future__ import annotations

from interlock.model.finding import ERROR
from interlock.model.rules.rule import Rule

CHECK = 'stages'

RULES = (
    Rule(
        'STG001', CHECK, ERROR,
        'the registry makes a step that the workflow does not allow',
        'Stages are done in order because each rests on the one before: a '
        'skipped stage is work that nobody did, a step back hides that it '
        'has to be done again. The canonical record (the entry, else the '
        'row) is compared before and after the change. Some steps are legal '
        'with a warning; a reset is one if the message gives a reason.',
        'Set the status that follows from the one before.',
    ),
    Rule(
        'STG002', CHECK, ERROR,
        'the handoff makes a step that the workflow does not allow',
        'The same as STG001, for the stage and phase in the handoff. An old '
        'version of a handoff that slips into a commit shows up here.',
        'Restore the handoff, or write the stage that was really done.',
    ),
    Rule(
        'STG005', CHECK, ERROR,
        'an item enters a stage whose gate is closed',
        'Some stages may be entered only when their inputs exist. Work that '
        'starts without them is done twice.',
        'Make what is missing first; the message says what makes it.',
    ),
)
