"""What `init` writes: a workflow file, and the files that call us."""

from __future__ import annotations

import os
import shlex
from itertools import chain

from interlock.documents.wiring import hook_files
from interlock.documents.wiring.calls import in_file
from interlock.documents.wiring.hook_files import ON_SERVER
from interlock.documents.wiring.shell_calls import COMMANDS
from interlock.files.atomic_files import read
from interlock.git import installed_hooks
from interlock.git.git_paths import FILE, common_dir
from interlock.git.git_paths import base as main_base
from interlock.git.hook_folder import folder_of, scripts_folder
from interlock.git.line_history import History, line_history
from interlock.git.parse import text
from interlock.git.repository import Repository
from interlock.git.workflow_source import nearest
from interlock.model import quick_re as re
from interlock.model.calling_files import PRE_COMMIT, PREK
from interlock.model.errors import Refusal
from interlock.model.fixes import ours, quoted
from interlock.model.quick_typing import Any, Iterable, Iterator, NamedTuple
from interlock.report.progress import progress
from interlock.setup import pre_commit_config
from interlock.setup.file_plan import FileStep
from interlock.setup.first_workflow import (
    NOBODY,
    Interview,
    file_with_column,
    here,
    more_tables,
    moving_tables,
    named_table,
    of_table,
    one_more,
    others,
    without_items,
)
from interlock.setup.learned_steps import (
    LearnedSteps,
    learn_kinds,
    shown_transitions,
    with_learned,
)
from interlock.setup.pre_commit_config import Source
from interlock.setup.pre_commit_stages import types_before, warnings_about_others
from interlock.setup.record_folders import (
    RecordFolder,
    named_folder,
    of_folder,
    record_folders,
)
from interlock.setup.status_tables import (
    other_tables,
    own_documents,
    status_tables,
    tables_in,
)
from interlock.setup.workflow_detection import BASIC, DetectedWorkflow, detect_preset
from interlock.workflow.language.build import build, build_roots
from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.language.presets import Reader, presets
from interlock.workflow.language.spec import RegistrySpec

# this many subjects show how the stages of a project are numbered
SUBJECTS = 500
MARKDOWN = ('md', 'markdown', 'mdx')


class Target(NamedTuple):
    """Where files are written."""

    top: str
    # the directory for the workflow and the settings of clients: the one above
    # a main worktree that has its tasks beside it, else the top
    base: str
    # the folder where git looks for hooks, and its default
    hooks: str
    own_hooks: str
    # whether other repositories may use that folder too
    shared: bool
    # the directory that git and we keep for all worktrees
    common_dir: str
    # the markdown files that git tracks or would add
    documents: tuple[str, ...]
    # the subjects of the last commits
    subjects: tuple[str, ...]
    # a function from a file to the changes in its commits
    history: History
    # whether git has only a part of the history
    is_shallow: bool


def find_layout(directory: str, preset: str | None) -> tuple[str, str]:
    """The preset whose main worktree lies in a directory, and that worktree."""
    for name in [preset] if preset else presets():
        extends = f'version: 1\nextends: {name}\n'.encode()
        merged, _ = compile_workflow(FILE, extends, read)
        for roots in build_roots(merged.get('roots', [])):
            main = os.path.join(directory, roots.main)
            if os.path.normpath(roots.main) != os.curdir and common_dir(main):
                return name, main
    return '', ''


def target_of(repository: Repository, base: str = '') -> Target:
    top, git_dir, common = repository.facts
    if not top:
        raise Refusal(
            'a bare repository has no working tree to set up; what it can have is '
            'the hook that judges pushes',
            ON_SERVER,
        )
    git = repository.git
    hooks = os.path.abspath(folder_of(top, git_dir, common, repository.environ))
    real, *own = (
        os.path.join(os.path.realpath(path), '')
        for path in (hooks, top, git_dir, common)
    )
    documents = git.run(
        'ls-files -z --full-name --cached --others --exclude-standard --',
        *(f':/*.{form}' for form in MARKDOWN),
    )
    log, is_born = b'', repository.head() is not None
    if is_born:
        log = git.run('log', f'--max-count={SUBJECTS}', '--format=%s', 'HEAD')
    return Target(
        top,
        base or top,
        hooks,
        os.path.join(common, 'hooks'),
        not real.startswith(tuple(own)),
        common,
        tuple(sorted({path for path in text(documents).split('\0') if path})),
        tuple(text(log).splitlines()),
        lambda path: line_history(repository, path) if is_born else (),
        repository.is_shallow,
    )


class WorkflowChoice(NamedTuple):
    """How to find a workflow."""

    preset: str | None = None
    # a file with a table of items, and the header of the status column
    registry: str = ''
    column: str = ''
    learn: bool = False

    def command(self, top: str, *options: str) -> str:
        """The command that makes the same choice."""
        given = {
            '--preset': self.preset,
            '--registry': self.registry and here(top, self.registry),
            '--column': self.column,
        }
        chosen = [(option, value) for option, value in given.items() if value]
        return ours('init', *options, *chain.from_iterable(chosen))


class FirstStep(NamedTuple):
    file: FileStep
    # None if no history was read
    learned: LearnedSteps | None = None


def workflow_step(
    target: Target, wanted: WorkflowChoice, interview: Interview
) -> FirstStep:
    path = os.path.join(target.base, FILE)
    old = read(path)
    above = '' if old is not None else nearest('')
    if old is not None or above:
        remark = 'already exists; left unchanged'
        if above:
            # a workflow of our own would take precedence, and switch that one off
            path, old, remark = above, read(above), 'already governs this repository'
        return _existing(target, wanted, FileStep(path, old, None, remark))
    found, learned = _first_workflow(target, wanted, interview)
    remove = f'rm {quoted([os.path.relpath(path)])} && '
    advice = [*found.advice, *_cut_off(target, wanted, learned, remove)]
    step = FileStep(path, None, found.text.encode(), found.remark, advice=tuple(advice))
    return FirstStep(step, learned)


def _cut_off(
    target: Target,
    wanted: WorkflowChoice,
    learned: LearnedSteps | None,
    before: str = '',
) -> Iterator[str]:
    if target.is_shallow and learned is not None:
        again = f'{before}{wanted.command(target.base, "--learn")}'
        yield (
            f'this clone is shallow, so steps of the older history were not seen\n'
            f'    to learn from all of them: git fetch --unshallow && {again}'
        )


def _existing(target: Target, wanted: WorkflowChoice, step: FileStep) -> FirstStep:
    if wanted.registry:
        return _one_more(target, wanted, step)
    elif not wanted.learn:
        return FirstStep(step)
    merged, _ = compile_workflow(FILE, step.old or b'', _reader(step.path))
    learned = learn_kinds(build(merged, FILE, ''), target.base, target.history)
    shown = shown_transitions(learned)
    if shown:
        remark = f'{step.remark}; the `transitions` of your history are below'
        step = step._replace(shown=shown, remark=remark)
    joined = LearnedSteps.joined(learned.values())
    return FirstStep(step._replace(advice=(*_cut_off(target, wanted, joined),)), joined)


def _tracked(spec: RegistrySpec) -> tuple[str, str, str]:
    roles = dict(spec.shape.columns)
    return spec.file, roles.get('item', ''), roles.get('status', '')


def _one_more(target: Target, wanted: WorkflowChoice, step: FileStep) -> FirstStep:
    """The lines for another registry, besides those in the workflow."""
    old = step.old or b''
    merged, _ = compile_workflow(FILE, old, _reader(step.path))
    kinds = build(merged, FILE, '').kinds
    tracked = [_tracked(kind.registry) for kind in kinds if kind.registry]
    top, named, learned = target.base, wanted.registry, None
    if os.path.isdir(os.path.join(top, named)):
        found = named_folder(top, named, target.documents)
    else:
        table = named_table(top, named, wanted.column, target.history, tracked)
        found, learned = of_table(top, table, target.history, NOBODY, merged['items'])
    _, key, lines = found.text.partition('\nitems:\n')
    remark = f'{step.remark}; to track {named} too, add this below `items`'
    if not re.search(rb'^items:', old, re.MULTILINE):
        lines = key.strip() + '\n' + lines
        adding = f'{wanted.command(top)} >>{quoted([os.path.relpath(step.path)])}'
        remark = (
            f'{step.remark}; the lines that track {named} are printed\n'
            f'    to add them: {adding}'
        )
    return FirstStep(step._replace(shown=lines.rstrip(), remark=remark), learned)


def _first_workflow(
    target: Target, wanted: WorkflowChoice, interview: Interview
) -> tuple[DetectedWorkflow, LearnedSteps | None]:
    top, files = target.base, target.documents
    if wanted.registry or wanted.column:
        file = wanted.registry or file_with_column(top, files, wanted.column)
        if os.path.isdir(os.path.join(top, file)):
            return named_folder(top, file, files), None
        table = named_table(top, file, wanted.column, target.history)
        return of_table(top, table, target.history, interview)
    files = own_documents(files)
    for file in progress(files, 'reading tables'):
        # they stay parsed for the questions below
        tables_in(top, file)
    preset = None if wanted.preset == BASIC else wanted.preset
    found = None
    if wanted.preset != BASIC:
        found = detect_preset(top, files, preset, target.subjects)
    if found is not None:
        return (
            with_learned(found, top, target.history) if wanted.learn else (found, None)
        )
    tables = [table for table in status_tables(top, files) if table.is_possible]
    folders = record_folders(top, files)
    # a folder is named like a list of work, so a table needs such a name, too
    likely = [table for table in tables if table.is_named or not folders]
    is_open = not (tables or folders)
    # only a person can say that the words of another column are states
    moving = moving_tables(top, files, target.history) if is_open else []
    guessed = (
        {each.key: each for each in (*moving, *other_tables(top, files))}
        if is_open and interview != NOBODY
        else {}
    )
    chosen = interview.table(likely or [*guessed.values()])
    if chosen is not None:
        found, learned = of_table(top, chosen, target.history, interview)
        more = [*others(top, chosen, tables, files), *_more_folders(top, folders)]
        return found._replace(advice=[*found.advice, *more]), learned
    elif wanted.preset == BASIC:
        found = detect_preset(top, files, BASIC, target.subjects)
        assert found is not None, 'a preset that is named is taken'
        return found, None
    elif folders:
        found = of_folder(folders[0])
        rest = [table for table in tables if table not in likely]
        more = [*_more_folders(top, folders[1:]), *more_tables(top, rest)]
        return found._replace(advice=[*found.advice, *more]), None
    return without_items(top, files, tables, moving), None


def _more_folders(top: str, folders: Iterable[RecordFolder]) -> Iterator[str]:
    for each in folders:
        yield one_more(top, each.path, 'has a file for each item')


def _reader(path: str) -> Reader:
    top = os.path.dirname(path)
    return lambda name: read(os.path.join(top, name))


def _merged(step: FileStep) -> dict[str, Any]:
    """The existing or planned workflow; without items if it is invalid."""
    data = step.old if step.new is None else step.new
    try:
        merged, _ = compile_workflow(FILE, data or b'', _reader(step.path))
    except Refusal:
        # the checks will report what is wrong with it
        return {'items': {}}
    return merged


def has_tasks(step: FileStep) -> bool:
    """Whether the existing or planned workflow has locks."""
    return any('protocol' in kind for kind in _merged(step)['items'].values())


def tasks_folder(target: Target, step: FileStep) -> str:
    """The directory of the tasks, relative to the settings of clients; '' if it lies
    below them, or if there are no tasks."""
    merged, start = _merged(step), main_base(step.path)
    if not any('protocol' in kind for kind in merged['items'].values()):
        return ''
    for roots in build_roots(merged.get('roots', [])):
        if common_dir(os.path.join(start, roots.main)):
            tasks = os.path.normpath(os.path.join(start, roots.tasks))
            found = os.path.relpath(tasks, target.base)
            return found if found.startswith(os.pardir) else ''
    return ''


def _installed_types(target: Target) -> list[str]:
    """The git hooks that already lead to pre-commit or prek."""
    return [
        name
        for name in hook_files.HOOK_TYPES
        if installed_hooks.hook(target.hooks, name).manager in (PRE_COMMIT, PREK)
    ]


def pre_commit_step(target: Target, source: Source) -> FileStep:
    toml, file = pre_commit_config.TOML_FILE, pre_commit_config.FILE
    path = os.path.join(target.top, toml)
    old = read(path)
    if old is not None:
        if in_file(toml, old).at:
            return FileStep(path, old, None, 'already has the hook')
        remark = (
            f'prek reads this file and not {file}, and TOML is not edited here; '
            f'add to it:'
        )
        shown = pre_commit_config.toml(source)
        return FileStep(path, old, None, remark, shown=shown)
    path = os.path.join(target.top, file)
    old = read(path)
    config = pre_commit_config.config_of(old)
    before = types_before(config, _installed_types(target))
    new, remark = pre_commit_config.with_hook(old, source, before)
    advice = (
        []
        if new is None
        else [f'{file}: {e}' for e in warnings_about_others(config, before)]
    )
    advice.extend(
        f'{file}: `{key}` must let COMMIT_EDITMSG and MERGE_MSG through, else the '
        f'rules about messages are not judged'
        for key in ('files', 'exclude')
        if key in config
    )
    return FileStep(path, old, new, remark, advice=tuple(advice))


def git_hook_steps(target: Target, tasks: bool) -> Iterator[FileStep]:
    if target.shared:
        raise Refusal(
            f'core.hooksPath is {target.hooks}, which other repositories use too',
            shlex.join(['git', 'config', 'core.hooksPath', target.own_hooks]),
        )
    purposes = dict.fromkeys(hook_files.HOOK_TYPES, 'runs the checks')
    if tasks:
        purposes[hook_files.TRAILERS] = 'adds the trailers of its session to a commit'
        purposes[hook_files.AFTER] = 'logs commits in the trails of tasks'
    for name, purpose in purposes.items():
        path = os.path.join(scripts_folder(target.hooks), name)
        yield _git_hook(path, hook_files.CALLS[name], purpose)


def _git_hook(path: str, command: str, purpose: str) -> FileStep:
    ours = hook_files.git_hook(command)
    old = read(path)
    if old is None:
        remark = purpose
    elif old == ours:
        remark = 'is up to date'
    elif COMMANDS[command] in hook_files.called_checks(old, '.husky' in path):
        remark = f'already calls `interlock {command}`'
    else:
        line = hook_files.calling_line(os.path.basename(path))
        remark = f'already exists; add the line `{line}` to it'
    new = ours if old is None else None
    return FileStep(path, old, new, remark, executable=True)
