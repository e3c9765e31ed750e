from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import NamedTuple

import click

from interlock.commands.click_options import common
from interlock.engine.open_repository import opened
from interlock.files.atomic_files import read
from interlock.git.git_paths import common_dir
from interlock.git.hook_folder import folder_of, scripts_folder
from interlock.git.parse import text
from interlock.git.repository import Repository
from interlock.git.workflow_source import FILE, nearest
from interlock.model.errors import NoRepository, Refusal
from interlock.report.terminal import err
from interlock.setup.file_plan import Step, take
from interlock.workflow.language.build import build_roots

# so many tell how the stages of a project are numbered
SUBJECTS = 500


class Place(NamedTuple):
    """Where things are written."""

    top: str
    # where the workflow and the settings of clients belong: above a main
    # worktree that has its tasks beside it, else the top
    base: str
    # where git looks for hooks, and where it does by default
    hooks: str
    own_hooks: str
    # whether other repositories may look there too
    shared: bool
    # what git and we keep for all worktrees
    common_dir: str
    # the markdown files that git knows
    documents: tuple[str, ...]
    # of the last commits
    subjects: tuple[str, ...] = ()


def _is_below(path: str, *folders: str) -> bool:
    real = [os.path.join(os.path.realpath(p), '') for p in (path, *folders)]
    return real[0].startswith(tuple(real[1:]))


def _layout(directory: str, preset: str | None) -> tuple[str, str]:
    """The preset whose main worktree lies in a directory, and where."""
    from interlock.workflow.language.compile import compile_workflow
    from interlock.workflow.language.presets import presets

    for name in [preset] if preset else presets():
        text = f'version: 1\nextends: {name}\n'.encode()
        merged, _ = compile_workflow(FILE, text, read)
        for roots in build_roots(merged.get('roots', [])):
            main = os.path.join(directory, roots.main)
            if os.path.normpath(roots.main) != os.curdir and common_dir(main):
                return name, main
    return '', ''


def place_of(repository: Repository, base: str = '') -> Place:
    top, git_dir, common_dir = repository.facts
    if not top:
        raise Refusal(
            'a bare repository has no working tree to set up', 'run this in a clone'
        )
    git = repository.git
    hooks = os.path.abspath(folder_of(top, git_dir, common_dir, repository.environ))
    documents = git.run('ls-files', '-z', '--full-name', '--', ':/*.md')
    return Place(
        top,
        base or top,
        hooks,
        os.path.join(common_dir, 'hooks'),
        not _is_below(hooks, top, git_dir, common_dir),
        common_dir,
        tuple(path for path in text(documents).split('\0') if path),
        _subjects(repository),
    )


def _subjects(repository: Repository) -> tuple[str, ...]:
    if repository.head() is None:
        return ()
    log = repository.git.run('log', f'--max-count={SUBJECTS}', '--format=%s', 'HEAD')
    return tuple(text(log).splitlines())


def _workflow(place: Place, preset: str | None, needs_items: bool) -> Step:
    path = os.path.join(place.base, FILE)
    old = read(path)
    if old is not None:
        return Step(path, old, None, 'is there already; left as it is')
    above = nearest('')
    if above:
        # one of our own would govern instead, and switch that one off
        return Step(above, read(above), None, 'governs this repository already')
    from interlock.setup import workflow_detection

    found = workflow_detection.workflow(
        place.base, place.documents, preset, needs_items, place.subjects
    )
    return Step(
        path, None, found.text.encode(), found.remark, advice=tuple(found.advice)
    )


def _has_tasks(step: Step) -> bool:
    """Whether the workflow that is or will be there has locks."""
    from interlock.workflow.language.compile import compile_workflow

    data = step.old if step.new is None else step.new
    top = os.path.dirname(step.path)

    def reader(path: str) -> bytes | None:
        return read(os.path.join(top, path))

    try:
        merged, _ = compile_workflow(FILE, data or b'', reader)
    except Refusal:
        # the checks will say what is wrong with it
        return False
    return any('protocol' in kind for kind in merged['items'].values())


def _pre_commit(place: Place, source: tuple[str, str] | None) -> Step:
    from interlock.documents.wiring.calls import in_file
    from interlock.setup import pre_commit_wiring

    path = os.path.join(place.top, pre_commit_wiring.TOML_FILE)
    old = read(path)
    if old is not None:
        if in_file(pre_commit_wiring.TOML_FILE, old).at:
            return Step(path, old, None, 'has our hook already')
        return Step(
            path,
            old,
            None,
            f'prek reads this file and not {pre_commit_wiring.FILE}, and TOML is not '
            f'edited here; add to it:',
            shown=pre_commit_wiring.toml(source),
        )
    path = os.path.join(place.top, pre_commit_wiring.FILE)
    old = read(path)
    new, remark = pre_commit_wiring.pre_commit(old, source)
    return Step(
        path,
        old,
        new,
        remark,
        advice=tuple(
            f'{pre_commit_wiring.FILE}: `{key}` must let COMMIT_EDITMSG and MERGE_MSG '
            f'through, else the rules about messages are not asked'
            for key in pre_commit_wiring.filters(old)
        ),
    )


def _git_hooks(place: Place, tasks: bool) -> Iterator[Step]:
    from interlock.documents.wiring import hook_files

    if place.shared:
        raise Refusal(
            f'core.hooksPath is {place.hooks}, which other repositories use too',
            shlex.join(['git', 'config', 'core.hooksPath', place.own_hooks]),
        )
    folder = scripts_folder(place.hooks)
    for name in hook_files.HOOK_TYPES:
        path = os.path.join(folder, name)
        yield _git_hook(path, hook_files.CALLS[name], 'runs the checks')
    for name, purpose in (
        (
            (hook_files.TRAILERS, 'says whose work a commit is'),
            (hook_files.AFTER, 'logs commits in the trails of tasks'),
        )
        if tasks
        else ()
    ):
        yield _git_hook(os.path.join(folder, name), name, purpose)


def _git_hook(path: str, command: str, purpose: str) -> Step:
    from interlock.documents.wiring import hook_files
    from interlock.documents.wiring.shell_calls import COMMANDS

    ours = hook_files.git_hook(command)
    old = read(path)
    new = ours if old is None else None
    if old is None:
        remark = purpose
    elif old == ours:
        remark = 'is ours already'
    elif COMMANDS[command] in hook_files.called(old, '.husky' in path):
        remark = f'calls `interlock {command}` already'
    else:
        remark = (
            f'is there already; add the line '
            f'`{hook_files.line(os.path.basename(path))}` to it'
        )
    return Step(path, old, new, remark, executable=True)


def _refuse_unknown(preset: str | None) -> None:
    from interlock.workflow.language.presets import presets

    if preset is not None and preset not in presets():
        raise click.UsageError(
            f'no preset is named `{preset}`; there are {", ".join(presets())}'
        )


def _client(place: Place, mcp: bool, shell_form: bool) -> Iterator[Step]:
    from interlock.setup import claude_wiring

    yield claude_wiring.settings(place.base, shell_form)
    if mcp:
        yield claude_wiring.server(place.base)


def _remember(place: Place) -> None:
    from interlock.files import settings_record as wired
    from interlock.setup import claude_wiring

    path = claude_wiring.settings_path(place.base)
    wired.remember(place.common_dir, path, wired.calls_in(path) or {})


def _found(preset: str | None) -> tuple[str | None, Place]:
    """The preset and the place: of the repository, else of the layout."""
    try:
        with opened() as repository:
            return preset, place_of(repository)
    except NoRepository:
        base = os.getcwd()
        name, main = _layout(base, preset)
        if not name:
            raise
    with opened(main) as repository:
        return name, place_of(repository, base)


@click.command('init')
@click.option('--preset', help='The workflow to extend (default: detected).')
@click.option('--pre-commit', is_flag=True, help='Wire pre-commit or prek.')
@click.option('--git-hooks', is_flag=True, help='Write plain git hooks.')
@click.option(
    '--source',
    nargs=2,
    metavar='REPO REV',
    help='Wire pre-commit so that it installs Interlock from there.',
)
@click.option('--claude', is_flag=True, help='Wire Claude Code.')
@click.option('--mcp', is_flag=True, help='Offer it the saved state over MCP too.')
@click.option('--shell-form', is_flag=True, help='For clients before 2.1.295.')
@click.option('--dry-run', is_flag=True, help='Show, do not write.')
@common
def command(
    preset: str | None,
    pre_commit: bool,
    git_hooks: bool,
    source: tuple[str, str] | None,
    claude: bool,
    mcp: bool,
    shell_form: bool,
    dry_run: bool,
    verbose: int,
    quiet: int,
) -> int:
    """Write a workflow file and wire the hooks; never overwrites."""
    _refuse_unknown(preset)
    if (mcp or shell_form) and not claude:
        raise click.UsageError('--mcp and --shell-form go with --claude')
    preset, place = _found(preset)
    wired = pre_commit or source is not None
    # a client has handoff documents and saved states without any
    workflow = _workflow(place, preset, needs_items=not claude)
    tasks = (wired or git_hooks) and _has_tasks(workflow)
    # all of them first: what cannot be done stops everything
    for step in [
        workflow,
        *([_pre_commit(place, source)] if wired else ()),
        *(_git_hooks(place, tasks) if git_hooks else ()),
        *(_client(place, mcp, shell_form) if claude else ()),
    ]:
        take(step, place.base, dry_run)
    if claude and not dry_run:
        _remember(place)
    if wired and tasks:
        err(
            'for tasks: add the hook `interlock-trailers` too, and the hook '
            'type prepare-commit-msg; and `interlock-trail`, with post-commit'
        )
    if wired and not dry_run:
        err('next: pre-commit install (or prek install)')
    return 0
