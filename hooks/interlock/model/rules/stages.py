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
        'STG003', CHECK, ERROR,
        'a task made a step that the workflow does not allow',
        'The log of a task is judged whoever wrote it: the command, an '
        'editor or a script. A step that the workflow does not have skips '
        'work; a step back without a reason hides why it was done; states '
        'are skipped only where the recorded risk allows it.',
        'Go back to the last legal state, and on from there with '
        '`interlock transition`.',
    ),
    Rule(
        'STG004', CHECK, ERROR,
        'the log of a task is broken',
        'Gates rest on the log: it is complete, in order, each entry goes '
        'on where the one before ended, and the last one is the state. A '
        'state that was written without the log passed no gate.',
        'Change the state with `interlock transition` only; what is missing '
        'has to be looked up and added by hand.',
    ),
    Rule(
        'STG005', CHECK, ERROR,
        'an item enters a stage whose gate is closed',
        'Some stages may be entered only when their inputs exist. Work that '
        'starts without them is done twice. Others are done only when they '
        'were tried: a record that says so (the stage without a phase, or '
        'what comes behind it) needs evidence in the handoff, `passed` and '
        'a day for each kind that the gate asks for. A handoff that never '
        'had the field for it is from before this rule and is only warned '
        'of; to take the field away is an error, and so is a step of the '
        'registry for which there is no handoff at all.',
        'Make what is missing first; the message says what makes it. Try '
        'the work, then record the result with `interlock evidence add`.',
    ),
)
