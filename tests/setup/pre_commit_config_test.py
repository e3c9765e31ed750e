from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings, strategies

from interlock.documents.wiring.hook_files import HOOK_TYPES
from interlock.model.errors import Refusal
from interlock.setup.pre_commit_config import LOCAL, MARK, with_hook, without_hooks
from interlock.setup.pre_commit_stages import (
    STAGES,
    TYPES,
    types_before,
    warnings_about_others,
)
from tests.profiles import some

EVERY = f'{TYPES}: [pre-commit, pre-merge-commit, commit-msg, pre-push]'
ADDED = f'{EVERY}  {MARK}\n'
AT_COMMIT = f'{STAGES}: [pre-commit, manual]  {MARK}\n'
ALL_TYPES = f'{AT_COMMIT}{ADDED}'
OTHER = """\
- repo: https://example.invalid/é
  rev: v1.0
  hooks:
  - id: autre   # gardé
"""


def indented(text: str) -> str:
    return ''.join(f'  {line}\n' for line in text.splitlines())


def added(old: str) -> str:
    new, remark = with_hook(old.encode(), None)
    assert new is not None
    assert remark == 'with the hook added'
    return new.decode()


def test_a_new_configuration_holds_the_hook_and_its_types() -> None:
    new, remark = with_hook(None, None)
    assert new == f'{ALL_TYPES}repos:\n{LOCAL}'.encode()
    assert remark == 'runs the checks'


@pytest.mark.parametrize(
    'old',
    (
        pytest.param('', id='empty'),
        pytest.param('\n\n', id='empty lines'),
        pytest.param('# à remplir\n', id='a comment'),
        pytest.param('---\n', id='a document marker'),
    ),
)
def test_an_empty_configuration_is_as_good_as_none(old: str) -> None:
    new, remark = with_hook(old.encode(), None)
    assert new == f'{old}{ALL_TYPES}repos:\n{LOCAL}'.encode()
    assert remark == 'runs the checks'


def test_a_comment_without_a_newline_gets_one() -> None:
    new, _ = with_hook(b'# a\r\n# b', None)
    assert new is not None
    assert new.startswith(b'# a\r\n# b\r\ndefault_stages')
    assert new.count(b'\n') == new.count(b'\r\n')


def test_a_local_hook_is_named_where_a_source_is_wanted() -> None:
    source = ('https://example.invalid/i', 'v1')
    local = f'repos:\n{LOCAL}'.encode()
    assert with_hook(local, source) == (
        None,
        'is wired as a local hook; delete that block and run this again to switch',
    )
    remote, _ = with_hook(None, source)
    assert with_hook(remote, source) == (None, 'already has the hook; left as it is')


def test_the_output_of_a_hook_that_passes_is_shown() -> None:
    assert yaml.safe_load(LOCAL)[0]['hooks'][0]['verbose'] is True


def test_a_source_is_written_as_a_repository() -> None:
    new, _ = with_hook(None, ('https://example.invalid/i', 'v1.2.3'))
    assert new is not None
    assert yaml.safe_load(new)['repos'] == [
        {
            'repo': 'https://example.invalid/i',
            'rev': 'v1.2.3',
            'hooks': [{'id': 'interlock'}],
        }
    ]


@pytest.mark.parametrize(
    ('old', 'new'),
    (
        pytest.param(
            f'repos:\n{OTHER}',
            f'{ALL_TYPES}repos:\n{OTHER}{LOCAL}',
            id='after the last entry',
        ),
        pytest.param(
            f'repos:\n{indented(OTHER)}',
            f'{ALL_TYPES}repos:\n{indented(OTHER)}{indented(LOCAL)}',
            id='in the indentation of the others',
        ),
        pytest.param(
            f'repos:\n{OTHER}'.rstrip('\n'),
            f'{ALL_TYPES}repos:\n{OTHER}{LOCAL}',
            id='no newline at the end',
        ),
        pytest.param(
            f'repos:\n{OTHER}\n\n',
            f'{ALL_TYPES}repos:\n{OTHER}{LOCAL}\n\n',
            id='empty lines at the end stay there',
        ),
        pytest.param('repos: []\n', f'{ALL_TYPES}repos:\n{LOCAL}', id='empty list'),
        pytest.param(
            'repos: []  # à remplir\n',
            f'{ALL_TYPES}repos:  # à remplir\n{LOCAL}',
            id='empty list with a comment',
        ),
        pytest.param(
            'fail_fast: true\n',
            f'{ALL_TYPES}fail_fast: true\nrepos:\n{LOCAL}',
            id='no repos at all',
        ),
        pytest.param(
            'fail_fast: true',
            f'{ALL_TYPES}fail_fast: true\nrepos:\n{LOCAL}',
            id='no repos and no newline',
        ),
        pytest.param(
            f'repos:\n{OTHER}ci:\n  skip: [autre]\n',
            f'{ALL_TYPES}repos:\n{OTHER}{LOCAL}ci:\n  skip: [autre]\n',
            id='repos is not the last key',
        ),
        pytest.param(
            f'repos:\n{OTHER}\n# pour la CI\nci:\n  skip: [autre]',
            f'{ALL_TYPES}repos:\n{OTHER}{LOCAL}\n# pour la CI\nci:\n  skip: [autre]',
            id='the comment of a later key stays with it',
        ),
        pytest.param(
            f'# tête\n\n---\n# corps\nrepos:\n{OTHER}',
            f'# tête\n\n---\n# corps\n{ALL_TYPES}repos:\n{OTHER}{LOCAL}',
            id='a document marker',
        ),
        pytest.param(
            f'{EVERY}\nrepos:\n{OTHER}',
            f'{EVERY}\nrepos:\n{OTHER}{LOCAL}',
            id='all types are there',
        ),
        pytest.param(
            f'{STAGES}: [pre-push]\nrepos:\n{OTHER}',
            f'{ADDED}{STAGES}: [pre-push]\nrepos:\n{OTHER}{LOCAL}',
            id='stages of their own',
        ),
        pytest.param(
            f'{TYPES}: [pre-commit]\nrepos:\n{OTHER}',
            f'{AT_COMMIT}{EVERY}  {MARK}: pre-merge-commit, commit-msg, pre-push\n'
            f'repos:\n{OTHER}{LOCAL}',
            id='a flow list lacks some',
        ),
        pytest.param(
            f'{TYPES}: []\nrepos:\n{OTHER}',
            f'{AT_COMMIT}{EVERY}  {MARK}: '
            f'pre-commit, pre-merge-commit, commit-msg, pre-push\n'
            f'repos:\n{OTHER}{LOCAL}',
            id='an empty flow list',
        ),
        pytest.param(
            f'{TYPES}: [pre-push, commit-msg]  # voir [1]\nrepos:\n{OTHER}',
            f'{STAGES}: [pre-push, commit-msg, manual]  {MARK}\n'
            f'{TYPES}: [pre-push, commit-msg, pre-commit, pre-merge-commit]'
            f'  # voir [1]  {MARK}: pre-commit, pre-merge-commit\n'
            f'repos:\n{OTHER}{LOCAL}',
            id='a flow list with a comment',
        ),
        pytest.param(
            f'{TYPES}:\n- pre-commit  # oui\n- pre-push\nrepos:\n{OTHER}',
            f'{STAGES}: [pre-commit, pre-push, manual]  {MARK}\n'
            f'{TYPES}:\n- pre-commit  # oui\n- pre-push\n'
            f'- pre-merge-commit  {MARK}\n- commit-msg  {MARK}\n'
            f'repos:\n{OTHER}{LOCAL}',
            id='a block list lacks some',
        ),
        pytest.param(
            f'{TYPES}:\n    - commit-msg\nrepos:\n{OTHER}',
            f'{STAGES}: [commit-msg, manual]  {MARK}\n'
            f'{TYPES}:\n    - commit-msg\n    - pre-commit  {MARK}\n'
            f'    - pre-merge-commit  {MARK}\n    - pre-push  {MARK}\n'
            f'repos:\n{OTHER}{LOCAL}',
            id='an indented block list',
        ),
        pytest.param(
            f'repos:\n{OTHER}{TYPES}: [pre-commit]\n',
            f'{AT_COMMIT}repos:\n{OTHER}{LOCAL}{EVERY}'
            f'  {MARK}: pre-merge-commit, commit-msg, pre-push\n',
            id='a flow list below the repos',
        ),
        pytest.param(
            f'repos:\n{OTHER}{TYPES}:\n- pre-commit\n- commit-msg\n',
            f'{STAGES}: [pre-commit, commit-msg, manual]  {MARK}\n'
            f'repos:\n{OTHER}{LOCAL}{TYPES}:\n- pre-commit\n- commit-msg\n'
            f'- pre-merge-commit  {MARK}\n- pre-push  {MARK}\n',
            id='a block list below the repos',
        ),
    ),
)
@pytest.mark.parametrize('newline', ('\n', '\r\n'), ids=('LF', 'CRLF'))
def test_an_entry_is_added_and_taken_out_and_no_other_byte_changes(
    old: str, new: str, newline: str
) -> None:
    done = added(old.replace('\n', newline))
    # a file of one line has no line ending to follow
    if '\n' in old:
        assert done == new.replace('\n', newline)
    else:
        assert done == new
    gone, left = without_hooks(done.encode())
    assert (gone or b'').decode().replace('repos: []', 'repos:').rstrip() in (
        old.replace('repos: []', 'repos:').replace('\n', newline).rstrip(),
        f'{old.rstrip()}\nrepos:'.replace('\n', newline),
        f'{old}\nrepos:',
        # only ours was in it
        '',
    )
    assert left == ''


def hooks_at(*stages: list[str]) -> dict[str, Any]:
    hooks = [{'id': f'a{at}', 'stages': each} for at, each in enumerate(stages)]
    return {'repos': [{'repo': 'local', 'hooks': hooks}]}


OFTEN = {'repos': [{'repo': 'local', 'hooks': [{'id': 'a'}]}]}
NAMED = {'repos': [{'repo': 'local', 'hooks': [{'id': 'a', 'stages': ['pre-push']}]}]}
REMOTE = {'repos': [{'repo': 'https://é.invalid', 'hooks': [{'id': 'a'}, {'id': 'b'}]}]}


@pytest.mark.parametrize(
    ('config', 'installed', 'said'),
    (
        pytest.param({}, (), '', id='no others'),
        pytest.param(OFTEN, (), '', id='the default covers it'),
        pytest.param(
            NAMED,
            (),
            'the hook a names stages that were not installed before, and runs at '
            'them from now on; to prevent it: `stages: [manual]`',
            id='named',
        ),
        pytest.param(
            hooks_at(['pre-push', 'commit'], ['push'], ['pre-commit', 'merge-commit']),
            (),
            'the hooks a0, a2 name stages that were not installed before, and run at '
            'them from now on; to prevent it: `stages: [pre-commit]`\n'
            'the hook a1 names stages that were not installed before, and runs at '
            'them from now on; to prevent it: `stages: [manual]`',
            id='some of several',
        ),
        pytest.param(
            OFTEN | {STAGES: ['commit', 'push']},
            (),
            '`default_stages` names pre-push, so hooks without `stages` run there '
            'from now on; to prevent it: `default_stages: [pre-commit]`',
            id='older names of stages',
        ),
        pytest.param(
            OFTEN | {STAGES: ['commit', 'push']},
            ('pre-push',),
            '',
            id='older names of installed stages',
        ),
        pytest.param(NAMED, ('pre-push',), '', id='installed by hand before'),
        pytest.param(NAMED | {TYPES: ['pre-push']}, (), '', id='installed before'),
        pytest.param(
            REMOTE,
            (),
            'a, b: run at push too where their own repository says so; to prevent '
            'it, add to each of them: `stages: [pre-commit]`',
            id='a manifest that is not here',
        ),
        pytest.param(
            OFTEN | {STAGES: ['pre-commit', 'commit-msg']},
            (),
            '`default_stages` names commit-msg, so hooks without `stages` run there '
            'from now on; to prevent it: `default_stages: [pre-commit]`',
            id='stages of their own',
        ),
    ),
)
def test_hooks_that_may_run_more_often_are_named(
    config: dict[str, Any], installed: tuple[str, ...], said: str
) -> None:
    found = [*warnings_about_others(config, types_before(config, installed))]
    assert '\n'.join(found).startswith(said)
    assert bool(found) == bool(said)


def test_mixed_line_endings_stay_mixed() -> None:
    old = f'fail_fast: true\r\nrepos:\n{OTHER}ci:\r\n  skip: [autre]\n'
    done = added(old)
    assert done.startswith(ALL_TYPES.replace('\n', '\r\n') + 'fail_fast')
    assert f'repos:\n{OTHER}' in done
    assert done.endswith('ci:\r\n  skip: [autre]\n')


@pytest.mark.parametrize(
    'old',
    (
        pytest.param(f'repos:\n{LOCAL}', id='local'),
        pytest.param(
            'repos: [{repo: x, rev: y, hooks: [{id: interlock-registry}]}]\n',
            id='one check, in a form we do not edit',
        ),
    ),
)
def test_a_configuration_that_has_our_hook_is_left_as_it_is(old: str) -> None:
    assert with_hook(old.encode(), None) == (
        None,
        'already has the hook; left as it is',
    )


@pytest.mark.parametrize(
    ('old', 'sentence'),
    (
        pytest.param('x\n', 'is not a mapping', id='a word alone'),
        pytest.param('- a\n', 'is not a mapping', id='a list'),
        pytest.param('{}\n', 'a form that Interlock cannot edit', id='flow mapping'),
        pytest.param('repos: x\n', '`repos` is not a list', id='a word'),
        pytest.param(
            'repos: [{repo: a, rev: b, hooks: []}]\n',
            '`repos` is written in a form that Interlock cannot edit',
            id='a flow list',
        ),
        pytest.param(
            'repos: [\n]\n', '`repos` cannot be edited', id='an empty list on two lines'
        ),
        pytest.param(
            f'{TYPES}: pre-commit\nrepos:\n{OTHER}',
            f'`{TYPES}` is not a list',
            id='types is a word',
        ),
        pytest.param(
            f'{TYPES}: [\n  pre-commit,\n]\nrepos:\n{OTHER}',
            f'`{TYPES}` is written in a form that Interlock cannot edit',
            id='types on several lines',
        ),
        pytest.param(
            f'{TYPES}:\n  [pre-commit]\nrepos:\n{OTHER}',
            f'`{TYPES}` is written in a form that Interlock cannot edit',
            id='types on the next line',
        ),
        pytest.param(
            f'repos:\n{OTHER}...\n',
            'a form that Interlock cannot edit',
            id='a document end',
        ),
        pytest.param(
            f'\ufeffrepos:\n{OTHER}',
            'a form that Interlock cannot edit',
            id='a byte order mark',
        ),
        pytest.param('repos: [\n', 'cannot be read', id='no YAML'),
        pytest.param('repos: []\nrepos: []\n', 'the key `repos` twice', id='key twice'),
        pytest.param(b'repos: \xff\n', 'cannot be read', id='no UTF-8'),
    ),
)
def test_what_cannot_be_edited_is_refused(old: str | bytes, sentence: str) -> None:
    data = old.encode() if isinstance(old, str) else old
    with pytest.raises(Refusal) as e:
        with_hook(data, None)
    assert e.value.message.startswith('.pre-commit-config.yaml')
    assert sentence in e.value.message


KEYS = strategies.sampled_from(
    [
        'fail_fast: true\n',
        'exclude: ^é/\n',
        '# commentaire\n',
        '\n',
        f'{TYPES}: [commit-msg]\n',
        f'{TYPES}:\n  - pre-push\n',
        f'repos:\n{OTHER}',
        f'repos:\n{indented(OTHER)}\n',
        'repos: []\n',
        'ci:\n  skip: [a]\n',
        '---\n',
    ]
)


@given(
    strategies.lists(KEYS, max_size=6),
    strategies.sampled_from(['\n', '\r\n']),
    strategies.booleans(),
)
@settings(max_examples=some(200), deadline=None)
def test_any_configuration_is_merged_without_a_loss_or_refused(
    parts: list[str], newline: str, ended: bool
) -> None:
    text = ''.join(parts).replace('\n', newline)
    old = (text if ended else text.rstrip('\r\n')).encode()
    try:
        new, _ = with_hook(old, None)
    except Refusal:
        return
    assert new is not None
    before, after = yaml.safe_load(old) or {}, yaml.safe_load(new)
    assert after.pop('repos') == [
        *(before.pop('repos', None) or []),
        *yaml.safe_load(LOCAL),
    ]
    assert set(HOOK_TYPES) <= set(after.pop(TYPES))
    before.pop(TYPES, None)
    after.pop(STAGES, None)
    assert before == after
    assert with_hook(new, None)[0] is None
    # every old line is still there, in its order
    lines = iter(new.splitlines())
    kept = (
        line
        for line in old.splitlines()
        if TYPES.encode() not in line and line != b'repos: []'
    )
    assert all(line in lines for line in kept)
