"""What hooks keep of a session, in files that only grow.

What it was told already, which agents of stages it started and for what, and
the reports that agents handed over before they ended.
"""

from __future__ import annotations

import json
import os

from interlock.files import atomic_files, records
from interlock.guard.context import Context
from interlock.guard.hook_log import folder
from interlock.model import quick_hash
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Any, NamedTuple
from interlock.model.state import State

# characters of a message, from its end, and braces in it, that are looked at
MAX_TEXT = 200_000
MAX_TRIES = 500
# the keys of a report
KEYS = ('agent', 'status')


def _digest(*parts: str) -> str:
    text = '\0'.join(parts).encode(errors='surrogatepass')
    return quick_hash.sha256(text).hexdigest()[:32]


def _file(context: Context, kind: str, name: str) -> str:
    return os.path.join(folder(context.state, context.event.client), kind, name)


def first_time(context: Context, *what: str) -> bool:
    """True the first time the session is told this."""
    path = _file(context, 'told', _digest(context.event.session))
    line = _digest(*what)
    try:
        if line in records.entries(path, str):
            return False
        records.append(path, line)
    except Refusal:
        # saying it twice is better than not at all
        return True
    return True


class AgentRun(NamedTuple):
    """What the agent of a stage was started for; its end does not say it."""

    agent: str
    item: str
    state: State


def _runs(context: Context) -> str:
    return _file(context, 'runs', f'{_digest(context.event.session)}.jsonl')


def record_run(context: Context, what: str, run: AgentRun) -> None:
    """`what` is `begin` or `end`."""
    records.append(_runs(context), [what, run.agent, run.item, *run.state])


def _parse_run(line: Any) -> tuple[str, AgentRun]:
    what, agent, item, name, phase = line
    return str(what), AgentRun(str(agent), str(item), State(name, phase))


def running(context: Context, agent: str) -> list[AgentRun]:
    """What an agent of the session works on; the newest last."""
    found: dict[str, AgentRun] = {}
    for what, run in records.entries(_runs(context), _parse_run):
        if run.agent == agent:
            found.pop(run.item, None)
            if what == 'begin':
                found[run.item] = run
    return list(found.values())


def _report(context: Context) -> str:
    event = context.event
    return _file(context, 'handbacks', _digest(event.session, event.agent_id))


def keep_report(context: Context, message: str) -> None:
    """Some modes hand the report over with a tool, before the agent ends."""
    records.save_bytes(_report(context), message[-MAX_TEXT:].encode(errors='replace'))


def last_message(context: Context) -> str:
    """The last words of an agent: what it handed over, else what it said."""
    kept = atomic_files.read(_report(context))
    if kept:
        return kept.decode(errors='replace')
    return context.event.text('last_assistant_message')


def report_in(text: str) -> bytes | None:
    """The last report in a text, byte for byte; None if there is none.

    It may be the whole text, in a fence, or follow some words.
    """
    decoder, found = json.JSONDecoder(), ''
    text = text[-MAX_TEXT:]
    start = text.find('{')
    for _ in range(MAX_TRIES):
        if start < 0:
            break
        try:
            data, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            if all(key in data for key in KEYS):
                found = text[start:end]
        start = text.find('{', end)
    return found.encode(errors='replace') or None
