from __future__ import annotations

import os

import click
from click.shell_completion import CompletionItem

from interlock.commands.click_options import (
    Options,
    common,
    example,
    formats,
    governed,
    group,
)
from interlock.documents.text import one_line
from interlock.documents.yaml_text import flow
from interlock.files.atomic_files import read
from interlock.git.git_paths import FILE, top_of
from interlock.git.parse import text
from interlock.git.repository import opened
from interlock.git.workflow_source import absent, nearest
from interlock.model.errors import OUTSIDE, NoRepository, Refusal
from interlock.model.quick_typing import TYPE_CHECKING, Any, Iterator
from interlock.model.report import plural
from interlock.report.terminal import err, fitted, out, out_json
from interlock.workflow.language.presets import Reader, shown_name

if TYPE_CHECKING:
    from interlock.workflow.language.load import Source
    from interlock.workflow.language.reference import Key

# the width of the lines that `show` prints, and the least width of a value
WIDTH, LEAST = 80, 20
INDENT = '    '


@example('interlock config show', 'interlock config validate')
@group('config')
def command() -> None:
    """Show, check and explain the workflow file."""


def _governing(options: Options) -> str:
    return options.config or os.environ.get('INTERLOCK_CONFIG', '') or nearest('')


def _found(options: Options, file: str | None = None) -> str:
    found = file or _governing(options)
    if not found:
        if not top_of(os.path.realpath('.')):
            raise Refusal(f'no workflow governs here, and {OUTSIDE}', 'git init')
        raise Refusal(f'no workflow governs here: there is no {FILE}', 'interlock init')
    return found


def _read(path: str) -> tuple[str, bytes, Reader]:
    """The name of a file, its content, and how to read what it extends."""
    data = read(path)
    if data is None:
        raise absent(path)
    top = os.path.dirname(os.path.abspath(path))
    return os.path.relpath(path), data, lambda each: read(os.path.join(top, each))


def _loaded(path: str) -> Source:
    from interlock.workflow.language.load import load

    return load(*_read(path))


def _leaves(
    data: Any, path: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    items = data.items() if isinstance(data, dict) else ()
    if isinstance(data, list) and any(isinstance(each, dict) for each in data):
        items = enumerate(data)  # type: ignore[assignment]
    if not items:
        yield path, data
    for key, value in items:
        yield from _leaves(value, (*path, key))


def _lines(source: Source, wanted: str) -> Iterator[tuple[str, str, str]]:
    """Key, value and place of every value below a key."""
    for path, value in _leaves(source.data):
        name = '.'.join(map(str, path))
        if wanted and f'{name}.'.startswith(f'{wanted}.') is False:
            continue
        found = path
        while found not in source.origins:
            found = found[:-1]
        origin = source.origins[found]
        yield name, flow(value), f'{shown_name(origin.file)}:{origin.line}'


def _fitted_line(name: str, value: str, place: str) -> str:
    """On one line, or with the value below its key if that is too long."""
    whole, origin = f'{name}: {value}  # {place}', f'  # {place}'
    if len(whole) <= WIDTH:
        return whole
    room = WIDTH - len(INDENT) - len(origin)
    return f'{name}:\n{INDENT}{one_line(value, max(room, LEAST))}{origin}'


@example('interlock config show', 'interlock config show items')
@command.command()
@click.argument('key', default='')
@formats('text', 'json')
@governed
def show(options: Options, key: str, form: str) -> int:
    """Show what the workflow says, merged with all that it extends, and the
    file and line of each value."""
    source = _loaded(_found(options))
    lines = [*_lines(source, key)]
    if not lines:
        raise Refusal(f'the workflow does not set `{key}`', 'interlock config explain')
    if form == 'json':
        out_json([{'key': k, 'value': v, 'from': f} for k, v, f in lines])
        return 0
    for each in lines:
        out(_fitted_line(*each))
    return 0


@example('interlock config validate')
@command.command()
@click.argument('file', required=False)
@governed
def validate(options: Options, file: str | None) -> int:
    """Say whether a workflow file is valid, merged with all that it extends."""
    from interlock.workflow.language.compile import compile_workflow

    path = _found(options, file)
    name, data, reader = _read(path)
    merged, _ = compile_workflow(name, data, reader)
    kinds = [*merged['items'], *merged['recorded']]
    named = f' ({", ".join(kinds)})' if kinds else ''
    out(f'{name}: valid, with {plural(len(kinds), "kind")} of items{named}')
    # the files of another project, or of a preset, are not here
    if os.path.realpath(path) == os.path.realpath(_governing(options)):
        _warn(path, merged)
    if _is_edited(path, data):
        err(
            'until this is committed, the committed one governs; to try this one: '
            f'interlock check --worktree --config {name}'
        )
    return 0


def _warn(path: str, merged: dict[str, Any]) -> None:
    name = os.path.relpath(path)
    for what, step in _unread(path, merged):
        err(f'{name}: warning: {what}\n    next: {step}')
    for line, patterns in _unmatched(path):
        err(
            f'{name}:{line}: warning: no file matches {patterns}, so it freezes nothing'
        )


def _unread(path: str, merged: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Why items of the working tree could not be checked, and what to do."""
    from interlock.files.disk_snapshot import DiskSnapshot
    from interlock.operations.registry.status import (
        registry_problem,
        unchecked_items_advice,
    )
    from interlock.workflow.language.build import build

    top = top_of(os.path.realpath('.')) or os.path.dirname(os.path.abspath(path))
    snapshot = DiskSnapshot(top)
    workflow = build(merged, os.path.relpath(path), '')
    yield from unchecked_items_advice(snapshot, workflow)
    for kind in workflow.kinds:
        problem = registry_problem(snapshot, kind) if kind.registry else None
        if problem:
            yield problem.message, problem.hint


def _names_frozen_files(key: tuple[Any, ...]) -> bool:
    of_contract = key[2:4] == ('contracts', 'files') and key[-1] == 'paths'
    return of_contract or (key[2:3] == ('frozen',) and key[-1] == 'files')


def _unmatched(path: str) -> Iterator[tuple[int, str]]:
    """The lines of a file that freeze no file yet, with their patterns."""
    from interlock.workflow.agreements.names import literal_ends

    source, files = _loaded(path), _files()
    for key, value in _leaves(source.data) if files else ():
        origin = source.origins.get(key)
        # the patterns of a preset are right, and wait for its files
        if (
            origin is None
            or origin.file != os.path.relpath(path)
            or not _names_frozen_files(key)
        ):
            continue
        patterns = value if isinstance(value, list) else [value]
        ends = [literal_ends(pattern) for pattern in patterns]
        if not any(
            file.startswith(head) and file.endswith(tail)
            for file in files
            for head, tail in ends
        ):
            yield origin.line, ' or '.join(f'`{one_line(each)}`' for each in patterns)


def _files() -> list[str]:
    """The files that git tracks or would add; none outside of a repository."""
    try:
        with opened() as repository:
            listed = (
                'ls-files -z --full-name --cached --others --exclude-standard -- :/'
            )
            return text(repository.git.run(listed)).split('\0')
    except NoRepository:
        return []


def _is_edited(path: str, data: bytes) -> bool:
    """Whether HEAD has another version of the file."""
    try:
        with opened() as repository:
            head = repository.head()
            name = os.path.relpath(os.path.realpath(path), repository.facts.top)
            blob = repository.tree(head.tree).blob(name) if head else None
            return blob is not None and blob.data != data
    except NoRepository:
        return False


def _complete(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from interlock.workflow.language.reference import keys

    # the end of a key's name is enough
    found: dict[str, str] = {}
    for key in keys():
        parts = key.name.split('.') if incomplete else [key.name]
        for at in range(len(parts)):
            found.setdefault('.'.join(parts[at:]), key.description)
    return [
        CompletionItem(name, help=text)
        for name, text in found.items()
        if name.startswith(incomplete)
    ]


def _page(key: Key) -> Iterator[str]:
    yield key.name
    yield fitted(f'  {key.description}', 2)
    yield fitted(f'  It is {key.type}.', 2)
    if key.example:
        yield ''
        yield from (f'    {line}' for line in key.example)
    yield ''


@example('interlock config explain frozen', 'interlock config explain registry.columns')
@command.command()
@click.argument('key', required=False, shell_complete=_complete)
@common
def explain(options: Options, key: str | None) -> int:
    """Say what KEY means, with an example; without KEY, list all keys."""
    from interlock.workflow.language.reference import explained, keys

    if key is None:
        for each in keys():
            out(f'{each.name}: {each.description}')
        return 0
    for each in explained(key):
        for line in _page(each):
            out(line or ' ')
    return 0
