from __future__ import annotations

from interlock.model.finding import ERROR
from interlock.model.finding import WARNING
from interlock.model.rules.rule import Rule

CHECK = 'claude'

RULES = (
    Rule(
        'CLD001', CHECK, ERROR,
        'a command skips the hooks',
        'An option, a setting or a variable keeps git from calling the '
        'hooks, so nothing would be judged before it is committed or '
        'pushed. CI and the server judge it all the same, only later.',
        'Run the command without it. Where a hook is wrong, a person '
        'decides.',
    ),
    Rule(
        'CLD002', CHECK, ERROR,
        'a command changes who acts',
        'Locks are held by sessions, and a session is known by its '
        'variables. A command that sets or removes them acts as somebody '
        'else, or as a person.',
        'Run the command without it.',
    ),
    Rule(
        'CLD003', CHECK, ERROR,
        'what calls us is changed or removed',
        'Git hooks, the configuration of pre-commit and the settings of the '
        'client are what calls Interlock. A change after which they no '
        'longer do switches the gate off, often without a sign.',
        'Ask the user. What leaves our entries in place is allowed.',
    ),
    Rule(
        'CLD004', CHECK, WARNING,
        'the workflow file is changed',
        'It says what is judged, so an agent that changes it changes its '
        'own rules. The user is asked.',
        'Let the user decide.',
    ),
    Rule(
        'CLD005', CHECK, ERROR,
        'an agent approves for the user',
        'An approval comes from the prompt of the user or from a person on '
        'a terminal. A flag file, a record or a checkpoint that an agent '
        'writes says nothing about what the user wants.',
        'Present what is to be approved, and wait for the answer.',
    ),
    Rule(
        'CLD006', CHECK, ERROR,
        'a lock is written by hand',
        'The lock of a task holds its state. One command checks the step, '
        'runs the gate, writes the log and the trail, all or nothing; a '
        'shell command that rewrites the file does none of that.',
        'Use interlock transition, interlock lock, interlock checkpoint.',
    ),
    Rule(
        'CLD007', CHECK, ERROR,
        'the main agent writes what agents implement',
        'In these states the main agent coordinates, and the agents of the '
        'task implement in worktrees of their own, so that each change has '
        'an owner and is reviewed.',
        'Start the agent whose work it is.',
    ),
    Rule(
        'CLD008', CHECK, ERROR,
        'an agent of a task writes outside its place',
        'An agent of a task works below its own directory and writes its '
        'own report; what it does elsewhere collides with other agents and '
        'with the main one.',
        'Write below the directory of the agent, and merge from there.',
    ),
    Rule(
        'CLD009', CHECK, ERROR,
        'a subagent commits',
        'Subagents do the work and update the state; whoever leads commits '
        'both together, after it has verified what the agent reports.',
        'Report what was done, and let the main agent commit.',
    ),
    Rule(
        'CLD010', CHECK, WARNING,
        'a command cannot be read',
        'What it would do depends on what only running it shows, and it '
        'could be anything. The user is asked.',
        'Write the command out, or let the user decide.',
    ),
    Rule(
        'CLD011', CHECK, ERROR,
        'an agent may not start now',
        'An agent starts only when it is its turn: the state of the item is '
        'whole, its stage comes next, the contracts are complete; an agent '
        'of a task only in a state in which agents run, from the worktree '
        'of the task.',
        'Do what the refusal names first.',
    ),
    Rule(
        'CLD012', CHECK, ERROR,
        'the user has not confirmed the checkpoint before',
        'After a stage is committed the user says how it goes on. An agent '
        'that goes on by itself takes that decision away.',
        'Show the menu, and wait for the answer of the user.',
    ),
    Rule(
        'CLD013', CHECK, ERROR,
        'new settings would switch our hooks off',
        'The client reads its settings again while it runs. With these our '
        'hooks would no longer be called.',
        'Undo the change of the settings, or let a person decide outside of '
        'the session.',
    ),
    Rule(
        'CLD014', CHECK, ERROR,
        'we cannot judge',
        'The hook failed, took too long, or the workflow file makes no '
        'sense. What cannot be judged is not passed.',
        'Run interlock doctor. The workflow file itself can be mended: the '
        'user is asked.',
    ),
    Rule(
        'CLD015', CHECK, ERROR,
        'the audit trail is written by hand',
        'The trail says what was done, so whoever is judged by it does not '
        'write it. The hooks do, and one command.',
        'Use interlock trail add.',
    ),
)
