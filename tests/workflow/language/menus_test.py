from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pytest

from interlock.commands.group import cli
from interlock.model.errors import InvalidWorkflow, Refusal
from interlock.model.schemas import schema_text
from interlock.model.state import State
from interlock.operations.verify import FALLBACK, UPDATE, WORK
from interlock.rules.index import RULES
from interlock.workflow.language import menu_files, menus
from interlock.workflow.language.build import build
from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.language.menus import Menu, Menus, Option
from interlock.workflow.language.presets import presets
from interlock.workflow.language.spec import Kind, Workflow
from interlock.workflow.reading import evidence
from tests import samples
from tests.each import each

FILE = '.interlock.yaml'
SEEDS = Path(__file__).parents[4] / 'shared/seeds'


def workflow(text: str = samples.WORKFLOW) -> Workflow:
    data, _ = compile_workflow(FILE, text.encode(), lambda path: None)
    return build(data, FILE, FILE)


def kind(text: str = samples.WORKFLOW) -> Kind:
    return workflow(text).kinds[0]


def loaded(
    text: str = samples.WORKFLOW, files: Mapping[str, str | bytes] | None = None
) -> Menus:
    held = {
        path: body if isinstance(body, bytes) else body.encode()
        for path, body in (files or {}).items()
    }
    return menus.build(menu_files.load(kind(text), FILE, held.get).data)


SHIPPED = loaded()
REMEDIES = {line.menu for lines in SHIPPED.remedies.values() for line in lines}
OPTIONS = [
    pytest.param(option, id=f'{name} {option.label}')
    for name, menu in SHIPPED.menus.items()
    for option in menu.options
]


def test_the_shipped_menu_files() -> None:
    assert presets(menu_files.LANGUAGE.folder) == ['common', 'plugin-workflow']


def test_every_menu_ends_with_other_and_starts_with_what_is_recommended() -> None:
    for menu in SHIPPED.menus.values():
        assert menu.options[-1] is menus.OTHER, menu.name
        recommended = [option.recommended for option in menu.options]
        assert recommended.index(True) == 0, menu.name
        assert recommended.count(True) == 1, menu.name


@pytest.mark.parametrize('name', SHIPPED.menus)
def test_a_shipped_menu_is_used(name: str) -> None:
    used = {line.menu for line in SHIPPED.checkpoints}
    assert name in used | REMEDIES


def test_what_failed_leads_to_an_outcome_of_the_menus() -> None:
    spec = kind().handoff
    assert spec is not None
    known = {*evidence.kinds(kind()), WORK, UPDATE, FALLBACK}
    assert known == set(spec.failures)
    assert set(spec.failures.values()) <= set(SHIPPED.outcomes)


OF_TASKS = loaded('version: 1\nextends: task-protocol\n')


@each({code: code for code in RULES})
def test_every_rule_has_remedies(code: str) -> None:
    assert SHIPPED.remedy(code).options
    assert OF_TASKS.remedy(code).options


@pytest.mark.parametrize('name', sorted(REMEDIES))
def test_remedies_can_be_reviewed_and_say_which_is_first(name: str) -> None:
    words = {word for option in SHIPPED.menus[name].options for word in option.keywords}
    assert 'review' in words


def parsed(command: list[str]) -> click.Context:
    """As click reads a command of ours; it is not run."""
    found: click.Command = cli
    ctx = click.Context(cli)
    words = list(command)
    while isinstance(found, click.Group):
        name = words.pop(0)
        below = found.get_command(ctx, name)
        assert below is not None, f'no command {name}'
        found = below
    return found.make_context('interlock', words)


VALUES = {
    'item': 'Bravo',
    'handoff_state': 'Stage 3',
    'text': 'synthé',
    'code': 'REG001',
    'stage': '3',
    'path': 'a',
    'handoff': 'b',
    'registry': 'c',
    'registry_state': 'Stage 2',
    'place': 'd',
    'fitting_stage': '2',
}


@pytest.mark.parametrize('option', OPTIONS)
def test_what_an_option_runs_is_a_command(
    option: Option, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # which names some of the options
    workflow = tmp_path / 'é.yaml'
    workflow.write_text('version: 1\nextends: plugin-workflow\n')
    monkeypatch.setenv('INTERLOCK_CONFIG', str(workflow))
    command = [
        menus.WORD_RE.sub(lambda word: VALUES[word[1]], part) for part in option.run
    ]
    if command and command[0] == 'interlock':
        assert parsed(command[1:]).args == []
    elif command:
        assert command[0] == 'git'
        # what a name starts with is never taken for an option
        assert '--' in command


@pytest.mark.parametrize('option', OPTIONS)
def test_a_command_of_git_that_destroys_says_what(option: Option) -> None:
    if option.run[:1] == ('git',) and option.run[1] in menu_files.LOSING:
        assert option.loses
    words = set(option.run) & {'restore', 'delete', 'regenerate', '--clean'}
    if option.run[:1] == ('interlock',) and words:
        assert option.loses


# the menu, its document, and the lines on which its options stand
DOCUMENTS = [
    ('registry-drift', 'plugin-workflow-state-management', 55, 62),
    ('contract-drift', 'plugin-workflow-state-management', 713, 722),
    ('build-failure', 'plugin-workflow-state-management', 924, 938),
    ('fallback-failed', 'plugin-workflow-state-delegation', 130, 141),
    ('state-update-failed', 'state-delegation-contract', 734, 742),
]


# what stands for options of the documents that name commands we do not have
RENAMED = {
    'Investigate (triggers deep-research)': 'Investigate',
    'Use /improve instead of /continue (for post-completion changes)': (
        'Leave the contracts alone, and change a finished item as Improving'
    ),
}


@pytest.mark.skipif(not SEEDS.is_dir(), reason='the documents are not here')
@pytest.mark.parametrize(
    ('name', 'document', 'first', 'last'),
    DOCUMENTS,
    ids=[name for name, *_ in DOCUMENTS],
)
def test_options_are_those_of_their_document_in_its_order(
    name: str, document: str, first: int, last: int
) -> None:
    text = (SEEDS / f'{document}.md').read_text(encoding='UTF-8')
    lines = '\n'.join(text.splitlines()[first - 1 : last])
    found = re.findall(r'^\W*(?:echo ")?\d\. (.+?)"?$', lines, re.MULTILINE)
    expected = [
        re.sub(r'( - recommended| \(recommended\))$', '', label)
        for label in found
        if label != 'Other'
    ]
    assert expected
    labels = [option.label for option in SHIPPED.menus[name].options]
    expected = [RENAMED.get(label, label) for label in expected]
    assert labels[: len(expected)] == expected
    assert labels[-1] == 'Other'


def test_a_skipped_update_says_that_the_commit_will_be_refused() -> None:
    option = SHIPPED.menus['state-update-failed'].options[2]
    assert option.label.startswith('Skip')
    assert 'will be refused' in option.text


@pytest.mark.parametrize(
    ('outcome', 'state', 'name'),
    (
        ('success', State('Ideated'), 'ideated'),
        ('success', State('Stage 0'), 'planned'),
        ('success', State('Stage 1'), 'planned'),
        ('success', State('Stage 2'), 'stage'),
        ('success', State('Stage 3'), 'stage'),
        ('success', State('Stage 3', 1), 'phase'),
        ('success', State('Stage 4'), 'interface'),
        ('success', State('Stage 4', 2), 'phase'),
        ('success', State('Stage 5'), 'finished'),
        ('success', State('Working'), 'finished'),
        ('success', State('Installed'), 'at-rest'),
        ('success', None, 'at-rest'),
        ('build-failed', State('Stage 3'), 'build-failure'),
        ('tests-failed', State('Stage 3', 1), 'tests-failed'),
        ('validation-failed', State('Stage 5'), 'validation-failed'),
        ('paused', State('Stage 2'), 'manual-pause'),
        ('fallback-failed', State('Stage 2'), 'fallback-failed'),
        ('state-update-failed', State('Stage 2'), 'state-update-failed'),
        ('registry-drift', State('Stage 2'), 'registry-drift'),
        ('contract-drift', State('Stage 2'), 'contract-drift'),
    ),
)
def test_stage_phase_and_outcome_decide_which_menu_it_is(
    outcome: str, state: State | None, name: str
) -> None:
    menu = SHIPPED.after(outcome, state)
    assert menu is not None
    assert menu.name == name


def test_an_outcome_that_no_line_names_has_no_menu() -> None:
    assert SHIPPED.after('raining', State('Stage 2')) is None


def inline(text: str) -> str:
    """A workflow with something in the menus of its kind."""
    indented = ''.join(f'      {line}\n' for line in text.splitlines())
    return f'{samples.WORKFLOW}items:\n  plugin:\n    menus:\n{indented}'


def test_a_workflow_overrides_one_menu_and_keeps_the_others() -> None:
    found = loaded(
        inline(
            'menus:\n'
            '  registry-drift:\n'
            '    head: Écart\n'
            '    options:\n'
            '      - {label: Corriger, kind: directive, keywords: [vite]}\n'
            'remedies: {REG010: registry-drift, CON001: by-hand}\n'
        )
    )
    assert found.menus['registry-drift'] == Menu(
        'registry-drift',
        (Option('Corriger', 'directive', ('vite',)), Option('Other', 'exploratory')),
        head='Écart',
    )
    assert found.remedy('REG010').name == 'registry-drift'
    assert found.remedy('CON001').name == 'by-hand'
    assert found.menus['stage'] == SHIPPED.menus['stage']


def test_a_workflow_names_another_file() -> None:
    own = (
        'version: 1\n'
        'extends: common\n'
        'menus:\n'
        '  mine: {options: [{label: Là, kind: escape}]}\n'
        'checkpoints: [{menu: mine}]\n'
    )
    found = loaded(inline('extends: docs/menus.yaml'), {'docs/menus.yaml': own})
    assert set(found.menus) == {'by-hand', 'mine', 'records-disagree'}
    assert found.outcomes == ['success']
    menu = found.after('success', State('Stage 3'))
    assert menu is not None
    assert menu.name == 'mine'


def test_null_removes_what_a_file_extends() -> None:
    found = loaded(
        inline('extends: mine.yaml'),
        {'mine.yaml': 'extends: plugin-workflow\nremedies: {CON001: null}\n'},
    )
    assert found.remedy('CON001').name == 'by-hand'
    assert found.remedy('CON002').name == 'contract-drift'


def test_a_kind_without_menus_has_the_remedies_that_fit_all() -> None:
    found = loaded('version: 1\nextends: task-protocol\n')
    assert set(found.menus) == {'by-hand', 'records-disagree'}
    assert found.outcomes == ['records-disagree']


def option(text: str) -> str:
    return f'menus: {{mine: {{options: [{{label: x, {text}}}]}}}}'


RUN = 'kind: directive, run:'


@pytest.mark.parametrize(
    ('text', 'sentence'),
    (
        pytest.param(
            option('kind: direct'), '`direct` is not one of `exploratory`', id='kind'
        ),
        pytest.param(
            'menus: {mine: {options: [{kind: escape}]}}', 'label', id='no label'
        ),
        pytest.param(
            'menus: {mine: {options: []}}', 'menus.mine.options`: [] ', id='no options'
        ),
        pytest.param(option(f'{RUN} git status'), 'array', id='a shell string'),
        pytest.param(option(f'{RUN} [sh, -c, ls]'), '`sh` is not one of', id='a shell'),
        pytest.param(
            option(f'{RUN} [git, push]'),
            '`push` is not one of',
            id='git that is not for menus',
        ),
        pytest.param(
            option(f'{RUN} [git, -c, x]'), '`-c` is not one of', id='settings of git'
        ),
        pytest.param(
            option(f"{RUN} [git, rm, --, '{{path}}']"),
            '`git rm` needs `loses`',
            id='silent loss',
        ),
        pytest.param(
            option(f"{RUN} [interlock, x, '{{text}}']"),
            '`{text}` needs `asks`',
            id='a text nobody asks for',
        ),
        pytest.param(
            option("kind: escape, text: '{itme}'"),
            '`{itme}` is not a placeholder; did you mean `item`?',
            id='placeholder',
        ),
        pytest.param(
            option('kind: escape, keywords: [continue]'),
            'continue',
            id='reserved keyword',
        ),
        pytest.param(
            'menus: {mine: {options: ['
            '{label: a, kind: escape, keywords: [q]},'
            '{label: b, kind: escape, keywords: [q]}]}}',
            'the keyword `q` occurs twice',
            id='keyword twice',
        ),
        pytest.param(
            option('kind: escape, labels: y'),
            'unknown key `labels`; did you mean `label`?',
            id='key',
        ),
        pytest.param(
            'checkpoints: [{after: Stage 9, menu: stage}]',
            'no state is named `Stage 9`',
            id='state',
        ),
        pytest.param(
            'remedies: {REG999: by-hand}', 'no rule is named `REG999`', id='code'
        ),
        pytest.param('remedies: {nope: x}', 'nope', id='no code'),
        pytest.param('colours: {}', 'unknown key `colours`', id='part'),
    ),
)
def test_what_a_workflow_says_of_menus_is_validated_with_it(
    text: str, sentence: str
) -> None:
    with pytest.raises(InvalidWorkflow) as caught:
        loaded(inline(text))
    message = caught.value.message
    assert message.startswith(f'{FILE}:6: the workflow is invalid: `items.')
    assert sentence in message
    assert caught.value.hint == 'interlock config explain items.plugin.menus'
    with pytest.raises(InvalidWorkflow) as caught:
        loaded(inline('extends: m.yaml'), {'m.yaml': f'extends: common\n{text}\n'})
    message = caught.value.message
    assert message.startswith('m.yaml:2: the menu file is invalid: ')
    assert sentence in message
    assert caught.value.hint == 'correct m.yaml by hand'


@pytest.mark.parametrize(
    ('extends', 'files', 'message'),
    (
        pytest.param(
            'plugin-workflw',
            {},
            f'{FILE}:1: the menu file is invalid: `extends`: '
            '`plugin-workflw` is neither a preset (common, plugin-workflow) '
            'nor a file that can be read; did you mean `plugin-workflow`?',
            id='missing',
        ),
        pytest.param(
            '../up.yaml',
            {'../up.yaml': 'remedies: {}'},
            f'{FILE}:1: the menu file is invalid: `extends`: `../up.yaml` is '
            'neither a preset (common, plugin-workflow) nor a file that can '
            'be read',
            id='outside',
        ),
        pytest.param(
            'a',
            {'a': 'extends: a'},
            'a:1: the menu file is invalid: `extends`: '
            'files extend each other in a circle',
            id='ring',
        ),
        pytest.param(
            'a',
            {'a': '- x'},
            'a:1: the menu file is not a mapping of keys to values',
            id='list',
        ),
        pytest.param(
            'a', {'a': b'\xff'}, 'a:1: the menu file is not UTF-8 text', id='encoding'
        ),
        pytest.param(
            'a',
            {'a': 'extends: common\nremedies: {REG001: nope}\n'},
            'a:2: the menu file is invalid: `remedies.REG001`: no menu is named `nope`',
            id='menu of a remedy',
        ),
        pytest.param(
            'a',
            {'a': 'extends: common\ncheckpoints: [{menu: by-hnd}]\n'},
            'a:2: the menu file is invalid: `checkpoints.0.menu`: '
            'no menu is named `by-hnd`; did you mean `by-hand`?',
            id='menu of a checkpoint',
        ),
        pytest.param(
            'a',
            {'a': 'menus: {}\n'},
            f'{FILE}:1: the menu file is invalid: `remedies`: '
            'the key `default` is missing',
            id='no default',
        ),
    ),
)
def test_a_file_that_cannot_be_used_is_refused(
    extends: str, files: dict[str, str | bytes], message: str
) -> None:
    with pytest.raises(Refusal) as caught:
        loaded(inline(f'extends: {extends}'), files)
    assert caught.value.message == message


def test_the_schema_names_every_word_that_is_filled_in() -> None:
    schema = json.loads(schema_text(menu_files.LANGUAGE.schema))
    text = schema['$defs']['line']['description']
    assert set(menus.WORD_RE.findall(text)) == menu_files.WORDS


def test_menus_survive_the_cache_of_the_workflow() -> None:
    data, _ = compile_workflow(FILE, samples.WORKFLOW.encode(), lambda path: None)
    again: Any = json.loads(json.dumps(data))
    assert build(again, FILE, FILE) == build(data, FILE, FILE)
    assert again['items']['plugin']['menus'] == {'extends': 'plugin-workflow'}


@pytest.mark.parametrize('name', presets())
def test_every_preset_has_the_menu_of_records_that_disagree(name: str) -> None:
    """A list of checkpoints replaces the one that it extends."""
    found = workflow(f'version: 1\nextends: {name}\n')
    assert found.kinds or found.recorded
    for one in found.kinds:
        read = menus.build(menu_files.load(one, FILE, lambda path: None).data)
        assert read.after(menus.BROKEN, None) is not None
