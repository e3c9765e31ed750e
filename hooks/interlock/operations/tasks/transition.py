"""The one writer of a task's state: lock, log, trail and mirror at once."""

from __future__ import annotations

from interlock.documents import json, timestamps
from interlock.documents.json import parse_object
from interlock.documents.tasks.trail import TRANSITIONS
from interlock.documents.text import shown
from interlock.documents.trailers import says_something
from interlock.model.change import Blob
from interlock.model.errors import Denied, Unreadable
from interlock.model.fixes import did_you_mean
from interlock.model.quick_typing import Any, Mapping, NamedTuple, Sequence
from interlock.operations.outcome import Outcome
from interlock.operations.tasks import trail
from interlock.operations.tasks.locks import entry
from interlock.operations.tasks.trail import File
from interlock.tasks.conditions.added_agents import taking_part
from interlock.tasks.conditions.view import View
from interlock.workflow.reading.transition_log import first_state, is_selecting

# judged once; another judgement is a correction, and stays on record
CORRECTED = ('risk', 'change')


class StepInput(NamedTuple):
    """What came with the command."""

    reason: str = ''
    # why a value is what it is
    why: str = ''
    evidence: tuple[str, ...] = ()
    # values of the lock, by what they mean
    fields: Mapping[str, Any] = {}


class Files(NamedTuple):
    lock: File
    trail: File
    # a copy of the state under other names, if somebody keeps one
    mirror: File


def recorded(given: Sequence[str]) -> Any:
    """A list, or an object where every item says `name=value`."""
    pairs = [each.partition('=') for each in given]
    if given and all(mark for _, mark, _ in pairs):
        return {name.strip(): value.strip() for name, _, value in pairs}
    return list(given)


def _corrections(view: View, given: StepInput, now: str) -> list[dict[str, Any]]:
    """What was judged before, and is judged otherwise now."""
    return [
        {
            'field': view.lock.key(role),
            'from': view.lock.text(role),
            'to': given.fields[role],
            'reason': given.why.strip(),
            'timestamp': now,
        }
        for role in CORRECTED
        if role in given.fields and view.lock.text(role) not in ('', given.fields[role])
    ]


def with_given(view: View, given: StepInput, now: str) -> View:
    """The task as it is once what was given is recorded."""
    lock, new = view.lock, _corrections(view, given, now)
    if new:
        lock = lock.having('corrections', [*lock.values('corrections'), *new])
    for role, value in given.fields.items():
        lock = lock.having(role, value)
    if given.evidence:
        shown_here = {view.state: recorded(given.evidence)}
        lock = lock.having('evidence', {**lock.mapping('evidence'), **shown_here})
    return view._replace(lock=lock)


def refuse_unknown(view: View, given: StepInput) -> None:
    """What is recorded has to be one of the workflow's words."""
    known = {'risk': view.protocol.risks, 'scope': view.protocol.scopes.values()}
    for role, words in known.items():
        value = given.fields.get(role)
        found = value.values() if isinstance(value, dict) else value
        for word in [found] if isinstance(found, str) else found or ():
            if word not in words:
                raise Denied(
                    f'`{shown(word)}` is not one of {", ".join(words)}'
                    f'{did_you_mean(word, words)}',
                    f'interlock transition {view.task} {view.target} '
                    f'--{role} {next(iter(words))}',
                )


def refuse_correction(view: View, given: StepInput) -> None:
    """What opens gates is not written anew without a word."""
    for role in CORRECTED:
        new, old = given.fields.get(role, ''), view.lock.text(role)
        if new and old not in ('', new) and not says_something(given.why):
            raise Denied(
                f'{view.lock.key(role)} is recorded as `{shown(old)}`, and '
                f'is not changed to `{shown(new)}` without saying why',
                f'interlock transition {view.task} {view.target} '
                f"--{role} {shown(new)} --why 'WHY'",
            )


def refuse_without_reason(view: View, given: StepInput) -> None:
    line = view.line
    if line is not None and line.reason and not says_something(given.reason):
        raise Denied(
            f'{view.state} -> {view.target} needs a reason',
            f"interlock transition {view.task} {view.target} --reason 'WHY'",
        )


def _time(view: View, now: str) -> tuple[str, tuple[str, ...]]:
    """A clock that went back must not put the log out of order."""
    times = [step.time for step in view.lock.log]
    latest = times[-1] if times else ''
    if timestamps.is_before(now, latest):
        return latest, (
            f'the clock says {now}, but the last entry of the log is from {latest}: '
            f'the step is logged at that time',
        )
    return now, ()


def _lock(view: View, now: str, given: StepInput) -> dict[str, Any]:
    lock = view.lock
    record = entry(view.state, view.target, now)
    if not is_selecting(view.kind, view.target):
        # who is added or removed by hand from here on shows
        record['agents'] = taking_part(view)
    if given.reason.strip():
        record['reason'] = given.reason.strip()
    if given.evidence:
        record['evidence'] = recorded(given.evidence)
    lock = lock.having('log', [*lock.values('log'), record])
    lock = lock.having('state', view.target)
    evidence = dict(lock.mapping('evidence'))
    if view.target in evidence:
        # of an earlier round, or written ahead; the log keeps it
        del evidence[view.target]
        lock = lock.having('evidence', evidence)
    return lock.data


def _mirror(view: View, file: File, data: Mapping[str, Any]) -> bytes | None:
    """The copy, in step again; one that cannot be read stays as it is."""
    if file.data is None:
        return None
    try:
        found = parse_object(Blob('', len(file.data), file.data)).data
    except Unreadable:
        return file.data
    for role in ('state', 'log', 'agents'):
        key, own = view.protocol.keys[role], view.lock.key(role)
        for name in (
            key,
            *(
                alias
                for alias, target in view.protocol.aliases.items()
                if target == key
            ),
        ):
            if name in found and own in data:
                found[name] = data[own]
    return json.render(found, file.data)


def _beginning(view: View) -> dict[str, Any] | None:
    """What the first state has to show goes into the trail."""
    if view.state != first_state(view.kind):
        return None
    return {
        'lock_created_at': view.lock.text('created'),
        'session_id': view.lock.session,
        'worktree': view.code,
        'agent_worktrees': [agent.name for agent in view.agents if agent.worktree],
        'working_dir': view.directory,
    }


def transition(before: View, files: Files, now: str, given: StepInput) -> Outcome:
    """The step, whose gate was looked at before."""
    view = with_given(before, given, now)
    refuse_without_reason(view, given)
    now, warnings = _time(view, now)
    data = _lock(view, now, given)
    changed: dict[str, bytes | None] = {
        files.lock.path: json.render(data, files.lock.data),
        files.trail.path: trail.with_entry(
            files.trail,
            TRANSITIONS,
            trail.transition(
                view.state,
                view.target,
                now,
                given.reason.strip(),
                _beginning(view),
                _corrections(before, given, now),
            ),
            view.task,
            view.lock.session,
            now,
        ),
    }
    mirror = _mirror(view, files.mirror, data)
    if mirror is not None:
        changed[files.mirror.path] = mirror
    return Outcome(changed, (f'{view.task}: {view.state} -> {view.target}',), warnings)
