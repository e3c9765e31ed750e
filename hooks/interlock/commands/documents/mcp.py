from __future__ import annotations

import os

import click

from interlock import __version__
from interlock.commands.click_options import Options, common, example
from interlock.git.git_paths import project_of
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Any, Callable
from interlock.state.shared_states import load_elsewhere
from interlock.state.skills import skill_instructions
from interlock.state.state_hooks import owner_of, send_later
from interlock.state.store import MAX_AGE, Store, open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

Answer = dict[str, Any]


def _key(directory: str) -> str:
    if not os.path.isdir(directory):
        # a state saved under a mistyped name would never be found again
        raise Refusal(f'there is no directory {directory}', 'pwd')
    return project_of(directory)


def _share(store: Store, key: str) -> None:
    if store.is_shared(key):
        send_later(key)


def workflow_state_save(
    project_path: str, state: dict[str, Any], trigger: str = 'manual'
) -> Answer:
    """Save the state of a workflow.

    `interlock explain --schema saved-state` prints what a state may hold.
    trigger is manual, auto or checkpoint.
    """
    key = _key(project_path)
    with open_store(os.environ) as store:
        saved = store.save(key, state, trigger, owner_of({}, os.environ))
        _share(store, key)
    return {'saved': True, 'project': key, 'replaced_session': saved.replaced or None}


def workflow_state_load(project_path: str, max_age_hours: float = MAX_AGE) -> Answer:
    """Get the saved state of a project back, unless it is too old.

    If found is false, there is nothing to resume; a state that is too old
    still has its age and trigger. If other_session is given, the state is that
    session's and not this one's.
    """
    key, owner = _key(project_path), owner_of({}, os.environ)
    with open_store(os.environ) as store:
        found = store.load(key, owner, max_age_hours)
    try:
        found = load_elsewhere(found, key, owner, max_age_hours)
    except Refusal:
        if not found.trigger:
            raise
    return found.as_json(key)


def workflow_state_update(project_path: str, updates: dict[str, Any]) -> Answer:
    """Merge a part of a state into the saved one, or begin with it.

    Objects are merged. Todos are replaced, a skill goes to the front of the
    stack, files and documents are kept once per path, messages are appended.
    """
    key = _key(project_path)
    with open_store(os.environ) as store:
        saved = store.update(key, updates, 'auto', owner_of({}, os.environ))
        _share(store, key)
    return {'updated': True, 'project': key, 'keys': list(saved.state)}


def skill_instructions_get(skill: str, project_path: str = '.') -> Answer:
    """Get what a skill forbids and requires, from its SKILL.md.

    A skill of a plugin is named plugin:skill.
    """
    found = skill_instructions(skill, _key(project_path), os.environ)
    return {'found': found is not None, **(found or {})}


TOOLS: tuple[Callable[..., Answer], ...] = (
    workflow_state_save,
    workflow_state_load,
    workflow_state_update,
    skill_instructions_get,
)


def _with_tool_errors(tool: Callable[..., Answer]) -> Callable[..., Answer]:
    """Turn a refusal into the failure of a tool, which the model reads."""
    import functools

    from mcp.server.mcpserver.exceptions import ToolError

    @functools.wraps(tool)
    def call(*args: Any, **kwargs: Any) -> Answer:
        try:
            return tool(*args, **kwargs)
        except Refusal as e:
            hint = f'; next: {e.hint}' if e.hint else ''
            raise ToolError(f'{e.message}{hint}') from None

    return call


def server() -> MCPServer[Any]:
    try:
        from mcp.server.mcpserver import MCPServer
    except ImportError:
        from interlock.setup.mcp_install_hint import install_mcp

        raise Refusal('the MCP SDK is not installed', install_mcp()) from None
    made: MCPServer[Any] = MCPServer('interlock', version=__version__)
    for tool in TOOLS:
        made.add_tool(_with_tool_errors(tool), structured_output=True)
    return made


@example('interlock mcp')
@click.command('mcp')
@common
def command(options: Options) -> int:
    """Serve the saved state to other clients (MCP on stdin and stdout)."""
    server().run()
    return 0
