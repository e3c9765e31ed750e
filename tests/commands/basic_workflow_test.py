"""What commands say where a table is all that a project has."""

from __future__ import annotations

import json
import shlex
import subprocess

import pytest

from tests.conftest import Interlock, Repo
from tests.guard.asking import edit

TABLE = """\
| Feature | State |
|---|---|
| Login | Planned |
| Search | Building |
| Offers | Building |
| Cart | Review |
| Export | Shipped |
"""
SHOW = 'interlock status'


@pytest.fixture
def table(repo: Repo, interlock: Interlock) -> Repo:
    repo.commit({'FEATURES.md': TABLE})
    assert interlock('init').code == 0
    repo.git('add', '.')
    repo.git('commit', '-qm', 'adopt')
    return repo


@pytest.mark.parametrize(
    ('args', 'code', 'said', 'following'),
    (
        pytest.param(
            ('registry', 'set-status', 'Search', 'Shipped'),
            1,
            'after Building comes Review or Planned',
            'interlock registry set-status Search Review',
            id='the first step towards what was wanted',
        ),
        pytest.param(
            ('registry', 'set-status', 'Cart', 'Planned'),
            1,
            'after Review comes Shipped or Building',
            'interlock registry set-status Cart Building',
            id='the first step back',
        ),
        pytest.param(
            ('menu', 'Search'),
            2,
            'Search is Building, and the workflow has no menu; next comes Review or',
            'interlock registry set-status Search Review',
            id='no menu',
        ),
        pytest.param(
            ('menu', 'Export'),
            2,
            'Export is Shipped, and the workflow has no menu\n',
            SHOW,
            id='no menu of what is finished',
        ),
        pytest.param(
            ('resume', 'Search'),
            0,
            'Search: the records are sound',
            'interlock registry set-status Search Review',
            id='resume',
        ),
        pytest.param(('resume', 'Export'), 0, 'Shipped', SHOW, id='what is finished'),
        pytest.param(
            ('verify-state', 'Search'),
            0,
            'Search: the records are sound',
            '',
            id='no handoff is missing where there are none',
        ),
        pytest.param(
            ('handoff', 'create', 'Search'),
            2,
            'the workflow does not name a handoff for features',
            'interlock config explain items.handoff',
            id='no handoffs',
        ),
        pytest.param(
            ('registry', 'may', 'Cart'),
            0,
            'Cart is at Review and may go to:\n  Shipped\n  Building\n',
            'interlock registry set-status Cart Shipped',
            id='where an item may go',
        ),
        pytest.param(
            ('registry', 'set-status', 'Cart', 'Shiped'),
            2,
            'there are Planned, Building, Review, Shipped; did you mean `Shipped`?',
            'interlock registry set-status Cart Shipped',
            id='a word that is nearly right',
        ),
        pytest.param(
            ('registry', 'may', 'Cart', 'Shiped'),
            2,
            'did you mean `Shipped`?',
            'interlock registry may Cart Shipped',
            id='the same in a question',
        ),
        pytest.param(
            ('registry', 'set-status', 'Cart', 'xyz'),
            2,
            '`xyz` is not a status of the workflow; there are Planned,',
            'interlock registry may Cart',
            id='a word that is near to nothing',
        ),
        pytest.param(
            ('config', 'explain', 'commit.footer'),
            2,
            'a workflow has no key `commit.footer`; did you mean '
            '`commit.writes.footers`?',
            'interlock config explain commit.writes.footers',
            id='a key',
        ),
        pytest.param(
            ('registry', 'add', 'A|B'),
            2,
            "'A|B' cannot be the name of an item: `|` is not allowed, because it is "
            'markup',
            "interlock registry add 'A B'",
            id='markup',
        ),
        pytest.param(
            ('registry', 'add', '👩\u200d Rocket'),
            2,
            'U+200D (invisible) is not allowed',
            "interlock registry add '👩 Rocket'",
            id='a joiner that joins nothing',
        ),
        pytest.param(
            ('registry', 'add', 'שלום\u200f'),
            2,
            'U+200F (invisible) is not allowed',
            'interlock registry add שלום',
            id='a mark of direction',
        ),
        pytest.param(
            ('registry', 'add', '|'), 2, '`|`', 'choose another name', id='nothing left'
        ),
        pytest.param(
            ('registry', 'show', 'Serch'),
            2,
            'there is no item `Serch`; did you mean `Search`?',
            'interlock registry show Search',
            id='unknown',
        ),
    ),
)
def test_what_is_refused_names_a_step_that_leads_on(
    table: Repo,
    interlock: Interlock,
    args: tuple[str, ...],
    code: int,
    said: str,
    following: str,
) -> None:
    result = interlock(*args)
    text = f'{result.out}{result.err}'
    assert (result.code, said in text) == (code, True), text
    assert (f'next: {following}\n' in text) is bool(following), text


@pytest.mark.parametrize(
    'name',
    (
        *('שלום', 'مرحبا', 'हिन्दी', 'ภาษาไทย', 'e\u0301'),
        *('🚀', '🚀 Rocket', 'Rocket 🚀', '⚙️ Engine', '👍🏽 Votes', 'שלום 🎉'),
        *('👩\u200d💻 Editor', '1\ufe0f\u20e3 First', 'می\u200cخواهم', 'A → B – “C”'),
        *('Login (web)', 'Import/Export', '/login', 'API: tokens', 'feature: x'),
        *('Search, filters', 'feature:x', "What's new?", 'C# "b" 50%', '$(ls); $HOME'),
    ),
)
def test_names_of_any_script(table: Repo, interlock: Interlock, name: str) -> None:
    assert interlock('registry', 'add', name).code == 0
    assert interlock('check', '--worktree').code == 0
    table.git('add', '.')
    table.git('commit', '-qm', 'one more')
    moved = interlock('registry', 'set-status', name, 'Building')
    assert moved.err == f'{name}: Planned -> Building\n'
    assert interlock('check', '--worktree').code == 0
    file = table.path / 'FEATURES.md'
    lines = file.read_text().splitlines(keepends=True)
    moved_on = [line.replace('Building', 'Shipped') for line in lines if name in line]
    file.write_text(''.join([*(e for e in lines if name not in e), *moved_on]))
    skipped = interlock('check', '--worktree')
    assert skipped.code == 1
    assert f'STG001 {name}: Planned -> Shipped' in skipped.out
    # as it is printed, in a shell
    _, _, command = skipped.out.partition('set it back to Planned: interlock ')
    back = interlock(*shlex.split(command.partition('\n')[0]))
    assert (back.code, back.err) == (0, f'{name}: Shipped -> Planned\n')


def test_a_name_of_before_takes_no_step(table: Repo, interlock: Interlock) -> None:
    """What cannot be judged does not pass, and its renaming is the way out."""
    table.commit({'FEATURES.md': f'{TABLE}| A<B | Building |\n'})
    table.write({'FEATURES.md': f'{TABLE}| A<B | Building |\n\nMore.\n'})
    assert interlock('check', '--worktree').code == 0
    table.write({'FEATURES.md': f'{TABLE}| A<B | Shipped |\n'})
    refused = interlock('check', '--worktree')
    assert (refused.code, 'REG009 A<B' in refused.out) == (1, True)
    table.write({'FEATURES.md': f'{TABLE}| A B | Building |\n'})
    renamed = interlock('check', '--worktree')
    assert renamed.code == 0, renamed.out


SPEC = "    contracts: {frozen: [Shipped], files: {spec: {paths: ['{item}.md']}}}\n"


@pytest.mark.parametrize(
    ('name', 'rules', 'codes'),
    (
        pytest.param('CSV/Excel', SPEC, {'CFG001', 'REG009'}, id='contracts'),
        pytest.param(
            'CSV: Excel',
            "    deliverables: {Review: [{paths: ['docs/{item}.md'], must: exist}]}\n",
            {'CFG001', 'REG009'},
            id='deliverables',
        ),
        pytest.param('CSV Excel', SPEC, {'CFG001'}, id='a name that can be a path'),
        pytest.param(
            'CSV/Excel', 'severity: {REG007: error}\n', {'CFG001'}, id='no files'
        ),
        pytest.param('A<B', SPEC, {'CFG001'}, id='no name before either'),
    ),
)
def test_a_workflow_that_makes_paths_of_names_asks_for_names_that_can_be(
    table: Repo, interlock: Interlock, name: str, rules: str, codes: set[str]
) -> None:
    """Otherwise the files of these items would lose all protection."""
    text = (table.path / '.interlock.yaml').read_text()
    table.commit({'FEATURES.md': f'{TABLE}| {name} | Shipped |\n', f'{name}.md': 'x'})
    table.write({'.interlock.yaml': text + rules})
    judged = interlock('check', '--worktree', '--format', 'json')
    found = json.loads(judged.out)['findings']
    assert {each['code'] for each in found} == codes
    assert judged.code == (1 if 'REG009' in codes else 0)
    (line,) = {each['line'] for each in found if each['code'] == 'REG009'} or {8}
    assert line == 8
    # past all hooks: the history is refused as well, and the board has the item
    table.commit({'.interlock.yaml': text + rules})
    history = interlock('check', '--commit', 'HEAD', '--format', 'json')
    assert {each['code'] for each in json.loads(history.out)['findings']} == codes
    assert f'  {name}' in interlock('status').out


def test_the_adoption_of_a_workflow_names_what_it_cannot_protect(
    table: Repo, interlock: Interlock
) -> None:
    text = (table.path / '.interlock.yaml').read_text()
    table.git('rm', '-q', '.interlock.yaml')
    table.commit({'FEATURES.md': f'{TABLE}| CSV/Excel | Shipped |\n'})
    table.write({'.interlock.yaml': text + SPEC})
    table.git('add', '.')
    adopted = interlock('check', '--staged')
    assert adopted.code == 0
    assert 'FEATURES.md:8: warning: REG009 CSV/Excel: ' in adopted.out


def test_a_name_that_would_be_a_path_is_refused_where_files_have_it(
    table: Repo, interlock: Interlock
) -> None:
    file = table.path / '.interlock.yaml'
    table.commit({'.interlock.yaml': file.read_text() + SPEC})
    table.write({'FEATURES.md': f'{TABLE}| CSV/Excel | Planned |\n'})
    found = interlock('check', '--worktree').out
    why = '`/` is not allowed, because names become paths (`{item}.md`)'
    unchecked = 'until it is renamed, its steps and its files are not checked'
    assert f'cannot be the name of an item: {why}; {unchecked}\n' in found
    status = interlock('status').out
    assert [line for line in status.splitlines() if 'not checked' in line] == [
        '  CSV/Excel                  1 error  not checked: rename it'
    ]
    shown = interlock('registry', 'show')
    assert (
        shown.err == 'CSV/Excel is not shown: its name cannot be the name of an item\n'
    )
    assert 'CSV' not in shown.out
    assert 'rename it, for example to `CSV Excel`, by hand: FEATURES.md:8\n' in found
    table.git('checkout', '-q', '.')
    added = interlock('registry', 'add', 'CSV/Excel')
    assert why in added.err
    assert "next: interlock registry add 'CSV Excel'\n" in added.err
    assert interlock('registry', 'add', 'CSV Excel').code == 0


def test_a_row_that_cannot_be_an_item_is_named_with_a_way_out(
    table: Repo, interlock: Interlock
) -> None:
    table.write({'FEATURES.md': f'{TABLE}| CSV<Excel 📊 | Planned |\n'})
    found = interlock('check', '--worktree').out
    assert (
        'FEATURES.md:8: error: REG009 CSV<Excel 📊: `CSV<Excel 📊` cannot be the name '
        'of an item: `<` is not allowed, because it is markup'
    ) in found
    assert 'rename it, for example to `CSV Excel 📊`, by hand: FEATURES.md:8\n' in found


@pytest.mark.parametrize(
    ('old', 'new', 'following'),
    (
        pytest.param(
            'Search | Building',
            'Search | Shipped',
            'interlock registry set-status Search Review',
            id='a step too far',
        ),
        pytest.param(
            'Export | Shipped',
            'Export | Planned',
            'interlock registry set-status Export Review',
            id='back over several',
        ),
        pytest.param(
            '| Login |',
            '| Import | Review |\n| Login |',
            'interlock registry add Import',
            id='a new item in the middle',
        ),
    ),
)
def test_a_refused_edit_names_what_is_legal(
    table: Repo, interlock: Interlock, old: str, new: str, following: str
) -> None:
    reply = edit(table.path / 'FEATURES.md', old, new)
    assert reply.decision == 'deny'
    assert reply.reason.endswith(f'\nnext: {following}')
    done = interlock(*following.split()[1:])
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    ('encoding', 'name'),
    (
        pytest.param('UTF-16', 'UTF-16', id='with a mark'),
        pytest.param('UTF-16LE', 'UTF-16LE', id='little endian'),
        pytest.param('UTF-16BE', 'UTF-16BE', id='big endian'),
        pytest.param('UTF-32', 'UTF-32', id='wider'),
    ),
)
def test_a_registry_in_wide_characters_is_converted(
    table: Repo, interlock: Interlock, encoding: str, name: str
) -> None:
    file = table.path / 'FEATURES.md'
    file.write_bytes(TABLE.encode(encoding))
    said = f'FEATURES.md:1: the registry is {name} text, and has to be UTF-8\n'
    step = 'interlock check --worktree --only registry --fix'
    for args in (
        ('status',),
        ('registry', 'show'),
        ('registry', 'set-status', 'Login', 'Building'),
    ):
        result = interlock(*args)
        assert f'{said}    next: {step}\n' in result.err, args
    table.git('add', '.')
    found = interlock('check', '--staged').out
    assert f'    convert it from {name} to UTF-8: {step}\n' in found
    fixed = interlock(*step.split()[1:])
    assert f'converted FEATURES.md from {name} to UTF-8; next: git add' in fixed.err
    assert file.read_text('UTF-8') == TABLE
    assert 'git add -A -- FEATURES.md' in interlock('check', '--staged').out


@pytest.mark.parametrize(
    ('name', 'encoding'),
    (
        pytest.param('Café', 'LATIN1', id='Latin-1'),
        pytest.param('Café “neu”', 'CP1252', id='Windows'),
    ),
)
def test_of_a_row_that_is_not_utf_8_it_is_said_what_it_looks_like(
    table: Repo, interlock: Interlock, name: str, encoding: str
) -> None:
    text = TABLE.replace('| Planned |', f'| Planned | {name} |')
    (table.path / 'FEATURES.md').write_bytes(text.encode(encoding))
    found = interlock('check', '--worktree').out
    assert 'error: REG008 Login: the record is not UTF-8 text\n' in found
    by_hand = f'save it as UTF-8 (it looks like {encoding}) by hand: FEATURES.md:3\n'
    assert f'    {by_hand}' in found


@pytest.mark.parametrize(
    ('spec', 'table_after', 'said'),
    (
        pytest.param(
            'docs/{item}.md',
            TABLE.replace('| Search', '| Find it'),
            "git mv docs/Search.md 'docs/Find it.md'",
            id='a file',
        ),
        pytest.param(
            'docs/{item}/spec.md',
            TABLE.replace('| Search', '| Find'),
            '(cd "$(git rev-parse --show-toplevel)" && mkdir -p docs/Find && '
            'git mv docs/Search/spec.md docs/Find/spec.md)',
            id='a file in a folder',
        ),
        pytest.param(
            'docs/{item}.md',
            TABLE.replace('| Search | Building |\n', '') + '| Find | Building |\n',
            'git mv docs/Search.md docs/Find.md',
            id='another place in the table',
        ),
        pytest.param(
            'docs/{item}.md',
            TABLE.replace('| Search | Building', '| Find | Review'),
            'git mv docs/Search.md docs/Find.md',
            id='another status',
        ),
        pytest.param(
            'docs/{item}.md',
            TABLE.replace('| Search | Building', '| Find | Review').replace(
                '| Offers | Building |\n', ''
            ),
            '',
            id='another status, and one more that left',
        ),
        pytest.param(
            'other/{item}.md', TABLE.replace('| Search', '| Find'), '', id='no file'
        ),
    ),
)
def test_a_renamed_item_takes_its_files_along(
    table: Repo, interlock: Interlock, spec: str, table_after: str, said: str
) -> None:
    text = (table.path / '.interlock.yaml').read_text()
    file = spec.replace('{item}', 'Search')
    table.commit({'.interlock.yaml': text + SPEC.replace('{item}.md', spec)})
    if not file.startswith('other'):
        table.commit({file: 'What it does.\n'})
    table.write({'FEATURES.md': table_after})
    refused = interlock('check', '--worktree')
    label = 'if Search was renamed, move its files too: '
    assert (f'{label}{said}\n' in refused.out) == bool(said)
    assert (label in refused.out) == bool(said)
    if said:
        subprocess.run(said, shell=True, cwd=table.path, check=True)
        assert interlock('check', '--worktree').code == 0


@pytest.mark.parametrize(
    ('old', 'new', 'said'),
    (
        pytest.param(
            '| Search | Review | Ana |',
            '| Find | Shipped | Ana |',
            'if Search was renamed, set it to Review for now, by hand: FEATURES.md:',
            id='renamed and moved on',
        ),
        pytest.param(
            '| Search | Planned | Ana |',
            '| Find | Review | Ana |',
            'begin with Planned: interlock registry set-status Find Planned',
            id='where new items begin',
        ),
        pytest.param(
            '| Search | Review | Ana |',
            '| Find | Shipped | Ben |',
            'begin with Planned: interlock registry set-status Find Planned',
            id='another row',
        ),
    ),
)
def test_an_item_is_not_renamed_and_moved_on_at_once(
    repo: Repo, interlock: Interlock, old: str, new: str, said: str
) -> None:
    states = ('Planned', 'Building', 'Review', 'Shipped')
    rows = [f'| {state}s | {state} | Ana |\n' for state in states]
    head = '| Feature | State | Owner |\n|---|---|---|\n'
    before = f'{head}{"".join(rows)}{old}\n'
    repo.commit({'FEATURES.md': before})
    assert interlock('init').code == 0
    repo.commit({})
    repo.write({'FEATURES.md': before.replace(old, new)})
    refused = interlock('check', '--worktree')
    assert (refused.code, said in refused.out) == (1, True)
    renamed = old.replace('Search', 'Find')
    repo.write({'FEATURES.md': before.replace(old, renamed)})
    assert interlock('check', '--worktree').code == 0


def test_a_record_returns_and_other_changes_stay(
    table: Repo, interlock: Interlock
) -> None:
    without = TABLE.replace('| Offers | Building |\n', '')
    moved = without.replace('| Login | Planned |', '| Login | Building |')
    table.write({'FEATURES.md': moved, 'message': 'less'})
    table.git('add', 'FEATURES.md')
    refused = interlock('check', '--staged', '--message', 'message')
    command = 'restore its record: interlock registry restore Offers\n'
    assert command in refused.out
    restored = interlock('registry', 'restore', 'Offers')
    assert restored.code == 0
    assert restored.err.startswith('FEATURES.md: Offers is back (')
    expected = TABLE.replace('| Login | Planned |', '| Login | Building |')
    assert (table.path / 'FEATURES.md').read_text() == expected
    # and when the commit is made
    table.commit({'FEATURES.md': without})
    table.commit({'FEATURES.md': moved})
    assert interlock('registry', 'restore', 'Offers').code == 0
    assert (table.path / 'FEATURES.md').read_text() == expected
    assert interlock('registry', 'restore', 'Offers').out.startswith('nothing to ')
    unknown = interlock('registry', 'restore', 'Nowhere')
    assert (unknown.code, 'there is no item `Nowhere`' in unknown.err) == (2, True)


@pytest.mark.parametrize(
    ('text', 'code', 'said'),
    (
        pytest.param('# x\n', 2, 'the registry has no table', id='unreadable'),
        pytest.param(
            TABLE.replace('| Offers | Building |\n', '')
            .replace('|\n', '| x |\n')
            .replace('|---|---| x |', '|---|---|---|'),
            1,
            'Offers cannot return from',
            id='other columns',
        ),
    ),
)
def test_a_record_that_cannot_return(
    table: Repo, interlock: Interlock, text: str, code: int, said: str
) -> None:
    table.write({'FEATURES.md': text})
    refused = interlock('registry', 'restore', 'Offers')
    assert refused.code == code
    assert said in refused.err
    assert (table.path / 'FEATURES.md').read_text() == text


@pytest.mark.parametrize(
    ('old', 'meanwhile', 'new'),
    (
        pytest.param('| Login | Planned |\n', '', '| Login | Planned |\n', id='tight'),
        pytest.param(
            '| Login | Planned     |\n', '', '| Login | Planned     |\n', id='wide'
        ),
        pytest.param('|Login|Planned|\n', '', '|Login|Planned|\n', id='no padding'),
        pytest.param(
            '| Login | Planned |\n',
            '| Login | Building | x |\n',
            '| Login | Planned  | x |\n',
            id='another cell changed',
        ),
    ),
)
def test_a_step_back_leaves_no_trace(
    table: Repo, interlock: Interlock, old: str, meanwhile: str, new: str
) -> None:
    text = TABLE.replace('| Login | Planned |\n', '{}')
    table.commit({'FEATURES.md': text.format(old)})
    assert interlock('registry', 'set-status', 'Login', 'Building').code == 0
    if meanwhile:
        table.write({'FEATURES.md': text.format(meanwhile)})
    assert interlock('registry', 'set-status', 'Login', 'Planned').code == 0
    assert (table.path / 'FEATURES.md').read_text() == text.format(new)


@pytest.mark.parametrize(
    ('files', 'code'),
    (
        pytest.param({'Export.md': 'other\n'}, 1, id='changed'),
        pytest.param({'Export.md': None}, 1, id='deleted'),
        pytest.param({'Cart.md': 'new\n'}, 0, id='new'),
        pytest.param({'docs/x.md': 'x\n'}, 0, id='something else'),
        pytest.param({'FEATURES.md': TABLE}, 0, id='repaired'),
    ),
)
def test_what_may_be_frozen_stays_while_the_registry_has_a_conflict(
    table: Repo, interlock: Interlock, files: dict[str, str | None], code: int
) -> None:
    text = (table.path / '.interlock.yaml').read_text()
    table.commit({'.interlock.yaml': text + SPEC, 'Export.md': 'x\n'})
    table.commit({'FEATURES.md': f'{TABLE}<<<<<<< HEAD\n'})
    for name, content in files.items():
        if content is None:
            (table.path / name).unlink()
        else:
            table.write({name: content})
    table.git('add', '-A')
    judged = interlock('check', '--staged')
    assert (judged.code, 'REG008' in judged.out) == (code, bool(code))


@pytest.mark.parametrize(
    ('item', 'steps', 'refused'),
    (
        pytest.param('Search', ['Review', 'Shipped'], True, id='two steps'),
        pytest.param('Login', ['Building', 'Review'], True, id='two from the start'),
        pytest.param('Search', ['Review', 'Building'], False, id='and back'),
        pytest.param('Search', ['Review', 'Review'], False, id='the same again'),
        pytest.param('New', ['Planned', 'Building'], True, id='of a new item'),
    ),
)
def test_a_commit_makes_one_step(
    table: Repo, interlock: Interlock, item: str, steps: list[str], refused: bool
) -> None:
    if item == 'New':
        assert interlock('registry', 'add', item).code == 0
    first, second = steps
    assert interlock('registry', 'set-status', item, first).code == 0
    asked = interlock('registry', 'may', item, second)
    listed = interlock('registry', 'may', item)
    result = interlock('registry', 'set-status', item, second)
    assert (result.code, asked.code) == (int(refused), int(refused)), result.err
    if refused:
        following = result.err.rpartition('next: ')[2]
        assert asked.err == listed.err == f'next: {following}'
        assert f'{second}, but not yet: ' in listed.out
        assert f'-> {first} is not committed yet' in result.err
        following = result.err.rpartition('next: ')[2].strip()
        subprocess.run(following, shell=True, check=True, cwd=table.path)
        assert interlock('registry', 'set-status', item, second).code == 0
    table.git('add', '.')
    table.git('commit', '-qm', 'the second step', '--allow-empty')
    assert interlock.check('--range', 'HEAD~2..HEAD').codes == []


def test_before_the_workflow_is_committed_any_number_of_steps_may_be_made(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'FEATURES.md': TABLE})
    assert interlock('init').code == 0
    for state in ('Review', 'Shipped'):
        assert interlock('registry', 'set-status', 'Search', state).code == 0


@pytest.mark.parametrize(
    ('old', 'new', 'code', 'command'),
    (
        pytest.param(
            '| Login |',
            '| Import | Review |\n| Login |',
            'STG001',
            'interlock registry set-status Import Planned',
            id='a new item in the middle',
        ),
        pytest.param(
            '| Login |',
            '| Import | Reveiw |\n| Login |',
            'REG005',
            'interlock registry set-status Import Planned',
            id='a new item with a typing error',
        ),
        pytest.param(
            'Search | Building',
            'Search | Planed',
            'REG005',
            'interlock registry set-status Search Review',
            id='an item with a typing error takes the next step',
        ),
        pytest.param(
            'Search | Building',
            'Search | Shipped',
            'STG001',
            'interlock registry set-status Search Planned',
            id='a step that is legal from the last commit, not from the mistake',
        ),
    ),
)
def test_a_mistake_on_disk_stands_in_nobodys_way(
    table: Repo, interlock: Interlock, old: str, new: str, code: str, command: str
) -> None:
    file = table.path / 'FEATURES.md'
    file.write_text(TABLE.replace(old, new))
    assert interlock.check('--worktree').codes == [code]
    done = interlock(*command.split()[1:])
    assert done.code == 0, done.err
    assert interlock.check('--worktree').codes == []


def test_a_new_item_that_may_not_begin_there_is_told_where(
    table: Repo, interlock: Interlock
) -> None:
    file = table.path / 'FEATURES.md'
    file.write_text(TABLE.replace('| Login |', '| Import | Review |\n| Login |'))
    refused = interlock('registry', 'set-status', 'Import', 'Shipped')
    assert refused.code == 1
    assert 'Import may not go from not registered to Shipped' in refused.err
    assert refused.err.endswith('next: interlock registry set-status Import Planned\n')


def test_a_conflict_is_decided_by_a_person_and_loses_no_side(
    table: Repo, interlock: Interlock
) -> None:
    """The last commit has only one side of the merge."""
    table.git('checkout', '-qb', 'other')
    theirs = TABLE.replace('Cart | Review', 'Cart | Shipped')
    table.commit({'FEATURES.md': theirs.replace('Login | Planned', 'Login | Building')})
    table.git('checkout', '-q', 'main')
    table.commit({'FEATURES.md': TABLE.replace('| Login | Planned |\n', '')})
    assert table.try_git('merge', 'other').returncode == 1
    before = (table.path / 'FEATURES.md').read_text()
    for args in (
        ('status',),
        ('registry', 'set-status', 'Cart', 'Building'),
        ('registry', 'restore'),
    ):
        refused = interlock(*args)
        assert 'resolve the conflict by hand: FEATURES.md:3' in refused.err
    assert 'resolve the conflict by hand' in interlock.check('--worktree').out
    assert (table.path / 'FEATURES.md').read_text() == before


def test_a_trailer_with_the_placeholder_of_a_hint_is_told_so(
    table: Repo, interlock: Interlock
) -> None:
    table.stage({'FEATURES.md': TABLE.replace('| Search | Building |\n', '')})
    message = table.path / 'message'
    message.write_text('Drop it\n\nItem-Dropped: WHY\n')
    refused = interlock('check', '--staged', '--message', str(message))
    assert 'REG019 Search: it left the registry while at Building, and `WHY` in' in (
        refused.out
    )
    message.write_text('Drop it\n\nItem-Dropped: nobody searches\n')
    assert interlock('check', '--staged', '--message', str(message)).code == 0


def test_a_workflow_with_one_state_says_so(repo: Repo, interlock: Interlock) -> None:
    rows = '| Pay | Todo |\n| Cart | Todo |\n'
    repo.commit({'TODO.md': f'| Task | Status |\n|---|---|\n{rows}'})
    assert interlock('init').code == 0
    repo.commit({})
    file = repo.path / 'TODO.md'
    file.write_text(file.read_text().replace('Pay | Todo', 'Pay | Ready'))
    refused = interlock('check', '--worktree')
    assert (
        '`Ready` is not a status of the workflow; there is only Todo\n' in refused.out
    )
    named = interlock('registry', 'set-status', 'Pay', 'Ready')
    assert '`Ready` is not a status of the workflow; there is only Todo\n' in named.err


@pytest.mark.parametrize(
    ('item', 'code', 'lines'),
    (
        pytest.param(
            'Export',
            0,
            (
                'holds    all stages completed in sequence',
                'holds    the registry says that it is done (it says Shipped)',
                'holds    nothing is wrong with it',
            ),
            id='done',
        ),
        pytest.param(
            'Cart',
            1,
            (
                'holds    all stages completed in sequence',
                'fails    the registry says that it is done (it says Review)',
                'holds    nothing is wrong with it',
                '    next: interlock resume Cart',
            ),
            id='in review',
        ),
    ),
)
def test_an_item_is_judged_by_what_its_workflow_asks_for(
    table: Repo, interlock: Interlock, item: str, code: int, lines: tuple[str, ...]
) -> None:
    result = interlock('audit', '--item', item)
    assert (result.code, tuple(result.out.splitlines())) == (code, lines)


def test_an_item_is_not_a_range(table: Repo, interlock: Interlock) -> None:
    refused = interlock('audit', 'Export')
    assert refused.code == 2
    assert 'or for an item: interlock audit --item Export\n' in refused.err


@pytest.mark.parametrize(
    ('old', 'new', 'said'),
    (
        pytest.param('', '', '', id='as it is'),
        pytest.param(
            'file: FEATURES.md',
            'file: FEATURE.md',
            '.interlock.yaml: warning: FEATURE.md does not exist, so no items are '
            'checked\n    next: register the first feature with interlock registry add',
            id='another file',
        ),
        pytest.param(
            'status: State',
            'status: Stat',
            '.interlock.yaml: warning: FEATURES.md:1: the registry has no table with the '
            'columns `Feature` and `Stat`; this one has `Feature`, `State`\n    next: ',
            id='another column',
        ),
    ),
)
def test_a_workflow_that_checks_no_item_is_named(
    table: Repo, interlock: Interlock, old: str, new: str, said: str
) -> None:
    file = table.path / '.interlock.yaml'
    file.write_text(file.read_text().replace(old, new))
    result = interlock('config', 'validate')
    assert (result.code, result.err.startswith(said)) == (0, True)
    assert bool(said) == bool(result.err)
    # where another file governs, its files need not be here
    file.rename(table.path / 'other.yaml')
    result = interlock('config', 'validate', 'other.yaml')
    assert (result.code, result.err) == (0, '')
    if said:
        # the paths of a workflow begin at the top of the repository
        (table.path / 'ci').mkdir()
        (table.path / 'other.yaml').rename(table.path / 'ci/interlock.yaml')
        result = interlock('config', 'validate', '--config', 'ci/interlock.yaml')
        assert result.err.replace('ci/interlock', '.interlock').startswith(said)


WORDS = TABLE.replace('Building', 'in progress').replace('Review', 'in review')


@pytest.mark.parametrize(
    ('args', 'said'),
    (
        pytest.param(
            ('registry', 'set-status', 'Search', 'Shipped'),
            'Search may not go from `in progress` to Shipped: after `in progress` comes '
            '`in review` or Planned',
            id='set-status',
        ),
        pytest.param(
            ('registry', 'may', 'Search'), 'Search is at `in progress`', id='may'
        ),
        pytest.param(
            ('menu', 'Search'),
            'Search is `in progress`, and the workflow has no menu; next comes '
            '`in review` or Planned',
            id='menu',
        ),
        pytest.param(
            ('registry', 'set-status', 'Search', 'in progress'),
            'Search is already `in progress`',
            id='already',
        ),
    ),
)
def test_a_state_that_reads_like_a_sentence_is_marked(
    repo: Repo, interlock: Interlock, args: tuple[str, ...], said: str
) -> None:
    repo.commit({'FEATURES.md': WORDS})
    assert interlock('init').code == 0
    repo.commit({})
    result = interlock(*args)
    assert said in result.out + result.err


@pytest.mark.parametrize(
    ('old', 'new', 'said'),
    (
        pytest.param(
            '| Search | in progress |',
            '| Search | Shipped |',
            'in progress -> Shipped: after `in progress` comes `in review` or Planned',
            id='a step',
        ),
        pytest.param(
            '| Search | in progress |\n',
            '',
            'it left the registry while at `in progress`, and ',
            id='a row that is gone',
        ),
    ),
)
def test_a_finding_marks_it_too(
    repo: Repo, interlock: Interlock, old: str, new: str, said: str
) -> None:
    repo.commit({'FEATURES.md': WORDS})
    assert interlock('init', '--git-hooks').code == 0
    repo.commit({})
    repo.write({'FEATURES.md': WORDS.replace(old, new)})
    refused = repo.try_git('commit', '-qam', 'x')
    assert said in refused.stdout + refused.stderr
