"""The language of records and agreements, by a format that nobody has."""

from __future__ import annotations

import functools
import json

import pytest

from interlock.model.errors import Refusal
from interlock.operations.registry.status import unchecked_items_advice
from interlock.workflow.language.spec import Workflow
from tests.formats.trees import MemorySnapshot, compiled, edited, findings, rules

# recipes with steps in a log of JSON lines, a shelf in a table, and a seal
WORKFLOW = """\
version: 1
items:
  recipe:
    name: '{slug}'
    fold: case
    states: {tasted: [yummy, 'very good'], cooked: [], raw: []}
    records:
      log: {read: jsonl, file: kitchen/log.jsonl, item: dish, status: is, depends: after, strict: false}
      shelf: {read: table, file: kitchen/shelf.md, columns: {item: Dish, status: State*}, key: '{item}'}
      card: {read: field, file: 'kitchen/{item}.card', label: Zustand, strict: false}
      photo: {read: present, file: ['kitchen/{item}.jpg', 'kitchen/{item}.png']}
    agree:
      - {name: log-and-shelf, same: [log, shelf], say: '{item} differs: {found}'}
      - {name: tasted-without-photo, when: [{log: tasted}, {shelf: tasted}], then: {photo: present}, at: push}
      - {name: cooked-before-broth, when: {log: [cooked, tasted]}, then: {depends.log: [cooked, tasted]}, unless: Chef}
      - {name: new-photo-needs-card, upon: {photo: present}, then: {card: [cooked, tasted]}, severity: warning}
    frozen:
      - {name: card-is-sealed, when: {card: tasted}, files: 'kitchen/{item}.card', between: [<seal>, </seal>], amendment: Chef}
"""
BASE = {
    'kitchen/log.jsonl': (
        '{"dish": "broth", "is": "cooked"}\n'
        '{"dish": "soup", "is": "raw", "after": ["Broth"]}\n'
    ),
    'kitchen/shelf.md': (
        '| Dish | State of it |\n|---|---|\n| Broth | cooked |\n| Soup | raw |\n'
    ),
    'kitchen/broth.card': 'Zustand: tasted\n<seal by="a">\ntwo onions\n</seal>\nnotes\n',
}
LOG, SHELF = 'kitchen/log.jsonl', 'kitchen/shelf.md'
SOUP = {LOG: ('"is": "raw"', '"is": "tasted"'), SHELF: ('raw', 'yummy')}


@functools.cache
def workflow() -> Workflow:
    return compiled(WORKFLOW)


@pytest.mark.parametrize(
    ('edits', 'expected'),
    (
        pytest.param({LOG: ('raw', 'cooked')}, {'log-and-shelf'}, id='one of two'),
        pytest.param(SOUP, {'tasted-without-photo'}, id='no photo'),
        pytest.param(
            {**SOUP, 'kitchen/soup.png': 'x', 'kitchen/soup.card': 'Zustand: cooked\n'},
            set(),
            id='with all that it needs',
        ),
        pytest.param(
            {'kitchen/soup.jpg': 'x'}, {'new-photo-needs-card'}, id='upon a photo'
        ),
        pytest.param(
            {LOG: ('"is": "cooked"', '"is": "raw"'), SHELF: ('cooked', 'raw')},
            set(),
            id='the broth goes back',
        ),
        pytest.param(
            {'kitchen/broth.card': ('two', 'three')}, {'card-is-sealed'}, id='sealed'
        ),
        pytest.param({'kitchen/broth.card': ('notes', 'more')}, set(), id='outside'),
        pytest.param(
            {'kitchen/broth.card': ('Zustand: tasted', 'Zustand: cooked')},
            set(),
            id='no longer sealed',
        ),
        pytest.param({SHELF: ('raw', 'burnt')}, {'REG005'}, id='not a state'),
        pytest.param({SHELF: ('| raw |', '| raw')}, set(), id='a row without an end'),
        pytest.param({LOG: ('"soup"', '"soup')}, {'REG018'}, id='no JSON'),
        pytest.param(
            {LOG: ('"is": "raw"', '"is": "raw", "is": "raw"')}, {'REG018'}, id='twice'
        ),
        pytest.param(
            {SHELF: BASE[SHELF].replace('\n', '\r')}, {'REG018'}, id='no line feed'
        ),
        pytest.param({SHELF: BASE[SHELF].replace('\n', '\r\n')}, set(), id='both'),
        pytest.param({'README.md': 'x'}, set(), id='another file'),
    ),
)
def test_a_format_of_ones_own(
    edits: dict[str, str | tuple[str, str]], expected: set[str]
) -> None:
    assert rules(workflow(), BASE, edited(BASE, edits)) == expected


def test_what_it_depends_on_is_asked_again() -> None:
    before = edited(
        BASE, {LOG: ('"is": "raw"', '"is": "cooked"'), SHELF: ('raw', 'cooked')}
    )
    after = edited(
        before, {LOG: ('"is": "cooked"', '"is": "raw"'), SHELF: ('cooked', 'raw')}
    )
    assert rules(workflow(), before, after) == {'cooked-before-broth'}
    assert rules(workflow(), before, after, Chef='says so') == set()
    assert rules(workflow(), before, after, Chef=' ') == {'cooked-before-broth'}


def test_a_finding_names_item_place_and_agreement() -> None:
    (found,) = findings(workflow(), BASE, edited(BASE, {LOG: ('raw', 'cooked')}))
    assert found.rule == 'log-and-shelf'
    assert found.code == 'REG016'
    assert found.item == 'soup'
    assert (found.path, found.line) == (LOG, 2)
    assert found.message == 'soup differs: log says cooked, shelf says raw'


def test_at_a_push_it_is_an_error() -> None:
    (found,) = findings(workflow(), BASE, edited(BASE, SOUP))
    assert found.severity == 'warning'


@pytest.mark.parametrize('off', ('log-and-shelf', 'REG016'))
def test_a_rule_is_switched_off_by_its_name_or_code(off: str) -> None:
    own = compiled(f'{WORKFLOW}severity: {{{off}: "off"}}\n')
    assert rules(own, BASE, edited(BASE, {LOG: ('raw', 'cooked')})) == set()


@pytest.mark.parametrize(
    'data',
    (
        '',
        '\ufeff',
        '\0',
        '[' * 3000,
        '{"a": 1, "a": 2}',
        '<<<<<<< ours\n- [ ] x\n=======\n>>>>>>> theirs\n',
        '---\n' * 3,
        '---\nstatus: &a [*a]\n---\n',
        '---\nstatus: !!python/object:os.system x\n---\n',
        '| a |\n|---|\n' * 50,
        '- [x]\n' * 2000,
        '#' * 5000,
        '## ADDED Requirements\n### Requirement:\n',
        '```\n' * 99,
        'development_status: [1, 2]\n',
        'development_status:\n  1-1-x: {a: b}\n',
        '{"master": {"tasks": [1, null, {"id": {}}]}, "x": 3}',
    ),
)
@pytest.mark.parametrize(
    ('preset', 'path'),
    (
        ('openspec', 'openspec/changes/a/tasks.md'),
        ('openspec', 'openspec/changes/archive/2026-13-99-a/specs/x/spec.md'),
        ('gsd', '.planning/ROADMAP.md'),
        ('gsd', '.planning/phases/01-a/01-VERIFICATION.md'),
        ('spec-kit', 'specs/001-a/tasks.md'),
        ('bmad', 'docs/sprint-status.yaml'),
        ('bmad', 'docs/1-1-x.md'),
        ('kiro', '.kiro/specs/a/spec.json'),
        ('backlog-md', 'backlog/tasks/back-1 - A.md'),
        ('backlog-md', 'backlog/config.yml'),
        ('task-master', '.taskmaster/tasks/tasks.json'),
    ),
)
def test_any_text_is_judged(preset: str, path: str, data: str) -> None:
    own = compiled(f'version: 1\nextends: {preset}\n')
    assert all(each.message and each.path for each in findings(own, {}, {path: data}))
    findings(own, {path: data}, {})


@pytest.mark.parametrize(
    ('old', 'new', 'message'),
    (
        pytest.param('read: jsonl', 'read: csv', 'csv', id='reader'),
        pytest.param('same: [log', 'sames: [log', 'sames', id='key'),
        pytest.param('name: log-and', 'name: Log-and', 'Log-and', id='name'),
        pytest.param('say: ', 'at: midnight, say: ', 'midnight', id='at'),
        pytest.param('same: [log, shelf]', 'same: [log, shef]', 'shef', id='record'),
        pytest.param('depends.log', 'depends.lag', 'lag', id='record of a relation'),
        pytest.param('{log: tasted}', '{log: eaten}', 'eaten', id='state'),
        pytest.param("'kitchen/{item}.card'", "'kitchen/{itm}.card'", 'itm', id='part'),
        pytest.param("name: '{slug}'", "name: '{nme}'", 'nme', id='part of a name'),
        pytest.param(
            "'kitchen/{item}.card'", "'kitchen/*.card'", '{item}', id='no item'
        ),
    ),
)
def test_a_workflow_that_makes_no_sense_is_refused(
    old: str, new: str, message: str
) -> None:
    assert old in WORKFLOW
    with pytest.raises(Refusal) as e:
        compiled(WORKFLOW.replace(old, new, 1))
    assert message in e.value.message


def test_parts_in_a_path_make_the_name() -> None:
    text = WORKFLOW.replace("name: '{slug}'", "name: '{slug}-{nn}'").replace(
        "'kitchen/{item}.png'", "'kitchen/{slug}/no/{nn}*.png'"
    )
    tasted = {LOG: ('"soup", "is": "raw"', '"soup-7", "is": "tasted"')}
    photo = {
        'kitchen/Soup/no/7-small.png': 'x',
        'kitchen/soup-7.card': 'Zustand: cooked',
    }
    own = compiled(text)
    assert rules(own, BASE, edited(BASE, tasted)) == {'tasted-without-photo'}
    assert rules(own, BASE, edited(BASE, {**tasted, **photo})) == set()
    with pytest.raises(Refusal, match=r'{item}'):
        compiled(text.replace('{slug}/no/{nn}*.png', '{nn}*.png'))


def test_an_item_may_be_recorded_once() -> None:
    text = WORKFLOW.replace(
        "key: '{item}'}", "key: '{item}', once: {name: on-the-shelf-twice}}"
    )
    after = edited(BASE, {SHELF: ('| Soup | raw |', '| Soup | raw |\n| soup | raw |')})
    (found,) = findings(compiled(text), BASE, after)
    assert (found.code, found.rule) == ('REG017', 'on-the-shelf-twice')
    assert found.line == 5


def test_what_one_file_has_twice_is_named_by_its_lines() -> None:
    own = compiled('version: 1\nextends: task-master\n')
    path = '.taskmaster/tasks/tasks.json'
    one = {'id': 1, 'status': 'pending', 'subtasks': [{'id': 2, 'status': 'pending'}]}
    two = {'id': 2, 'status': 'pending'}
    before, after = (
        {path: json.dumps({'master': {'tasks': tasks}}, indent=2)}
        for tasks in ([one, two], [one, two, two])
    )
    (found,) = findings(own, before, after)
    assert found.line == after[path].split('\n').index('        "id": 2,') + 5
    assert f'{path}:15, {path}:19' in found.message


def test_patterns_that_fit_no_file_are_said() -> None:
    own = compiled('version: 1\nextends: openspec\n')
    empty = MemorySnapshot({'README.md': 'x', 'openspec/project.md': 'x'})
    ((what, next_),) = unchecked_items_advice(empty, own)
    assert 'change, spec-requirement' in what
    assert 'git ls-files' in next_
    used = MemorySnapshot({'openspec/changes/add-x/tasks.md': '- [ ] 1\n'})
    assert list(unchecked_items_advice(used, own)) == []


def test_a_record_that_no_agreement_asks_for_is_not_unreadable_in_silence() -> None:
    own = compiled('version: 1\nextends: bmad\n')
    path = '_bmad-output/a.md'
    good, torn = '---\nstatus: draft\n---\n', '---\nstatus: [\n---\n'
    assert rules(own, {path: good}, {path: torn}) == {'REG018'}
    assert rules(own, {path: good}, {path: good + 'x'}) == set()


@pytest.mark.parametrize(
    ('text', 'expected'),
    (('null', {'REG018'}), ('"a"', {'REG018'}), ('7', {'REG018'}), ('{}', set())),
)
def test_a_value_of_json_that_holds_no_items_is_unreadable(
    text: str, expected: set[str]
) -> None:
    own, path = compiled('version: 1\nextends: task-master\n'), 'tasks/tasks.json'
    assert rules(own, {path: '{"tasks": []}'}, {path: text}) == expected


def test_other_words_of_the_project_are_a_change_of_every_item() -> None:
    own = compiled('version: 1\nextends: backlog-md\n')
    config, task = 'backlog/config.yml', 'backlog/tasks/back-1 - A.md'
    before = {
        config: 'statuses: [To Do, Done]\n',
        task: '---\nstatus: Shipped\n---\n\n## Acceptance Criteria\n\n- [ ] a\n',
    }
    after = {**before, config: 'statuses: [To Do, Shipped]\n'}
    assert rules(own, before, after) == {'done-with-open-criteria'}


@pytest.mark.parametrize(
    ('statuses', 'old', 'new', 'expected'),
    (
        pytest.param('To Do, Out', 'Shipped', 'Shipped', ['meant Done'], id='renamed'),
        pytest.param(
            'Shipped, Out', 'Shipped', 'Shipped', ['means Shipped'], id='not the last'
        ),
        pytest.param('To Do, Out', 'Shipped', 'Out', [], id='with its items'),
        pytest.param('New, Shipped', 'Shipped', 'Shipped', [], id='another word'),
        pytest.param('To Do, Out', 'Paused', 'Paused', [], id='of no meaning before'),
    ),
)
def test_a_word_of_items_does_not_lose_its_meaning_in_silence(
    statuses: str, old: str, new: str, expected: list[str]
) -> None:
    own = compiled('version: 1\nextends: backlog-md\n')

    def tree(words: str, status: str) -> dict[str, str]:
        tasks = [f'backlog/tasks/back-{number} - A.md' for number in '12']
        text = f'---\nstatus: {status}\n---\n'
        config = f'statuses: [{words}]\n'
        return {'backlog/config.yml': config, **dict.fromkeys(tasks, text)}

    found = findings(own, tree('To Do, Shipped', old), tree(statuses, new))
    assert [each.code for each in found] == ['REG005'] * len(expected)
    assert all(text in each.message for text, each in zip(expected, found, strict=True))


def test_each_kind_says_which_of_its_words_lost_their_meaning() -> None:
    kinds = ''.join(
        f'  {kind}:\n'
        f"    name: '{{slug}}'\n"
        f'    words: {{file: words.yml, at: states, last: Done}}\n'
        f'    states: {{Done: []}}\n'
        f"    records: {{file: {{read: field, label: State, file: '{kind}/{{item}}.md'}}}}\n"
        for kind in ('song', 'poem')
    )
    own = compiled(f'version: 1\nitems:\n{kinds}')
    items = dict.fromkeys(
        ('song/one.md', 'song/two.md', 'poem/ode.md'), 'State: Sung\n'
    )
    old, new = ({**items, 'words.yml': f'states: [{each}]\n'} for each in ('Sung', 'A'))
    assert [each.path for each in findings(own, old, new)] == [
        'song/one.md',
        'poem/ode.md',
    ]


@pytest.mark.parametrize('item', ['add-x', 'md', 'w', 'archive'])
@pytest.mark.parametrize(
    ('folder', 'name', 'expected'),
    (
        pytest.param('2026-01-02', 'why.md', set(), id='another file'),
        pytest.param('2026-01-09', 'why.md', set(), id='and another date'),
        pytest.param('2026-01-09', 'how.md', {'archive-edited'}, id='another date'),
    ),
)
def test_a_file_of_an_item_is_known_again_by_its_name_below_it(
    item: str, folder: str, name: str, expected: set[str]
) -> None:
    own = compiled('version: 1\nextends: openspec\n')
    archive = 'openspec/changes/archive/{}-{}/{}'.format
    before = {archive('2026-01-02', item, 'how.md'): 'one\n'}
    after = {archive(folder, item, name): 'two\n'}
    kept = {archive('2026-01-02', item, 'proposal.md'): '# Why\n'}
    assert rules(own, {**before, **kept}, {**after, **kept}) == expected


@pytest.mark.parametrize(
    ('text', 'expected'),
    (
        pytest.param('statuses: [', {'REG018'}, id='no YAML'),
        pytest.param('statuses: !!python/name:os [a]\n', {'REG018'}, id='a tag'),
        pytest.param('\ufeffstatuses: &a [To Do, Done]\nmore: *a\n', set(), id='sound'),
        pytest.param('[]\n', set(), id='without keys'),
        pytest.param('{\n\t"statuses": ["To Do", "Done"]\n}\n', set(), id='JSON'),
        pytest.param('{\n\t"statuses": ["To Do"],\n}\n', {'REG018'}, id='no JSON'),
    ),
)
def test_words_of_the_project_that_cannot_be_read_are_not_passed_over(
    text: str, expected: set[str]
) -> None:
    own = compiled('version: 1\nextends: backlog-md\n')
    config = 'backlog/config.yml'
    before = {config: 'statuses: [To Do, Done]\n'}
    assert rules(own, before, {config: text}) == expected
    assert rules(own, {config: text}, {config: text, 'a': 'b'}) == set()


@pytest.mark.parametrize(
    'record', ('read: table, columns: {item: Dish, status: State}', 'read: heading')
)
def test_a_record_without_a_pattern_of_items_says_nothing(record: str) -> None:
    own = compiled(
        'version: 1\n'
        'items:\n'
        '  recipe:\n'
        "    name: '{slug}'\n"
        '    states: {raw: []}\n'
        '    records:\n'
        f"      page: {{file: 'kitchen/{{item}}.md', {record}}}\n"
        "      photo: {read: present, file: 'kitchen/{item}.jpg'}\n"
        '    agree:\n'
        '      - {name: photo, when: {photo: present}, then: {page: absent}}\n'
    )
    page = '## Soup\n\n| Dish | State |\n|---|---|\n| soup | raw |\n'
    assert rules(own, {}, {'kitchen/soup.md': page, 'kitchen/soup.jpg': 'x'}) == set()
