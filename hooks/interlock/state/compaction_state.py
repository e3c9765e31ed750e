"""The whole state of a session, before its context is compacted."""

from __future__ import annotations

from typing import Any, NamedTuple

from interlock.state.clock import iso
from interlock.state.merge import merged
from interlock.state.plan_files import encoded
from interlock.state.sanitize import cleaned
from interlock.state.store_types import State
from interlock.state.transcript import Transcript

MAX_ERRORS = 50


class Session(NamedTuple):
    project: str
    session: str
    # seconds since 1970
    now: float
    # branch, changes and worktrees, {} where there is no git
    environment: State


def _listed(conversation: State, name: str) -> list[State]:
    found = conversation.get(name)
    return list(found) if isinstance(found, list) else []


def _added(known: list[State], told: list[State], *keys: str) -> list[State]:
    """What is known, then what the transcript tells besides."""
    seen = [tuple(each.get(key) for key in keys) for each in known]
    result = list(known)
    for each in told:
        values = tuple(each.get(key) for key in keys)
        if values in seen:
            # each stands for one: the same word may have been said twice
            seen.remove(values)
        else:
            result.append(each)
    return result


def _conversation(saved: State, told: Transcript) -> State:
    before = saved.get('conversation')
    known: State = before if isinstance(before, dict) else {}
    messages: list[State] = [
        {
            'content': each.text,
            'type': each.type,
            **({'timestamp': each.timestamp} if each.timestamp else {}),
        }
        for each in told.messages
    ]
    corrections: list[State] = [
        {
            'original': each.original,
            'correction': each.correction,
            # what to take from it only the user's own words say
            'lesson': each.correction,
        }
        for each in told.corrections
    ]
    errors: list[State] = [
        {'error': each, 'fix': None, 'user_feedback': None}
        for each in told.errors[-MAX_ERRORS:]
    ]
    return {
        **known,
        'user_messages': _added(
            _listed(known, 'user_messages'), messages, 'content', 'timestamp'
        ),
        'corrections': _added(_listed(known, 'corrections'), corrections, 'correction'),
        'errors': _added(_listed(known, 'errors'), errors, 'error'),
    }


def _from_calls(saved: State, told: Transcript) -> State:
    """What was not tracked, because no hook was there to see it."""
    found: State = {}
    if told.todos is not None and 'todos' not in saved:
        keys = ('id', 'content', 'status', 'activeForm')
        found['todos'] = {
            'explicit': [
                {key: todo[key] for key in keys if key in todo} for todo in told.todos
            ]
        }
    if told.skills and 'skill_stack' not in saved:
        found['skill_stack'] = [{'name': told.skills[-1]}]
    return found


def built(saved: State, told: Transcript, about: Session) -> tuple[State, list[str]]:
    """What is known now; what nobody tells us stays as it was saved.

    Also what had to be left out, in sentences.
    """
    count: Any = saved.get('compaction_count', 0)
    facts: State = {
        'format_version': '3.0',
        'mode': 'auto',
        'project_path': about.project,
        'project_encoded': encoded(about.project),
        **({'session_id': about.session} if about.session else {}),
        'timestamp': iso(about.now),
        'compaction_count': count + 1,
    }
    if about.environment:
        facts['environment'] = about.environment
    state = merged(saved, {**facts, **_from_calls(saved, told)})
    state['conversation'] = _conversation(saved, told)
    return cleaned(state)
