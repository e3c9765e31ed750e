"""The parts of a workflow that the guard compares an event with.

The index is flat and cached with the compiled workflow: it answers most events
without building the workflow.
"""

from __future__ import annotations

import os

from interlock.workflow.agreements.names import literal_ends

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.model.quick_typing import Iterator

    Data = dict[str, Any]


def _record_patterns(kind: Data) -> Iterator[str]:
    """The patterns of the records and contracts of a kind of item."""
    registry, handoff = kind.get('registry') or {}, kind.get('handoff') or {}
    yield registry.get('file', '')
    yield (registry.get('entry') or {}).get('file', '')
    yield handoff.get('file', '')
    yield from handoff.get('older', ())
    for contract in ((kind.get('contracts') or {}).get('files') or {}).values():
        paths = contract['paths']
        yield from [paths] if isinstance(paths, str) else paths


def _phrases(kind: Data) -> Iterator[str]:
    """The phrases that a user may say to us."""
    for phrases in (kind.get('protocol') or {}).get('prompts', {}).values():
        yield from phrases
    yield from (kind.get('handoff') or {}).get('resumes', [])
    yield from ((kind.get('commit') or {}).get('confirm') or {}).get('words', [])


def _longest_word(phrase: str) -> str:
    """The longest word; polite words may stand between the others."""
    return max(phrase.replace('{item}', '').lower().split(' '), key=len)


def _fixed_parts(pattern: str) -> list[str]:
    for mark in ('{item}', '{agent}'):
        pattern = pattern.replace(mark, '\n')
    return [part for part in pattern.split('\n') if part]


def _tasks(kind: Data, roots: Any) -> Data:
    protocol, ignored = kind['protocol'], kind.get('ignore', [])
    head, _, tail = protocol['branch'].partition('{item}')
    files = protocol['files']
    # one layout, or a list of possible layouts
    layouts = roots if isinstance(roots, list) else [roots]
    return {
        'roots': [[each['main'], each['tasks']] for each in layouts],
        'lists': [protocol['todo'], protocol['changelog']],
        'worktrees': [files['code'], files['agent_code']],
        'main_lock': files['lock'].replace('{item}', protocol['main']['name']),
        'session_key': protocol['keys']['session'],
        # the start and end of a task's branch, names that no task may have,
        # and the fixed parts of an agent's branch
        'branch': [head, tail],
        'reserved': [name for name in ignored if not set(name) & set('*?[')],
        'agent_branch': _fixed_parts(protocol['agent_branch']),
    }


def _recorded(kind: Data) -> Iterator[list[str]]:
    """The beginning and end of every path of a record or frozen file."""
    files = [record['file'] for record in kind['records'].values() if record]
    for each in (*files, *(freeze['files'] for freeze in kind.get('frozen', ()))):
        for pattern in [each] if isinstance(each, str) else each:
            yield list(literal_ends(pattern))


def watch_index(workflow: Data) -> Data:
    kinds = list(workflow['items'].values())
    recorded = workflow.get('recorded', {}).values()
    locked = [kind for kind in kinds if 'protocol' in kind]
    tasks = _tasks(locked[0], workflow.get('roots', [])) if locked else {}
    records = [each for kind in kinds for each in _record_patterns(kind) if each]
    names = {os.path.basename(path) for path in (*records, *tasks.get('lists', ()))}
    plans = (workflow.get('documents') or {}).get('plans') or {}
    return {
        'files': workflow.get('extended', []),
        'records': records,
        'recorded': [each for kind in recorded for each in _recorded(kind)],
        'names': sorted(name for name in names if '{item}' not in name),
        'agents': [
            state['agent']
            for kind in kinds
            for state in (kind.get('states') or {}).values()
            if state and state.get('agent')
        ],
        'words': sorted({_longest_word(each) for k in kinds for each in _phrases(k)}),
        'confirms': any('confirm' in (kind.get('commit') or {}) for kind in kinds),
        'has_items': len(kinds) > len(locked),
        'has_documents': bool(workflow.get('documents')),
        'plans': plans.get('root') or '',
        'tasks': tasks,
    }
