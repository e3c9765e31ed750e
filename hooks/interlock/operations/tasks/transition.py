"""The one writer of a task's state: lock, log, trail and mirror at once."""

from __future__ import annotations

from interlock.documents import json, timestamps
from interlock.documents.json import parse_object
from interlock.documents.tasks.trail import TRANSITIONS
from interlock.documents.text import shown
from interlock.documents.trailers import says_something
from interlock.model.change import Blob
from interlock.model.errors import Denied, Unreadable
from interlock.model.fixes import correction, did_you_mean
from interlock.model.quick_typing import Any, Mapping, NamedTuple, Sequence
from interlock.operations.outcome import Outcome
from interlock.operations.tasks import trail
from interlock.operations.tasks.locks import entry
from interlock.operations.tasks.trail import File, TrailFile
from interlock.tasks.conditions.added_agents import taking_part
from interlock.tasks.conditions.view import View
from interlock.workflow.reading.transition_log import first_state, is_selecting

# recorded once; another value is a correction, and stays on record
CORRECTED = ('risk', 'change')


class StepInput(NamedTuple):
    """The values that came with the command."""

    reason: str = ''
    # the reason for a value
    why: str = ''
    evidence: tuple[str, ...] = ()
    # values of the lock, by what they mean
    fields: Mapping[str, Any] = {}


class Files(NamedTuple):
    lock: File
    trail: TrailFile
    # a copy of the state under other names, if the project keeps one
    mirror: File


def evidence_from_words(given: Sequence[str]) -> Any:
    """A list, or an object where every item says `name=value`."""
    pairs = [each.partition('=') for each in given]
    if given and all(mark for _, mark, _ in pairs):
        return {name.strip(): value.strip() for name, _, value in pairs}
    return list(given)


def _corrections(view: View, given: StepInput, now: str) -> list[dict[str, Any]]:
    """The recorded values that the given ones correct."""
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
    """The view of the task with the given values recorded."""
    lock, new = view.lock, _corrections(view, given, now)
    if new:
        lock = lock.having('corrections', [*lock.values('corrections'), *new])
    for role, value in given.fields.items():
        lock = lock.having(role, value)
    if given.evidence:
        shown_here = {view.state: evidence_from_words(given.evidence)}
        lock = lock.having('evidence', {**lock.mapping('evidence'), **shown_here})
    return view._replace(lock=lock)


def refuse_unknown(view: View, given: StepInput) -> None:
    """Refuse values that are not words of the workflow."""
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
                    meant=correction(word, words),
                )


def refuse_correction(view: View, given: StepInput) -> None:
    """Refuse to change a value that opens gates without a reason."""
    for role in CORRECTED:
        new, old = given.fields.get(role, ''), view.lock.text(role)
        if new and old not in ('', new) and not says_something(given.why):
            raise Denied(
                f'{view.lock.key(role)} is recorded as `{shown(old)}`, and '
                f'changing it to `{shown(new)}` needs a reason',
                f'interlock transition {view.task} {view.target} '
                f"--{role} {shown(new)} --why 'WHY'",
            )


def refuse_without_reason(view: View, given: StepInput) -> None:
    step = view.transition
    if step is not None and step.reason and not says_something(given.reason):
        raise Denied(
            f'{view.state} -> {view.target} needs a reason',
            f"interlock transition {view.task} {view.target} --reason 'WHY'",
        )


def _time(view: View, now: str) -> tuple[str, tuple[str, ...]]:
    """The time for the log, which stays in order even if the clock went back."""
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
        # agents that are added or removed by hand after this are noticed
        record['agents'] = taking_part(view)
    if given.reason.strip():
        record['reason'] = given.reason.strip()
    if given.evidence:
        record['evidence'] = evidence_from_words(given.evidence)
    lock = lock.having('log', [*lock.values('log'), record])
    lock = lock.having('state', view.target)
    evidence = dict(lock.mapping('evidence'))
    if view.target in evidence:
        # from an earlier round, or written ahead; the log keeps it
        del evidence[view.target]
        lock = lock.having('evidence', evidence)
    return lock.data


def _mirror(view: View, file: File, data: Mapping[str, Any]) -> bytes | None:
    """The updated copy; one that cannot be read stays as it is."""
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
    """The facts about the start, which the first step adds to the trail."""
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
    """Make the step; its gate was checked before."""
    view = with_given(before, given, now)
    refuse_without_reason(view, given)
    now, warnings = _time(view, now)
    data = _lock(view, now, given)
    changed: dict[str, bytes | None] = {
        files.lock.path: json.render(data, files.lock.data),
        files.trail.path: files.trail._replace(now=now).with_entry(
            TRANSITIONS,
            trail.transition(
                view.state,
                view.target,
                now,
                given.reason.strip(),
                _beginning(view),
                _corrections(before, given, now),
            ),
        ),
    }
    mirror = _mirror(view, files.mirror, data)
    if mirror is not None:
        changed[files.mirror.path] = mirror
    return Outcome(changed, (f'{view.task}: {view.state} -> {view.target}',), warnings)
