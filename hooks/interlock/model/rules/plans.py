"""The parts of a plan, and its wording: one code each."""
from __future__ import annotations

from interlock.model.finding import WARNING
from interlock.model.rules.rule import Rule

CHECK = 'stages'

RULES = (
    Rule(
        'GAT041', CHECK, WARNING,
        'the plan lacks its conflict resolution',
        'The user approves what the plan says, so it says how competing '
        'requirements were settled. A warning, unless the workflow says '
        '`plan: strict`.',
        'Add the part to the plan, then present it.',
    ),
    Rule(
        'GAT042', CHECK, WARNING,
        'the plan lacks its architecture plan',
        'The user approves what the plan says, so it says the design that '
        'satisfies all requirements. A warning, unless the workflow says '
        '`plan: strict`.',
        'Add the part to the plan, then present it.',
    ),
    Rule(
        'GAT043', CHECK, WARNING,
        'the plan lacks its requirement mapping',
        'The user approves what the plan says, so it says where the '
        'requirements of every agent are met. A warning, unless the '
        'workflow says `plan: strict`.',
        'Add the part to the plan, then present it.',
    ),
    Rule(
        'GAT044', CHECK, WARNING,
        'the plan lacks its trade-offs',
        'The user approves what the plan says, so it says what was given '
        'up, and why. A warning, unless the workflow says `plan: strict`.',
        'Add the part to the plan, then present it.',
    ),
    Rule(
        'GAT045', CHECK, WARNING,
        'the plan lacks its success criteria',
        'The user approves what the plan says, so it says how each domain '
        'will know that it is done. A warning, unless the workflow says '
        '`plan: strict`.',
        'Add the part to the plan, then present it.',
    ),
    Rule(
        'GAT046', CHECK, WARNING,
        'the plan lacks its file manifest',
        'The user approves what the plan says, so it says which files are '
        'created and changed. A warning, unless the workflow says `plan: '
        'strict`.',
        'Add the part to the plan, then present it.',
    ),
    Rule(
        'GAT047', CHECK, WARNING,
        'the plan lacks its API specifications',
        'The user approves what the plan says, so it says which signatures '
        'will exist. A warning, unless the workflow says `plan: strict`.',
        'Add the part to the plan, then present it.',
    ),
    Rule(
        'GAT048', CHECK, WARNING,
        'the plan lacks its behavioral specifications',
        'The user approves what the plan says, so it says what happens in '
        'which case. A warning, unless the workflow says `plan: strict`.',
        'Add the part to the plan, then present it.',
    ),
    Rule(
        'GAT049', CHECK, WARNING,
        'the plan lacks its test specifications',
        'The user approves what the plan says, so it says which tests are '
        'written. A warning, unless the workflow says `plan: strict`.',
        'Add the part to the plan, then present it.',
    ),
    Rule(
        'GAT050', CHECK, WARNING,
        'the plan lacks its implementation sequence',
        'The user approves what the plan says, so it says in which order '
        'the work is done. A warning, unless the workflow says `plan: '
        'strict`.',
        'Add the part to the plan, then present it.',
    ),
    Rule(
        'GAT051', CHECK, WARNING,
        'the plan lacks its decision log',
        'The user approves what the plan says, so it says which decisions '
        'are already made. A warning, unless the workflow says `plan: '
        'strict`.',
        'Add the part to the plan, then present it.',
    ),
    Rule(
        'GAT052', CHECK, WARNING,
        'the plan has the main agent implement',
        'Agents implement, the main agent coordinates them; a plan that '
        'says otherwise is carried out as it says. A warning, unless the '
        'workflow says `plan: strict`.',
        'Say which agent implements it, in which worktree.',
    ),
    Rule(
        'GAT053', CHECK, WARNING,
        'the plan does not say who starts an agent',
        'That an agent implements something leaves open who starts it, and '
        'where it works.',
        'Say who starts the agent, or in which worktree it works.',
    ),
)
