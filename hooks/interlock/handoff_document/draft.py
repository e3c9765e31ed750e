"""The state of a new handoff document: what is known, and marked gaps."""

from __future__ import annotations

from interlock.handoff_document.outline import outline
from interlock.model.quick_typing import Any, Callable, NamedTuple
from interlock.state.plan_files import IMPL, encoded, kind_of
from interlock.state.validate import Path, State, resolved, schema


class Commit(NamedTuple):
    name: str
    subject: str


class SessionFacts(NamedTuple):
    """What a program can know about a session."""

    mode: str
    project: str
    # '' if unknown
    session: str
    now: str
    # the last saved state, {} if there is none
    saved: State
    environment: State
    plans: tuple[str, ...]
    # where the plans of the project are
    plans_root: str
    # commits without findings, newest first
    sound: tuple[Commit, ...]
    # items in progress, and where they stand
    items: tuple[str, ...]
    # who holds which lock
    locks: tuple[str, ...]
    # files that differ from HEAD
    changed: tuple[str, ...]
    # whether the files that a gate names have changed since
    outdated: Callable[[State], bool]


def gap(what: str) -> str:
    return f'{outline().gap}: {what}]'


def is_gap(value: object) -> bool:
    return isinstance(value, str) and value.startswith(outline().gap)


def _kinds(part: dict[str, Any]) -> list[str]:
    kinds = part.get('type', [])
    return [kinds] if isinstance(kinds, str) else kinds


def _absent(part: dict[str, Any], path: Path) -> Any:
    """The substitute for an unknown value."""
    if 'null' in _kinds(part):
        return None
    elif (
        'array' in _kinds(part)
        and len(path) > 1
        and (isinstance(path[-2], int) or path[-2] == 'constraints')
    ):
        # a list inside a known item
        return []
    elif 'object' in _kinds(part) and part.get('required'):
        return completed(part, {}, path)
    return gap('.'.join(map(str, path)))


def completed(part: dict[str, Any], value: Any, path: Path = ()) -> Any:
    """A value, with a gap for each required key that it lacks."""
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


def _documents(facts: SessionFacts) -> State:
    """The documents of the saved state, and the plans that were found."""
    saved = facts.saved.get('documents', {})
    made = {name: list(saved.get(name, ())) for name in ('design', 'impl', 'must_read')}
    there = {row.get('path') for name in ('design', 'impl') for row in made[name]}
    for path in facts.plans:
        if path not in there:
            # not every name tells the kind
            kind = kind_of(path, facts.plans_root) or IMPL
            made[kind].append({'path': path})
    read = {row.get('path') for row in made['must_read']}
    for row in [*made['impl'], *made['design']]:
        if row.get('path') not in read:
            made['must_read'].append({'path': row.get('path')})
    for number, row in enumerate(made['must_read'], 1):
        row.setdefault('priority', number)
    return {name: [dict(row) for row in rows] for name, rows in made.items()}


def _environment(facts: SessionFacts) -> State:
    purposes = {
        tree.get('path'): tree
        for tree in facts.saved.get('environment', {}).get('worktrees', ())
    }
    made = dict(facts.environment)
    made['worktrees'] = [
        {**purposes.get(tree['path'], {}), **tree}
        for tree in facts.environment.get('worktrees', ())
    ]
    return made


def _recovery(facts: SessionFacts) -> State:
    saved = facts.saved.get('recovery', {}).get('checkpoints', ())
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
            for commit in facts.sound
        ]
    }


def _gates(facts: SessionFacts) -> list[State]:
    return [
        {**gate, 'status': 'RECHECK'}
        if (gate.get('status') == 'PASSED' and facts.outdated(gate))
        else gate
        for gate in facts.saved['quality_gates']
    ]


def complete_state(facts: SessionFacts) -> State:
    """The whole state of 1.20, in its order."""
    own: State = {
        'format_version': outline().version,
        'mode': facts.mode,
        'project_path': facts.project,
        'project_encoded': encoded(facts.project),
        'timestamp': facts.now,
        'compaction_count': facts.saved.get('compaction_count', 0),
        'documents': _documents(facts),
        'recovery': _recovery(facts),
    }
    if facts.session:
        own['session_id'] = facts.session
    if facts.environment:
        own['environment'] = _environment(facts)
    if isinstance(facts.saved.get('quality_gates'), list):
        own['quality_gates'] = _gates(facts)
    made: State = completed(schema(), {**facts.saved, **own})
    return made


def without_gaps(value: Any) -> Any:
    """The values without gaps, which must not be saved."""
    if isinstance(value, dict):
        return {
            key: without_gaps(item) for key, item in value.items() if not is_gap(item)
        }
    elif isinstance(value, list):
        return [without_gaps(item) for item in value if not is_gap(item)]
    return value
