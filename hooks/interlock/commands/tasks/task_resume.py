from __future__ import annotations

import click

from interlock.commands.click_options import Options, formats, writes
from interlock.commands.tasks.verdicts import say, values
from interlock.documents.text import shown
from interlock.model.quick_typing import Any
from interlock.report.terminal import FOUND, out, out_json
from interlock.tasks.conditions.advice import Action, advise, pattern, resumption
from interlock.tasks.conditions.agents import COMPLETION, asked_of_agents, owed
from interlock.tasks.conditions.approvals import onward
from interlock.tasks.conditions.gate import gate
from interlock.tasks.conditions.view import View


def _agents(view: View) -> list[dict[str, Any]]:
    names = asked_of_agents(view) or COMPLETION
    return [
        {
            'agent': agent.name,
            'worktree': agent.worktree,
            'status': agent.status,
            'report': agent.report_path,
            'report_bytes': agent.report,
            'complete': not owed(agent, view, names),
            'starts': agent.starts,
            **advise(agent, view)._asdict(),
        }
        for agent in view.agents
    ]


def _text(view: View, action: Action) -> None:
    out(f'{view.task} is in {shown(view.state) or "no state"}')
    there = 'exists' if view.worktree else 'is missing'
    out(f'  worktree {view.code} {there}')
    for each in _agents(view):
        size = each['report_bytes']
        report = 'no report' if size is None else f'report of {size} bytes'
        worktree = '' if each['worktree'] else ', no worktree'
        out(
            f'  {each["agent"]:16} {each["status"] or "no status":12} '
            f'{report}{worktree}; {each["action"]}: {each["why"]}'
        )
    common = pattern(view, action.agents)
    if common:
        out(f'  {common}')


@click.command('resume')
@click.argument('task')
@formats('text', 'json')
@writes
def command(options: Options, task: str, form: str) -> int:
    """Show where TASK is after an interruption, and what comes next.

    Nothing is changed. Exit 1: agents still have to be started.
    """
    with options.task(task, reads=True) as at:
        view = at.view()
        following = onward(view.kind, view.state)
        if following:
            view = at.at_gate(following)
    verdicts = gate(view) if following else []
    action = resumption(view, verdicts)
    if form == 'json':
        out_json(
            {
                'task': view.task,
                'state': view.state,
                'held_by': view.lock.session,
                'worktree': {'path': view.code, 'exists': view.worktree},
                'agents': _agents(view),
                'action': action.name,
                'invoke': list(action.agents),
                'why': action.why,
                'next_state': view.target,
                'gate': values(verdicts),
            },
            indent=None,
        )
    else:
        _text(view, action)
        if following:
            out(f'before {following}:')
            say(verdicts, quiet=not options.verbose)
        names = f' [{", ".join(action.agents)}]' if action.agents else ''
        out(f'{action.name}{names}: {action.why}')
    return FOUND if action.agents else 0
