from __future__ import annotations

from interlock.model.finding import ERROR
from interlock.model.finding import WARNING
from interlock.model.rules.rule import Rule

CHECK = 'contracts'

_MILD = (
    ' It is an error while the item is in a stage that freezes contracts, '
    'and a warning before and after.'
)

RULES = (
    Rule(
        'CON001', CHECK, ERROR,
        'a sealed contract is not what was sealed',
        'The handoff holds the checksum of each contract. A contract whose '
        'bytes give another one was changed behind the back of everybody '
        'who works by it. The bytes are those of the blob that git stores, '
        'so the line endings of a checkout do not matter.' + _MILD,
        'Restore the contract, or seal the new text in the same commit.',
    ),
    Rule(
        'CON002', CHECK, ERROR,
        'a sealed contract is missing',
        'The handoff holds a checksum for a file that is not there.' + _MILD,
        'Restore the contract from git.',
    ),
    Rule(
        'CON003', CHECK, ERROR,
        'a checksum is malformed',
        'A checksum is the name of the algorithm, a colon and the hex '
        'digest. Null, the word `null` and a missing key mean that nothing '
        'is sealed; anything else seals nothing while it looks like a '
        'seal.' + _MILD,
        'Write the checksum of the file, or null.',
    ),
    Rule(
        'CON004', CHECK, WARNING,
        'no contract is sealed',
        'From the end of planning on the contracts should be sealed. Old '
        'handoffs have no checksums; they are never refused for it.',
        'Add the checksums of the contracts to the handoff.',
    ),
    Rule(
        'CON005', CHECK, ERROR,
        'a contract differs from its seal by line endings or a BOM only',
        'The text is the same, the bytes are not: the file was sealed or '
        'committed through an editor or a checkout that rewrote line '
        'endings.' + _MILD,
        'Commit the file with LF line endings and without a byte order mark.',
    ),
    Rule(
        'CON006', CHECK, ERROR,
        'a frozen contract was changed without an amendment',
        'While work goes on a contract may change only openly: the same '
        'commit stores its new checksum and its message gives the reason in '
        'a trailer. Dropping the seal of a frozen contract is a change of '
        'it. Contracts that the workflow lets change freely need only the '
        'new checksum. Judged where the message is known.',
        'Add the trailer named in the message, or restore the contract.',
    ),
)
