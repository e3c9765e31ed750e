from __future__ import annotations

import json
import re
import shlex
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from interlock.model.errors import InvalidWorkflow, Refusal
from interlock.workflow.language.build import build
from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.language.load import load, merge
from interlock.workflow.language.presets import (
    MARK,
    is_preset,
    preset,
    presets,
    shown_name,
)
from interlock.workflow.language.reference import explained
from tests.conftest import Interlock, Repo

FILE = '.interlock.yaml'
PRESET = f'{MARK}plugin-workflow'


def compiled(
    text: str | bytes, files: Mapping[str, str] | None = None, name: str = FILE
) -> tuple[dict[str, Any], dict[str, bytes]]:
    data = text.encode() if isinstance(text, str) else text
    held = {path: body.encode() for path, body in (files or {}).items()}
    return compile_workflow(name, data, held.get)


def refused(text: str | bytes, files: Mapping[str, str] | None = None) -> str:
    with pytest.raises(Refusal) as caught:
        compiled(text, files)
    *words, last = shlex.split(caught.value.hint)
    # what may stand there is said, or which keys there are, or which file is wrong
    assert words[:1] == ['correct'] or last == 'explain' or explained(last)
    assert '\n' not in caught.value.message
    return caught.value.message


def test_a_preset_that_was_released_stays() -> None:
    assert {
        'backlog-md',
        'basic',
        'bmad',
        'gsd',
        'kiro',
        'openspec',
        'plugin-workflow',
        'plugin-workflow-four-stages',
        'spec-kit',
        'task-master',
        'task-protocol',
    } <= {*presets()}


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for each in (*value, *value.values()):
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize('name', presets())
def test_a_preset_speaks_only_of_its_own_stages(name: str) -> None:
    """One that extends another takes over what that says of others."""
    data, _ = compiled(f'version: 1\nextends: {name}\n')
    for kind in data['items'].values():
        named = {
            found for text in texts(kind) for found in re.findall(r'\bStage \d\b', text)
        }
        assert named <= set(kind['states'])


@pytest.mark.parametrize('name', presets())
def test_a_preset_is_a_valid_workflow(name: str) -> None:
    data, files = compiled(f'version: 1\nextends: {name}\n')
    assert data['items'] or data['recorded']
    assert list(files)[:2] == [FILE, f'{MARK}{name}']
    assert all(is_preset(file) for file in list(files)[1:])
    workflow = build(data, FILE, FILE)
    assert [kind.name for kind in workflow.kinds] == list(data['items'])
    assert [kind.name for kind in workflow.recorded] == list(data['recorded'])


@pytest.mark.parametrize(
    'name', ['nope', '../presets/task-protocol', '.', '', 'a/b', 'x\n']
)
def test_an_unknown_preset(name: str) -> None:
    assert preset(name) is None


@pytest.mark.parametrize('name', presets())
def test_a_merged_workflow_survives_its_cache(name: str) -> None:
    data, _ = compiled(f'extends: {name}\n')
    again = json.loads(json.dumps(data))
    assert again == data
    assert build(again, FILE, FILE) == build(data, FILE, FILE)


def test_what_stands_in_the_file_wins_over_the_preset() -> None:
    data, _ = compiled(
        'extends: plugin-workflow\n'
        'items:\n'
        '  plugin:\n'
        '    registry: {file: docs/É.md}\n'
        '    ignore: [x]\n'
    )
    plugin = data['items']['plugin']
    assert plugin['registry']['file'] == 'docs/É.md'
    assert plugin['registry']['columns']['item'] == 'Plugin Name'
    assert plugin['ignore'] == ['x']


def test_null_removes_what_a_preset_has() -> None:
    data, _ = compiled(
        'extends: plugin-workflow\n'
        'items:\n'
        '  plugin:\n'
        '    contracts: null\n'
        '    gates: {Stage 1: null, Stage 2: null}\n'
    )
    plugin = data['items']['plugin']
    assert 'contracts' not in plugin
    assert {'Stage 1', 'Stage 2'}.isdisjoint(plugin['gates'])
    (kind,) = build(data, FILE, FILE).kinds
    assert not kind.contracts


@pytest.mark.parametrize(
    ('text', 'path'),
    [
        ('states: {Stage 2: {aliases: null}}', ('states', 'Stage 2')),
        ('handoff: {aliases: null}', ('handoff',)),
        ('handoff: {phases: {when: null}}', ('handoff', 'phases')),
        ('registry: {types: null}', ('registry',)),
        ('commit: {confirm: null}', ('commit',)),
    ],
)
def test_null_removes_every_key_that_may_be_missing(
    text: str, path: tuple[str, ...]
) -> None:
    data, _ = compiled(f'extends: plugin-workflow\nitems: {{plugin: {{{text}}}}}\n')
    build(data, FILE, FILE)
    data = data['items']['plugin']
    for key in path:
        data = data[key]
    removed = text.rpartition(': null')[0].rpartition('{')[2]
    assert removed not in data


def test_a_part_of_what_is_extended_may_change() -> None:
    data, _ = compiled(
        'extends: plugin-workflow\n'
        'items: {plugin: {handoff: {phases: {contract: architecture}}}}\n'
    )
    phases = data['items']['plugin']['handoff']['phases']
    assert (phases['contract'], phases['levels']) == ('architecture', [3, 4])


def test_null_removes_an_alias_and_an_empty_emoji_keeps_it() -> None:
    data, _ = compiled(
        'extends: plugin-workflow\nitems:\n  plugin:\n    states:\n'
        '      Stage 2: {aliases: {Building System: null, Bauen: ""}}\n'
    )
    (kind,) = build(data, FILE, FILE).kinds
    assert kind.states['Stage 2'].aliases == {'Bauen': ''}


def test_a_kind_of_a_preset_can_be_removed() -> None:
    data, _ = compiled(
        'extends: [plugin-workflow, task-protocol]\nitems: {task: null}\n'
    )
    assert list(data['items']) == ['plugin']


@pytest.mark.parametrize(
    'text',
    (
        'version: 1\n',
        'version: 1\nitems: {}\n',
        'version: 1\ndocuments: {handoffs: [docs/*.md]}\n',
        'version: 1\nextends: plugin-workflow\nitems: {plugin: null}\n',
    ),
)
def test_a_project_may_have_no_items(text: str) -> None:
    data, _ = compiled(text)
    assert data['items'] == {}
    assert build(data, FILE, FILE).kinds == ()


def test_a_list_is_merged_in_its_order() -> None:
    files = {
        'a.yaml': 'extends: plugin-workflow\ndisplay: stages\n'
        'severity: {REG001: info, REG002: info}\n',
        'b.yaml': 'display: milestones\nseverity: {REG002: warning}\n',
    }
    data, read = compiled('extends: [a.yaml, b.yaml]\n', files)
    assert data['display'] == 'milestones'
    assert data['severity'] == {'REG001': 'info', 'REG002': 'warning'}
    assert list(read) == [FILE, 'a.yaml', PRESET, 'b.yaml']
    assert data['extended'] == ['a.yaml', 'b.yaml']
    data, _ = compiled('extends: [b.yaml, a.yaml]\n', files)
    assert data['display'] == 'stages'


def test_a_file_is_named_relative_to_the_one_that_extends_it() -> None:
    files = {
        'tools/flows/base.yaml': 'extends: ../more/x.yaml\n',
        'tools/more/x.yaml': 'extends: plugin-workflow\n',
    }
    _, read = compiled('extends: flows/base.yaml\n', files, 'tools/i.yaml')
    assert list(read) == [
        'tools/i.yaml',
        'tools/flows/base.yaml',
        'tools/more/x.yaml',
        PRESET,
    ]


def test_a_workflow_extended_on_two_ways_is_read_once_each() -> None:
    files = {
        'a.yaml': 'extends: plugin-workflow\n',
        'b.yaml': 'extends: plugin-workflow\n',
    }
    data, _ = compiled('extends: [a.yaml, b.yaml]\n', files)
    assert list(data['items']) == ['plugin']


@pytest.mark.parametrize(
    ('text', 'files'),
    [
        pytest.param(f'extends: {FILE}\n', {}, id='itself'),
        pytest.param(
            'extends: a.yaml\n',
            {'a.yaml': 'extends: b.yaml\n', 'b.yaml': 'extends: a.yaml\n'},
            id='two others',
        ),
    ],
)
def test_files_that_extend_each_other_are_refused(
    text: str, files: dict[str, str]
) -> None:
    message = refused(text, {FILE: text, **files})
    assert 'files extend each other in a circle' in message


def test_a_ring_with_many_arms_is_refused_in_no_time() -> None:
    text = f'extends: [{", ".join([FILE] * 50)}]\n'
    start = time.monotonic()
    assert 'in a circle' in refused(text, {FILE: text})
    assert time.monotonic() - start < 20


@pytest.mark.parametrize(
    ('base', 'over', 'expected'),
    [
        pytest.param({'a': 1}, {'b': 2}, {'a': 1, 'b': 2}, id='both'),
        pytest.param({'a': 1}, {'a': 2}, {'a': 2}, id='over wins'),
        pytest.param(
            {'a': {'b': 1}},
            {'a': {'c': 2}},
            {'a': {'b': 1, 'c': 2}},
            id='mappings are merged',
        ),
        pytest.param({'a': [1, 2]}, {'a': [3]}, {'a': [3]}, id='lists are replaced'),
        pytest.param({'a': 1, 'b': 2}, {'a': None}, {'b': 2}, id='null'),
        pytest.param({}, {'a': None}, {}, id='null removes nothing'),
        pytest.param({'a': 1}, {'a': {'b': 2}}, {'a': {'b': 2}}, id='another type'),
        pytest.param({'a': {'b': 1}}, {'a': 'x'}, {'a': 'x'}, id='no mapping any more'),
        pytest.param({'a': [{'b': 1}]}, {'a': []}, {'a': []}, id='an empty list'),
        pytest.param(
            {'a': {'b': {'c': 1}}},
            {'a': {'b': {'c': None}}},
            {'a': {'b': {}}},
            id='null deep inside',
        ),
    ],
)
def test_how_workflows_are_merged(base: Any, over: Any, expected: Any) -> None:
    kept = json.dumps(base)
    assert merge(base, over) == expected
    assert json.dumps(base) == kept


P = 'version: 1\nextends: plugin-workflow\n'
BOMB = '\n'.join(
    [
        'a: &a [x, x, x, x, x, x, x, x, x]',
        *(
            f'{new}: &{new} [{", ".join([f"*{old}"] * 9)}]'
            for old, new in zip('abcdefg', 'bcdefgh', strict=True)
        ),
    ]
)


@pytest.mark.parametrize(
    ('text', 'line', 'said'),
    [
        pytest.param('', 1, 'is not a mapping of keys to values', id='empty'),
        pytest.param('# é\n', 1, 'is not a mapping of keys', id='only a comment'),
        pytest.param('- a\n', 1, 'is not a mapping of keys', id='list'),
        pytest.param('version\n', 1, 'is not a mapping of keys', id='scalar'),
        pytest.param('null\n', 1, 'is not a mapping of keys', id='null'),
        pytest.param('items: [\n', 2, 'is not valid YAML', id='invalid'),
        pytest.param('version: 1\n\titems: {}\n', 2, 'is not valid YAML', id='tab'),
        pytest.param(
            'version: 1\nversion: 1\n',
            2,
            'has the key `version` twice',
            id='a key twice',
        ),
        pytest.param('a: *b\n', 1, 'is not valid YAML', id='unknown anchor'),
        pytest.param(
            'version: !!python/name:os.system 1\n', 1, 'uses the tag', id='tag'
        ),
        pytest.param('? [a]\n: b\n', 1, 'a key that is not text', id='key'),
        pytest.param(BOMB, 1, 'grows too large through aliases', id='bomb'),
        pytest.param(
            f'items: {"[" * 100}{"]" * 100}\n', 1, 'nested too deeply', id='deep'
        ),
        pytest.param('a: &a [*a]\n', 1, '', id='an alias of itself'),
        pytest.param(f'# {"x" * 2_000_000}\n', 1, 'is too large to be YAML', id='huge'),
        pytest.param(b'\xff\xfe', 1, 'is not UTF-8 text', id='not UTF-8'),
        pytest.param(b'version: 1\n\0', 2, 'holds a NUL byte', id='NUL byte'),
        pytest.param(
            'version: 1\n---\nversion: 1\n', 2, 'is not valid YAML', id='two documents'
        ),
    ],
)
def test_a_text_that_is_not_a_workflow_is_refused(
    text: str | bytes, line: int, said: str
) -> None:
    message = refused(text)
    file, number, rest = message.split(':', 2)
    assert file == FILE
    assert abs(int(number) - line) <= 1
    assert rest.startswith(' the workflow ')
    assert said in rest


@pytest.mark.parametrize(
    ('text', 'line', 'key', 'said'),
    [
        pytest.param('version: 2\n', 1, 'version', '`2` must be `1`', id='version'),
        pytest.param(
            f'{P}severities: {{}}\n',
            3,
            'severities',
            'unknown key `severities`; did you mean `severity`?',
            id='unknown key',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    registri: {{}}\n',
            5,
            'items.plugin.registri',
            'unknown key `registri`; did you mean `registry`?',
            id='unknown key of a kind',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    registry:\n      fil: x\n',
            6,
            'items.plugin.registry.fil',
            'did you mean `file`?',
            id='unknown key inside',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    commit:\n      regex: (a+)+\n',
            6,
            'items.plugin.commit.regex',
            'unknown key `regex`',
            id='a regular expression',
        ),
        pytest.param(
            f'{P}display: milestone\n',
            3,
            'display',
            'did you mean `milestones`?',
            id='display',
        ),
        pytest.param(
            f'{P}severity: {{REG001: eror}}\n',
            3,
            'severity.REG001',
            'did you mean `error`?',
            id='severity',
        ),
        pytest.param(
            f'{P}severity: {{REG999: error}}\n',
            3,
            'severity.REG999',
            'no rule is named `REG999`; did you mean `REG0',
            id='no such rule',
        ),
        pytest.param(
            f'{P}severity: {{reg001: error}}\n',
            3,
            'severity.reg001',
            'no rule is named `reg001`; did you mean `REG001`?',
            id='code in lower case',
        ),
        pytest.param(
            'severity: {REG001: off}\n',
            1,
            '',
            'it does not name items',
            id='neither items nor a version',
        ),
        pytest.param(
            'extends: plugin-workfow\n',
            1,
            'extends',
            'is neither a preset (backlog-md, ',
            id='extends',
        ),
        pytest.param(
            'extends: "a\\0b"\n',
            1,
            'extends',
            '`a\\x00b` does not match',
            id='extends a name with NUL',
        ),
        pytest.param('extends: []\n', 1, 'extends', '', id='extends nothing'),
        pytest.param('extends: 7\n', 1, 'extends', '', id='extends a number'),
        pytest.param(
            f'{P}items:\n  plugin:\n    transitions:\n'
            '      - {from: Stage 1, to: Stag 2}\n',
            6,
            'items.plugin.transitions.0.to',
            'no state is named `Stag 2`; did you mean `Stage 2`?',
            id='unknown state in a transition',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    transitions:\n'
            '      - {from: Stage 1, to: Stage 2}\n'
            '      - {from: [Stage 2, everything], to: Stage 3}\n',
            7,
            'items.plugin.transitions.1.from',
            'is named `everything`',
            id='unknown origin',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    transitions:\n      - {{from: Stage 1}}\n',
            6,
            'items.plugin.transitions.0',
            'the key `to` is missing',
            id='transition to nowhere',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    states:\n      Stage 3:\n'
            '        aliases: {Building System: x}\n',
            6,
            'items.plugin.states.Stage 3',
            'the word `Building System` occurs twice',
            id='duplicate alias',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    contracts:\n      files:\n'
            "        adr: {{paths: ['adr/{item}-*.md']}}\n".format(item='{item}'),
            7,
            'items.plugin.contracts.files.adr.paths',
            '`adr/{item}-*.md` does not name a single file',
            id='a contract that would be any of many files',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    states:\n      Extra: {{stage: 3}}\n',
            6,
            'items.plugin.states.Extra.stage',
            '`3` occurs twice',
            id='duplicate stage',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    states:\n      Stage 3: null\n',
            0,
            'items.plugin.',
            'no state is named `Stage 3`',
            id='a state that others name is removed',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    states:\n      Working:\n'
            '        agrees: [Stage 55]\n',
            7,
            'items.plugin.states.Working.agrees.0',
            'did you mean `Stage 5`?',
            id='agrees',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    states:\n      Working:\n'
            '        role: finished\n',
            7,
            'items.plugin.states.Working.role',
            '`finished` is not one of',
            id='role',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    registry: {{file: /etc/passwd}}\n',
            5,
            'items.plugin.registry.file',
            'must stay inside the repository',
            id='absolute path',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    registry: {{file: ../x.md}}\n',
            5,
            'items.plugin.registry.file',
            'must stay inside the repository',
            id='upwards',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    path: "a/../{{item}}"\n',
            5,
            'items.plugin.path',
            'must stay inside the repository',
            id='upwards in the middle',
        ),
        pytest.param(
            f"{P}items:\n  plugin:\n    path: 'a\\{{item}}'\n",
            5,
            'items.plugin.path',
            'must stay inside the repository',
            id='backslash',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    path: plugins\n',
            5,
            'items.plugin.path',
            r'does not match `\{item\}`',
            id='path without item',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    handoff: {{file: x.md}}\n',
            5,
            'items.plugin.handoff.file',
            r'does not match `\{item\}`',
            id='handoff without item',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    contracts:\n      algorithm: sha265\n',
            6,
            'items.plugin.contracts.algorithm',
            'did you mean `sha256`?',
            id='algorithm',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    contracts:\n      amendment: Änderung\n',
            6,
            'items.plugin.contracts.amendment',
            'does not match',
            id='a trailer that git does not know',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    contracts:\n'
            '      frozen: [Stage 1, Installd]\n',
            6,
            'items.plugin.contracts.frozen.1',
            'did you mean `Installed`?',
            id='frozen',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    gates:\n'
            '      Stage 3: {contracts: [architektur]}\n',
            6,
            'items.plugin.gates.Stage 3.contracts.0',
            'no contract is named `architektur`; did you mean `architecture`?',
            id='gate',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    handoff: {{evidence: null}}\n'
            '    gates:\n      Stage 3: {evidence: [test]}\n',
            7,
            'items.plugin.gates.Stage 3.evidence',
            'evidence needs `handoff.evidence`',
            id='gate without a field',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    gates:\n      Stage 33: {{}}\n',
            6,
            'items.plugin.gates.Stage 33',
            'did you mean `Stage 3`?',
            id='gate of no state',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    deliverables:\n      Nix: []\n',
            6,
            'items.plugin.deliverables.Nix',
            'no state is named `Nix`',
            id='deliverables of no state',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    handoff: {{status_from: X}}\n',
            5,
            'items.plugin.handoff.status_from',
            'no state is named `X`',
            id='status_from',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    handoff:\n'
            '      planned: {state: Stage O, status: complete}\n',
            6,
            'items.plugin.handoff.planned.state',
            'no state is named `Stage O`',
            id='planned',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    handoff:\n'
            '      status_in: {complete: [Stage 5, Fin]}\n',
            6,
            'items.plugin.handoff.status_in.complete',
            'no state is named `Fin`',
            id='status_in',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    registry: {{file: "a\\0"}}\n',
            5,
            'items.plugin.registry.file',
            '`a\\x00` must stay inside',
            id='NUL in a path',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    handoff:\n'
            '      planned: {state: Stage 0, status: complet}\n',
            6,
            'items.plugin.handoff.planned.status',
            'did you mean `complete`?',
            id='planned status',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    handoff:\n'
            '      status_in: {workflow_complet: [Stage 5]}\n',
            6,
            'items.plugin.handoff.status_in.workflow_complet',
            'did you mean `workflow_complete`?',
            id='status in a state',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    handoff:\n      fields:\n'
            '        x: {exactly_when: {field: complexity, minimum: 3}}\n',
            7,
            'items.plugin.handoff.fields.x.exactly_when.field',
            'did you mean `complexity_score`?',
            id='another field',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    handoff:\n      aliases: {{etappe: stagee}}\n',
            6,
            'items.plugin.handoff.aliases.etappe',
            'did you mean `stage`?',
            id='alias of no key',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    commit:\n      subjects:\n'
            '        - {text: ready, state: Redy}\n',
            7,
            'items.plugin.commit.subjects.0.state',
            'no state is named `Redy`',
            id='subject',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    commit:\n      prefixes: [feat]\n',
            6,
            'items.plugin.commit.prefixes.0',
            'does not match',
            id='prefix without item',
        ),
        pytest.param(
            f'{P}items:\n  plugin:\n    handoff: {{keys: null}}\n',
            5,
            'items.plugin.handoff',
            '',
            id='keys removed',
        ),
        pytest.param(
            'items:\n  x:\n    states: {A: {}}\n',
            2,
            'items.x',
            'the key `path` is missing',
            id='no path',
        ),
        pytest.param(
            'items:\n  x:\n    path: "{item}"\n',
            2,
            'items.x',
            'the key `states` is missing',
            id='no states',
        ),
        pytest.param(
            'items:\n  x:\n    path: "{item}"\n    states: {A: {}}\n'
            '    registry: {file: x.md}\n',
            5,
            'items.x.registry',
            'the key `columns` is missing',
            id='no columns',
        ),
        pytest.param(
            'items:\n  x:\n    path: "{item}"\n    states: {A: {}}\n'
            '    registry: {file: x.md, columns: {item: Name}}\n',
            5,
            'items.x.registry.columns',
            'the key `status` is missing',
            id='no status column',
        ),
        pytest.param(
            'items:\n  x:\n    path: "{item}"\n    states: {A: {}}\n'
            '    registry:\n      file: x.md\n'
            '      columns: {item: N, status: S}\n'
            '      entry: {heading: 2}\n',
            8,
            'items.x.registry.entry.fields',
            'the key `status` is missing',
            id='entries without status',
        ),
        pytest.param(
            'items:\n  x:\n    path: "{item}"\n    states: {A: {}}\n'
            '    registry:\n      file: x.md\n      layout: monolithic\n'
            '      columns: {item: N, status: S}\n',
            7,
            'items.x.registry.layout',
            '`monolithic` needs `registry.entry`',
            id='monolithic without entries',
        ),
        pytest.param(
            'items:\n  x:\n    path: "{item}"\n    states: {A: {}}\n'
            '    handoff:\n      file: "{item}/h"\n'
            '      keys: {item: i, stage: s, checksums: c}\n'
            '    contracts:\n      files:\n        c: {free: true}\n',
            10,
            'items.x.contracts.files.c',
            'the key `paths` is missing',
            id='contract without paths',
        ),
        pytest.param(
            'items:\n  ../../x:\n    path: "{item}"\n',
            2,
            'items.../../x',
            '`../../x` does not match',
            id='the name of a kind goes upwards',
        ),
        pytest.param(
            'items:\n  "a\\nb":\n    path: "{item}"\n',
            2,
            'items.a\\nb',
            '`a\\nb` does not match',
            id='the name of a kind has a newline',
        ),
    ],
)
def test_an_error_names_file_line_key_and_the_nearest_name(
    text: str, line: int, key: str, said: str
) -> None:
    message = refused(text)
    where, _, rest = message.partition(': the workflow is invalid: ')
    if line:
        assert where == f'{FILE}:{line}'
    if key:
        assert rest.startswith(f'`{key}')
    assert said in rest


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        (
            'locks: {remote: "https://me:s3cr3t@h/x"}',
            'locks.remote`: it does not match',
        ),
        (
            'locks: {service: host=h password=s3cr3t}',
            'locks.service`: it does not match',
        ),
        (
            'locks: {repository: "me:s3cr3t@h/x"}',
            'locks.repository`: it does not match',
        ),
        (
            'locks: {engine: "postgresql://me:s3cr3t@h"}',
            'locks.engine`: it is not one of',
        ),
        ('locks: {remote: [s3cr3t]}', "locks.remote`: it is not of type 'string'"),
        ('locks: "https://me:s3cr3t@h/x"', "locks`: it is not of type 'object'"),
        ('store: {service: "postgres://me:s3cr3t@h"}', 'store.service`: it does not'),
        ('locks: {confirm: -1}', '-1 is less than'),
        ('locks: {url: "https://me:s3cr3t@h/x"}', 'unknown key `url`'),
    ],
)
def test_what_may_be_a_password_is_not_repeated(text: str, said: str) -> None:
    message = refused(f'{P}{text}\n')
    assert said in message
    assert 's3cr3t' not in message


def test_an_error_in_an_extended_file_names_that_file() -> None:
    files = {'base.yaml': 'version: 1\n\ndisplay: nix\n'}
    assert refused('extends: base.yaml\n', files).startswith(
        'base.yaml:3: the workflow is invalid: `display`: '
    )


def test_a_name_that_does_not_fit_is_found_where_it_was_written() -> None:
    files = {
        'base.yaml': 'extends: plugin-workflow\n'
        'items:\n  plugin:\n    states: {Stage 6: null}\n'
    }
    message = refused('version: 1\nextends: base.yaml\n', files)
    assert message.startswith('preset plugin-workflow:')
    assert 'no state is named `Stage 6`' in message


def test_an_empty_preset_list_member_is_refused() -> None:
    assert '`extends' in refused('extends: [""]\n')


@pytest.mark.parametrize('name', ['missing.yaml', '/etc/hostname', '../../etc/passwd'])
def test_an_extended_file_that_is_not_in_the_tree_is_refused(name: str) -> None:
    message = refused(f'extends: {name}\n')
    assert message.startswith(
        f'{FILE}:1: the workflow is invalid: `extends`: `{name}` is neither'
    )


def test_a_workflow_outside_of_the_tree_is_not_read_from_the_disk(
    repo: Repo, interlock: Interlock
) -> None:
    outside = repo.path.parent / 'outside.yaml'
    outside.write_text('extends: plugin-workflow\n')
    repo.commit({FILE: 'extends: ../outside.yaml\n'})
    repo.stage({'x': 'x'})
    result = interlock.check()
    assert result.code == 2
    assert '`../outside.yaml` is neither a preset' in result.err


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        pytest.param('items: [\n', 'is not valid YAML', id='invalid YAML'),
        pytest.param('', 'is not a mapping of keys to values', id='empty'),
        pytest.param(BOMB, 'grows too large through aliases', id='bomb'),
        pytest.param('extends: "a\\0b"\n', 'does not match', id='NUL'),
        pytest.param('versoin: 1\n', 'did you mean `version`?', id='key'),
    ],
)
def test_a_bad_workflow_is_exit_2_with_a_sentence(
    repo: Repo, interlock: Interlock, text: str, said: str
) -> None:
    repo.commit({FILE: text})
    repo.stage({'x': 'x'})
    result = interlock.check()
    assert result.code == 2
    assert said in result.err
    assert 'Traceback' not in result.err
    assert result.codes == []


def test_where_each_key_came_from_is_known() -> None:
    source = load(
        FILE,
        b'version: 1\nextends: plugin-workflow\ndisplay: stages\n',
        lambda path: None,
    )
    assert source.origins[('display',)] == (FILE, 3)
    file, line = source.origins[('items', 'plugin', 'registry', 'file')]
    assert file == PRESET
    text = (preset('plugin-workflow') or b'').decode().split('\n')
    assert text[line - 1].strip() == 'file: PLUGINS.md'


def test_an_error_in_a_preset_is_fixed_in_the_users_file() -> None:
    text = 'extends: plugin-workflow\nitems: {plugin: {states: {Stage 6: null}}}\n'
    with pytest.raises(InvalidWorkflow) as caught:
        compiled(text)
    assert caught.value.message.startswith('preset plugin-workflow:')
    assert caught.value.hint == f'correct {FILE} by hand'


@pytest.mark.parametrize(
    ('name', 'hint'),
    [
        pytest.param(
            'plugin-workfow', '; did you mean `plugin-workflow`?', id='a letter'
        ),
        pytest.param('Task-Protocol', '; did you mean `task-protocol`?', id='case'),
        pytest.param('nope', '', id='none near'),
    ],
)
def test_a_preset_with_a_typing_error_is_recognised(name: str, hint: str) -> None:
    message = refused(f'version: 1\nextends: {name}\n')
    assert message.endswith(f'nor a file that can be read{hint}')


def test_an_invalid_workflow_knows_its_line() -> None:
    for text, line in (
        ('version: 1\n\ndisplay: nix\n', 3),
        ('version: 1\nitems: [\n', 3),
        ('', 1),
    ):
        with pytest.raises(InvalidWorkflow) as caught:
            compiled(text)
        assert caught.value.line == line
        assert caught.value.message.startswith(f'{FILE}:{line}: ')


def test_a_file_that_is_called_like_a_preset_is_none(
    repo: Repo, interlock: Interlock
) -> None:
    assert is_preset(PRESET)
    assert shown_name(PRESET) == 'preset plugin-workflow'
    name = 'preset team.yaml'
    assert not is_preset(name)
    assert shown_name(name) == name
    repo.commit(
        {
            FILE: f'version: 1\nextends: {name}\n',
            name: 'version: 1\nextends: plugin-workflow\n',
        }
    )
    repo.stage({name: 'version: 1\nextends: task-protocol\n'})
    result = interlock.check()
    assert (result.codes, result.code) == (['CFG001', 'CFG008'], 1)
