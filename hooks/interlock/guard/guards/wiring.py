"""The files that make git or the client call us, and the workflow file."""

from __future__ import annotations

import os

from interlock.documents.wiring import files as wiring_files
from interlock.documents.wiring.git_config import steering
from interlock.files.atomic_files import read
from interlock.git.hook_folder import hook_folders
from interlock.guard.context import Context, is_below
from interlock.guard.decision import LEAVE, Decision, ask, deny
from interlock.guard.relevance import Write, callers, git_folder, is_workflow_file
from interlock.model.quick_typing import Callable, Iterator

CODE = 'CLD003'
HINT = 'ask the user; interlock doctor shows what calls Interlock'
# in a git directory: what is run, what moves a branch past the hooks, and
# what says where all of it is
FIXED = frozenset(
    """hooks refs HEAD packed-refs objects index commondir gitdir info/grafts
    shallow""".split()
)
CONFIGS = ('config', 'config.worktree')
OURS = 'interlock'
# what changes files in place; other commands only add files
CHANGING = ('chmod', 'chown', 'chgrp', 'chattr', 'setfacl')
# what hides files from all hooks, and at which events they run
FILTERS = ('files', 'exclude', 'default_stages', 'default_install_hook_types')


def _refused(message: str) -> Decision:
    return deny(CODE, message, HINT)


# what takes files away that git does not track -> those that it looks for
UNTRACKED = {
    'git clean': ('--others',),
    'git stash --all': ('--others',),
    'git stash': ('--others', '--exclude-standard'),
}


def is_listed(context: Context, path: str, *options: str) -> bool:
    """Whether git tracks a file, or with options whether it is one of those."""
    from interlock.git.git import Git, GitError

    command = ('ls-files', '--error-unmatch', *options, '--', path)
    try:
        Git(context.event.environ).run('-C', os.path.dirname(path), *command)
    except GitError:
        return False
    return True


def is_left(context: Context, how: str, path: str) -> bool:
    """Whether a command that takes untracked files away leaves this one."""
    return not is_listed(context, path, *UNTRACKED[how])


def _of_tree(context: Context, write: Write) -> Decision | None:
    """A whole directory that is removed or changed with our callers in it."""
    if not write.removed and not write.how.startswith(CHANGING):
        return None
    tops = {context.base, context.top} - {''}
    kept = [path for top in tops for path in wiring_files.callers_in(top)]
    if not write.how.startswith('git '):
        # git never touches its own directory
        top, environ = context.top, context.event.environ
        kept = [context.state, *(hook_folders(top, environ) if top else ()), *kept]
    is_clean = write.how in UNTRACKED
    for path in kept:
        if not is_below(path, write.real) or not os.path.lexists(path):
            continue
        elif is_clean and is_left(context, write.how, path):
            continue
        what = 'remove' if write.removed else 'change'
        text = f'this would {what} {path}, which makes git or the client call Interlock'
        return ask(CODE, text, HINT) if is_clean else _refused(text)
    return None


def _of_repository(context: Context, write: Write, path: str) -> Decision | None:
    folder = git_folder(path)
    if not folder and is_below(path, context.state):
        folder = context.state
    if not folder:
        return None
    first, *others = os.path.relpath(path, folder).split(os.sep)
    if first == 'worktrees' and len(others) > 1:
        first = others[1]
    if first == '.':
        # the pointer of a linked worktree is a file
        return _refused(f'{path} is the repository')
    elif first == OURS:
        return _refused(f'{path} belongs to Interlock')
    elif first in FIXED or '/'.join((first, *others)) in FIXED:
        return _refused(
            f'{path} is in the git directory: an agent writes no hook, branch or '
            f'index there'
        )
    return _of_config(context, write, path) if first in CONFIGS else None


def _of_config(context: Context, write: Write, path: str) -> Decision | None:
    if not write.removed and write.new is not None:
        if steering(write.new) == steering(read(path)):
            return None
    return _refused(f'{path} says which hooks git runs')


def _of_settings(context: Context, write: Write, path: str) -> Decision | None:
    from interlock.documents.wiring.client_settings import switched_off
    from interlock.documents.wiring.files import shape_of

    if write.kept:
        return None
    why = 'it is not clear whether it would still call Interlock'
    if write.removed or write.new is not None:
        why = switched_off(read(path), write.new, shape_of(path))
    return _refused(f'{path}: {why}') if why else None


def _of_framework(context: Context, write: Write, path: str) -> Decision | None:
    if write.kept:
        return None
    old = read(path) or b''
    if OURS.encode() not in old:
        return _of_overlay(write, path)
    elif write.removed or write.new is None:
        what = 'remove' if write.removed else 'rewrite'
        return _refused(f'this would {what} {path}, which calls Interlock')
    elif _our_entries(old) != _our_entries(write.new) or _is_lost(write, path):
        return _refused(f'{path} would no longer call Interlock as it does now')
    return None


def _framework_files(path: str) -> tuple[str, dict[str, bytes | None]]:
    """The name of a file, and all files that its framework reads together."""
    top, name = os.path.split(path)
    if os.path.basename(top) == '.config':
        top, name = os.path.dirname(top), f'.config/{name}'
    names = wiring_files.FRAMEWORKS.get(wiring_files.kind_of(name), (name,))
    return name, {each: read(os.path.join(top, each)) for each in names}


def _is_lost(write: Write, path: str) -> bool:
    """Whether a framework would no longer call us at some hook."""
    from interlock.documents.wiring.calls import in_files, lost

    name, files = _framework_files(path)
    new = None if write.removed else write.new
    return bool(lost(in_files(files), in_files({**files, name: new})))


def _of_overlay(write: Write, path: str) -> Decision | None:
    """A file that one person lays over the shared one that calls us; it can
    switch us off without naming us."""
    name, files = _framework_files(path)
    calls_us = any(OURS.encode() in (data or b'') for data in files.values())
    if wiring_files.LOCAL not in name or write.removed or not calls_us:
        return None
    elif write.new is None:
        return ask(CODE, f'{path} may switch off what calls Interlock', HINT)
    elif _is_lost(write, path):
        return _refused(f'{path} would switch off what calls Interlock')
    return None


def _of_pipeline(context: Context, write: Write, path: str) -> Decision | None:
    from interlock.documents.wiring.calls import in_file, lost

    name = context.inside(path)
    new = None if write.removed else write.new
    if write.kept or not lost(in_file(name, read(path)).at, in_file(name, new).at):
        return None
    return _refused(f'{path} would ignore a failure of Interlock')


def _our_entries(data: bytes) -> object:
    """Our part of a configuration, with the filters of all of it."""
    from interlock.documents import yaml
    from interlock.model.errors import Unreadable

    try:
        config = yaml.value(yaml.parse(data.decode()))
    except (UnicodeDecodeError, Unreadable):
        # TOML, or nothing that can be read: our lines as they are
        return [line for line in data.splitlines() if OURS.encode() in line]
    if not isinstance(config, dict):
        return None
    repos = config.get('repos')
    repos = repos if isinstance(repos, list) else []
    ours = [repo for repo in repos if OURS in str(repo)]
    return ours, [config.get(key) for key in FILTERS]


def _of_husky(context: Context, write: Write, path: str) -> Decision | None:
    new = write.new
    if write.removed or (new is not None and not (b'HUSKY' in new or b'exit' in new)):
        return None
    return _refused(f'husky reads {path} before each hook')


def _of_startup(context: Context, write: Write, path: str) -> Decision | None:
    """A shell of the user that starts with other variables, aliases or functions
    is no longer the user's own; a plain variable is harmless."""
    if write.removed or write.kept:
        return None
    from interlock.guard.guards.programs import sets_only_variables

    old = (read(path) or b'').splitlines()
    new = write.new.splitlines() if write.new is not None else [b'?']
    added = b'\n'.join(line for line in new if line not in old)
    if sets_only_variables(context, added.decode('UTF-8', 'replace')):
        return None
    return ask(CODE, f'every shell of the user reads {path}', HINT)


def _of_found(context: Context, write: Write, path: str) -> Decision | None:
    if write.removed or write.kept:
        return None
    return ask(CODE, f'git and its hooks would start {path}', HINT)


# for each kind of `relevance.callers`: who judges it, or why it is refused
JUDGES: dict[str, Callable[[Context, Write, str], Decision | None]] = {
    'repository': _of_repository,
    'git config': _of_config,
    'settings': _of_settings,
    'framework': _of_framework,
    'pipeline': _of_pipeline,
    'husky': _of_husky,
    'startup': _of_startup,
    'found first': _of_found,
}
REASONS = {
    'cache': 'belongs to Interlock',
    'package': 'is Interlock itself',
    'program': 'is Interlock itself',
    'hook': 'is a hook that git runs',
}


def _decisions(context: Context, write: Write) -> Iterator[Decision | None]:
    if write.tree:
        yield _of_tree(context, write)
    for path in write.places:
        for kind in callers(context, path):
            if kind in JUDGES:
                yield JUDGES[kind](context, write, path)
            elif kind != 'program' or not write.removed:
                # hooks refuse if a program is missing
                yield _refused(f'{path} {REASONS[kind]}')
        name = context.inside(path)
        if is_workflow_file(context, name):
            what = 'remove' if write.removed else 'change'
            text = f'this would {what} {name}, which defines what is judged'
            yield ask('CLD004', text, LEAVE)


def judge(context: Context, write: Write) -> Decision | None:
    return next(filter(None, _decisions(context, write)), None)
