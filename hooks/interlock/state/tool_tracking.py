"""How a tool call changes the state: an event in, an update out.

The table TOOLS names the tracked tools of all clients.
"""

from __future__ import annotations

import json

from interlock.model.quick_typing import Any, Callable, Mapping, NamedTuple
from interlock.state.plan_files import kind_of
from interlock.state.transcript import created_todo, cut, updated_todos
from interlock.state.validate import State, rows_at, value_at

MAX_TEXT = 500
PREFIX = 'mcp_'
# fields of a todo that survive a new list without them
KEPT = ('id', 'priority', 'verification', 'delegated_to')
TODO_KEYS = ('id', 'content', 'status', 'priority', 'activeForm')
TODOS = ('todos', 'explicit')


class Sources(NamedTuple):
    """What tracking may look up."""

    # the directory of the project's plans, or ''
    plans: str = ''
    # the constraints that a skill declares, None for an unknown skill
    skill: Callable[[str], State | None] = lambda name: None


NO_SOURCES = Sources()


class ToolCall(NamedTuple):
    given: dict[str, Any]
    response: dict[str, Any]
    use_id: str

    def text(self, *keys: str) -> str:
        """The first of these inputs that is a text, or ''."""
        for key in keys:
            value = self.given.get(key)
            if isinstance(value, str) and value:
                return value
        return ''


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _skill(call: ToolCall, state: State, sources: Sources) -> State:
    name = call.text('skill', 'name', 'command')
    if not name:
        return {}
    args = call.text('args', 'arguments')
    quoted = [json.dumps(text, ensure_ascii=False) for text in (name, args) if text]
    found: State = {'name': name, 'resume_command': f'Skill({", ".join(quoted)})'}
    constraints = sources.skill(name)
    if constraints is not None:
        found['constraints'] = constraints
    return {'skill_stack': [found]}


def _agent(call: ToolCall, state: State, sources: Sources) -> State:
    name = call.response.get('agentId') or call.use_id
    if not name:
        return {}
    found: State = {
        'id': str(name),
        'persona': call.text('subagent_type') or None,
        'prompt_summary': cut(call.text('prompt'), MAX_TEXT),
        'task': cut(call.text('description', 'prompt'), MAX_TEXT),
        'skill_stack': [],
    }
    agents = rows_at(state, 'subagents')
    known = any(each.get('id') == str(name) and 'status' in each for each in agents)
    if call.response.get('status') == 'completed':
        found['status'] = 'completed'
    elif not known:
        # the stop of a known agent may have been reported before its start
        found['status'] = 'running'
    return {'subagents': [found]}


def _todo_write(call: ToolCall, state: State, sources: Sources) -> State:
    given = call.given.get('todos')
    if not isinstance(given, list):
        return {}
    before = {todo.get('content'): todo for todo in rows_at(state, *TODOS)}
    explicit = []
    for todo in rows_at(given):
        old = before.get(str(todo.get('content')), {})
        kept = {key: old[key] for key in KEPT if key in old}
        known = {key: todo[key] for key in TODO_KEYS if key in todo}
        explicit.append({**kept, **known})
    return {'todos': {'explicit': explicit}}


def _task_create(call: ToolCall, state: State, sources: Sources) -> State:
    todo = created_todo(call.given, value_at(call.response, 'task', 'id'))
    return {'todos': {'explicit': [*rows_at(state, *TODOS), todo]}} if todo else {}


def _task_update(call: ToolCall, state: State, sources: Sources) -> State:
    return {'todos': {'explicit': updated_todos(rows_at(state, *TODOS), call.given)}}


def _read(call: ToolCall, state: State, sources: Sources) -> State:
    path = call.text('file_path', 'filePath')
    kind = kind_of(path, sources.plans)
    if not kind:
        return {}
    listed = [each.get('path') for each in rows_at(state, 'documents', 'must_read')]
    found: State = {kind: [{'path': path}]}
    if path not in listed:
        found['must_read'] = [
            {'path': path, 'why': 'read in this session', 'priority': len(listed) + 1}
        ]
    return {'documents': found}


def _write(call: ToolCall, state: State, sources: Sources) -> State:
    path = call.text('file_path', 'notebook_path', 'filePath')
    if not path:
        return {}
    return {'artifacts': {'files': [{'path': path, 'actual': 'written'}]}}


TOOLS: dict[str, Callable[[ToolCall, State, Sources], State]] = {
    'skill': _skill,
    'task': _agent,
    'agent': _agent,
    'todowrite': _todo_write,
    'taskcreate': _task_create,
    'taskupdate': _task_update,
    'read': _read,
    'write': _write,
    'edit': _write,
    'notebookedit': _write,
}


def tool_used(
    event: Mapping[str, Any], state: State, sources: Sources = NO_SOURCES
) -> State:
    """The update that a PostToolUse event makes; {} for none."""
    name = str(event.get('tool_name', '')).lower().removeprefix(PREFIX)
    if name not in TOOLS:
        return {}
    call = ToolCall(
        _object(event.get('tool_input')),
        _object(event.get('tool_response')),
        str(event.get('tool_use_id') or ''),
    )
    return TOOLS[name](call, state, sources)


def agent_stopped(event: Mapping[str, Any], state: State) -> State:
    """The update that a SubagentStop event makes; {} for none.

    The client itself runs agents without a type, to summarise for instance. An agent
    failed if it ends without a message, or with the client's error.
    """
    name, kind = event.get('agent_id'), event.get('agent_type')
    if not name or not kind:
        return {}
    last = str(event.get('last_assistant_message') or '').strip()
    failed = not last or last.startswith('API Error')
    found: State = {
        'id': str(name),
        'status': 'failed' if failed else 'completed',
        'output_summary': cut(last, MAX_TEXT) or None,
    }
    agents = rows_at(state, 'subagents')
    if all(each.get('id') != str(name) for each in agents):
        found.update({'persona': str(kind), 'skill_stack': []})
    return {'subagents': [found]}
