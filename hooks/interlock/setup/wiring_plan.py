"""The files that call us: what `init` writes, and what `uninstall` removes of it."""

from __future__ import annotations

import os

from interlock.agents import adapter_of
from interlock.agents.adapter import Adapter
from interlock.documents.wiring import hook_files
from interlock.files import settings_record
from interlock.files.atomic_files import read
from interlock.git import installed_hooks
from interlock.git.git_paths import FILE
from interlock.git.hook_folder import scripts_folder
from interlock.git.workflow_source import nearest
from interlock.model import quick_re as re
from interlock.model.calling_files import NAMING, PRE_COMMIT, PREK, is_settings
from interlock.model.clients import NAMES
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Iterable, Iterator, NamedTuple, Sequence
from interlock.setup import client_wiring, pre_commit_config
from interlock.setup.file_plan import FileStep
from interlock.setup.init import (
    Target,
    git_hook_steps,
    has_tasks,
    pre_commit_step,
    tasks_folder,
)
from interlock.setup.pre_commit_config import Source
from interlock.setup.pre_commit_stages import types_before

AUTO = 'auto'


class WiringChoice(NamedTuple):
    """What shall call us."""

    pre_commit: bool
    # where pre-commit installs Interlock from
    source: Source
    git_hooks: bool
    clients: Sequence[Adapter]
    # whether clients are wired for the whole team, and offered the MCP server
    shared: bool
    mcp: bool


def chosen_clients(top: str, given: str, first: bool) -> list[Adapter]:
    """The clients to wire, each once."""
    words = [word.strip() for word in given.split(',') if word.strip()]
    found = [adapter_of(NAMES[0])] if first else []
    for word in words:
        known = client_wiring.configured(top) if word == AUTO else [adapter_of(word)]
        found.extend(known)
    if AUTO in words and not found:
        raise Refusal(
            'no client of agents is configured here',
            f'decide which of {", ".join(NAMES)} the project uses, and see what one of '
            f'them would get: interlock init --agent {NAMES[0]} --dry-run',
        )
    return list(dict.fromkeys(found))


def wiring_steps(
    target: Target, workflow: FileStep, wanted: WiringChoice
) -> Iterator[FileStep]:
    # a workflow that cannot be read stops all
    tasks = (wanted.pre_commit or wanted.git_hooks) and has_tasks(workflow)
    if wanted.pre_commit:
        yield pre_commit_step(target, wanted.source)
    if wanted.git_hooks:
        yield from git_hook_steps(target, tasks)
    folder = tasks_folder(target, workflow) if wanted.clients else ''
    if wanted.mcp:
        yield client_wiring.server(target.base, wanted.shared)
    for client in wanted.clients:
        yield from client_wiring.variable_steps(
            client, target.base, target.top, target.common_dir
        )
        # last, because it says what comes next
        yield from client_wiring.settings(client, target.base, wanted.shared, folder)


def record_clients(target: Target, workflow: FileStep, wanted: WiringChoice) -> None:
    """Prepare for the clients whose settings were written."""
    folder = tasks_folder(target, workflow) if wanted.clients else ''
    if folder and any(client.folders for client in wanted.clients):
        # the client ignores folders that are missing when it starts
        os.makedirs(os.path.join(target.base, folder), exist_ok=True)
    if wanted.clients:
        settings_record.record_all(target.base, target.common_dir)


def wiring_advice(
    target: Target, workflow: FileStep, wanted: WiringChoice, dry_run: bool
) -> Iterator[str]:
    """What is left to do by hand."""
    if wanted.pre_commit and has_tasks(workflow):
        yield (
            'for tasks: add the hook `interlock-trailers` too, and the hook '
            'type prepare-commit-msg; and `interlock-trail`, with post-commit'
        )
    others = client_wiring.unwired(target.base) if not wanted.clients else []
    if others:
        yield (
            f'agents of {", ".join(others)} are configured here, and not checked while '
            f'they work\n    to wire them: interlock init --agent {",".join(others)}'
        )
    if wanted.pre_commit and not dry_run:
        yield 'next: pre-commit install || prek install'
    elif workflow.new is not None and not (
        wanted.git_hooks
        or wanted.clients
        or dry_run
        # one step at a time
        or any('next: ' in each for each in workflow.advice)
    ):
        yield 'next: interlock init --git-hooks'


def _git_hook_removal(path: str, command: str) -> FileStep | None:
    old = read(path)
    if old is None:
        return None
    elif old == hook_files.git_hook(command):
        return FileStep(path, old, None, 'written by Interlock', gone=True)
    # a hook that someone else wrote, whether or not its call is reached
    call = rf'^[^#\n]*\binterlock {command}\b'
    if re.search(call.encode(), old, re.MULTILINE) is None:
        return None
    remark = f'calls `interlock {command}`, but differs from what init writes; left'
    return FileStep(path, old, None, remark)


def _git_hook_removals(target: Target) -> Iterator[FileStep | None]:
    folders = (target.hooks, scripts_folder(target.hooks), target.own_hooks)
    for folder in dict.fromkeys(map(os.path.realpath, folders)):
        for name, command in hook_files.CALLS.items():
            yield _git_hook_removal(os.path.join(folder, name), command)


def _pre_commit_removals(target: Target) -> Iterator[FileStep | None]:
    path = os.path.join(target.top, pre_commit_config.FILE)
    old = read(path)
    if old is not None:
        new, left = pre_commit_config.without_hooks(old)
        if new:
            remark = "without Interlock's hooks" + (f'; {left}' if left else '')
            yield FileStep(path, old, new, remark)
        elif new is not None:
            yield client_wiring.emptied(path, old, pre_commit_config.is_empty)
        elif left:
            yield FileStep(path, old, None, left)
    path = os.path.join(target.top, pre_commit_config.TOML_FILE)
    old = read(path)
    if old is not None and b'interlock' in old:
        remark = "TOML is not edited here; take Interlock's hooks out of it by hand"
        yield FileStep(path, old, None, remark)


def _folder_of_tasks(target: Target) -> str:
    path = nearest('') or os.path.join(target.base, FILE)
    return tasks_folder(target, FileStep(path, read(path), None, ''))


def _client_removals(target: Target) -> Iterator[FileStep | None]:
    below = os.path.join(os.path.realpath(target.top), '')
    folder = _folder_of_tasks(target)
    for path in settings_record.settings_files(target.top, {}):
        if os.path.realpath(path).startswith(below):
            yield client_wiring.without_settings(path, target.top, folder)
    naming = os.path.join(target.common_dir, NAMING)
    if os.path.exists(naming):
        yield FileStep(naming, read(naming), None, 'written by Interlock', gone=True)
    yield client_wiring.without_server(target.top)


def removal_steps(target: Target) -> list[FileStep]:
    """What `init` wrote and nobody changed is removed; the rest is listed."""
    found = (
        *_git_hook_removals(target),
        *_pre_commit_removals(target),
        *_client_removals(target),
    )
    return [step for step in found if step is not None]


def forget_settings(target: Target) -> None:
    """Forget the files that call us; they are guarded only while they are recorded."""
    for path in settings_record.recorded_calls(target.common_dir):
        settings_record.remember(target.common_dir, path, {})


def remove_empty_folder(target: Target, steps: Iterable[FileStep]) -> None:
    """Remove a directory that contained only our settings."""
    gone = [step.path for step in steps if step.gone and is_settings(step.path)]
    for folder in dict.fromkeys(map(os.path.dirname, gone)):
        while folder != target.top and os.path.isdir(folder):
            if os.path.islink(folder) or os.listdir(folder):
                break
            os.rmdir(folder)
            folder = os.path.dirname(folder)


def _types_less(step: FileStep) -> list[str]:
    """The hook types that a configuration of pre-commit installed for us alone."""
    if os.path.basename(step.path) != pre_commit_config.FILE or step.new is None:
        return []
    before, after = (
        types_before(pre_commit_config.config_of(each)).names
        for each in (step.old, step.new)
    )
    return [name for name in before if name not in after]


def orphaned_hooks(target: Target, steps: Sequence[FileStep]) -> Iterator[str]:
    """Hooks of a framework that nobody needs any longer.

    Without a configuration they would refuse every commit; by default the framework
    removes only one of them. With one they would run other hooks once more.
    """
    gone = [step.path for step in steps if step.gone]
    less = [name for step in steps for name in _types_less(step)]
    for framework in (PRE_COMMIT, PREK):
        config, _ = installed_hooks.config_of(target.top, framework)
        hooks = [
            name
            for name in hook_files.CALLS
            if installed_hooks.hook(target.hooks, name).manager == framework
        ]
        why = 'which no longer has a configuration'
        if config and os.path.join(target.top, config) not in gone:
            hooks = [name for name in hooks if name in less]
            why = f'which would run the other hooks of {config} there too'
        if hooks:
            types = ' '.join(f'-t {name}' for name in hooks)
            yield (
                f'{target.hooks}: {", ".join(hooks)} left; written by {framework}, '
                f'{why}\nnext: {framework} uninstall {types}'
            )
