from __future__ import annotations

from interlock.model.finding import ERROR
from interlock.model.finding import WARNING
from interlock.model.rules.rule import Rule

CHECK = 'workflow'

RULES = (
    Rule(
        'CFG001', CHECK, WARNING,
        'the workflow file changed',
        'A change is judged by the workflow from before it, so that no '
        'change can switch its own gate off. The new workflow governs from '
        'the next commit on; reviewers should see that it changed.',
        'Review the change of the workflow on its own.',
    ),
    Rule(
        'CFG002', CHECK, ERROR,
        'the new workflow file is invalid',
        'With it every check from the next commit on would be refused.',
        'Correct what the message names.',
    ),
    Rule(
        'CFG003', CHECK, ERROR,
        'the workflow file was removed',
        'Without it nothing is checked from the next commit on.',
        'Restore the file; to stop using Interlock remove its hooks first.',
    ),
    Rule(
        'CFG004', CHECK, WARNING,
        'the baseline changed',
        'The baseline names findings that no longer count: of those that '
        'stand in a tree, never of steps between two trees. A change is '
        'judged by the baseline from before it.',
        'Review the change of the baseline on its own.',
    ),
    Rule(
        'CFG005', CHECK, WARNING,
        'the workflow before the change is invalid',
        'Nothing can be judged by it. A change that mends it is judged by '
        'the workflow it brings; every other one is refused until then.',
        'Mend the workflow file in a commit of its own.',
    ),
    Rule(
        'CFG006', CHECK, ERROR,
        'hook wiring no longer calls Interlock',
        'A file that makes git, CI or an agent call Interlock loses that '
        'call: from then on nothing would be refused there, in silence.',
        'Restore the call; to stop using Interlock remove the workflow and '
        'the wiring in one commit, made past the hooks by a person.',
    ),
    Rule(
        'CFG007', CHECK, WARNING,
        'what governs changed in the same push as what it governs',
        'A push is judged by the workflow and the baseline that were there '
        'before it, so it cannot loosen its own rules. Reviewers should see '
        'the change of the rules apart from the work.',
        'Push the change of the workflow, the baseline or the wiring first.',
    ),
)
