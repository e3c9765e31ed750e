from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import NamedTuple

import click

from interlock.commands.host import err
from interlock.commands.host import out
from interlock.commands.judging import opened
from interlock.commands.parsing import common
from interlock.model.errors import Refusal
from interlock.world.config import FILE
from interlock.world.files import read
from interlock.world.files import replace
from interlock.world.git import text
from interlock.world.repository import Repository


class Place(NamedTuple):
    """Where things are written."""

    top: str
    # where git looks for hooks, and where it does by default
    hooks: str
    own_hooks: str
    # whether other repositories may look there too
    shared: bool
    # the markdown files that git knows
    documents: tuple[str, ...]


class Step(NamedTuple):
    path: str
    old: bytes | None
    # None: leave it
    new: bytes | None
    remark: str
    executable: bool = False
    # to be added by hand, for standard output
    shown: str = ''
    advice: tuple[str, ...] = ()


def _is_below(path: str, *folders: str) -> bool:
    real = [os.path.join(os.path.realpath(p), '') for p in (path, *folders)]
    return real[0].startswith(tuple(real[1:]))


def _place(repository: Repository) -> Place:
    top, git_dir, common_dir = repository.facts
    if not top:
        raise Refusal(
            'a bare repository has no working tree to set up',
            'run this in a clone',
        )
    git = repository.git
    hooks = os.path.abspath(git.line('rev-parse', '--git-path', 'hooks'))
    documents = git.run('ls-files', '-z', '--full-name', '--', ':/*.md')
    return Place(
        top, hooks, os.path.join(common_dir, 'hooks'),
        not _is_below(hooks, top, git_dir, common_dir),
        tuple(path for path in text(documents).split('\0') if path),
    )


def _workflow(place: Place, preset: str | None) -> Step:
    path = os.path.join(place.top, FILE)
    old = read(path)
    if old is not None:
        return Step(path, old, None, 'is there already; left as it is')
    from interlock.commands import detect
    found = detect.workflow(place.top, place.documents, preset)
    return Step(
        path, None, found.text.encode(), found.remark,
        advice=tuple(found.advice),
    )


def _pre_commit(place: Place, source: tuple[str, str] | None) -> Step:
    from interlock.commands import wiring

    path = os.path.join(place.top, wiring.TOML_FILE)
    old = read(path)
    if old is not None:
        if b'interlock' in old:
            return Step(path, old, None, 'has our hook already')
        return Step(
            path, old, None,
            f'prek reads this file and not {wiring.FILE}, and TOML is not '
            f'edited here; add to it:',
            shown=wiring.toml(source),
        )
    path = os.path.join(place.top, wiring.FILE)
    old = read(path)
    new, remark = wiring.pre_commit(old, source)
    return Step(path, old, new, remark, advice=tuple(
        f'{wiring.FILE}: `{key}` must let COMMIT_EDITMSG and MERGE_MSG '
        f'through, else the rules about messages are not asked'
        for key in wiring.filters(old)
    ))


def _git_hooks(place: Place) -> Iterator[Step]:
    from interlock.commands import wiring

    if place.shared:
        raise Refusal(
            f'core.hooksPath is {place.hooks}, which other repositories '
            f'use too',
            shlex.join(['git', 'config', 'core.hooksPath', place.own_hooks]),
        )
    for name in wiring.HOOK_TYPES:
        path = os.path.join(place.hooks, name)
        old = read(path)
        new = wiring.GIT_HOOK if old is None else None
        if old is None:
            remark = 'runs the checks'
        elif old == wiring.GIT_HOOK:
            remark = 'is ours already'
        elif wiring.CALL_RE.search(old):
            remark = 'calls `interlock hook` already'
        else:
            remark = (
                'is there already; add the line '
                '`interlock hook "$@" || exit` to it'
            )
        yield Step(path, old, new, remark, executable=True)


def _write(step: Step) -> None:
    assert step.new is not None
    try:
        os.makedirs(os.path.dirname(step.path), exist_ok=True)
    except OSError as e:
        folder = os.path.dirname(step.path)
        raise Refusal(f'{folder} cannot be made: {e.strerror}') from None
    replace(step.path, step.old, step.new)
    if step.executable:
        os.chmod(step.path, 0o755)  # noqa: S103 git runs it


def _take(step: Step, top: str, dry_run: bool) -> None:
    name = os.path.relpath(step.path, top)
    if step.new is None:
        err(f'{name}: {step.remark}')
    elif dry_run:
        out(f'{name}: would be written ({step.remark})')
        out(step.new.decode(errors='replace').rstrip('\n'))
    else:
        _write(step)
        err(f'{name}: written ({step.remark})')
    out(step.shown)
    for line in step.advice:
        err(line)


@click.command('init')
@click.option('--preset', help='The workflow to extend (default: detected).')
@click.option('--pre-commit', is_flag=True, help='Wire pre-commit or prek.')
@click.option('--git-hooks', is_flag=True, help='Write plain git hooks.')
@click.option(
    '--source', nargs=2, metavar='REPO REV',
    help='Wire pre-commit so that it installs Interlock from there.',
)
@click.option('--dry-run', is_flag=True, help='Show, do not write.')
@common
def command(
        preset: str | None,
        pre_commit: bool,
        git_hooks: bool,
        source: tuple[str, str] | None,
        dry_run: bool,
        verbose: int,
        quiet: int,
) -> int:
    """Write a workflow file and wire the hooks; never overwrites."""
    from interlock.workflow.shipped import presets

    if preset is not None and preset not in presets():
        raise click.UsageError(
            f'no preset is named `{preset}`; there are '
            f'{", ".join(presets())}',
        )
    with opened() as repository:
        place = _place(repository)
    wired = pre_commit or source is not None
    # all of them first: what cannot be done stops everything
    for step in [
            _workflow(place, preset),
            *([_pre_commit(place, source)] if wired else ()),
            *(_git_hooks(place) if git_hooks else ()),
    ]:
        _take(step, place.top, dry_run)
    if wired and not dry_run:
        err('next: pre-commit install (or prek install)')
    return 0
