"""Which hooks of git call us, and why others do not."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator, Mapping

from interlock.doctor.hook_config_files import in_file
from interlock.doctor.hook_places import (
    Place,
    calls_of,
    framework_config,
    intended,
    is_heard,
    lost,
)
from interlock.documents.wiring.files import HUSKY, LEFTHOOK, PRE_COMMIT, PREK
from interlock.documents.wiring.hook_files import (
    AFTER,
    CALLS,
    HOOK_TYPES,
    PLAIN,
    RECEIVE,
    STAGES,
    TRAILERS,
    hooks_of,
    line,
)
from interlock.git import installed_hooks
from interlock.git.hook_folder import scripts_folder
from interlock.git.installed_hooks import INSTALLS, Hook
from interlock.model.fixes import edit, restore
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe

WIRE = 'interlock init --git-hooks'
# a folder with hooks in it -> what makes git look there
FOLDERS: Mapping[str, str] = {
    '.husky': INSTALLS[HUSKY],
    '.githooks': 'git config core.hooksPath .githooks',
}


def _said(place: Place, path: str) -> str:
    """A path as a person in the project would write it."""
    below = os.path.relpath(path, place.top or place.git_dir)
    return path if below.startswith('..') else below


def _no_directory(place: Place) -> str:
    """What mends a core.hooksPath that leads nowhere."""
    if scripts_folder(place.hooks) != place.hooks:
        return INSTALLS[HUSKY]
    return 'git config --unset core.hooksPath'


def directory(place: Place) -> Probe:
    name, where = 'hooks directory', _said(place, place.hooks)
    if not place.configured:
        return Probe(name, LIVE, f'git looks for hooks in {where}')
    what = f'core.hooksPath is {place.configured}: git looks in {where}'
    if not os.path.isdir(place.hooks):
        return Probe(name, DEAD, f'{what}, which is no directory', _no_directory(place))
    return Probe(name, LIVE, what)


def _install(place: Place, name: str, wanted: bool) -> str:
    """What makes git find a hook that some file wants to be run."""
    if place.is_moved and not os.path.isdir(place.hooks):
        return _no_directory(place)
    gone = lost(place, name)
    if gone:
        return restore(gone).command
    for folder, command in FOLDERS.items():
        path = f'{folder}/{name}'
        if name in in_file(path, place.read(path)) and folder not in (
            place.below,
            os.path.dirname(place.below),
        ):
            return command
    for framework, command in INSTALLS.items():
        name, data = installed_hooks.config_of(place.top, framework)
        if wanted and in_file(name, data):
            return command
    return WIRE


def _absent(place: Place, name: str, wanted: bool) -> Probe:
    what = f'there is no {name} in {_said(place, place.hooks)}'
    elsewhere = installed_hooks.hook(place.own_hooks, name)
    if place.is_moved and calls_of(place, elsewhere):
        return Probe(
            f'hook {name}',
            DEAD,
            f'{what}; the one in {_said(place, place.own_hooks)} calls '
            f'interlock, and git does not look there',
            'git config --unset core.hooksPath',
        )
    elif wanted:
        return Probe(
            f'hook {name}',
            DEAD,
            f'{what}, although it is to call interlock',
            _install(place, name, wanted),
        )
    return Probe(f'hook {name}', NOT_WIRED, what, WIRE)


def _entered(hook: Hook, config: str, has_ours: bool) -> str:
    """What makes a framework call us at a hook that it runs already."""
    own = [name for name, at in STAGES.items() if at == (hook.name,)]
    if hook.manager not in (PRE_COMMIT, PREK):
        return f'add the command `{line(hook.name)}` to {config}'
    elif hook.name in (TRAILERS, AFTER):
        return f'add the hook `{own[0]}` to {config}'
    elif has_ours:
        return f'add the stage {hook.name} to our hook in {config}'
    return 'interlock init --pre-commit'


def _silent(place: Place, hook: Hook, wanted: bool) -> Probe:
    """A hook that runs, and does not call us."""
    where = _said(place, hook.path)
    config, data = installed_hooks.config_of(place.top, hook.manager)
    gone = lost(place, hook.name)
    if gone:
        return Probe(
            f'hook {hook.name}',
            DEAD,
            f'{where} runs, but {gone} is not as committed, where it calls interlock',
            restore(gone).command,
        )
    elif hook.manager == HUSKY:
        above = _said(place, installed_hooks.script_path(hook))
        what = f'{where} hands over to {above}, which does not call interlock'
        step = (
            f'add the line `{line(hook.name)}` to {above}'
            if (os.path.exists(installed_hooks.script_path(hook)))
            else WIRE
        )
    elif config:
        what = (
            f'{where} runs {hook.manager}, and {config} has no hook of '
            f'interlock at that stage'
        )
        last, of_one_person = _config(place, hook)
        step = (
            edit(last).command
            if of_one_person and wanted
            else (_entered(hook, config, bool(in_file(config, data))))
        )
    else:
        what = f'{where} does not call interlock'
        # init writes no file that is there already
        step = f'add the line `{line(hook.name)}` to {where}'
    return Probe(f'hook {hook.name}', DEAD if wanted else NOT_WIRED, what, step)


def _of(place: Place, name: str, wanted: bool) -> Probe:
    hook = place.hook(name)
    where = _said(place, hook.path)
    if hook.data is None:
        return _absent(place, name, wanted)
    elif not calls_of(place, hook):
        return _silent(place, hook, wanted)
    elif not hook.executable:
        return Probe(
            f'hook {name}',
            DEAD,
            f'{where} is not executable, so git does not run it',
            shlex.join(['chmod', '+x', where]),
        )
    elif not is_heard(place, hook):
        path = _said(place, installed_hooks.script_path(hook))
        return Probe(
            f'hook {name}',
            DEAD,
            f'{path} names interlock, but not so that it runs and its failure counts',
            edit(path).command,
        )
    by = '' if hook.manager == PLAIN else f' by {hook.manager}'
    return Probe(f'hook {name}', LIVE, f'{where} calls interlock{by}')


def _config(place: Place, hook: Hook) -> tuple[str, bool]:
    """What decides for a framework, and whether it is of one person only."""
    names = [
        name
        for name in installed_hooks.CONFIGS.get(hook.manager, ())
        if place.read(name) is not None
    ]
    if hook.manager == LEFTHOOK and len(names) > 1:
        return names[-1], True
    return names[0] if names else '', False


def let_pass(place: Place, hook: Hook, what: str, told: bool) -> Probe:
    """A hook that calls us, and lets pass what we refuse."""
    config, of_one = _config(place, hook)
    path = _said(
        place,
        (installed_hooks.script_path(hook) if hook.manager == HUSKY else hook.path),
    )
    # where we were not even heard, its own hook does not lead there
    again = config and not told and not of_one
    return Probe(
        f'hook {hook.name}',
        DEAD,
        f'{_said(place, hook.path)} calls interlock, but by itself refuses '
        f'no violation: {what}',
        INSTALLS[hook.manager] if again else edit(config or path).command,
    )


def hooks(place: Place, tasks: bool) -> Iterator[Probe]:
    wanted = intended(place)
    if not place.top:
        yield _of(place, RECEIVE, bool(wanted[RECEIVE]))
        return
    for name in HOOK_TYPES:
        yield _of(place, name, bool(wanted[name]))
    if tasks:
        for name in (TRAILERS, AFTER):
            yield _of(place, name, bool(wanted[name]))


def _needs_path(place: Place) -> bool:
    """Whether a hook calls us by name; a framework may install us itself."""
    frameworks = (PRE_COMMIT, PREK)
    for name in CALLS:
        hook = place.hook(name)
        if hook.manager not in frameworks and calls_of(place, hook):
            return True
    return any(
        ours and 'entry' in hook
        for framework in frameworks
        for hook, ours in hooks_of(framework_config(place, framework))
    )


def on_path(place: Place, environ: Mapping[str, str]) -> Probe:
    """git adds its own directory to the PATH of hooks, and nothing else."""
    name = 'interlock on PATH'
    found = shutil.which('interlock', path=environ.get('PATH', ''))
    if found:
        return Probe(name, LIVE, f'hooks find {found}')
    return Probe(
        name,
        DEAD if _needs_path(place) else NOT_WIRED,
        'no `interlock` is on the PATH that hooks have',
        'install interlock where every shell finds it (pipx, uv tool)',
    )
