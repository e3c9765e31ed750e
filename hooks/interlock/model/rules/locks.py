from __future__ import annotations

from interlock.model.finding import ERROR
from interlock.model.finding import INFO
from interlock.model.finding import WARNING
from interlock.model.rules.rule import Rule

CHECK = 'locks'

RULES = (
    Rule(
        'LCK001', CHECK, ERROR,
        'the lock is held by another session',
        'Two sessions that work on one task overwrite each other. Only the '
        'session that holds the lock of a task changes its files and '
        'commits in its worktrees; its subagents act under the same lock. '
        'Age gives nobody a right to a lock. A person is only warned.',
        'Choose another task. Only a person can end a lock of another '
        'session, on a terminal.',
    ),
    Rule(
        'LCK002', CHECK, ERROR,
        'the lock cannot be read',
        'A lock that is empty, torn, a directory, a link or no JSON is held '
        'by somebody, only nobody knows by whom. To read it as no lock '
        'would let two sessions in.',
        'Find out who works on the task, then repair the file by hand.',
    ),
    Rule(
        'LCK003', CHECK, ERROR,
        'an agent acts without a session',
        'Locks are held by sessions. An agent that does not say its session '
        'cannot be told from any other, and an empty id equals every other '
        'empty id.',
        'Set INTERLOCK_SESSION to the id of the session.',
    ),
    Rule(
        'LCK004', CHECK, WARNING,
        'a lock without a worktree, or a worktree without a lock',
        'A session crashed, or somebody moved or deleted one of the two by '
        'hand. Whether another session still works there only a person '
        'knows, so `lock acquire` does not take such a worktree.',
        'Ask the user: clean the worktree, adopt it, or choose another task.',
    ),
    Rule(
        'LCK005', CHECK, ERROR,
        'the lock does not say who holds it',
        'A lock without a session is held by nobody knows whom, and so is '
        'the lock of the main worktree where it lacks what its form '
        'demands.',
        'Find out who works there, then repair the file by hand.',
    ),
    Rule(
        'LCK006', CHECK, ERROR,
        'a commit was made under a lock that had ended',
        'Each holder of a lock has a higher generation than the one before, '
        'and commits carry it. A commit whose generation is lower than one '
        'in the history before it was made by a session that had lost its '
        'lock. A session that commits past the hook without the lock leaves '
        'generation 0.',
        'Look at both commits, and let the holder of the lock commit.',
    ),
    Rule(
        'LCK007', CHECK, ERROR,
        'a commit in the main worktree without its lock',
        'The main worktree is shared by all sessions. Whoever changes it '
        'holds its lock for as long as that takes. A person is only '
        'warned.',
        'Acquire the lock of the main worktree, then commit.',
    ),
    Rule(
        'LCK008', CHECK, WARNING,
        'a commit of a task does not say under which lock it was made',
        'Sessions write the generation of their lock into their commits. One '
        'without it, after commits with it, was made by a person, or by a '
        'session that had lost its lock and took the hooks away. Work that '
        'stands on a task that is still open is taken for its own. A '
        'warning, since a person needs no lock; `severity` of the workflow '
        'can make it an error.',
        'Look at the commit, and who made it.',
    ),
    Rule(
        'TSK001', CHECK, ERROR,
        'a lock names another task than its directory',
        'A lock that was copied from another task holds the wrong one.',
        'Write the name of the directory into the lock.',
    ),
    Rule(
        'TSK002', CHECK, ERROR,
        'a lock lacks a field',
        'Session, task, state, time of creation and the log of steps are '
        'what every other rule rests on.',
        'Add the field; `interlock transition` writes all of them.',
    ),
    Rule(
        'TSK003', CHECK, ERROR,
        'a field of a lock is of the wrong kind',
        'A text where a list should be is read as nothing, and a gate that '
        'asks every entry of nothing is open.',
        'Write the value in its form.',
    ),
    Rule(
        'TSK004', CHECK, ERROR,
        'a lock is in a state that there is not',
        'No gate and no step is known of such a state, so the task could '
        'neither go on nor back.',
        'Write one of the states of the workflow; the message names the '
        'nearest.',
    ),
    Rule(
        'TSK005', CHECK, INFO,
        'a file or a field has an older name',
        'It is read, but everything new is written under the name of the '
        'workflow, and two names for one thing drift apart.',
        'Rename it.',
    ),
    Rule(
        'TSK006', CHECK, ERROR,
        'the copy of the state says something else than the lock',
        'The lock is what counts; a second file with the state in it is '
        'read by people and scripts who then go wrong.',
        'Bring the copy in line with the lock, or delete it.',
    ),
    Rule(
        'TSK007', CHECK, ERROR,
        'the checkpoint of a task is malformed',
        'A checkpoint says what was shown to the user, and whether it was '
        'approved. Half of one approves nothing, or anything.',
        'Make it with `interlock checkpoint`.',
    ),
    Rule(
        'TSK008', CHECK, INFO,
        'an entry of the todo list is ticked instead of deleted',
        'What is done stands in the changelog and in the history. A list '
        'that keeps it grows until nobody reads it.',
        'Delete the entry.',
    ),
    Rule(
        'TSK009', CHECK, ERROR,
        'the todo list cannot be read',
        'What cannot be read names no task, and a list that names none looks '
        'like one on which everything is done.',
        'Mend the file.',
    ),
)
