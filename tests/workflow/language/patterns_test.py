from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.model.errors import Refusal
from interlock.workflow.language import patterns
from interlock.workflow.language.build import build
from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.reading.commit_subject import read
from interlock.workflow.reading.item_paths import item_of
from tests.conftest import Interlock, Repo
from tests.profiles import some

# of a subject: messages are cut to this length before they are read
LONG = 1000


@pytest.mark.parametrize(
    ('pattern', 'path', 'item'),
    [
        ('plugins/{item}/x.md', 'plugins/Zoë/x.md', 'Zoë'),
        ('plugins/{item}/x.md', 'plugins/a b/x.md', 'a b'),
        ('plugins/{item}/x.md', 'plugins/a/b/x.md', None),
        ('plugins/{item}/x.md', 'plugins/a/xxmd', None),
        ('plugins/{item}/x.md', 'plugins/a/x.md\n', None),
        ('plugins/{item}/x.md', 'old/plugins/a/x.md', None),
        ('plugins/{item}/{item}.md', 'plugins/a/a.md', 'a'),
        ('plugins/{item}/{item}.md', 'plugins/a/b.md', None),
        ('{item}/**', 'a/b/c', 'a'),
        ('{item}/**', 'a/', None),
        ('{item}/*.md', 'a/b.md', 'a'),
        ('{item}/*.md', 'a/b/c.md', None),
        ('{item}/(a+)+$', 'x/aaaa', None),
        ('{item}/(a+)+$', 'x/(a+)+$', 'x'),
        ('{item}{/{/x', 'a{/{/x', 'a'),
        ('{*{*/{item}', '{b{c/a', 'a'),
    ],
)
def test_a_path_pattern_is_text_with_placeholders(
    pattern: str, path: str, item: str | None
) -> None:
    match = patterns.path_re(pattern).match(path)
    assert (match['item'] if match else None) == item


PIECES = st.sampled_from(
    ('{item}', '{phase}', '{stage}', '**', '*', 'a/', 'b', '.', '{')
)
TEXTS = st.text('ab/.{31', max_size=8)


@given(st.lists(st.lists(PIECES, min_size=1, max_size=5), max_size=4), TEXTS)
@settings(max_examples=some(300), deadline=None)
def test_one_expression_matches_what_one_of_its_patterns_does(
    made: list[list[str]], path: str
) -> None:
    several = tuple(map(''.join, made))
    found = [patterns.path_re(each).match(path) for each in several]
    first = next(filter(None, found), None)
    assert (patterns.any_path_re(several).match(path) is None) == (first is None)
    item = first.groupdict().get('item', '') if first else ''
    assert patterns.item_in(path, several) == item
    assert patterns.matching_paths([path], several) == ([path] if first else [])


@pytest.mark.parametrize(
    ('pattern', 'text', 'groups'),
    [
        ('Stage {stage}', 'Stage 3', {'stage': '3'}),
        ('Stage {stage}', 'stage 3 complete', {'stage': '3'}),
        ('Stage {stage}', 'Stage  3: é', {'stage': '3'}),
        ('Stage {stage}', 'Stage 3.1', None),
        ('Stage {stage}', 'Stage 3.', {'stage': '3'}),
        ('Stage {stage}', 'the Stage 3', None),
        ('Stage {phase}', 'Stage 3.10 fin', {'phase': '3.10'}),
        ('Stage {phase}', 'Stage 3', None),
        ('UI integrated', 'ui INTEGRATED now', {}),
        ('UI integrated', 'UI integratedly', None),
        ('is (done)', 'is (done)', {}),
        ('{stage} is {stage}', 'a is a', {'stage': 'a'}),
        ('{stage} is {stage}', 'a is b', None),
        ('a\\ b', 'a\\   b', {}),
    ],
)
def test_a_subject_pattern_ends_with_a_word(
    pattern: str, text: str, groups: dict[str, str] | None
) -> None:
    match = patterns.match_start(text, pattern)
    assert (match.groupdict() if match else None) == groups


@pytest.mark.parametrize(
    ('pattern', 'value', 'matches'),
    [
        ('continue_{phase}', 'continue_3.10', True),
        ('continue_{phase}', 'continue_3', False),
        ('{phase}', '3.1', True),
        ('{phase}', '3.1\n', False),
        ('a.c', 'abc', False),
        ('{phase}', f'3.{"1" * 300}', False),
    ],
)
def test_a_value_pattern_is_matched_whole(
    pattern: str, value: str, matches: bool
) -> None:
    assert patterns.is_one_of(value, (pattern,)) is matches


HOSTILE = [
    pytest.param('(a+)+$', id='a regular expression is text'),
    pytest.param('{stage} ' * 8 + 'x', id='one placeholder many times'),
    pytest.param('{stage}' * 30 + 'x', id='and without space'),
    pytest.param('{phase}' * 30 + 'x', id='phases without space'),
    pytest.param('{stage}{phase}*!', id='three placeholders'),
    pytest.param('*a*!', id='stars and letters'),
    pytest.param('**a**!', id='double stars'),
]
SUBJECTS = [
    'a' * LONG,
    'a ' * (LONG // 2),
    '1.1' * (LONG // 3),
    'a-' * (LONG // 2),
    'aa.1 ' * (LONG // 5),
]


@pytest.mark.parametrize('pattern', HOSTILE)
def test_a_hostile_pattern_is_matched_in_no_time(pattern: str) -> None:
    text = (
        'version: 1\nitems:\n  x:\n    path: "x/{item}"\n'
        '    states: {A: {stage: 1}}\n'
        '    commit:\n      prefixes: ["feat: {item} "]\n'
        f'      subjects: [{pattern!r}]\n'
    )
    data, _ = compile_workflow('w', text.encode(), lambda path: None)
    (kind,) = build(data, 'w', 'w').kinds
    start = time.monotonic()
    for subject in SUBJECTS:
        found = read(f'feat: x {subject}', kind, {'x'})
        assert found is not None and found.state is None
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    'pattern', ['*a*!', '**a**!', '*/**!', '{item}' * 30, '(a+)+$']
)
def test_a_hostile_path_is_matched_in_no_time(pattern: str) -> None:
    path = f'x/{{item}}/{pattern}'
    text = (
        'version: 1\nitems:\n  x:\n    path: "y/{item}"\n'
        '    states: {A: {stage: 1}}\n'
        f'    handoff: {{file: {path!r}, keys: {{item: i, stage: s}}}}\n'
    )
    data, _ = compile_workflow('w', text.encode(), lambda path: None)
    (kind,) = build(data, 'w', 'w').kinds
    start = time.monotonic()
    for subject in SUBJECTS:
        assert item_of(f'x/a/{subject}/b', kind) == ''
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    'lines',
    [
        pytest.param('path: "x/{item}/****/*"', id='path'),
        pytest.param('commit: {subjects: ["*a*a*a*!"]}', id='subject'),
        pytest.param('commit: {subjects: ["{item}{stage}{phase}*"]}', id='mixed'),
        pytest.param(
            'commit: {subjects: [{text: "****a**a**!", state: Working}]}',
            id='subject of a state',
        ),
        pytest.param('registry: {notes: "{item}/**/**/**"}', id='notes'),
        pytest.param('registry: {entry: {file: "{item}/*/*/*"}}', id='entry'),
        pytest.param('handoff: {older: ["{item}*a*a*a"]}', id='handoff'),
        pytest.param('handoff: {fields: {x: {values: ["**a**a**a**!"]}}}', id='value'),
        pytest.param(
            'contracts: {files: {plan: {drafts: ["{item}/*/*/*"]}}}', id='contract'
        ),
        pytest.param(
            'deliverables: {Stage 2: [{paths: ["{item}*a*b*"], must: exist}]}',
            id='deliverable',
        ),
    ],
)
def test_a_pattern_with_many_placeholders_is_refused(lines: str) -> None:
    text = f'extends: plugin-workflow\nitems:\n  plugin:\n    {lines}\n'
    with pytest.raises(Refusal) as caught:
        compile_workflow('w', text.encode(), lambda path: None)
    assert caught.value.message.startswith('w:4: the workflow is invalid: `')
    assert caught.value.message.endswith('has more than 3 placeholders')


def test_a_hostile_workflow_does_not_hang_the_hook(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit(
        {
            '.interlock.yaml': 'version: 1\nextends: plugin-workflow\n'
            'items:\n  plugin:\n    commit:\n      subjects:\n'
            f'        - "{"{stage}" * 30}x"\n',
            'plugins/Bravo/x': 'x',
        }
    )
    repo.stage({'plugins/Bravo/x': 'y'})
    message = repo.path.parent / 'message'
    message.write_text(f'feat: Bravo {"a" * 5000}\n')
    start = time.monotonic()
    result = interlock.check('--message', str(message))
    assert (result.codes, result.code) == ([], 0)
    assert time.monotonic() - start < 5


def test_a_name_is_put_where_the_placeholder_stands() -> None:
    assert patterns.expand('a/{item}/{item}.md', 'Zoë') == 'a/Zoë/Zoë.md'
    assert patterns.expand('', 'Zoë') == ''
