from __future__ import annotations

from interlock.model.finding import ERROR
from interlock.model.finding import INFO
from interlock.model.finding import WARNING
from interlock.model.rules.rule import Rule

CHECK = 'handoff'

RULES = (
    Rule(
        'HND001', CHECK, ERROR,
        'a handoff has no frontmatter',
        'The state of the item stands in the frontmatter: a block between '
        'two lines `---` of which the first is the first line of the file. '
        'Horizontal rules further down are none.',
        'Add the frontmatter, or restore the file from git.',
    ),
    Rule(
        'HND002', CHECK, ERROR,
        'the frontmatter of a handoff cannot be read',
        'It is not closed, is no mapping, is not valid YAML, names a key '
        'twice, or stands behind a byte order mark. A reader that goes on '
        'all the same sees no state at all.',
        'Correct the line that the message names.',
    ),
    Rule(
        'HND003', CHECK, ERROR,
        'a required field of a handoff is missing or wrong',
        'Item, stage and date are required, the status from the first '
        'stage on that builds on another; the stage is one of the workflow '
        'and the phase belongs to it. A stage written with its phase is '
        'reported, and read as both.',
        'Write the field as the message says.',
    ),
    Rule(
        'HND004', CHECK, ERROR,
        'a handoff names another item than its directory',
        'The file was copied from another item; everything else in it may '
        'be that item\'s too.',
        'Write the name of the directory.',
    ),
    Rule(
        'HND005', CHECK, ERROR,
        'a finished item still has a handoff',
        'A handoff says that work goes on here. One that stays behind sends '
        'the next agent back into work that is done.',
        'Delete the handoff.',
    ),
    Rule(
        'HND006', CHECK, WARNING,
        'an expected section of a handoff is missing',
        'Whoever takes over looks for what was done and what comes next '
        'under these headings.',
        'Add the section.',
    ),
    Rule(
        'HND007', CHECK, WARNING,
        'a handoff lies in an unexpected place',
        'The older place is still read where no other handoff exists, but '
        'a leftover there is easily taken for the real one.',
        'Move it to the place that the workflow names, or delete it.',
    ),
    Rule(
        'HND008', CHECK, INFO,
        'a handoff from before the workflow',
        'Its stage is a word of the ideation, or it has no frontmatter yet. '
        'It takes part in no comparison.',
        'Nothing has to be done before the first stage starts.',
    ),
    Rule(
        'HND009', CHECK, INFO,
        'a handoff is kept although the work is done',
        'Allowed until the item is finished for good; then it is stale.',
        'Delete the handoff when it is no longer needed.',
    ),
    Rule(
        'HND010', CHECK, WARNING,
        'an optional field of a handoff is out of its range',
        'Agents are chosen by these fields. A value that the workflow does '
        'not know chooses none, and a phase that the plan does not name is '
        'work that nobody planned.',
        'Write a value that the message names, or remove the field; a phase '
        'that was added belongs into the plan first.',
    ),
)
