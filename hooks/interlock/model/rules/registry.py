from __future__ import annotations

from interlock.model.finding import ERROR
from interlock.model.finding import INFO
from interlock.model.finding import WARNING
from interlock.model.rules.rule import Rule

CHECK = 'registry'

RULES = (
    Rule(
        'REG001', CHECK, ERROR,
        'the row and the entry of an item give different statuses',
        'The registry says the status of an item twice: in its table and in '
        'the entry below. People read the row, agents read the entry, and '
        'each acts on what it read. Statuses are compared as text: emphasis, '
        'emoji and outer white space do not count, an alias counts as the '
        'status it stands for, an annotation in parentheses counts.',
        'The entry is the canonical record: bring the row in line with it.',
    ),
    Rule(
        'REG002', CHECK, ERROR,
        'a row has no entry',
        'Where a registry keeps entries, every row needs one: the entry is '
        'the canonical record, so an item with a row alone has no status '
        'that anybody may rely on. Registries that consist of a table only '
        'are not asked for entries.',
        'Write the entry, or remove the row together with the item.',
    ),
    Rule(
        'REG003', CHECK, ERROR,
        'an entry has no row',
        'An entry that the table does not list is invisible to whoever reads '
        'the table, and the next edit of the table will not touch it.',
        'Add the row, or remove the entry together with the item.',
    ),
    Rule(
        'REG004', CHECK, WARNING,
        'row and entry were last updated on different days',
        'Both records change in one edit, so both carry its date. Different '
        'dates mean that one of them was forgotten.',
        'Copy the date of the entry into the row.',
    ),
    Rule(
        'REG005', CHECK, ERROR,
        'a status is not one the workflow knows',
        'A status outside the workflow cannot be compared, has no legal '
        'successor and no gate, so every other rule would have to pass over '
        'the item in silence. An annotation behind a status that takes none '
        'is reported under the same code.',
        'Write the status named as nearest, or add the word to the workflow.',
    ),
    Rule(
        'REG006', CHECK, WARNING,
        'the emoji of a status is another one than its text says',
        'Emoji are what people see first. One that differs between row and '
        'entry, or that belongs to another status, tells them the wrong '
        'thing although the text is right.',
        'Use the emoji that the workflow gives the status.',
    ),
    Rule(
        'REG007', CHECK, ERROR,
        'an item is registered twice',
        'With two rows or two entries of one name every tool picks another '
        'one, and an edit changes the one that nobody reads.',
        'Keep the right one and delete the other.',
    ),
    Rule(
        'REG008', CHECK, ERROR,
        'the registry cannot be read',
        'The file is gone, is not UTF-8 text, is larger than a registry can '
        'be, or has no table or several tables with the columns of the '
        'workflow. Nothing that it says can be checked, so nothing passes.',
        'Restore the file from git, or correct what the message names.',
    ),
    Rule(
        'REG009', CHECK, ERROR,
        'the name of an item cannot be a name',
        'Names become paths. One with a slash, a control character or a '
        'leading dot would make Interlock read and write somewhere else.',
        'Rename the item with letters, digits, spaces and `-_.+`.',
    ),
    Rule(
        'REG010', CHECK, ERROR,
        'the handoff and the registry are at different stages',
        'The handoff says where work goes on, the registry says where it '
        'stands. An agent that resumes from a handoff of another stage '
        'repeats work or skips it.',
        'Set both to the stage that the work in the repository has reached.',
    ),
    Rule(
        'REG011', CHECK, WARNING,
        'a timeline is out of order',
        'New lines are appended to a timeline. A date before the one above '
        'it is a line in the wrong place or with a wrong date.',
        'Move the line, or correct its date.',
    ),
    Rule(
        'REG012', CHECK, INFO,
        'row and entry name different versions',
        'One of the two was forgotten when the version changed.',
        'Copy the version of the entry into the row.',
    ),
    Rule(
        'REG013', CHECK, INFO,
        'the notes file of an item is missing or says another status',
        'A registry without entries keeps the details of an item in a notes '
        'file. The row is canonical there; the notes are for readers.',
        'Write the status of the row into the notes file.',
    ),
    Rule(
        'REG014', CHECK, INFO,
        'an item with a handoff is not registered',
        'Work on it is invisible in the registry. It may be about to be '
        'registered, so this is only mentioned.',
        'Add its row and its entry to the registry.',
    ),
    Rule(
        'REG015', CHECK, WARNING,
        'the handoff and the registry are in different phases',
        'Naming a phase in the registry is optional; where it is named it '
        'should be the phase of the handoff.',
        'Write the phase of the handoff into the registry, or the stage '
        'alone.',
    ),
)
