"""What `uninstall` removes: what `init` wrote, as it wrote it."""

from __future__ import annotations

import os

from interlock.documents.wiring import hook_files
from interlock.documents.wiring.files import PRE_COMMIT, PREK, is_settings
from interlock.files import settings_record
from interlock.files.atomic_files import read
from interlock.git import installed_hooks
from interlock.git.git_paths import FILE
from interlock.git.hook_folder import scripts_folder
from interlock.git.workflow_source import nearest
from interlock.model import quick_re as re
from interlock.model.quick_typing import Iterable, Iterator
from interlock.setup import client_wiring, pre_commit_config
from interlock.setup.file_plan import FileStep
from interlock.setup.init import Target, tasks_folder


def _git_hook(path: str, command: str) -> FileStep | None:
    old = read(path)
    if old is None:
        return None
    elif old == hook_files.git_hook(command):
        return FileStep(path, old, None, 'is ours', gone=True)
    # a hook that somebody else wrote, whether its call is reached or not
    call = rf'^[^#\n]*\binterlock {command}\b'
    if re.search(call.encode(), old, re.MULTILINE) is None:
        return None
    remark = f'calls `interlock {command}`, and is not as we write it; left'
    return FileStep(path, old, None, remark)


def _git_hooks(target: Target) -> Iterator[FileStep | None]:
    folders = (target.hooks, scripts_folder(target.hooks), target.own_hooks)
    for folder in dict.fromkeys(map(os.path.realpath, folders)):
        for name, command in hook_files.CALLS.items():
            yield _git_hook(os.path.join(folder, name), command)


def _pre_commit(target: Target) -> Iterator[FileStep | None]:
    path = os.path.join(target.top, pre_commit_config.FILE)
    old = read(path)
    if old is not None:
        new, left = pre_commit_config.without_hooks(old)
        if new:
            remark = 'without our hooks' + (f'; {left}' if left else '')
            yield FileStep(path, old, new, remark)
        elif new is not None:
            yield FileStep(path, old, None, 'only ours was in it', gone=True)
        elif left:
            yield FileStep(path, old, None, left)
    path = os.path.join(target.top, pre_commit_config.TOML_FILE)
    old = read(path)
    if old is not None and b'interlock' in old:
        remark = 'TOML is not edited here; take our hooks out of it by hand'
        yield FileStep(path, old, None, remark)


def _tasks_folder(target: Target) -> str:
    path = nearest('') or os.path.join(target.base, FILE)
    return tasks_folder(target, FileStep(path, read(path), None, ''))


def _client(target: Target) -> Iterator[FileStep | None]:
    below = os.path.join(os.path.realpath(target.top), '')
    folder = _tasks_folder(target)
    for path in settings_record.settings_files(target.top, {}):
        if os.path.realpath(path).startswith(below):
            yield client_wiring.without_settings(path, target.top, folder)
    yield client_wiring.without_server(target.top)


def removal_steps(target: Target) -> list[FileStep]:
    found = (*_git_hooks(target), *_pre_commit(target), *_client(target))
    return [step for step in found if step is not None]


def forget_settings(target: Target) -> None:
    """Forget the files that call us, which are guarded while known."""
    for path in settings_record.recorded(target.common_dir):
        settings_record.remember(target.common_dir, path, {})


def remove_empty_folder(target: Target, steps: Iterable[FileStep]) -> None:
    """A directory that only our settings were in goes with them."""
    for step in steps:
        folder = os.path.dirname(step.path)
        while step.gone and is_settings(step.path) and folder != target.top:
            if os.path.islink(folder) or os.listdir(folder):
                break
            os.rmdir(folder)
            folder = os.path.dirname(folder)


def orphaned_hooks(target: Target, gone: Iterable[str]) -> Iterator[str]:
    """Hooks of a framework that has no configuration any more: it would
    refuse each commit, and by default it removes only one of them."""
    for framework in (PRE_COMMIT, PREK):
        name, _ = installed_hooks.config_of(target.top, framework)
        hooks = [
            name
            for name in hook_files.CALLS
            if installed_hooks.hook(target.hooks, name).manager == framework
        ]
        if hooks and (not name or os.path.join(target.top, name) in gone):
            types = ' '.join(f'-t {name}' for name in hooks)
            yield (
                f'{target.hooks}: {", ".join(hooks)} left; written by '
                f'{framework}, which no longer has a configuration\n'
                f'next: {framework} uninstall {types}'
            )
