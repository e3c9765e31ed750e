"""Agents that take part in a task, selected first or added later."""

from __future__ import annotations

from interlock.documents import json, section_edit
from interlock.documents.tasks.approvals import PLAN
from interlock.documents.tasks.lock import Lock
from interlock.documents.text import shown
from interlock.documents.trailers import says_something
from interlock.model.errors import Denied, Unreadable
from interlock.model.quick_typing import Any, NamedTuple
from interlock.operations.outcome import Outcome
from interlock.operations.tasks.approve import requested_approval
from interlock.operations.tasks.trail import File
from interlock.tasks.conditions.added_agents import standing_rejections
from interlock.tasks.conditions.rounds import way_back
from interlock.tasks.conditions.view import View
from interlock.workflow.reading.item_paths import is_path_name
from interlock.workflow.reading.transition_log import first_with_additions, is_selecting


class Places(NamedTuple):
    lock: File
    plan: File
    # the flag files that say a plan is approved
    flags: tuple[str, ...]


def _lacks_reason(view: View, agent: str) -> bool:
    """Whether the agent was selected when the task began, without a reason."""
    given = view.lock.mapping('selection').get(agent)
    return is_selecting(view.kind, view.state) and not given


def refuse(view: View, agent: str, why: str, now: str) -> None:
    first = first_with_additions(view.kind)
    back = way_back(view, first) or f'interlock task resume {view.task}'
    spec = view.kind.states.get(view.state)
    if not is_path_name(agent):
        raise Denied(
            f'`{shown(agent)}` cannot be the name of an agent',
            'use letters, digits and hyphens',
        )
    elif not says_something(why):
        raise Denied(
            f'{agent} is not added without a reason',
            f"interlock agents add {view.task} {agent} --why 'WHY'",
        )
    against = standing_rejections(view, now)
    if against:
        raise Denied(
            f'{", ".join(against)} rejected the work, and an agent is not '
            f'added against a rejection',
            back,
        )
    elif not is_selecting(view.kind, view.state) and (
        spec is None or not spec.additions
    ):
        raise Denied(
            f'{view.task} is in {view.state}: it is too late to add an '
            f'agent without a return to {first}',
            back,
        )
    own = view.protocol.synonyms.get(agent, agent)
    for known in view.agents:
        if view.protocol.synonyms.get(known.name, known.name) != own:
            continue
        elif known.name != agent or (known.worktree and not _lacks_reason(view, agent)):
            raise Denied(
                f'{known.name} already takes part in {view.task}',
                f'interlock agents check {view.task} {known.name}',
            )


def _listed(view: View, agent: str) -> Any:
    before = view.lock.get('agents')
    if agent in view.lock.agents:
        return before
    elif isinstance(before, dict):
        # an older form: an object with agents by name
        return {**before, agent: {}}
    return [*view.lock.values('agents'), agent]


def _with_reason(view: View, agent: str, why: str, now: str) -> Lock:
    """The lock with the reason why an agent takes part."""
    lock = view.lock
    if is_selecting(view.kind, view.state):
        return lock.having('selection', {**lock.mapping('selection'), agent: why})
    addition = {
        'agent': agent,
        'added_at_state': view.state,
        'timestamp': now,
        'justification': why,
    }
    return lock.having('additions', [*lock.values('additions'), addition])


def _plan(view: View, agent: str, why: str) -> bytes | None:
    """The plan with a section of the agent; None where there is no plan."""
    if view.plan is None or view.plan_problem:
        return None
    line = f'Added in {view.state}: {" ".join(why.split())}'
    try:
        text = section_edit.append(view.plan, f'Agent {agent}', line)
    except Unreadable:
        return None
    return text.encode()


def add(view: View, places: Places, agent: str, why: str, now: str) -> Outcome:
    lock = _with_reason(view, agent, why, now).having('agents', _listed(view, agent))
    files: dict[str, bytes | None] = {
        places.lock.path: json.render(lock.data, places.lock.data)
    }
    said, warnings = [f'{view.task}: {agent} takes part, {why}'], []
    if not is_selecting(view.kind, view.state):
        plan = _plan(view, agent, why)
        if plan is not None:
            files[places.plan.path] = plan
        else:
            warnings.append(f'{view.plan_path} has no section about {agent}: write one')
        said.append(f'{agent} has to write a report')
        if requested_approval(view) == PLAN:
            files.update(dict.fromkeys(places.flags))
            said.append(
                'the plan is no longer approved: add what the agent requires, then '
                'present it again'
            )
    return Outcome(files, tuple(said), tuple(warnings))
