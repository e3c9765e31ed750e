"""The whole state of a session, before its context is compacted."""

from __future__ import annotations

import time

from interlock.model.quick_typing import NamedTuple
from interlock.state.merge import merge
from interlock.state.plan_files import encoded
from interlock.state.sanitize import sanitized
from interlock.state.transcript import Transcript
from interlock.state.validate import State

MAX_ERRORS = 50
TODO_KEYS = ('id', 'content', 'status', 'activeForm')


class Session(NamedTuple):
    project: str
    session: str
    # seconds since 1970
    now: float
    # branch, changes and worktrees, {} without git
    environment: State


def iso(seconds: float) -> str:
    return time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(seconds))


def _added(known: State, name: str, new: list[State], *keys: str) -> list[State]:
    """The known list, followed by what the transcript adds to it."""
    listed = known.get(name)
    result = list(listed) if isinstance(listed, list) else []
    seen = [tuple(each.get(key) for key in keys) for each in result]
    for each in new:
        values = tuple(each.get(key) for key in keys)
        if values in seen:
            # match each entry once: the same thing may have been said twice
            seen.remove(values)
        else:
            result.append(each)
    return result


def _conversation(saved: State, transcript: Transcript) -> State:
    before = saved.get('conversation')
    known: State = before if isinstance(before, dict) else {}
    messages: list[State] = [
        {
            'content': each.text,
            'type': each.type,
            **({'timestamp': each.timestamp} if each.timestamp else {}),
        }
        for each in transcript.messages
    ]
    # only the user's own words count as the lesson
    corrections: list[State] = [
        {**each._asdict(), 'lesson': each.correction} for each in transcript.corrections
    ]
    errors: list[State] = [
        {'error': each, 'fix': None, 'user_feedback': None}
        for each in transcript.errors[-MAX_ERRORS:]
    ]
    return {
        **known,
        'user_messages': _added(
            known, 'user_messages', messages, 'content', 'timestamp'
        ),
        'corrections': _added(known, 'corrections', corrections, 'correction'),
        'errors': _added(known, 'errors', errors, 'error'),
    }


def _from_calls(saved: State, transcript: Transcript) -> State:
    """The todos and skills that were not tracked, because there was no hook yet."""
    found: State = {}
    if transcript.todos is not None and 'todos' not in saved:
        found['todos'] = {
            'explicit': [
                {key: todo[key] for key in TODO_KEYS if key in todo}
                for todo in transcript.todos
            ]
        }
    if transcript.skills and 'skill_stack' not in saved:
        found['skill_stack'] = [{'name': transcript.skills[-1]}]
    return found


def compaction_state(
    saved: State, transcript: Transcript, about: Session
) -> tuple[State, list[str]]:
    """The saved state with what is known now, and a list of what was left out."""
    facts: State = {
        'format_version': '3.0',
        'mode': 'auto',
        'project_path': about.project,
        'project_encoded': encoded(about.project),
        'timestamp': iso(about.now),
        'compaction_count': saved.get('compaction_count', 0) + 1,
    }
    if about.session:
        facts['session_id'] = about.session
    if about.environment:
        facts['environment'] = about.environment
    state = merge(saved, {**facts, **_from_calls(saved, transcript)})
    state['conversation'] = _conversation(saved, transcript)
    return sanitized(state)
