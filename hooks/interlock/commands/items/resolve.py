from __future__ import annotations

import click

from interlock.commands.click_options import Options, example, option, writes
from interlock.commands.items import menu_prompt
from interlock.commands.items.menu_prompt import MenuResult, Prompt, has_terminal
from interlock.commands.workflow_options import item_argument
from interlock.engine.judgements import judge_worktree
from interlock.engine.staged import staged_findings
from interlock.files.users_cache import menus_of
from interlock.model.change import data_of
from interlock.model.finding import EVERY_ITEM, SEVERITIES, Finding
from interlock.model.fixes import ours, quoted, stages
from interlock.model.quick_typing import NamedTuple, Sequence
from interlock.model.report import plural
from interlock.operations.menu import ShownMenu, remedy, words_of
from interlock.project.project import Project, known_records
from interlock.report.terminal import FOUND, INTERRUPTED, err, out
from interlock.report.text import about, where
from interlock.workflow.language.menus import ESCAPE
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.item_paths import item_of

# the part of a fingerprint that is enough to name a finding of a tree
SHORT = 8


def _kind(here: Project, path: str) -> Kind | None:
    """The kind that a file belongs to, else the first; None if there is none."""
    for kind in here.workflow.kinds:
        if kind.registry.file == path or item_of(path, kind):
            return kind
    return next(iter(here.workflow.kinds), None)


def _shown(finding: Finding, options: Options) -> ShownMenu:
    with options.project(reads=True) as here:
        kind = _kind(here, finding.path)
        known = [*known_records(here.snapshot, here.workflow, finding.item)]
        of_kind = [each for each in known if each.kind == kind]
        at = next(iter(of_kind or known), None)
        kind = at.kind if at else kind
        words = words_of(at, here.today) if at else {}
        menus = menus_of(here.snapshot, here.workflow, kind)
        tree = here.committed()
        changed = tree is None or (
            data_of(tree, finding.path) != data_of(here.snapshot, finding.path)
        )
        return remedy(finding, menus, words, at, changed)


class Resolver(NamedTuple):
    """The selected findings, and how the user works through them."""

    item: str
    # a code, or the start of a fingerprint; '' for every finding
    which: str
    prompt: Prompt

    @property
    def config(self) -> str:
        return self.prompt.options.config

    def _means(self, finding: Finding) -> bool:
        names = {self.item, self.item.partition(':')[2]}
        is_meant = not self.item or finding.item in {*names, EVERY_ITEM}
        return is_meant and (
            self.which.upper() in {'', finding.code}
            or finding.fingerprint.startswith(self.which.lower())
        )

    def findings(self) -> list[Finding]:
        """The selected findings, errors before warnings."""
        found = judge_worktree((), True, self.config).findings
        staged = staged_findings(self.config).findings
        known = {each.fingerprint for each in found}
        more = [each for each in staged if each.fingerprint not in known]
        return sorted(
            filter(self._means, [*found, *more]),
            key=lambda finding: SEVERITIES.index(finding.severity),
        )

    def resolve(self, finding: Finding, choice: str | None = None) -> MenuResult:
        out(
            f'{where(finding)}: {finding.code} {about(finding)} '
            f'[{finding.fingerprint[:SHORT]}]'
        )
        shown = _shown(finding, self.prompt.options)
        chosen = self.prompt.choose(shown, choice)
        if self.prompt.dry_run or chosen.code == INTERRUPTED:
            return chosen
        elif chosen.option is not None and chosen.option.run:
            code = self._judge_again(finding)
            if code and choice is not None:
                item = () if finding.item == EVERY_ITEM else (finding.item,)
                err(f'    next: {ours("resolve", *item, "--finding", finding.code)}')
            return chosen._replace(code=code)
        return chosen._replace(code=chosen.code or FOUND)

    def _judge_again(self, finding: Finding) -> int:
        """Report whether the finding is gone, whatever the exit code of the remedy."""
        same = next(
            (
                each
                for each in self._replace(which=finding.code).findings()
                if each.item == finding.item and each.fingerprint == finding.fingerprint
            ),
            None,
        )
        if same and stages(same.fix) and not stages(finding.fix):
            # the finding is fixed on disk, but the old content is staged
            command = ['git', 'add', '-A', '--', *same.fix.paths]
            menu_prompt.show(command)
            return menu_prompt.run(command, self.config) or self._judge_again(
                finding._replace(fix=same.fix)
            )
        out(f'{finding.code} {finding.item}: {"still there" if same else "gone"}')
        return FOUND if same else 0

    def walk(self) -> int:
        """Offer one finding after another; a remedy may have fixed others too."""
        seen: set[str] = set()
        while True:
            found = self.findings()
            left = [each for each in found if each.fingerprint not in seen]
            if not left:
                break
            chosen = self.resolve(left[0])
            seen.add(left[0].fingerprint)
            if chosen.code == INTERRUPTED:
                return INTERRUPTED
            elif chosen.option is not None and chosen.option.kind == ESCAPE:
                break
        out(f'{plural(len(found), "finding")} left')
        return _left(found)


def _left(found: Sequence[Finding]) -> int:
    return FOUND if any(each.refuses for each in found) else 0


def _refuse_several(found: Sequence[Finding], item: str) -> None:
    """Refuse a choice for several findings: its number differs in every menu."""
    if len({each.fingerprint for each in found}) > 1:
        name = f' {quoted([item])}' if item else ''
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


@example('interlock resolve', 'interlock resolve Search --dry-run')
@click.command('resolve')
@item_argument(required=False, default='')
@option(
    '--finding which CODE',
    'Resolve only findings of a code, or one by the id shown in brackets.',
)
@option(
    '--choose choice N',
    'Choose by number or keyword, if there is exactly one finding.',
    default=None,
)
@option('--text TEXT', 'Say what an option asks for.')
@option('--dry-run', 'Show commands without running them.')
@writes
def command(
    options: Options,
    item: str,
    which: str,
    choice: str | None,
    text: str,
    dry_run: bool,
) -> int:
    """Offer remedies for what is wrong in the working tree.

    Staged changes are also judged with the message of a merge, or of the last
    refused commit, if there is one.

    On a terminal it asks about one finding after the other. Elsewhere it prints the
    menus; --choose works if there is exactly one finding. Exit 0: no finding that
    refuses is left (with --choose: this one is gone); 1: it is still there; 2:
    there is no such choice.
    """
    asks = choice is None and has_terminal()
    resolver = Resolver(item, which, Prompt(options, text, asks, dry_run))
    found = resolver.findings()
    said = staged_findings(options.config).said
    if said and not options.quiet:
        err(said)
    if not found:
        if item:
            with options.project(reads=True) as here:
                here.item(item)
        out(f'nothing to resolve{f" for {item}" if item else ""}')
        return 0
    elif choice is not None:
        _refuse_several(found, item)
        given = ours(
            'resolve',
            *filter(None, (item,)),
            '--finding',
            found[0].fingerprint[:SHORT],
            '--choose',
        )
        prompt = resolver.prompt._replace(command=given)
        return resolver._replace(prompt=prompt).resolve(found[0], choice).code
    elif asks:
        return resolver.walk()
    for each in found:
        resolver.resolve(each)
    return _left(found)
