"""Writes `docs/formats`: a page per preset for a format of others.

The examples are changes that the tests judge, with what is really printed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.formats.presets_test import FORMATS, workflow_of
from tests.formats.trees import Case, edited, findings

from interlock.model.report import Report
from interlock.report.text import render
from interlock.workflow.agreements.agreement_pages import (
    AgreementPage,
    described,
    kinds_of,
)
from interlock.workflow.language.presets import preset

FOLDER = Path(__file__).parent / 'formats'
EXAMPLES = 3
READ = {
    'boxes': 'the boxes',
    'field': 'the field `Status`',
    'frontmatter': 'the frontmatter',
    'heading': 'headings',
    'json': 'JSON',
    'present': 'whether it exists',
    'table': 'the table',
    'yaml': 'YAML',
}
# what a reader could expect and does not get
LIMITS = {
    'backlog-md': 'Drafts, archived tasks and the boxes of a Definition of Done are not '
    'read. A task whose frontmatter is not YAML gets a warning, and is not checked '
    'further. The words for states come from the configuration of the project: a task '
    'is done at `Done`, or at the last word if `Done` is not among them. Words after it '
    'are ignored.',
    'bmad': 'The order of stages inside one commit is not judged, nor whether code '
    'belongs to a story. Only the first `sprint-status.yaml` that is found is read. '
    'BMAD 4 has none: the tasks and the acceptance criteria of its stories are watched. '
    'The spec of a build counts as the file of the story whose numbers it begins with; '
    'only its frozen block is watched.',
    'gsd': 'Archived milestones and the counters in `STATE.md` are not read. A plan '
    'without a number of its own (`PLAN.md`, `05-PLAN.md`) belongs to its phase: any '
    'summary in that folder counts as its summary, and a missing one is a warning. A '
    'phase that the roadmap lists twice in different states is ignored.',
    'kiro': 'Approvals in `spec.json` are not judged. Optional tasks (`- [ ]*`) never '
    'count.',
    'openspec': 'The text of scenarios is not read: `openspec validate` does that. '
    'A removed requirement that stays in the main spec is not found.',
    'spec-kit': 'Checklists and `[NEEDS CLARIFICATION]` are not read. A status that is '
    'not written in the head of `spec.md` does not count.',
    'task-master': 'The generated files of single tasks are not read. Dependencies of '
    'subtasks are not judged.',
}


def _rows(agreements: list[AgreementPage]) -> Iterator[str]:
    yield '| agreement | severity | what must hold |'
    yield '|---|---|---|'
    for each in agreements:
        trailer = (
            f' A commit that gives a reason in its message passes: '
            f'`{each.trailer}: REASON`.'
        ) * bool(each.trailer)
        yield f'| `{each.name}` | {each.severity} | {each.rule}.{trailer} |'


def _watched(name: str) -> Iterator[str]:
    yield '| item | record | what is read | files |'
    yield '|---|---|---|---|'
    for kind in kinds_of(name):
        for record in kind.records.values():
            files = ', '.join(f'`{file}`' for file in record.files)
            yield f'| {kind.name} | `{record.name}` | {READ[record.read]} | {files} |'


def examples(name: str) -> list[Case]:
    """One change per agreement, the first ones of the table."""
    chosen: dict[str, Case] = {}
    for case in FORMATS[name].CASES:
        if case.found:
            chosen.setdefault(case.rule, case)
    return list(chosen.values())[:EXAMPLES]


def printed(name: str, case: Case) -> str:
    before = edited(FORMATS[name].BASE, case.given)
    after = edited(before, case.edits)
    found = [
        each
        for each in findings(workflow_of(name), before, after)
        if each.rule == case.rule
    ]
    return render(Report(found[:1]), 'text')


def page(name: str) -> str:
    agreements = [each for each in described() if each.preset == name]
    title = (preset(name) or b'').decode().partition('\n')[0].removeprefix('# ')
    off = agreements[0].name
    blocks = [
        f'# {name}',
        f'This preset is for {title}.',
        f'```yaml\nversion: 1\nextends: {name}\n```',
        '`interlock init` writes this in a project that follows the format. '
        '`interlock audit` shows what it would have refused so far, and `interlock '
        'audit --write-baseline` accepts what is wrong today, so that only new '
        'violations are refused.',
        '## What it watches',
        '\n'.join(_watched(name)),
        'Boxes are `all` (each is ticked), `begun`, `open` (none is ticked) or `none` '
        '(there are no boxes). Only `[x]` and `[X]` are ticked. An unknown word breaks '
        'no agreement.',
        '## What must agree',
        '\n'.join(_rows(agreements)),
        '## What a refusal looks like',
        *(f'```\n{printed(name, case)}\n```' for case in examples(name)),
        '## Switching a rule off',
        f'```yaml\nversion: 1\nextends: {name}\nseverity:\n  {off}: off\n```',
        '## What it does not do',
        LIMITS[name],
    ]
    return '\n\n'.join(blocks) + '\n'


def files() -> dict[str, str]:
    index = ''.join(f'- [{name}]({name}.md)\n' for name in FORMATS)
    return {
        'README.md': f'# Formats\n\nThese presets check workflows that people already use:\n\n{index}'
        '\nFor anything else: [a format of your own](your-own.md).\n',
        **{f'{name}.md': page(name) for name in FORMATS},
    }


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding='UTF-8')
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
