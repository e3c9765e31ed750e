from __future__ import annotations

import json
from typing import Any

from tests.formats.trees import bad, good

T = '.taskmaster/tasks/tasks.json'


def task(id: Any, status: str, depends: tuple[Any, ...] = (), *subtasks: str) -> Any:
    below = [{'id': at, 'status': word} for at, word in enumerate(subtasks, 1)]
    return {
        'id': id,
        'status': status,
        'dependencies': list(depends),
        'subtasks': below,
    }


def tree(*tasks: Any, tag: str = 'master') -> dict[str, str]:
    return {T: json.dumps({tag: {'tasks': list(tasks)}}, indent=2) + '\n'}


def old(*tasks: Any) -> dict[str, str]:
    return {T: json.dumps({'tasks': list(tasks)})}


FIRST = task(1, 'done')
BASE = tree(
    FIRST, task(2, 'pending', (1,)), task(3, 'pending', (2,), 'done', 'pending')
)
BEFORE = 'done-before-dependency'
BELOW = 'done-with-open-subtasks'
TWICE = 'id-twice'
CASES = (
    bad(TWICE, 'added', tree(FIRST, task(2, 'pending'), task(2, 'pending'))),
    bad(TWICE, 'as text', tree(FIRST, task('1', 'pending'))),
    bad(TWICE, 'without tags', old(FIRST, task(2, 'done'), FIRST)),
    bad(TWICE, 'a third', tree(FIRST, FIRST, FIRST), tree(FIRST, FIRST)),
    good(TWICE, 'so before', tree(FIRST, FIRST, task(2, 'done')), tree(FIRST, FIRST)),
    good(TWICE, 'a subtask', tree(FIRST, task(2, 'done', (), 'done', 'done'))),
    good(
        TWICE,
        'in two tags',
        {T: json.dumps({'a': {'tasks': [FIRST]}, 'b': {'tasks': [FIRST]}})},
    ),
    bad(BEFORE, 'done', tree(FIRST, task(2, 'pending', (1,)), task(3, 'done', (2,)))),
    bad(
        BEFORE,
        'reopened',
        tree(task(1, 'pending'), task(2, 'done', (1,))),
        tree(FIRST, task(2, 'done', (1,))),
    ),
    bad(BEFORE, 'without tags', old(task(1, 'in-progress'), task(2, 'done', ('1',)))),
    bad(
        BEFORE,
        'of the second of two that have one id',
        tree(FIRST, task(2, 'pending'), task(1, 'done', (2,))),
        tree(FIRST, task(2, 'pending'), task(1, 'pending', (2,))),
    ),
    bad(
        BEFORE,
        'a whole number',
        tree(FIRST, task(2, 'pending'), task(3, 'done', (2.0,))),
    ),
    good(BEFORE, 'in order, a whole number', tree(FIRST, task(2, 'done', (1.0,)))),
    good(BEFORE, 'in order', tree(FIRST, task(2, 'done', (1,)))),
    good(BEFORE, 'cancelled', tree(task(1, 'cancelled'), task(2, 'done', (1,)))),
    good(
        BEFORE,
        'of another tag',
        {
            T: json.dumps(
                {
                    'a': {'tasks': [task(1, 'pending')]},
                    'b': {'tasks': [task(1, 'done'), task(2, 'done', (1,))]},
                }
            )
        },
    ),
    good(
        BEFORE,
        'so before',
        tree(task(1, 'pending'), task(2, 'done', (1,)), task(9, 'pending')),
        tree(task(1, 'pending'), task(2, 'done', (1,))),
    ),
    bad(BELOW, 'pending', tree(FIRST, task(3, 'done', (), 'done', 'pending'))),
    bad(BELOW, 'one comes', tree(task(1, 'done', (), 'pending'))),
    bad(BELOW, 'without tags', old(task(1, 'done', (), 'in-progress'))),
    bad(
        BELOW,
        'of the second of two that have one id',
        tree(FIRST, task(1, 'done', (), 'pending')),
        tree(FIRST, task(1, 'review', (), 'pending')),
    ),
    good(
        BELOW,
        'of the one that is not done',
        tree(task(1, 'done', (), 'done'), task(1, 'review', (), 'pending')),
        tree(task(1, 'review', (), 'done'), task(1, 'review', (), 'pending')),
    ),
    good(BELOW, 'all', tree(task(3, 'done', (), 'done', 'cancelled'))),
    good(BELOW, 'not done', tree(task(3, 'review', (), 'done', 'pending'))),
    good(BELOW, 'a word that is not known', tree(task(3, 'done', (), 'whatever'))),
)
