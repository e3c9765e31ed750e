from __future__ import annotations

from interlock.model.finding import ERROR
from interlock.model.finding import WARNING
from interlock.model.rules.rule import Rule

CHECK = 'state'

RULES = (
    Rule(
        'STA001', CHECK, ERROR,
        'what was to be saved is no state',
        'A saved state is one JSON object. Anything else, and JSON that '
        'cannot be read or names a key twice, is refused before the store '
        'is touched.',
        'Give the whole object, on standard input or as the argument.',
    ),
    Rule(
        'STA002', CHECK, ERROR,
        'a state has a key that nobody knows',
        'The keys of a state are those of section 1.20 of a handoff '
        'document. What stands under another one is never given back.',
        'Write the key that the message names, or remove it.',
    ),
    Rule(
        'STA003', CHECK, ERROR,
        'a value in a state is of the wrong kind',
        'A status that is none of the list, a number that is a text, a time '
        'that is none: whoever goes on from the state cannot rely on it.',
        'Write the value as the message says.',
    ),
    Rule(
        'STA004', CHECK, ERROR,
        'a state is too large',
        'A state may have 1 MiB in all and 100 KiB in one text, and is not '
        'nested deeper than 40 levels. It is read at the start of a session.',
        'Shorten the field that the message names; keep long texts in files '
        'and save their paths.',
    ),
    Rule(
        'STA005', CHECK, ERROR,
        'a field that is shown as a call holds a dangerous one',
        'The resume command of a skill, the documents to read and the todos '
        'are given back to an agent as calls. A call of a shell, of a tool '
        'that writes or of one that fetches has no place in them, whoever '
        'put it there. The same rule holds when a state is saved, updated '
        'and loaded.',
        'Reword the field. Commands belong into `verification`, which is '
        'shown as text.',
    ),
    Rule(
        'STA006', CHECK, ERROR,
        'the store is damaged',
        'The file is no database, or holds what no Interlock wrote. It is '
        'left as it is: something in it may still be saved.',
        'Move the file away; a new one is made when a state is saved.',
    ),
    Rule(
        'STA007', CHECK, ERROR,
        'the store is of a newer version',
        'A newer Interlock has written it. This one does not know its '
        'tables, and changes nothing.',
        'Upgrade Interlock.',
    ),
    Rule(
        'STA008', CHECK, ERROR,
        'the store is locked',
        'Another process is writing, and did not finish in the time that we '
        'waited.',
        'Run the command again; see which process holds the file open.',
    ),
    Rule(
        'STA009', CHECK, ERROR,
        'the store cannot be used',
        'Its place cannot be read or written, the disk is full, or '
        '`$INTERLOCK_STORE` names no place.',
        'Correct what the message names.',
    ),
    Rule(
        'STA010', CHECK, WARNING,
        'the saved state was that of another session',
        'A project has one state. Two sessions that work in it at once '
        'replace each other\'s; what each of them saved is kept beside it, '
        'and a session goes on from its own.',
        'Nothing has to be done; `interlock state list` shows both.',
    ),
)
