from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from interlock import __version__
from interlock.checks.run import findings_of
from interlock.commands.click_options import writes
from interlock.commands.handoff_options import says, words_of
from interlock.commands.items.lost_records import is_lost
from interlock.commands.items.project import Project, project, stored, today
from interlock.commands.items.success_criteria import stage_commits
from interlock.documents import message
from interlock.documents.handoff import parse
from interlock.engine.open_repository import opened
from interlock.git.repository import Repository
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import ours
from interlock.operations import advance as operations
from interlock.operations.commit_stage import parse_stage
from interlock.operations.handoff import rebuild
from interlock.operations.handoff.edit import handoff_spec
from interlock.operations.handoff.migrate import migrate as migrated
from interlock.operations.handoff.rebuild import EndedState, KnownFacts, Version
from interlock.operations.overlay import Overlay
from interlock.operations.verify import is_broken
from interlock.report.terminal import FOUND, err
from interlock.workflow.language.patterns import expand
from interlock.workflow.reading.item_paths import is_name
from interlock.workflow.reading.records import Records, all_items, placed, records


@click.group('handoff')
@click.version_option(__version__, prog_name='interlock')
def command() -> None:
    """Write, move and repair the handoff of an item."""


@command.command()
@click.argument('item')
@click.argument('stage', required=False)
@says
@writes
def create(
    item: str,
    stage: str | None,
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
    **given: Any,
) -> int:
    """Write the handoff of ITEM, with the checksums of its contracts.

    STAGE is `0`, `3.1` or `Stage 3`; the registry moves with it.
    """
    with project(config, wait) as here, stored(here) as contents:
        at = here.item(item)
        if is_lost(here, at):
            raise Denied(
                f'the handoff of {item} is in the last commit, and would be lost',
                ours('handoff', 'restore', item),
            )
        state = parse_stage(stage, at.kind) if stage else None
        words = words_of(at, given)
        here.apply(operations.create(at, state, contents, today(), words))
    return 0


@command.command()
@click.argument('item')
@click.argument('stage', required=False)
@click.option('--expect', metavar='STAGE', help='Where the handoff must be now.')
@click.option('--amend', default='', metavar='REASON', help='Why a contract changed.')
@says
@writes
def update(
    item: str,
    stage: str | None,
    expect: str | None,
    amend: str,
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
    **given: Any,
) -> int:
    """Say that the work of ITEM at STAGE is done.

    STAGE is `3`, `3.1` or `Stage 3`; the registry moves with it. Without it
    the handoff stays where it is, and only what is given changes.
    """
    with project(config, wait) as here, stored(here) as contents:
        at = here.item(item)
        state = parse_stage(stage, at.kind) if stage else None
        expected = parse_stage(expect, at.kind) if expect else None
        here.apply(
            operations.update(
                at, state, expected, contents, today(), words_of(at, given), amend
            )
        )
    return 0


@command.command()
@click.argument('item')
@click.option(
    '--older',
    is_flag=True,
    help='Only what was left behind at a place of older projects.',
)
@writes
def delete(
    item: str, older: bool, config: str, wait: float, verbose: int, quiet: int
) -> int:
    """Delete the handoff of ITEM, and say so in its timeline."""
    with project(config, wait) as here:
        at = here.item(item)
        here.apply(rebuild.delete_older(at) if older else rebuild.delete(at, today()))
    return 0


def _with_handoff(here: Project) -> list[Records]:
    found = [
        records(here.snapshot, kind, name)
        for kind in here.workflow.kinds
        if kind.handoff is not None
        for name in all_items(here.snapshot, kind)
        if is_name(name)
    ]
    return [at for at in found if at.current is not None]


@command.command()
@click.argument('item', required=False)
@click.option('--all', 'every', is_flag=True, help='Of every item.')
@writes
def migrate(
    item: str | None, every: bool, config: str, wait: float, verbose: int, quiet: int
) -> int:
    """Add to an older handoff of ITEM the fields and checksums it lacks."""
    if every == bool(item):
        raise click.UsageError('give an ITEM, or --all')
    code = 0
    with project(config, wait) as here, stored(here) as contents:
        for at in [here.item(item)] if item else _with_handoff(here):
            try:
                here.apply(migrated(at, contents))
            except Refusal as e:
                if item:
                    raise
                err(f'interlock: {e.message}\n    next: {e.hint}')
                code = FOUND
    return code


def _is_broken(here: Project, at: Records) -> bool:
    """Whether the handoff is there and cannot say where work stands."""
    return at.current is not None and (is_broken(at, findings_of(at, here.workflow)))


def _versions(here: Project, repository: Repository, at: Records) -> Iterator[Version]:
    """The sound handoffs in the history, newest first."""
    for pattern in handoff_spec(at).places:
        path = expand(pattern, at.item)
        for commit, blob in repository.versions(path):
            read = parse(blob)
            if read.fields is None:
                continue
            data = repository.git.checked_out(commit, path)
            then = records(Overlay(here.snapshot, {path: data}), at.kind, at.item)
            if not _is_broken(here, then):
                yield Version(commit, placed(path, read, at.kind), data)


def _found(here: Project, at: Records) -> KnownFacts:
    """What the history knows of an item."""
    if here.without_git:
        return KnownFacts((), None, at.current)
    with opened() as repository:
        head = repository.head()
        commits = repository.history(head.oid) if head else []
        done = [
            EndedState(state, message.parse(commit.message).subject, commit.oid)
            for commit, state in stage_commits(commits, at)
        ]
        version = next(_versions(here, repository, at), None)
        return KnownFacts(done, version, at.current)


@command.command()
@click.argument('item')
@writes
def restore(item: str, config: str, wait: float, verbose: int, quiet: int) -> int:
    """Bring back the handoff of ITEM as it was sound last."""
    with project(config, wait) as here:
        at = here.item(item)
        version = None
        if not here.without_git:
            with opened() as repository:
                version = next(_versions(here, repository, at), None)
        here.apply(rebuild.restore(at, version, _is_broken(here, at)))
    return 0


@command.command()
@click.argument('item')
@writes
def regenerate(item: str, config: str, wait: float, verbose: int, quiet: int) -> int:
    """Rebuild the handoff of ITEM from registry, history and contracts."""
    with project(config, wait) as here, stored(here) as contents:
        at = here.item(item)
        found = _found(here, at)
        here.apply(
            rebuild.regenerate(at, found, contents, today(), _is_broken(here, at))
        )
    return 0
