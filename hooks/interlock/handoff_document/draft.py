"""The state of a new handoff document: what is known, and marked gaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from interlock.handoff_document.outline import outline
from interlock.state.plan_files import IMPL, encoded, kind_of
from interlock.state.validate import Path, resolved, schema

State = dict[str, Any]


class Commit(NamedTuple):
    name: str
    subject: str


class Known(NamedTuple):
    """What can be known without asking whoever worked."""

    mode: str
    project: str
    # '' if nobody says which it is
    session: str
    now: str
    # what was saved last, {} if nothing was
    saved: State
    environment: State
    plans: tuple[str, ...]
    # where the plans of the project are
    plans_root: str
    # commits in which nothing is wrong, the newest first
    sound: tuple[Commit, ...]
    # items that are under way, and where they stand
    items: tuple[str, ...]
    # who holds which lock
    locks: tuple[str, ...]
    # files that differ from HEAD
    changed: tuple[str, ...]
    # does a gate rest on files that have changed since
    outdated: Callable[[State], bool]


def gap(what: str) -> str:
    return f'[{outline().markers.gap}: {what}]'


def is_gap(value: object) -> bool:
    start = f'[{outline().markers.gap}'
    return isinstance(value, str) and value.startswith(start)


def _kinds(part: dict[str, Any]) -> list[str]:
    kinds = part.get('type', [])
    return [kinds] if isinstance(kinds, str) else kinds


def _absent(part: dict[str, Any], path: Path) -> Any:
    """What stands for a value that nobody gave."""
    if 'null' in _kinds(part):
        return None
    elif (
        'array' in _kinds(part)
        and len(path) > 1
        and (isinstance(path[-2], int) or path[-2] == 'constraints')
    ):
        # a list of an item that is known, and names no such thing
        return []
    elif 'object' in _kinds(part) and part.get('required'):
        return completed(part, {}, path)
    return gap('.'.join(map(str, path)))


def completed(part: dict[str, Any], value: Any, path: Path = ()) -> Any:
    """A value with a gap for each key that it owes."""
    part = resolved(part)
    properties = part.get('properties', {})
    if isinstance(value, dict) and properties:
        made = {
            key: completed(properties[key], value[key], (*path, key))
            if key in value
            else _absent(resolved(properties[key]), (*path, key))
            for key in properties
            if key in value or key in part.get('required', ())
        }
        return made | {k: v for k, v in value.items() if k not in made}
    elif isinstance(value, list) and 'items' in part:
        return [
            completed(part['items'], item, (*path, number))
            for number, item in enumerate(value)
        ]
    return value


def _documents(known: Known) -> State:
    """Those of the saved state, and what the search found besides."""
    saved = known.saved.get('documents', {})
    made = {name: list(saved.get(name, ())) for name in ('design', 'impl', 'must_read')}
    there = {row.get('path') for name in ('design', 'impl') for row in made[name]}
    for path in known.plans:
        if path not in there:
            # which kind it is only some names say
            kind = kind_of(path, known.plans_root) or IMPL
            made[kind].append({'path': path})
    read = {row.get('path') for row in made['must_read']}
    for row in [*made['impl'], *made['design']]:
        if row.get('path') not in read:
            made['must_read'].append({'path': row.get('path')})
    for number, row in enumerate(made['must_read'], 1):
        row.setdefault('priority', number)
    return {name: [dict(row) for row in rows] for name, rows in made.items()}


def _environment(known: Known) -> State:
    purposes = {
        tree.get('path'): tree
        for tree in known.saved.get('environment', {}).get('worktrees', ())
    }
    made = dict(known.environment)
    made['worktrees'] = [
        {**purposes.get(tree['path'], {}), **tree}
        for tree in known.environment.get('worktrees', ())
    ]
    return made


def _recovery(known: Known) -> State:
    saved = known.saved.get('recovery', {}).get('checkpoints', ())
    if saved:
        return {'checkpoints': list(saved)}
    return {
        'checkpoints': [
            {
                'name': commit.subject,
                'git_ref': commit.name,
                'scope': 'everything up to this commit',
                'command': f'git switch --detach {commit.name}',
            }
            for commit in known.sound
        ]
    }


def _gates(known: Known) -> list[State]:
    return [
        {**gate, 'status': 'RECHECK'}
        if (gate.get('status') == 'PASSED' and known.outdated(gate))
        else gate
        for gate in known.saved['quality_gates']
    ]


def state(known: Known) -> State:
    """All of 1.20, in its order."""
    own: State = {
        'format_version': outline().version,
        'mode': known.mode,
        'project_path': known.project,
        'project_encoded': encoded(known.project),
        'timestamp': known.now,
        'compaction_count': known.saved.get('compaction_count', 0),
        'documents': _documents(known),
        'recovery': _recovery(known),
    }
    if known.session:
        own['session_id'] = known.session
    if known.environment:
        own['environment'] = _environment(known)
    if isinstance(known.saved.get('quality_gates'), list):
        own['quality_gates'] = _gates(known)
    made: State = completed(schema(), {**known.saved, **own})
    return made


def without_gaps(value: Any) -> Any:
    """What may be saved: a gap is nothing."""
    if isinstance(value, dict):
        return {
            key: without_gaps(item) for key, item in value.items() if not is_gap(item)
        }
    elif isinstance(value, list):
        return [without_gaps(item) for item in value if not is_gap(item)]
    return value
