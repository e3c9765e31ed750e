from __future__ import annotations

import os
from collections.abc import Iterator

import click

from interlock.commands.host import err
from interlock.commands.host import out
from interlock.commands.judging import opened
from interlock.commands.parsing import common
from interlock.model.errors import Refusal
from interlock.world.config import FILE
from interlock.world.files import read
from interlock.world.files import replace


def _plan(
        top: str,
        hooks_dir: str,
        preset: str | None,
        pre_commit: bool,
        git_hooks: bool,
        source: tuple[str, str] | None,
) -> Iterator[tuple[str, bytes | None, bytes | None, str]]:
    """Path, old bytes, new bytes (None: leave it) and a remark."""
    from interlock.commands import detect
    from interlock.commands import wiring

    path = os.path.join(top, FILE)
    old = read(path)
    if old is not None:
        yield path, old, None, 'is there already; left as it is'
    else:
        text, remark = detect.workflow(top, preset)
        yield path, None, text.encode(), remark
    if pre_commit:
        path = os.path.join(top, wiring.FILE)
        old = read(path)
        new, remark = wiring.pre_commit(old, source)
        yield path, old, new, remark
    if git_hooks:
        for name, content in wiring.GIT_HOOKS.items():
            path = os.path.join(hooks_dir, name)
            old = read(path)
            if old is None:
                yield path, None, content, 'runs the checks'
            else:
                remark = (
                    'is ours already' if old == content else
                    'is there already; call `interlock hook "$@"` from it'
                )
                yield path, old, None, remark


def _make_directory(path: str) -> None:
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as e:
        raise Refusal(f'{path} cannot be made: {e.strerror}') from None


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
        top = repository.facts.top
        if not top:
            raise Refusal(
                'a bare repository has no working tree to set up',
                'run this in a clone',
            )
        hooks_dir = os.path.abspath(
            repository.git.line('rev-parse', '--git-path', 'hooks'),
        )
    for path, old, new, remark in list(_plan(
            top, hooks_dir, preset, pre_commit or bool(source), git_hooks,
            source,
    )):
        name = os.path.relpath(path, top)
        if new is None:
            err(f'{name}: {remark}')
        elif dry_run:
            out(f'{name}: would be written ({remark})')
            out(new.decode(errors='replace').rstrip('\n'))
        else:
            _make_directory(os.path.dirname(path))
            replace(path, old, new)
            if path.startswith(hooks_dir):
                os.chmod(path, 0o755)  # noqa: S103 git runs it
            err(f'{name}: written ({remark})')
    if pre_commit and not dry_run:
        err('next: pre-commit install (or prek install)')
    return 0
