from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import click

from interlock.commands import menu_run
from interlock.commands.click_options import writes
from interlock.commands.everyday.check import judge_worktree
from interlock.commands.hooks.staged_message import of_index
from interlock.commands.items.project import Project, project, today
from interlock.commands.menu_files import menus_of
from interlock.commands.menu_prompt import Chosen, Manner, choose, has_terminal
from interlock.model.finding import EVERY_ITEM, SEVERITIES, Finding
from interlock.model.fixes import ours, quoted, stages
from interlock.model.report import plural
from interlock.operations.menu import Shown, remedy, words_of
from interlock.report.terminal import FOUND, INTERRUPTED, err, out
from interlock.report.text import where
from interlock.workflow.language.menus import ESCAPE
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.item_paths import is_name, item_of
from interlock.workflow.reading.records import Records, records

# of a fingerprint, enough to name one finding among those of a tree
SHORT = 8


class Asked(NamedTuple):
    item: str
    # a code, or the start of a fingerprint; '' for every finding
    which: str
    config: str

    def _means(self, finding: Finding) -> bool:
        return (self.item in {'', finding.item} or finding.item == EVERY_ITEM) and (
            self.which.upper() in {'', finding.code}
            or finding.fingerprint.startswith(self.which.lower())
        )

    def findings(self) -> list[Finding]:
        """Those that are meant, what refuses before what only warns."""
        found = judge_worktree((), True, self.config).findings
        known = {each.fingerprint for each in found}
        more = [
            each
            for each in of_index(self.config).findings
            if each.fingerprint not in known
        ]
        return sorted(
            filter(self._means, [*found, *more]),
            key=lambda finding: SEVERITIES.index(finding.severity),
        )


def _records(here: Project, finding: Finding) -> Records | None:
    if not is_name(finding.item):
        return None
    for kind in here.workflow.kinds:
        at = records(here.snapshot, kind, finding.item)
        if at.registered or at.current is not None:
            return at
    return None


def _kind(here: Project, path: str) -> Kind | None:
    """The kind of what stands in a file, else the first; None without any."""
    for kind in here.workflow.kinds:
        if (kind.registry and kind.registry.file == path) or (item_of(path, kind)):
            return kind
    return next(iter(here.workflow.kinds), None)


def _shown(finding: Finding, manner: Manner) -> Shown:
    with project(manner.config, manner.wait, reads=True) as here:
        at = _records(here, finding)
        kind = at.kind if at else _kind(here, finding.path)
        words = words_of(at, today()) if at else {}
        return remedy(finding, menus_of(here, kind), words, at)


def _head(finding: Finding) -> str:
    return (
        f'{where(finding)}: {finding.code} {finding.item}: '
        f'{finding.message} [{finding.fingerprint[:SHORT]}]'
    )


def _again(finding: Finding, asked: Asked) -> int:
    """Is it gone? Said after every remedy, whatever its exit code."""
    left = [
        each
        for each in asked._replace(which=finding.code).findings()
        if each.item == finding.item
    ]
    same = [each for each in left if each.fingerprint == finding.fingerprint]
    if same and stages(same[0].fix) and not stages(finding.fix):
        # what is mended on disk was staged before, as it was
        command = ['git', 'add', '-A', '--', *same[0].fix.paths]
        menu_run.show(command)
        return menu_run.run(command, asked.config) or _again(
            finding._replace(fix=same[0].fix), asked
        )
    elif same:
        out(f'{finding.code} {finding.item}: still there')
        return FOUND
    out(f'{finding.code} {finding.item}: gone')
    return 0


def _resolve(
    finding: Finding, asked: Asked, manner: Manner, choice: str | None
) -> Chosen:
    out(_head(finding))
    chosen = choose(_shown(finding, manner), manner, choice)
    if manner.dry_run or chosen.code == INTERRUPTED:
        return chosen
    elif chosen.option is not None and chosen.option.run:
        return chosen._replace(code=_again(finding, asked))
    return chosen._replace(code=chosen.code or FOUND)


def _refuse_several(found: Sequence[Finding], asked: Asked) -> None:
    """A number means something else in every menu."""
    if len({each.fingerprint for each in found}) > 1:
        name = f' {quoted([asked.item])}' if asked.item else ''
        commands = '\n'.join(
            f'  interlock resolve{name} '
            f'--finding {each.fingerprint[:SHORT]} --choose 1'
            f'    # {each.code} {each.item}'
            for each in found
        )
        raise click.UsageError(
            f'--choose needs one finding, and there are {len(found)}; '
            f'next, one of:\n{commands}'
        )


def _left(found: Sequence[Finding]) -> int:
    return FOUND if any(each.refuses for each in found) else 0


def _walk(asked: Asked, manner: Manner) -> int:
    """One finding after the other; a remedy may have mended others too."""
    seen: set[str] = set()
    while True:
        found = asked.findings()
        left = [each for each in found if each.fingerprint not in seen]
        if not left:
            break
        chosen = _resolve(left[0], asked, manner, None)
        seen.add(left[0].fingerprint)
        if chosen.code == INTERRUPTED:
            return INTERRUPTED
        elif chosen.option is not None and chosen.option.kind == ESCAPE:
            break
    out(f'{plural(len(found), "finding")} left')
    return _left(found)


def _list(found: Sequence[Finding], asked: Asked, manner: Manner) -> int:
    for each in found:
        _resolve(each, asked, manner, None)
    return _left(found)


@click.command('resolve')
@click.argument('item', required=False, default='')
@click.option(
    '--finding',
    'which',
    default='',
    metavar='CODE',
    help='Only findings of a code, or one by the id shown in brackets.',
)
@click.option(
    '--choose',
    'choice',
    metavar='N',
    help='A number or a keyword; needs that there is one finding.',
)
@click.option('--text', default='', help='What an option asks for.')
@click.option('--dry-run', is_flag=True, help='Show commands, run none.')
@writes
def command(
    item: str,
    which: str,
    choice: str | None,
    text: str,
    dry_run: bool,
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Offer remedies for what is wrong in the working tree.

    What is staged is also judged with the message of a merge, or of the
    commit that was refused last, if there is one.

    On a terminal it asks, one finding after the other. Elsewhere it prints
    the menus; --choose takes an option where there is exactly one finding.
    Exit 0 nothing that refuses is left (with --choose: it is gone), 1 it is
    still there, 2 there is no such choice.
    """
    asked = Asked(item, which, config)
    found = asked.findings()
    said = of_index(config).said
    if said and not quiet:
        err(said)
    if not found:
        if item:
            with project(config, wait, reads=True) as here:
                here.item(item)
        out(f'nothing to resolve{f" for {item}" if item else ""}')
        return 0
    asks = choice is None and has_terminal()
    manner = Manner(config, wait, text, asks, dry_run)
    if choice is not None:
        _refuse_several(found, asked)
        manner = manner._replace(
            command=ours(
                'resolve',
                *filter(None, (item,)),
                '--finding',
                found[0].fingerprint[:SHORT],
                '--choose',
            )
        )
        return _resolve(found[0], asked, manner, choice).code
    return _walk(asked, manner) if asks else _list(found, asked, manner)
