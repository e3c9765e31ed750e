"""The files that make git or the client call us, and the workflow file.

Each function yields the objections to a write; the first one is the answer.
"""

from __future__ import annotations

import os

from interlock.documents.wiring.git_config import entries, section_name, steering
from interlock.files.atomic_files import stored
from interlock.git.hook_folder import hook_folders
from interlock.guard.context import Context, is_below
from interlock.guard.decision import LEAVE, Decision, ask, deny
from interlock.guard.relevance import Write, callers, git_folder, is_workflow_file
from interlock.model import calling_files
from interlock.model.quick_typing import Callable, Iterator

CODE = 'CLD003'
HINT = 'ask the user; interlock doctor shows what calls Interlock'
# files of a git directory: hooks that git runs, refs that would move a branch
# past the hooks, and pointers to these
FIXED = frozenset(
    """hooks refs HEAD packed-refs objects index commondir gitdir info/grafts
    shallow""".split()
)
CONFIGS = ('config', 'config.worktree')
OURS = 'interlock'
# commands that change files in place; other commands only add files
CHANGING = ('chmod', 'chown', 'chgrp', 'chattr', 'setfacl')
# keys that hide files from all hooks, or that choose the events of the hooks
FILTERS = ('files', 'exclude', 'default_stages', 'default_install_hook_types')


def _refused(message: str) -> Decision:
    return deny(CODE, message, HINT)


# commands that remove untracked files -> options that list these files
UNTRACKED = {
    'git clean': ('--others', '--exclude-standard'),
    'git clean -x': ('--others',),
    'git stash --all': ('--others',),
    'git stash': ('--others', '--exclude-standard'),
}


def is_listed(context: Context, path: str, *options: str) -> bool:
    """Whether git tracks a file, or lists it with these options."""
    command = ('ls-files', '--error-unmatch', *options, '--', path)
    return context.git(os.path.dirname(path), *command) is not None


def is_left(context: Context, how: str, path: str) -> bool:
    """Whether a command that removes untracked files leaves this one."""
    return not is_listed(context, path, *UNTRACKED[how])


def _of_tree(context: Context, write: Write) -> Iterator[Decision]:
    """Judge the removal or change of a whole directory that contains our callers."""
    if not write.removed and not write.how.startswith(CHANGING):
        return
    tops = {context.base, context.top} - {''}
    kept = [path for top in tops for path in calling_files.callers_in(top)]
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
        yield ask(CODE, text, HINT) if is_clean else _refused(text)


def _of_repository(context: Context, write: Write, path: str) -> Iterator[Decision]:
    folder = git_folder(path) or context.state
    first, *others = os.path.relpath(path, folder).split(os.sep)
    if first == 'worktrees' and len(others) > 1:
        first = others[1]
    if first == '.':
        # the pointer of a linked worktree is a file
        yield _refused(f'{path} is the repository')
    elif first == OURS:
        yield _refused(f'{path} belongs to Interlock')
    elif first in FIXED or '/'.join((first, *others)) in FIXED:
        yield _refused(
            f'{path} is in the git directory: an agent may not write hooks, '
            f'branches or the index there'
        )
    elif first in CONFIGS:
        yield from _of_config(context, write, path)


def _of_config(context: Context, write: Write, path: str) -> Iterator[Decision]:
    unknown = write.removed or write.new is None
    if unknown or steering(write.new) != steering(stored(path)):
        yield _refused(f'{path} says which hooks git runs')
    yield from _as_commands(context, write.new or b'', stored(path) or b'')


def _as_commands(context: Context, new: bytes, old: bytes) -> Iterator[Decision]:
    """Judge new entries of a configuration as if `git config` made them."""
    known = entries(old)
    added = [entry for entry in entries(new) if entry not in known]
    if not added:
        return
    from interlock.guard.guards.effects import judge as judge_effects
    from interlock.guard.shell.effects import Effect, Git
    from interlock.guard.shell.read import read as read_shell
    from interlock.guard.shell.words import quote

    lines = [
        f'git config {quote(".".join([section_name(section), key]))} {quote(value)}'
        for section, key, value in added
    ]
    found = read_shell('\n'.join(lines), context.directory, context.event.environ)
    effects: list[Effect] = [each for each in found if not isinstance(each, Git)]
    yield from filter(None, judge_effects(context, effects))


def _of_settings(context: Context, write: Write, path: str) -> Iterator[Decision]:
    from interlock.documents.wiring.client_settings import (
        calling_lines,
        parsed,
        posing_variables,
        switched_off,
    )

    old, new, shape = stored(path), write.new, calling_files.shape_of(path)
    is_env = shape == calling_files.ENV
    if is_env and new and not posing_variables(old):
        from interlock.documents.wiring.env_files import without_own_line

        new = without_own_line(new, context.state)
    why = 'it is not clear whether it would still call Interlock'
    if write.removed or new is not None:
        why = switched_off(old, new, shape)
    elif is_env and not posing_variables(old):
        # many programs write such a file for harmless reasons
        why = ''
    if why and _is_new_place(context, path) and not write.removed:
        # a copy of the project, which no client reads yet
        may_call = new is None or calling_lines(parsed(new, shape))
        why = '' if may_call else why
    if why:
        yield _refused(f'{path}: {why}')


def _is_new_place(context: Context, path: str) -> bool:
    """Whether the settings lie in a folder outside of the project and of the home
    directory that does not exist yet."""
    place = os.path.dirname(os.path.dirname(path))
    near = context.owns(path) or is_below(path, context.home)
    return not near and not os.path.lexists(place)


def _of_framework(context: Context, write: Write, path: str) -> Iterator[Decision]:
    old = stored(path) or b''
    if OURS.encode() not in old:
        yield from _of_overlay(write, path)
    elif write.removed or write.new is None:
        what = 'remove' if write.removed else 'rewrite'
        yield _refused(f'this would {what} {path}, which calls Interlock')
    elif _our_entries(old) != _our_entries(write.new) or _is_lost(write, path):
        yield _refused(f'{path} would no longer call Interlock as it does now')


def _framework_files(path: str) -> tuple[str, dict[str, bytes | None]]:
    """The name of a file, and all files that its framework reads together."""
    top, name = os.path.split(path)
    if os.path.basename(top) == '.config':
        top, name = os.path.dirname(top), f'.config/{name}'
    names = calling_files.FRAMEWORKS.get(calling_files.kind_of(name), (name,))
    return name, {each: stored(os.path.join(top, each)) for each in names}


def _is_lost(write: Write, path: str) -> bool:
    """Whether a write stops a framework from calling us at some hook."""
    from interlock.documents.wiring.calls import in_files, lost_gates

    name, files = _framework_files(path)
    new = None if write.removed else write.new
    return bool(lost_gates(in_files(files), in_files({**files, name: new})))


def _of_overlay(write: Write, path: str) -> Iterator[Decision]:
    """Judge the personal file that overrides the shared one: it can switch us off
    without naming us."""
    name, files = _framework_files(path)
    calls_us = any(OURS.encode() in (data or b'') for data in files.values())
    if calling_files.LOCAL not in name or write.removed or not calls_us:
        return
    elif write.new is None:
        yield ask(CODE, f'{path} may switch off what calls Interlock', HINT)
    elif _is_lost(write, path):
        yield _refused(f'{path} would switch off what calls Interlock')


def _of_pipeline(context: Context, write: Write, path: str) -> Iterator[Decision]:
    from interlock.documents.wiring.calls import in_file, lost_gates

    name = context.inside(path)
    new = None if write.removed else write.new
    if lost_gates(in_file(name, stored(path)).at, in_file(name, new).at):
        yield _refused(
            f'{path} would no longer call Interlock, or would ignore its failure'
        )


def _our_entries(data: bytes) -> object:
    """Our part of a configuration, with the filters that apply to all of it."""
    from interlock.documents import yaml
    from interlock.model.errors import Unreadable

    try:
        config = yaml.value(yaml.parse(data.decode()))
    except (UnicodeDecodeError, Unreadable):
        # TOML, or unreadable: compare our lines as they are
        return [line for line in data.splitlines() if OURS.encode() in line]
    if not isinstance(config, dict):
        return None
    repos = config.get('repos')
    repos = repos if isinstance(repos, list) else []
    ours = [repo for repo in repos if OURS in str(repo)]
    return ours, [config.get(key) for key in FILTERS]


def _of_husky(context: Context, write: Write, path: str) -> Iterator[Decision]:
    new = write.new
    if not write.removed and (new is None or b'HUSKY' in new or b'exit' in new):
        yield _refused(f'husky reads {path} before each hook')


def _of_startup(context: Context, write: Write, path: str) -> Iterator[Decision]:
    """Judge the startup files of the user's shells. Other variables, aliases or
    functions may change what a shell runs; a plain variable is harmless."""
    from interlock.guard.guards.programs import sets_only_variables

    old = (stored(path) or b'').splitlines()
    new = write.new.splitlines() if write.new is not None else [b'?']
    added = b'\n'.join(line for line in new if line not in old)
    harmless = sets_only_variables(context, added.decode('UTF-8', 'replace'))
    if not write.removed and not harmless:
        yield ask(CODE, f'every shell of the user reads {path}', HINT)


def _of_found(context: Context, write: Write, path: str) -> Iterator[Decision]:
    if not write.removed:
        yield ask(CODE, f'git and its hooks would start {path}', HINT)


# the judge or the reason to refuse, for each kind of `relevance.callers`
JUDGES: dict[str, Callable[[Context, Write, str], Iterator[Decision]]] = {
    'repository': _of_repository,
    'git config': _of_config,
    'settings': _of_settings,
    'framework': _of_framework,
    'pipeline': _of_pipeline,
    'husky': _of_husky,
    'startup': _of_startup,
    'found first': _of_found,
}
# these are judged by their content, so another mode or date is harmless
SAYING = ('settings', 'framework', 'pipeline', 'startup', 'found first')
REASONS = {
    'cache': 'belongs to Interlock',
    'package': 'is Interlock itself',
    'program': 'is Interlock itself',
    'hook': 'is a hook that git runs',
}


def judge(context: Context, write: Write) -> Iterator[Decision]:
    if write.tree:
        yield from _of_tree(context, write)
    for path in write.places:
        for kind in callers(context, path):
            if write.kept and kind in SAYING:
                continue
            elif kind in JUDGES:
                yield from JUDGES[kind](context, write, path)
            elif kind != 'program' or not write.removed:
                # hooks refuse if a program is missing
                yield _refused(f'{path} {REASONS[kind]}')
        name = context.inside(path)
        if is_workflow_file(context, name):
            what = 'remove' if write.removed else 'change'
            text = f'this would {what} {name}, which defines what is judged'
            yield ask('CLD004', text, LEAVE)
