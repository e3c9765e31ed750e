"""Which git hooks call us, and why the others do not."""

from __future__ import annotations

import os
import shlex
import shutil

from interlock.doctor.installation import Installation, wanted_by
from interlock.documents.wiring import hook_files
from interlock.files.actor import actor
from interlock.git import installed_hooks
from interlock.git.hook_folder import scripts_folder
from interlock.git.installed_hooks import INSTALLS, Hook
from interlock.model.calling_files import HUSKY, LEFTHOOK, PRE_COMMIT, PREK
from interlock.model.fixes import edit, restore
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe
from interlock.model.quick_typing import Any, Iterator, Mapping

WIRE = 'interlock init --git-hooks'
UNSET = 'git config --unset core.hooksPath'
# a folder with hooks -> the command that makes git use it
FOLDERS: Mapping[str, str] = {
    '.husky': INSTALLS[HUSKY],
    '.githooks': 'git config core.hooksPath .githooks',
}
TYPES = 'default_install_hook_types'
# the hook types that pre-commit installs by default
DEFAULT_TYPES = ('pre-commit',)


def _no_directory(place: Installation) -> str:
    """The command that fixes a core.hooksPath that does not exist."""
    husky = scripts_folder(place.hooks) != place.hooks
    return INSTALLS[HUSKY] if husky else UNSET


def directory(place: Installation) -> Probe:
    name, where = 'hooks directory', place.name_of(place.hooks)
    if not place.configured:
        return Probe(name, LIVE, f'git looks for hooks in {where}')
    what = f'core.hooksPath is {place.configured}: git looks in {where}'
    if not os.path.isdir(place.hooks):
        what = f'{what}, which is not a directory'
        return Probe(name, DEAD, what, _no_directory(place))
    return Probe(name, LIVE, what)


def _install(place: Installation, name: str) -> str:
    """The command that makes git find a hook that some file asks for."""
    if place.is_moved and not os.path.isdir(place.hooks):
        return _no_directory(place)
    lost = place.lost_in(name)
    if lost:
        return restore(lost).command
    found = (place.below, os.path.dirname(place.below))
    for folder, command in FOLDERS.items():
        path = f'{folder}/{name}'
        if folder not in found and name in wanted_by(path, place.read(path)):
            return command
    for framework, command in INSTALLS.items():
        if wanted_by(*installed_hooks.config_of(place.top, framework)):
            return command
    return WIRE


def _absent(place: Installation, name: str, wanted: bool) -> Probe:
    what = f'there is no {name} in {place.name_of(place.hooks)}'
    elsewhere = installed_hooks.hook(place.own_hooks, name)
    if place.is_moved and place.checks(elsewhere):
        what = (
            f'{what}; the one in {place.name_of(place.own_hooks)} calls interlock, '
            f'and git does not look there'
        )
        return Probe(f'hook {name}', DEAD, what, UNSET)
    elif wanted:
        what = f'{what}, although it should call interlock'
        return Probe(f'hook {name}', DEAD, what, _install(place, name))
    return Probe(f'hook {name}', NOT_WIRED, what, WIRE)


def _enter(hook: Hook, config: str, has_ours: bool) -> str:
    """The change that makes a framework call us at a hook that it already runs."""
    own = [name for name, at in hook_files.STAGES.items() if at == (hook.name,)]
    if hook.manager not in (PRE_COMMIT, PREK):
        return f'add the command `{hook_files.calling_line(hook.name)}` to {config}'
    elif hook.name in (hook_files.TRAILERS, hook_files.AFTER):
        return f'add the hook `{own[0]}` to {config}'
    elif has_ours:
        return f"add the stage {hook.name} to Interlock's hook in {config}"
    return 'interlock init --pre-commit'


def _silent(place: Installation, hook: Hook, wanted: bool) -> Probe:
    """The probe of a hook that runs, but does not call us."""
    name, where = f'hook {hook.name}', place.name_of(hook.path)
    config, data = installed_hooks.config_of(place.top, hook.manager)
    lost = place.lost_in(hook.name)
    if lost:
        what = f'{where} runs, but {lost} was changed and no longer calls interlock'
        return Probe(name, DEAD, what, restore(lost).command)
    elif hook.manager == HUSKY:
        script = installed_hooks.script_path(hook)
        above = place.name_of(script)
        what = f'{where} hands over to {above}, which does not call interlock'
        added = f'add the line `{hook_files.calling_line(hook.name)}` to {above}'
        step = added if os.path.exists(script) else WIRE
    elif config:
        what = (
            f'{where} runs {hook.manager}, and {config} has no hook of '
            f'interlock at that stage'
        )
        last, is_local = _config(place, hook)
        step = _enter(hook, config, bool(wanted_by(config, data)))
        if is_local and wanted:
            step = edit(last).step
    else:
        what = f'{where} does not call interlock'
        # init does not overwrite an existing file
        step = f'add the line `{hook_files.calling_line(hook.name)}` to {where}'
    return Probe(name, DEAD if wanted else NOT_WIRED, what, step)


def _hook(place: Installation, name: str, wanted: bool) -> Probe:
    hook = place.hook(name)
    where = place.name_of(hook.path)
    if hook.data is None:
        return _absent(place, name, wanted)
    elif not place.checks(hook):
        return _silent(place, hook, wanted)
    elif not hook.executable:
        what = f'{where} is not executable, so git does not run it'
        step = shlex.join(['chmod', '+x', where])
        if not actor(os.environ).is_human:
            # guards deny agents access to git's hooks
            step = f'ask the user to run {step}'
        return Probe(f'hook {name}', DEAD, what, step)
    elif not installed_hooks.leads_to_us(place.top, hook):
        path = place.name_of(installed_hooks.script_path(hook))
        what = f'{path} names interlock, but does not run it, or ignores its failure'
        return Probe(f'hook {name}', DEAD, what, edit(path).step)
    by = '' if hook.manager == hook_files.PLAIN else f' by {hook.manager}'
    return Probe(f'hook {name}', LIVE, f'{where} calls interlock{by}')


def _config(place: Installation, hook: Hook) -> tuple[str, bool]:
    """The configuration file that decides, and whether it is a local override."""
    names = [
        name
        for name in installed_hooks.CONFIGS.get(hook.manager, ())
        if place.read(name) is not None
    ]
    if hook.manager == LEFTHOOK and len(names) > 1:
        return names[-1], True
    return names[0] if names else '', False


def let_pass(place: Installation, hook: Hook, what: str, told: bool) -> Probe:
    """The probe of a hook that calls us, but lets pass what we refuse."""
    config, is_local = _config(place, hook)
    husky = hook.manager == HUSKY
    path = place.name_of(installed_hooks.script_path(hook) if husky else hook.path)
    # if our refusal was not even shown, the installed hook does not read this file
    again = config and not told and not is_local
    return Probe(
        f'hook {hook.name}',
        DEAD,
        f'{place.name_of(hook.path)} calls interlock, but does not refuse a '
        f'violation by itself: {what}',
        INSTALLS[hook.manager] if again else edit(config or path).step,
    )


def hooks(place: Installation, tasks: bool) -> Iterator[Probe]:
    wanted = place.wanted()
    names = (
        *hook_files.HOOK_TYPES,
        *((hook_files.TRAILERS, hook_files.AFTER) if tasks else ()),
    )
    for name in names if place.top else (hook_files.RECEIVE,):
        yield _hook(place, name, bool(wanted[name]))


def _needs_path(place: Installation) -> bool:
    """Whether a hook calls us by name; a framework may install us itself."""
    hooks = [place.hook(name) for name in hook_files.CALLS]
    return any(
        hook.manager not in (PRE_COMMIT, PREK) and place.checks(hook) for hook in hooks
    ) or any(
        ours and 'entry' in entry
        for framework in (PRE_COMMIT, PREK)
        for entry, ours in hook_files.hooks_of(place.config(framework))
    )


def on_path(place: Installation, environ: Mapping[str, str]) -> Probe:
    """Whether hooks find us: git adds only its own directory to their PATH."""
    name = 'interlock on PATH'
    found = shutil.which('interlock', path=environ.get('PATH', ''))
    if found:
        return Probe(name, LIVE, f'hooks find {found}')
    return Probe(
        name,
        DEAD if _needs_path(place) else NOT_WIRED,
        '`interlock` is not on the PATH that hooks see',
        'install interlock where every shell finds it (pipx, uv tool)',
    )


def _types(config: Any, name: str) -> Probe:
    """Whether all hook types that our hooks need get installed."""
    have = config.get(TYPES) or DEFAULT_TYPES
    missing = ', '.join(
        type_ for type_ in hook_files.of_pre_commit(config) if type_ not in have
    )
    if missing:
        what = (
            f'{name}: `{TYPES}` lacks {missing}, so a new clone does not install them'
        )
        step = f'add {missing} to `{TYPES}`, then pre-commit install'
        return Probe('hook types', DEAD, what, step)
    return Probe(
        'hook types', LIVE, f'{name} installs all the hook types that Interlock needs'
    )


def _filters(config: Any, name: str) -> Probe:
    """Whether a filter of all hooks hides the message file from ours."""
    for key in ('files', 'exclude'):
        only = {key: config.get(key)}
        if not all(hook_files.lets_through(only, path) for path in hook_files.MESSAGES):
            what = (
                f'{name}: `{key}` of all hooks hides the message file, so no rule '
                f'about messages is judged'
            )
            step = f'let COMMIT_EDITMSG and MERGE_MSG through in `{key}`'
            return Probe('message file', DEAD, what, step)
    return Probe('message file', LIVE, f'{name} lets the message file through')


def frameworks(place: Installation) -> Iterator[Probe]:
    """Probes of configurations of pre-commit and prek that may stop our hooks."""
    for framework in (PRE_COMMIT, PREK):
        name = installed_hooks.config_of(place.top, framework)[0]
        if not name or name.endswith('.toml'):
            continue
        config = place.config(framework)
        if not isinstance(config, dict):
            step = 'pre-commit validate-config'
            yield Probe('framework', DEAD, f'{name} cannot be read', step)
        elif any(ours for _, ours in hook_files.hooks_of(config)):
            yield _types(config, name)
            yield _filters(config, name)
        # both frameworks read the same file
        return
