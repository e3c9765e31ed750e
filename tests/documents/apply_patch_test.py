from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from interlock.documents.apply_patch import PatchedFile, is_patch, patched_files
from interlock.model.errors import Unreadable
from tests.documents.strategies import any_text
from tests.profiles import some

often = settings(max_examples=some(300), deadline=None)
OLD = 'one\ntwo\nthree\n'
Changes = list[tuple[str, str | None, bool]]


def patch(*lines: str) -> str:
    return '\n'.join(('*** Begin Patch', *lines, '*** End Patch', ''))


def update(*lines: str) -> str:
    return patch('*** Update File: a', *lines)


def files(text: str, **stored: str) -> list[PatchedFile]:
    known = {'/p/a': OLD, **{f'/p/{name}': data for name, data in stored.items()}}
    return patched_files(text, '/p', known.get)


def changes(text: str, **stored: str) -> Changes:
    return [(each.path, each.text, each.removed) for each in files(text, **stored)]


@pytest.mark.parametrize(
    ('text', 'new'),
    [
        pytest.param(
            update('@@', ' one', '-two', '+TWO', ' three'),
            'one\nTWO\nthree\n',
            id='context',
        ),
        pytest.param(update('@@ two', '-three'), 'one\ntwo\n', id='below a line'),
        pytest.param(
            update('@@', '-one', '+1', '@@', '-three', '+3'), '1\ntwo\n3\n', id='chunks'
        ),
        pytest.param(
            update('@@', '-three', '+3', '*** End of File'),
            'one\ntwo\n3\n',
            id='at the end',
        ),
        pytest.param(update('@@', '+four'), f'{OLD}four\n', id='only added'),
        pytest.param(
            update('@@', '-two', '+2').replace('\n', '\r\n'),
            'one\n2\nthree\n',
            id='patch with CRLF',
        ),
        pytest.param(
            f"<<'EOF'\n{update('@@', '-two')}EOF", 'one\nthree\n', id='wrapped'
        ),
        pytest.param(update('@@', '-four', '+4'), None, id='wrong context'),
        pytest.param(update('-two', '+TWO'), None, id='no mark'),
        pytest.param(update('@@', '-two  ', '+2'), None, id='other blanks'),
        pytest.param(update('@@ one', '+1.5'), None, id='added below a place'),
        pytest.param(update('@@ four', '-two'), None, id='wrong place'),
        pytest.param(update('@@', '-three', '@@', '-one'), None, id='wrong order'),
        pytest.param(
            update('@@', '-one', '*** End of File'), None, id='not at the end'
        ),
    ],
)
def test_the_text_of_an_updated_file(text: str, new: str | None) -> None:
    assert is_patch(text)
    assert changes(text) == [('/p/a', new, False)]


def test_a_file_keeps_its_line_ends() -> None:
    text = update('@@', '-two', '+2')
    assert changes(text, a='one\r\ntwo\r\n') == [('/p/a', 'one\r\n2\r\n', False)]


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        pytest.param(
            patch('*** Add File: d/b', '+x', '+'),
            [('/p/d/b', 'x\n\n', False)],
            id='add',
        ),
        pytest.param(
            patch('*** Add File: b'), [('/p/b', '', False)], id='an empty file'
        ),
        pytest.param(patch('*** Delete File: a'), [('/p/a', None, True)], id='delete'),
        pytest.param(
            patch('*** Add File: /q/b', '+x'), [('/q/b', 'x\n', False)], id='absolute'
        ),
        pytest.param(
            patch('*** Add File: ../b', '+x'), [('/b', 'x\n', False)], id='above'
        ),
        pytest.param(
            update('*** Move to: b', '@@', '-two'),
            [('/p/a', None, True), ('/p/b', 'one\nthree\n', False)],
            id='move and change',
        ),
        pytest.param(
            update('*** Move to: d/../b'),
            [('/p/a', None, True), ('/p/b', OLD, False)],
            id='move',
        ),
        pytest.param(
            patch('*** Add File: b', '+x', '*** Delete File: a', '', '*** Add File: c'),
            [('/p/b', 'x\n', False), ('/p/a', None, True), ('/p/c', '', False)],
            id='several',
        ),
        pytest.param(
            patch(
                '*** Add File: b', '+x', '*** Update File: ./b', '@@', '-x', '+y', '+z'
            ),
            [('/p/b', 'x\n', False), ('/p/b', 'y\nz\n', False)],
            id='one file twice',
        ),
        pytest.param(
            patch('*** Delete File: a', '*** Update File: a', '-two'),
            [('/p/a', None, True), ('/p/a', None, False)],
            id='a file that is gone',
        ),
        pytest.param(
            patch('*** Update File: none', '-x'),
            [('/p/none', None, False)],
            id='a file that does not exist',
        ),
    ],
)
def test_the_files_of_a_patch(text: str, expected: Changes) -> None:
    assert changes(text) == expected


@pytest.mark.parametrize(
    ('lines', 'names'),
    [((), ('/p/a', '/p/b')), (('@@', '-two'), ('', ''))],
    ids=['as it is', 'changed'],
)
def test_a_file_that_is_moved(lines: tuple[str, ...], names: tuple[str, str]) -> None:
    removed, written = files(update('*** Move to: b', *lines))
    assert (written.source, removed.target) == names


@pytest.mark.parametrize(
    'text',
    [
        pytest.param('', id='nothing'),
        pytest.param('--- a\n+++ b\n', id='another format'),
        pytest.param('*** Begin Patch\n*** Delete File: a\n', id='no end'),
        pytest.param('*** Begin Patch', id='one line'),
        pytest.param(patch(), id='no file'),
        pytest.param(patch('*** Rename File: a'), id='an unknown kind'),
        pytest.param(patch('*** Delete File: '), id='no name'),
        pytest.param(patch('*** Delete File: a\0b'), id='NUL in a name'),
        pytest.param(patch('*** Delete File: a', '-x'), id='lines of a deleted file'),
        pytest.param(patch('*** Add File: b', 'x'), id='a line without its sign'),
        pytest.param(update(), id='no change'),
        pytest.param(update('@@'), id='no lines'),
        pytest.param(update('@@', 'one'), id='a chunk without signs'),
        pytest.param(update('-two', '*** End of File', '-x'), id='after the end'),
        pytest.param(update('-two', '*** End Patch', '-x'), id='two ends'),
        pytest.param(f'{update("-two")}rm a', id='text behind it'),
    ],
)
def test_what_is_not_understood_is_said(text: str) -> None:
    with pytest.raises(Unreadable) as caught:
        files(text)
    assert len(caught.value.message.split()) > 3


HEADERS = st.sampled_from(
    ('*** Add File: b', '*** Delete File: a', '*** Update File: a', '*** Move to: c')
)
BODIES = st.sampled_from(
    ('@@', '@@ two', '-two', ' one', '+x', '', '*** End of File', '*** End Patch')
)


@often
@given(st.one_of(any_text, st.lists(HEADERS | BODIES).map(lambda all: patch(*all))))
@example('*** Begin Patch\n')
def test_any_text_is_a_patch_or_refused(text: str) -> None:
    try:
        found = files(text)
    except Unreadable as error:
        assert error.line >= 1
    else:
        assert found
        assert all(each.path.startswith('/') for each in found)
        assert all(each.text is None for each in found if each.removed)


LINES = st.lists(st.text('ab *@+-', max_size=4), min_size=1, max_size=6)


@often
@given(LINES, LINES, LINES)
def test_a_change_gives_what_it_was_made_of(
    head: list[str], old: list[str], new: list[str]
) -> None:
    # lines that nothing else repeats, so that there is one place alone
    kept = [f'kept {number} {line}' for number, line in enumerate(head)]
    before = ''.join(f'{line}\n' for line in (*kept, *old))
    after = ''.join(f'{line}\n' for line in (*kept, *new))
    lines = (f' {kept[-1]}', *(f'-{line}' for line in old))
    text = update('@@', *lines, *(f'+{line}' for line in new), '*** End of File')
    assert changes(text, a=before) == [('/p/a', after, False)]
