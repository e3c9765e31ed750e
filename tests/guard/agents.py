"""Agents that start and end, as the client tells of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.desk import Desk
from tests.guard.asking import SESSION, Reply, ask
from tests.spaces import Space, lock


def start_agent(
    agent: str,
    cwd: Path,
    prompt: str = 'go on',
    session: str = SESSION,
    environ: Mapping[str, str] | None = None,
    **fields: Any,
) -> Reply:
    given = {'description': 'd', 'prompt': prompt, 'subagent_type': agent}
    return ask(
        'PreToolUse',
        cwd,
        session,
        environ,
        tool_name='Agent',
        tool_input=given,
        tool_use_id='toolu_1',
        **fields,
    )


def end_agent(
    agent: str, cwd: Path, last: str = 'done', name: str = 'a1', **fields: Any
) -> Reply:
    return ask(
        'SubagentStop',
        cwd,
        **{
            'agent_id': name,
            'agent_type': agent,
            'stop_hook_active': False,
            'agent_transcript_path': '',
            'last_assistant_message': last,
            'background_tasks': [],
            **fields,
        },
    )


def failures(git_dir: Path) -> str:
    """What hooks that only look on failed at."""
    log = git_dir / 'interlock' / 'claude' / 'failures.log'
    return log.read_text(encoding='UTF-8') if log.exists() else ''


def desk_of(space: Space, state: str) -> Desk:
    """A task of the session with two agents, in a state."""
    made = Desk(space.path)
    made.worktree()
    made.put(lock(session_id=SESSION, required_agents=['architect', 'quality']))
    made.at(state)
    return made
