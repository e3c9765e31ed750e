"""What hooks remember of a session, in files that only grow.

That is when the session began, what it was told already, which agents of stages
it started and why, and the reports that agents handed over before they ended.
"""

from __future__ import annotations

import os

from interlock.files import atomic_files, records
from interlock.guard.context import Context
from interlock.guard.hook_log import folder
from interlock.model import quick_hash
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Any, NamedTuple
from interlock.model.state import State

# how many characters at the end of a message, and how many braces in it, are read
MAX_TEXT = 200_000
MAX_TRIES = 500
# the keys of an agent's report
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
        # telling it twice is better than not at all
        return True
    return True


def _start_file(context: Context) -> str:
    return _file(context, 'starts', _digest(context.event.session))


def mark_start(context: Context) -> None:
    """Note when a session begins; one that goes on began earlier."""
    path = _start_file(context)
    if not os.path.exists(path):
        records.save(path, True)


def start_time(context: Context) -> int:
    """When the session began, in nanoseconds, as the file system counts them; 0 if
    that is unknown."""
    try:
        return os.stat(_start_file(context)).st_mtime_ns
    except OSError:
        return 0


class AgentRun(NamedTuple):
    """What the agent of a stage was started for; the event of its end does not say."""

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
    """The runs of an agent that have not ended, the newest last."""
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
    """Keep a report that an agent hands over with a tool before it ends."""
    records.save_bytes(_report(context), message[-MAX_TEXT:].encode(errors='replace'))


def last_message(context: Context) -> str:
    """The last message of an agent: the report it handed over, else its last text."""
    kept = atomic_files.read(_report(context))
    if kept:
        return kept.decode(errors='replace')
    return context.event.text('last_assistant_message')


def report_in(text: str) -> bytes | None:
    """The last report in a text, byte for byte; None if there is none.

    It may be the whole text, in a fence, or follow some words.
    """
    # the start of a session does without it
    import json

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
