from __future__ import annotations

from interlock.model.finding import ERROR
from interlock.model.finding import WARNING
from interlock.model.rules.rule import Rule

RULES = (
    Rule(
        'COM001', 'commit', ERROR,
        'a stage changed in one record but not in the others',
        'Between two commits of which each changes one record the '
        'repository contradicts itself, and whoever starts there goes '
        'wrong. So the registry and the handoff of an item change stage in '
        'one commit. A change that brings one record in line with the '
        'other, and the removal of a handoff, are fine.',
        'Commit the other record together with this one.',
    ),
    Rule(
        'COM002', 'message', ERROR,
        'a stage commit lacks a state file',
        'The subject says that a stage of an item is done, but the commit '
        'leaves its registry entry or its handoff as it was. Judged where '
        'the message is known.',
        'Update the state files and commit them together with the work.',
    ),
    Rule(
        'COM003', 'commit', WARNING,
        'a stage commit lacks the deliverables of its stage',
        'The subject says that a stage is done, but nothing that the stage '
        'is to produce is in the commit (or, for documents, in the tree). '
        'Judged where the message is known.',
        'Commit the work together with the state files.',
    ),
    Rule(
        'COM004', 'message', ERROR,
        'the subject names another stage than the handoff it carries',
        'This is how state files that are one stage behind the code are '
        'caught: the subject speaks of what was just done, the handoff '
        'still of what was done before. A handoff without a phase after the '
        'last phase of a stage is fine.',
        'Write the stage of the subject into the handoff, or correct the '
        'subject.',
    ),
    Rule(
        'COM005', 'message', ERROR,
        'a stage change is hidden in a commit about something else',
        'The commit changes the status of an item, and its subject names '
        'neither the item nor the new status. Nobody who reads the history '
        'will find the change.',
        'Commit the change of the item on its own.',
    ),
    Rule(
        'COM006', 'message', WARNING,
        'the subject speaks of a stage in a form that is not understood',
        'Stage commits are recognised by their subject. One that names an '
        'item and a stage in another form than the workflow lists is not '
        'checked as a stage commit.',
        'Use one of the forms of the workflow.',
    ),
    Rule(
        'COM007', 'commit', ERROR,
        'a task is completed without its work, or the work comes without it',
        'An entry that leaves the todo list in a commit of its own says that '
        'something is done which that commit does not hold; whoever takes '
        'the work back leaves the entry gone. So both are in one commit, and '
        'whatever brings the work of a task to the main branch completes its '
        'entry: a merge, a squash (told by the contents of the branch that '
        'has the name of the task), or its own commits put onto it (told by '
        'their trailers, at a push and in a range). A todo list that cannot '
        'be read completes nothing.',
        'Commit the todo list together with the work.',
    ),
    Rule(
        'COM008', 'message', WARNING,
        'a commit was made without the local gate',
        'Where the workflow asks for it (`gate_trailer`), the commit-msg hook '
        'writes the tree that it judged into the message. A commit without '
        'that trailer, or with that of another tree, was made where hooks '
        'are not installed or past them: rebased, picked, `--no-verify`.',
        'Look at the commit; install the hooks where it was made.',
    ),
    Rule(
        'COM009', 'message', WARNING,
        'a stage commit does not say that the user confirmed the one before',
        'The end of a stage is a checkpoint: the next one begins when the '
        'user says so, and the next stage commit repeats it as the trailer '
        '`Interlock-Confirmed: STAGE@COMMIT`. Judged where a range of commits '
        'is, and only where a commit before it has such a trailer or the '
        'workflow asks for it (`commit.confirm.always`).',
        'Look at the commit; let `interlock commit-stage` or the '
        'prepare-commit-msg hook write the trailer.',
    ),
)
